/* SPDX-License-Identifier: MIT */
/* Architecture contract: which executables run here. */
#pragma once

/*
 * ARCH_ELF_MACHINE: e_machine of them. ARCH_PT_UNWIND, where there is such: p_type of the index of
 * unwind tables.
 */
#include <asm/elf.h>
