/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: what caches need of software, one function for each rule. Nothing but
 * these, and an architecture's boot code, issues the instructions behind them.
 */
#pragma once

#include <hotregs/types.h>

/*
 * Instructions were written to [start, start + size), at any kernel address: makes every later
 * fetch of them, at whichever address they are mapped, see what was written. Any context.
 */
static inline void sync_icache(const void *start, size_t size);

/*
 * For memory that a device reads or writes by itself. dma_clean() before it reads what the CPU has
 * written; dma_inval() before it writes, and again before the CPU reads what it wrote. Lines that
 * lie only partly in [start, start + size) are written back first, so what else is in them is kept
 * unless the device writes there too. Any context.
 */
static inline void dma_clean(const void *start, size_t size);
static inline void dma_inval(void *start, size_t size);

/*
 * Order accesses to memory shared with a device, its registers included: writes before this with
 * writes after it; reads before it with reads and writes after it. Any context.
 */
static inline void dma_wmb(void);
static inline void dma_rmb(void);

#include <asm/cache.h>
