/* SPDX-License-Identifier: MIT */
/*
 * ARMv7-A part of arch/cache.h: caches, TLBs, and the barriers that make changes of them, of page
 * tables and of system registers seen (ARM DDI 0406C, B2.2, B3.10, B3.15.5). An emulator forgives
 * what is missing here, a processor does not; so only this file, cache.c and boot/head.S contain
 * such instructions.
 */
#pragma once

#include <hotregs/types.h>

extern bool tlb_shared; /* another CPU may walk the kernel's tables: smp.c */

/* The instructions that follow see a system register (CP14, CP15) as it was written before. */
static inline void synchronize_context(void)
{
	__asm__ volatile("isb" ::: "memory");
}

/* Every access made so far is complete: what must be so before the CPU sleeps (A3.8.3, WFI). */
static inline void complete_accesses(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

/*
 * Every access made so far, to devices too, is complete; then wakes the CPUs that wait in WFE
 * (A8.8.168).
 */
static inline void send_event(void)
{
	__asm__ volatile("dsb sy\n\tsev" ::: "memory");
}

/* Page-table entries went from invalid to valid: walks, and the next instruction, see them. */
static inline void tables_written(void)
{
	__asm__ volatile("dsb ishst\n\tisb" ::: "memory");
}

/*
 * What was stored so far is seen by the other CPUs before this one walks tables that it loads next.
 * Walks are accesses of their own, which no DMB has wait (A3.8.3, B3.10.1).
 */
static inline void stores_before_walks(void)
{
	__asm__ volatile("dsb ish" ::: "memory");
}

/*
 * Entries of [start, end) were changed or made invalid: no CPU uses what they said any more. For
 * all ASIDs, and for global entries. Told to the other CPUs (by the operations with CRm 3) only if
 * any of them has been started, since it takes them all.
 */
static inline void tlb_flush_range(unsigned long start, unsigned long end)
{
	bool shared = tlb_shared;

	__asm__ volatile("dsb ishst" ::: "memory");
	for (; start < end; start += 4096) {
		if (shared)
			__asm__ volatile("mcr p15, 0, %0, c8, c3, 3" ::"r"(start)); /* TLBIMVAAIS */
		else
			__asm__ volatile("mcr p15, 0, %0, c8, c7, 3" ::"r"(start)); /* TLBIMVAA */
	}
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* The same for all entries that are tagged with @asid, 0..255. */
static inline void tlb_flush_asid(u32 asid)
{
	__asm__ volatile("dsb ishst" ::: "memory");
	if (tlb_shared)
		__asm__ volatile("mcr p15, 0, %0, c8, c3, 2" ::"r"(asid)); /* TLBIASIDIS */
	else
		__asm__ volatile("mcr p15, 0, %0, c8, c7, 2" ::"r"(asid)); /* TLBIASID */
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* The same for every entry there is. */
static inline void tlb_flush_all(void)
{
	__asm__ volatile("dsb ishst" ::: "memory");
	if (tlb_shared)
		__asm__ volatile("mcr p15, 0, %0, c8, c3, 0" ::"r"(0)); /* TLBIALLIS */
	else
		__asm__ volatile("mcr p15, 0, %0, c8, c7, 0" ::"r"(0)); /* TLBIALL */
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/*
 * From here to load_user_tables() no walk finds anything in the lower half: TTBR0 shows @empty,
 * tables without a valid entry. Interrupts off.
 */
static inline void unload_user_tables(u32 empty)
{
	__asm__ volatile("mcr p15, 0, %0, c2, c0, 0\n\t"
			 "isb" ::"r"(empty)
			 : "memory");
}

/*
 * Exchanges TTBR0 and the ASID. There is no instant at which one walks the new tables under the old
 * ASID or the other way round: in between TTBR0 shows @empty (B3.10.4). Interrupts off.
 */
static inline void load_user_tables(u32 empty, u32 ttbr0, u32 asid)
{
	unload_user_tables(empty);
	__asm__ volatile("mcr p15, 0, %0, c13, c0, 1\n\t"
			 "isb\n\t"
			 "mcr p15, 0, %1, c2, c0, 0\n\t"
			 "isb" ::"r"(asid),
			 "r"(ttbr0)
			 : "memory");
}

/* The same for every entry on this CPU alone, of which no other one has a use. */
static inline void tlb_flush_local(void)
{
	__asm__ volatile("dsb nshst\n\t"
			 "mcr p15, 0, %0, c8, c7, 0\n\t" /* TLBIALL */
			 "dsb nsh\n\tisb" ::"r"(0)
			 : "memory");
}

/* cache.c: [start, start + size) was written for who reads it with its caches off. Any context. */
void cache_clean(const void *start, size_t size);

void cache_sync_icache(unsigned long start, size_t size);

static inline void sync_icache(const void *start, size_t size)
{
	cache_sync_icache((unsigned long)start, size);
}

/* Devices are in the outer-shareable domain. There is no barrier for loads alone (A8.8.43). */
static inline void dma_mb(void)
{
	__asm__ volatile("dmb osh" ::: "memory");
}

static inline void dma_wmb(void)
{
	__asm__ volatile("dmb oshst" ::: "memory");
}

static inline void dma_rmb(void)
{
	dma_mb();
}
