// SPDX-License-Identifier: MIT
/*
 * Caches by address (Arm ARM DDI 0487, B2.4.5 and D7.5): of instructions, after code was written;
 * and of data, for who reads past them. Broadcast to the other CPUs of the inner-shareable domain,
 * which is all that run this kernel.
 */
#include <arch/cache.h>
#include <asm/sysreg.h>

/* Bytes of the smallest data-cache line: CTR_EL0.DminLine, log2 of words. */
static unsigned long line_size(void)
{
	return 4UL << (sysreg_read(CTR_EL0) >> 16 & 0xf);
}

/*
 * To the point of unification, where fetches read; then all of the instruction caches, for one that
 * is indexed by virtual address may hold the line under another one.
 */
void cache_sync_icache(unsigned long start, size_t size)
{
	unsigned long line = line_size(), end = start + size;

	for (start &= ~(line - 1); start < end; start += line)
		__asm__ volatile("dc cvau, %0" ::"r"(start) : "memory");
	__asm__ volatile("dsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
}

/* To the point of coherency, which is memory for whoever has no cache on. */
void cache_clean(const void *start, size_t size)
{
	unsigned long line = line_size(), va = (unsigned long)start, end = va + size;

	for (va &= ~(line - 1); va < end; va += line)
		__asm__ volatile("dc cvac, %0" ::"r"(va) : "memory");
	__asm__ volatile("dsb sy" ::: "memory");
}
