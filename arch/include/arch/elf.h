/* SPDX-License-Identifier: MIT */
/* Architecture contract: which executables run here. */
#pragma once

/* ARCH_ELF_MACHINE: e_machine of them. */
#include <asm/elf.h>
