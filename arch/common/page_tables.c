// SPDX-License-Identifier: MIT
/*
 * Page tables of four levels, 64-bit entries and pages of 4 KiB, built through the direct map. What
 * the bits of an entry are, asm/pte.h says.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/mmu.h>
#include <asm/pte.h>

#include "page_tables.h"

struct mmu kernel_mmu;

static bool prot_valid(unsigned prot)
{
	return (prot & (MMU_WRITE | MMU_EXEC)) != (MMU_WRITE | MMU_EXEC);
}

/*
 * The entry where the look-up of @va ends: one of the level of @lowest, a page's, or an absent one;
 * and the bits below it.
 */
static __always_inline u64 *find_entry(const struct mmu *mmu, unsigned long va, unsigned lowest,
				       unsigned *bits)
{
	u64 *entry = (u64 *)phys_to_virt(tables_root(mmu, va)) + pte_index(va, TOP_SHIFT);

#pragma GCC unroll 3
	for (unsigned shift = TOP_SHIFT; shift > lowest; shift -= LEVEL_BITS) {
		if (!pte_is_table(*entry)) {
			*bits = shift;
			return entry;
		}
		entry =
		    (u64 *)phys_to_virt(*entry & PTE_ADDRESS) + pte_index(va, shift - LEVEL_BITS);
	}
	*bits = lowest;
	return entry;
}

static noinline int add_table(struct mmu *mmu, u64 *entry, unsigned long va)
{
	void *table = page_alloc_zeroed(0);

	if (!table)
		return -ENOMEM;
	page_chain_add(&mmu->tables, table);
	page_count_tables(1);
	WRITE_ONCE(*entry, pte_make_table(virt_to_phys(table), va));
	tables_written();
	return 0;
}

/* The entry of @va at the level of @shift, made if needed; NULL: out of memory. */
static __always_inline u64 *make_entry(struct mmu *mmu, unsigned long va, unsigned shift)
{
	u64 *table = phys_to_virt(tables_root(mmu, va));

#pragma GCC unroll 3
	for (unsigned s = TOP_SHIFT; s > shift; s -= LEVEL_BITS) {
		u64 *entry = &table[pte_index(va, s)];

		if (unlikely(!(*entry & PTE_PRESENT)) && add_table(mmu, entry, va))
			return NULL;
		table = phys_to_virt(*entry & PTE_ADDRESS);
	}
	return &table[pte_index(va, shift)];
}

u64 *page_tables_entry(struct mmu *mmu, unsigned long va, unsigned shift)
{
	return make_entry(mmu, va, shift);
}

/* The entry of a mapped small page, or NULL. */
static u64 *find_page(const struct mmu *mmu, unsigned long va)
{
	unsigned bits;
	u64 *entry = find_entry(mmu, va, PAGE_SHIFT, &bits);

	return *entry & PTE_PRESENT && bits == PAGE_SHIFT ? entry : NULL;
}

int mmu_map(struct mmu *mmu, unsigned long va, phys_addr_t pa, unsigned prot)
{
	u64 *entry;

	if (!prot_valid(prot))
		return -EINVAL;
	entry = make_entry(mmu, va, PAGE_SHIFT);
	if (!entry)
		return -ENOMEM;
	if (unlikely(*entry))
		pte_break(entry, va);
	WRITE_ONCE(*entry, pte_make(pa, prot, PAGE_SHIFT));
	tables_written();
	return 0;
}

phys_addr_t mmu_unmap(struct mmu *mmu, unsigned long va)
{
	u64 *entry = find_page(mmu, va);
	phys_addr_t pa;

	if (!entry)
		return 0;
	pa = *entry & PTE_ADDRESS;
	WRITE_ONCE(*entry, 0);
	return pa;
}

int mmu_protect(struct mmu *mmu, unsigned long va, unsigned prot)
{
	u64 *entry = find_page(mmu, va);

	if (!prot_valid(prot))
		return -EINVAL;
	if (!entry)
		return -ENOENT;
	WRITE_ONCE(*entry, pte_make(*entry & PTE_ADDRESS, prot, PAGE_SHIFT));
	return 0;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	unsigned bits;
	u64 pte = READ_ONCE(*find_entry(mmu, va, PAGE_SHIFT, &bits));
	u64 offset = BIT(bits) - 1;

	if (!(pte & PTE_PRESENT))
		return false;
	/* A large page's entry has its memory type's third bit among the offset. */
	*pa = (pte & PTE_ADDRESS & ~offset) | (va & offset);
	*prot = pte_prot(pte);
	return true;
}

/* The first entry from @entry on that is not empty, or @end; it looks at eight at a time. */
static inline u64 *skip_empty(u64 *entry, const u64 *end)
{
	if (likely(entry < end && *entry))
		return entry;
	while (end - entry >= 8 && !(entry[0] | entry[1] | entry[2] | entry[3] | entry[4] |
				     entry[5] | entry[6] | entry[7]))
		entry += 8;
	while (entry < end && !*entry)
		entry++;
	return entry;
}

