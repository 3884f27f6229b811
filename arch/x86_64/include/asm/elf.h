/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/elf.h (System V ABI AMD64, 4.1.1). */
#pragma once

#define ARCH_ELF_MACHINE 62 /* EM_X86_64 */
