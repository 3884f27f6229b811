/* SPDX-License-Identifier: MIT */
/* Host part of arch/elf.h: x86_64's, for the test files are written for it. */
#pragma once

#define ARCH_ELF_MACHINE 62         /* EM_X86_64 */
#define ARCH_PT_UNWIND   0x70000001 /* as on ARM */