bool mmu_next(const struct mmu *mmu, unsigned long *va, unsigned long end, phys_addr_t *pa,
	      unsigned *prot)
{
	unsigned long at = *va;

	while (at < end) {
		unsigned bits;
		u64 *first = find_entry(mmu, at, PAGE_SHIFT, &bits), *entry;
		unsigned long table_end =
		    ALIGN_DOWN(at, BIT(bits + LEVEL_BITS)) + BIT(bits + LEVEL_BITS);

		entry = skip_empty(first,
				   first + ((MIN(end, table_end) - 1) >> bits) - (at >> bits) + 1);
		if (entry > first)
			at = ALIGN_DOWN(at, BIT(bits)) + ((entry - first) << bits);
		if (at >= MIN(end, table_end))
			continue;
		if (bits > PAGE_SHIFT && pte_is_table(*entry))
			continue; /* a table: go down */
		*va = at;
		*pa = *entry & PTE_ADDRESS;
		*prot = pte_prot(*entry);
		return true;
	}
	return false;
}

/* The entries from that of @va, which has a page, to the end of its table or of [.., end). */
static u64 *table_part(const struct mmu *mmu, unsigned long va, unsigned long end, u64 **stop)
{
	unsigned long table_end = ALIGN_DOWN(va, BIT(TABLE_SHIFT)) + BIT(TABLE_SHIFT);
	u64 *entry = find_page(mmu, va);

	ASSERT(entry && va < USER_END);
	*stop = entry + ((MIN(end, table_end) - va) >> PAGE_SHIFT);
	return entry;
}

int mmu_share(struct mmu *child, struct mmu *mmu, unsigned long start, unsigned long end,
	      size_t *shared)
{
	unsigned long va = start;
	phys_addr_t pa;
	unsigned prot;

	while (mmu_next(mmu, &va, end, &pa, &prot)) {
		u64 *stop, *first = table_part(mmu, va, end, &stop), *entry = first;
		u64 *to = make_entry(child, va, PAGE_SHIFT);

		if (!to)
			return -ENOMEM;
		for (; entry < stop; entry = skip_empty(entry + 1, stop)) {
			u64 both = pte_read_only(*entry);

			WRITE_ONCE(*entry, both);
			WRITE_ONCE(to[entry - first], both);
			page_get(both & PTE_ADDRESS);
			++*shared;
		}
		va += (unsigned long)(stop - first) << PAGE_SHIFT;
	}
	tables_written();
	return 0;
}

unsigned mmu_unmap_next(struct mmu *mmu, unsigned long *va, unsigned long end, unsigned long *first,
			phys_addr_t pa[], unsigned max)
{
	phys_addr_t ignored;
	unsigned prot, n = 0;

	*first = end;
	while (n < max && mmu_next(mmu, va, end, &ignored, &prot)) {
		u64 *stop, *start = table_part(mmu, *va, end, &stop), *entry = start;

		*first = MIN(*first, *va);
		for (; entry < stop && n < max; entry = skip_empty(entry + 1, stop)) {
			pa[n++] = *entry & PTE_ADDRESS;
			WRITE_ONCE(*entry, 0);
		}
		*va += (unsigned long)(entry - start) << PAGE_SHIFT;
	}
	return n;
}

void mmu_free_tables(void *tables)
{
	while (tables) {
		void *table = tables;

		tables = page_link(table);
		page_free(table, 0);
		page_count_tables(-1);
	}
}

/* What mmu_trim() is given, and the tables that it took out. */
struct trim {
	struct mmu *mmu;
	unsigned long start, end, low, high;
	void *removed;
};

/* Takes out the tables that entries of the level of @shift show. */
static void trim_level(struct trim *t, unsigned shift)
{
	unsigned long next;

	for (unsigned long va = ALIGN_DOWN(t->start, BIT(shift)); va < t->end; va = next) {
		unsigned bits;
		u64 *entry = find_entry(t->mmu, va, shift, &bits);
		void *table = phys_to_virt(*entry & PTE_ADDRESS);

		next = ALIGN_DOWN(va, BIT(bits)) + BIT(bits);
		if (!(*entry & PTE_PRESENT) || va < t->low || next > t->high)
			continue;
		WRITE_ONCE(*entry, 0);
		page_chain_remove(&t->mmu->tables, table);
		page_chain_add(&t->removed, table);
	}
}

/*
 * Samplers walk these tables in interrupts and NMIs without a lock, and processors by themselves.
 * Their walks come from the entries, or find them empty; the tables still lead where they led.
 */
void *mmu_trim(struct mmu *mmu, unsigned long start, unsigned long end, unsigned long low,
	       unsigned long high)
{
	struct trim t = {mmu, start, end, low, high, NULL};

	if (high - low >= BIT(TABLE_SHIFT))
		for (unsigned shift = TABLE_SHIFT; shift <= TOP_SHIFT; shift += LEVEL_BITS)
			trim_level(&t, shift);
	return t.removed;
}

void mmu_destroy(struct mmu *mmu)
{
	mmu_free_tables(mmu->tables);
	mmu->tables = NULL;
	page_free(phys_to_virt(mmu->root), 0);
	page_count_tables(-1);
	mmu->root = 0;
}

void map_kernel_range(unsigned long va, phys_addr_t pa, u64 size, unsigned prot, unsigned max_shift)
{
	phys_addr_t end = pa + size;

	while (pa < end) {
		unsigned shift = max_shift;
		u64 *entry, pte;

		while ((pa | va) & (BIT(shift) - 1) || end - pa < BIT(shift))
			shift -= LEVEL_BITS;
		entry = make_entry(&kernel_mmu, va, shift);
		if (!entry)
			panic("out of memory for the kernel's page tables");
		pte = pte_make(pa, prot, shift);
		do {
			*entry++ = pte;
			pte += BIT(shift);
			pa += BIT(shift);
			va += BIT(shift);
		} while (end - pa >= BIT(shift) && pte_index(va, shift));
	}
	tables_written();
}
