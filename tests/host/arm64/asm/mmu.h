/* SPDX-License-Identifier: MIT */
/* The host's, but for where user space ends. */
#pragma once

#include_next <asm/mmu.h>

#undef USER_END
#define USER_END 0x00007ffffffff000UL
