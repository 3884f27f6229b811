/* SPDX-License-Identifier: MIT */
/* Between boot/head.S and the first C code. Assembly includes this too. */
#pragma once

#define BOOT_MAX_PARKED 8 /* processors that boot_park tells apart */

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

/* The boot stack, KERNEL_STACK_SIZE bytes; it becomes the first CPU's idle stack. */
extern u8 boot_stack[], boot_stack_guard[];

/*
 * Where processors come from the firmware, their MMU off, at any exception level; by link
 * addresses. To the first one with the physical address of a struct cpu_start in x0. In the second
 * one they wait for that address in boot_parked[], by affinity level 0 of their MPIDR, and an
 * interrupt.
 */
extern const char boot_secondary[], boot_park[];
extern unsigned long boot_parked[BOOT_MAX_PARKED];

/* The exception level that the boot processor was entered at. */
extern u64 boot_entry_level;

/* Called by boot/head.S: physical address of a device tree, or 0; the virtual count at the
 * beginning. */
void arm64_start(unsigned long params, u64 entry_cycles);
#endif
