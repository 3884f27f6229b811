// SPDX-License-Identifier: MIT
/*
 * Caches by address (ARM DDI 0406C, B2.2.6 and B4.2.1): of instructions, after code was written;
 * and of data, for who reads past them. Broadcast to the other CPUs of the inner-shareable domain,
 * which is all that run this kernel.
 */
#include <arch/cache.h>
#include <asm/cp15.h>

/* Bytes of the smallest data-cache line: CTR.DminLine, log2 of words. */
static unsigned long line_size(void)
{
	return 4UL << (cp_read(CTR) >> 16 & 0xf);
}

/*
 * To the point of unification, where fetches read; then all of the instruction caches, for one that
 * is indexed by virtual address may hold the line under another one; and the branch predictors.
 */
void cache_sync_icache(unsigned long start, size_t size)
{
	unsigned long line = line_size(), end = start + size;

	for (start &= ~(line - 1); start < end; start += line)
		__asm__ volatile("mcr p15, 0, %0, c7, c11, 1" ::"r"(start)
				 : "memory"); /* DCCMVAU */
	__asm__ volatile("dsb ish" ::: "memory");
	__asm__ volatile("mcr p15, 0, %0, c7, c1, 0" ::"r"(0)); /* ICIALLUIS */
	__asm__ volatile("mcr p15, 0, %0, c7, c1, 6" ::"r"(0)); /* BPIALLIS */
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

/* To the point of coherency, which is memory for whoever has no cache on. */
void cache_clean(const void *start, size_t size)
{
	unsigned long line = line_size(), va = (unsigned long)start, end = va + size;

	for (va &= ~(line - 1); va < end; va += line)
		__asm__ volatile("mcr p15, 0, %0, c7, c10, 1" ::"r"(va) : "memory"); /* DCCMVAC */
	__asm__ volatile("dsb sy" ::: "memory");
}
