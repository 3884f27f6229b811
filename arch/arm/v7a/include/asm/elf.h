/* SPDX-License-Identifier: MIT */
/* ARM part of arch/elf.h (ARM IHI 0044, 4.3). */
#pragma once

#define ARCH_ELF_MACHINE 40         /* EM_ARM */
#define ARCH_PT_UNWIND   0x70000001 /* PT_ARM_EXIDX (ARM IHI 0044, 5.1) */
