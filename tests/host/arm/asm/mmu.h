/* SPDX-License-Identifier: MIT */
/* The host's, and what ARM has beside: for tests of code that only ARM boards link. */
#pragma once

#include_next <asm/mmu.h>

void *arm_early_device(phys_addr_t pa);
