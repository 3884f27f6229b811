/* SPDX-License-Identifier: MIT */
/* Between boot/head.S and the first C code. Assembly includes this too. */
#pragma once

/* In which state the processor was entered. */
#define BOOT_ENTRY_SVC    0
#define BOOT_ENTRY_SECURE 1
#define BOOT_ENTRY_HYP    2

#define BOOT_MAX_PARKED 8 /* processors that boot_park tells apart */

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

/* The boot stack, KERNEL_STACK_SIZE bytes; it becomes the first CPU's idle stack. */
extern u8 boot_stack[], boot_stack_guard[];

/*
 * Where processors come from the firmware, their MMU off, in any state; by link addresses. To the
 * first one with the physical address of a struct cpu_start in r0. In the second one they wait for
 * that address in boot_parked[], by affinity level 0 of their MPIDR, and an interrupt.
 */
extern const char boot_secondary[], boot_park[];
extern unsigned long boot_parked[BOOT_MAX_PARKED];

/* BOOT_ENTRY_*; and whether it is in Secure state now. */
extern u32 boot_entry_state, boot_is_secure;

/*
 * Called by boot/head.S: physical address of a device tree or of ATAGS, or 0; machine number; the
 * virtual count at the beginning.
 */
void arm_start(u32 params, u32 machine, u64 entry_cycles);
#endif
