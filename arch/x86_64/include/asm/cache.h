/* SPDX-License-Identifier: MIT */
/*
 * x86_64 part of arch/cache.h: the processor keeps its caches coherent with instruction fetches and
 * with devices by itself; TLBs alone are software's.
 */
#pragma once

#include <arch/irq.h>

/* A page's entry at its own address and any large page's that holds it (SDM vol. 3, 4.10.4.1). */
static inline void tlb_flush_page(unsigned long va)
{
	__asm__ volatile("invlpg (%0)" ::"r"(va) : "memory");
}

/* All entries, global ones too: by changing CR4.PGE, bit 7 (SDM vol. 3, 4.10.4.1). */
static inline void tlb_flush_all(void)
{
	unsigned long flags = irq_save(), cr4;

	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	__asm__ volatile("movq %0, %%cr4" ::"r"(cr4 ^ BIT(7)) : "memory");
	__asm__ volatile("movq %0, %%cr4" ::"r"(cr4) : "memory");
	irq_restore(flags);
}

/* Fetches see stores, and a program's first fetch follows an IRET (SDM vol. 3, 8.1.3 and 11.6). */
static inline void sync_icache(const void *start, size_t size)
{
	barrier();
}

/* A load passes earlier stores to other places, if nothing prevents it (SDM vol. 3, 8.2.3.4). */
static inline void dma_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Stores stay in order, and loads are not passed by what follows them (SDM vol. 3, 8.2.2). */
static inline void dma_wmb(void)
{
	barrier();
}

static inline void dma_rmb(void)
{
	barrier();
}
