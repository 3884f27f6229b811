// SPDX-License-Identifier: MIT
/*
 * Cache maintenance by address (ARM DDI 0406C, B2.2.6 and B4.2.1). Broadcast to the other CPUs of
 * the inner-shareable domain, which is all that run this kernel.
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

void cache_clean(unsigned long start, size_t size)
{
	unsigned long line = line_size(), end = start + size;

	for (start &= ~(line - 1); start < end; start += line)
		__asm__ volatile("mcr p15, 0, %0, c7, c10, 1" ::"r"(start)
				 : "memory"); /* DCCMVAC */
	__asm__ volatile("dsb sy" ::: "memory");
}

/*
 * DMA buffers need only be invalidated, but a line that they share with something else must not
 * lose that; and writing a line back that nobody changed costs nothing.
 */
void cache_clean_invalidate(unsigned long start, size_t size)
{
	unsigned long line = line_size(), end = start + size;

	for (start &= ~(line - 1); start < end; start += line)
		__asm__ volatile("mcr p15, 0, %0, c7, c14, 1" ::"r"(start)
				 : "memory"); /* DCCIMVAC */
	__asm__ volatile("dsb sy" ::: "memory");
}
