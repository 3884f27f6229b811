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
 * Order accesses to memory shared with a device, its registers included: all before this with all
 * after it; writes with writes; reads before it with reads and writes after it. The device snoops
 * the caches. Any context.
 */
static inline void dma_mb(void);
static inline void dma_wmb(void);
static inline void dma_rmb(void);

#include <asm/cache.h>
