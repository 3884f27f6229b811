/* SPDX-License-Identifier: MIT */
/* Between boot/head.S and the first C code. */
#pragma once

#include <hotregs/types.h>

/* The boot stack, KERNEL_STACK_SIZE bytes; it becomes the first CPU's idle stack. */
extern u8 boot_stack[];

/*
 * Called by boot/head.S: the protocol's magic number (0: PVH), physical address of what the loader
 * handed over, TSC at the first instruction.
 */
void x86_64_start(u32 magic, u32 start_info, u64 entry_cycles);
