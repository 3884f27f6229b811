/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/elf.h (ELF for the Arm 64-bit Architecture, 5.4). No unwind tables are used.
 */
#pragma once

#define ARCH_ELF_MACHINE 183 /* EM_AARCH64 */
