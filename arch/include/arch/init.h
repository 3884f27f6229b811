/* SPDX-License-Identifier: MIT */
/* Architecture contract: bringing up the boot processor, in this order. */
#pragma once

#include <hotregs/types.h>

/*
 * Before anything else, interrupts off: this_cpu(), exception handling, control registers; leaves
 * nothing of the firmware's in the debug and PMU registers. Allocates no memory.
 */
void arch_init_early(void);

/*
 * The portable start (kernel/main.c), called by the architecture on its boot stack with boot_info
 * filled and the idle task set up. Interrupts off.
 */
void start_kernel(void);

/* Builds and loads kernel_mmu. page_alloc() works. */
void mmu_init(void);

/* Once kernel_mmu is loaded: what needed memory, as the exception stacks. */
void arch_init(void);
