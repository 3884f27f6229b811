/* SPDX-License-Identifier: MIT */
/*
 * AArch64 part of arch/cache.h: caches, TLBs, and the barriers that make changes of them, of page
 * tables and of system registers seen (Arm ARM DDI 0487, B2.3, D5.10, D13.1.2). An emulator
 * forgives what is missing here, a processor does not; so only this file, cache.c and boot/head.S
 * contain such instructions.
 */
#pragma once

#include <hotregs/types.h>

extern bool tlb_shared; /* another CPU may walk the kernel's tables: smp.c */

/* The instructions that follow see a system register as it was written before. */
static inline void synchronize_context(void)
{
	__asm__ volatile("isb" ::: "memory");
}

/* Every access made so far is complete: what must be so before the CPU sleeps (B2.3, WFI). */
static inline void complete_accesses(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

/* Every access made so far is complete; then wakes the CPUs that wait in WFE (C6.2.314). */
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
 * Walks are accesses of their own, which no DMB has wait (D5.2.8).
 */
static inline void stores_before_walks(void)
{
	__asm__ volatile("dsb ish" ::: "memory");
}

/*
 * Entries of [start, end) were changed or made invalid: no CPU uses what they said any more. For
 * all ASIDs, and for global entries and tables above. Told to the other CPUs (by the operations
 * with IS) only if any of them has been started, since it takes them all.
 */
static inline void tlb_flush_range(unsigned long start, unsigned long end)
{
	const unsigned long page_bits = (1UL << 44) - 1; /* VA[55:12] */
	bool shared = tlb_shared;

	__asm__ volatile("dsb ishst" ::: "memory");
	for (; start < end; start += 4096) {
		unsigned long page = start >> 12 & page_bits;

		if (shared)
			__asm__ volatile("tlbi vaae1is, %0" ::"r"(page));
		else
			__asm__ volatile("tlbi vaae1, %0" ::"r"(page));
	}
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* The same for all entries that are tagged with @asid, 0..255. */
static inline void tlb_flush_asid(u32 asid)
{
	__asm__ volatile("dsb ishst" ::: "memory");
	if (tlb_shared)
		__asm__ volatile("tlbi aside1is, %0" ::"r"((unsigned long)asid << 48));
	else
		__asm__ volatile("tlbi aside1, %0" ::"r"((unsigned long)asid << 48));
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* The same for every entry there is. */
static inline void tlb_flush_all(void)
{
	__asm__ volatile("dsb ishst" ::: "memory");
	if (tlb_shared)
		__asm__ volatile("tlbi vmalle1is");
	else
		__asm__ volatile("tlbi vmalle1");
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* The same for every entry on this CPU alone, of which no other one has a use. */
static inline void tlb_flush_local(void)
{
	__asm__ volatile("dsb nshst\n\ttlbi vmalle1\n\tdsb nsh\n\tisb" ::: "memory");
}

/*
 * From here to load_user_tables() no walk finds anything in the lower half: TTBR0 shows @empty,
 * tables without a valid entry there. Interrupts off.
 */
static inline void unload_user_tables(u64 empty)
{
	__asm__ volatile("msr ttbr0_el1, %0\n\tisb" ::"r"(empty) : "memory");
}

/* Exchanges TTBR0 and the ASID, which are one register (D17.2.144). Interrupts off. */
static inline void load_user_tables(u64 empty, u64 ttbr0, u64 asid)
{
	__asm__ volatile("msr ttbr0_el1, %0\n\tisb" ::"r"(ttbr0 | asid << 48) : "memory");
}

/* From one set of the kernel's tables to another one, in which what is needed here is the same. */
static inline void load_kernel_tables(u64 ttbr1)
{
	__asm__ volatile("msr ttbr1_el1, %0\n\tisb" ::"r"(ttbr1) : "memory");
}

/* cache.c: [start, start + size) was written for who reads it with its caches off. Any context. */
void cache_clean(const void *start, size_t size);

void cache_sync_icache(unsigned long start, size_t size);

static inline void sync_icache(const void *start, size_t size)
{
	cache_sync_icache((unsigned long)start, size);
}

/* Devices are in the outer-shareable domain (B2.3.12). */
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
	__asm__ volatile("dmb oshld" ::: "memory");
}
