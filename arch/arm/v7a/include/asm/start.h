/* SPDX-License-Identifier: MIT */
/* Between boot/head.S and the first C code. */
#pragma once

#include <hotregs/types.h>

/* The boot stack, KERNEL_STACK_SIZE bytes; it becomes the first CPU's idle stack. */
extern u8 boot_stack[], boot_stack_guard[];

/*
 * Where a processor that has no work yet waits in its sleep, by its link address. It may come there
 * with its MMU off, in any state; with interrupts masked it stays.
 */
extern const char boot_park[];

/* In which state the processor was entered, and in which one it is now: see boot/head.S. */
enum boot_entry { BOOT_ENTRY_SVC, BOOT_ENTRY_SECURE, BOOT_ENTRY_HYP };
extern u32 boot_entry_state;
extern u32 boot_is_secure;

/*
 * Called by boot/head.S: physical address of a device tree or of ATAGS, or 0; machine number; the
 * virtual count at the beginning.
 */
void arm_start(u32 params, u32 machine, u64 entry_cycles);
