/* SPDX-License-Identifier: MIT */
/*
 * Page tables, a TLB for each CPU and reference-counted pages for host tests. It finds what real
 * hardware hides: a page or a table freed while a translation by it is left, on any CPU, and a
 * change of rights that was not flushed.
 */
#pragma once

#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/smp.h>
#include <stdlib.h>

#ifndef MAX_PTES
#define MAX_PTES 1024
#endif

struct pte {
	unsigned long va;
	phys_addr_t pa;
	unsigned prot;
};

struct tables {
	size_t nr;
	struct pte pte[MAX_PTES];
};

static struct tables kernel_tables;
struct mmu kernel_mmu = {.root = (phys_addr_t)&kernel_tables};

/* What each CPU has; those of the one that the test is. */
static struct tables *loaded_by[MAX_CPUS] = {[0 ... MAX_CPUS - 1] = &kernel_tables};
static struct tables tlb_of[MAX_CPUS];
#define loaded (loaded_by[this_cpu() - cpus])
#define tlb    (tlb_of[this_cpu() - cpus])
static unsigned nr_loads;
static long held; /* pages and sets of tables not freed yet */

static inline struct tables *tables_of(const struct mmu *mmu)
{
	return (struct tables *)mmu->root;
}

static inline struct pte *find_pte(struct tables *t, unsigned long va)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->pte[i].va == (va & PAGE_MASK))
			return &t->pte[i];
	return NULL;
}

static inline void remove_pte(struct tables *t, struct pte *pte)
{
	*pte = t->pte[--t->nr];
}

static inline bool allocation_fails(void)
{
	return host_fail_alloc && !--host_fail_alloc;
}

void host_mmu_load(const struct mmu *mmu)
{
	loaded = tables_of(mmu);
	tlb.nr = 0;
	nr_loads++;
}

int mmu_map(struct mmu *mmu, unsigned long va, phys_addr_t pa, unsigned prot)
{
	struct tables *t = tables_of(mmu);
	struct pte *pte = find_pte(t, va);

	assert_int_equal((va | pa) & (PAGE_SIZE - 1), 0);
	if ((prot & (MMU_WRITE | MMU_EXEC)) == (MMU_WRITE | MMU_EXEC))
		return -EINVAL;
	if (!pte) {
		if (allocation_fails())
			return -ENOMEM;
		assert_true(t->nr < MAX_PTES);
		pte = &t->pte[t->nr++];
	}
	*pte = (struct pte){va, pa, prot};
	return 0;
}

phys_addr_t mmu_unmap(struct mmu *mmu, unsigned long va)
{
	struct pte *pte = find_pte(tables_of(mmu), va);
	phys_addr_t pa = pte ? pte->pa : 0;

	if (pte)
		remove_pte(tables_of(mmu), pte);
	return pa;
}

int mmu_protect(struct mmu *mmu, unsigned long va, unsigned prot)
{
	struct pte *pte = find_pte(tables_of(mmu), va);

	if (!pte)
		return -ENOENT;
	pte->prot = prot;
	return 0;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	struct pte *pte = find_pte(tables_of(mmu), va);

	if (!pte)
		return false;
	*pa = pte->pa | (va & ~PAGE_MASK);
	*prot = pte->prot;
	return true;
}

bool mmu_next(const struct mmu *mmu, unsigned long *va, unsigned long end, phys_addr_t *pa,
	      unsigned *prot)
{
	struct tables *t = tables_of(mmu);
	struct pte *best = NULL;

	for (size_t i = 0; i < t->nr; i++)
		if (t->pte[i].va >= *va && t->pte[i].va < end && (!best || t->pte[i].va < best->va))
			best = &t->pte[i];
	if (!best)
		return false;
	*va = best->va;
	return mmu_lookup(mmu, best->va, pa, prot);
}

static unsigned nr_trims;
static unsigned long trim_low, trim_high; /* of the last mmu_trim() */

/* Tables that show only [low, high) are found empty. What is returned stands for them. */
void *mmu_trim(struct mmu *mmu, unsigned long start, unsigned long end, unsigned long low,
	       unsigned long high)
{
	struct tables *t = tables_of(mmu);

	assert_true(low <= start && start < end && end <= high);
	for (size_t i = 0; i < t->nr; i++)
		assert_false(t->pte[i].va >= low && t->pte[i].va < high);
	nr_trims++;
	trim_low = low;
	trim_high = high;
	return t;
}

/* No CPU may have anything left that came by them. */
void mmu_free_tables(void *tables)
{
	for (unsigned id = 0; id < MAX_CPUS; id++)
		if (loaded_by[id] == tables)
			for (size_t i = 0; i < tlb_of[id].nr; i++)
				assert_true(tlb_of[id].pte[i].va >= USER_END);
}

int mmu_create(struct mmu *mmu)
{
	struct tables *t;

	if (allocation_fails())
		return -ENOMEM;
	t = calloc(1, sizeof(*t));
	held++;
	mmu->root = (phys_addr_t)t;
	return 0;
}

void mmu_destroy(struct mmu *mmu)
{
	for (unsigned id = 0; id < MAX_CPUS; id++)
		assert_ptr_not_equal(tables_of(mmu), loaded_by[id]);
	free(tables_of(mmu));
	held--;
}

unsigned mmu_unmap_next(struct mmu *mmu, unsigned long *va, unsigned long end, unsigned long *first,
			phys_addr_t pa[], unsigned max)
{
	unsigned prot, n = 0;

	for (*first = end; n < max && mmu_next(mmu, va, end, &pa[n], &prot);
	     *va += PAGE_SIZE, n++) {
		*first = MIN(*first, *va);
		mmu_unmap(mmu, *va);
	}
	return n;
}

void mmu_flush(unsigned long start, unsigned long end)
{
	for (size_t i = 0; i < tlb.nr;)
		if (tlb.pte[i].va >= start && tlb.pte[i].va < end)
			remove_pte(&tlb, &tlb.pte[i]);
		else
			i++;
}

/* --- Pages. Each is a malloc() of its own, so that a use after its end is found. --- */

#define MAX_PAGES 4096
static struct {
	u8 *va;
	u32 refs;
	void *link; /* in a chain */
} pages[MAX_PAGES];
static size_t pages_limit = MAX_PAGES;

static inline size_t page_slot(const void *va)
{
	for (size_t i = 0; i < MAX_PAGES; i++)
		if (pages[i].va == va)
			return i;
	fail_msg("%p is no page", va);
	return 0;
}

void *page_alloc(unsigned order)
{
	size_t i;

	assert_int_equal(order, 0);
	if (allocation_fails())
		return NULL;
	for (i = 0; pages[i].va; i++)
		assert_true(i + 1 < MAX_PAGES);
	pages[i].va = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	pages[i].refs = 1;
	memset(pages[i].va, 0xa5, PAGE_SIZE);
	held++;
	return pages[i].va;
}

void *page_alloc_zeroed(unsigned order)
{
	void *va = page_alloc(order);

	return va ? memset(va, 0, PAGE_SIZE) : NULL;
}

void page_put(phys_addr_t pa)
{
	size_t i = page_slot((void *)pa);

	if (--pages[i].refs)
		return;
	for (unsigned id = 0; id < MAX_CPUS; id++)
		for (size_t t = 0; t < tlb_of[id].nr; t++)
			assert_true(tlb_of[id].pte[t].pa != pa);
	free(pages[i].va);
	pages[i].va = NULL;
	held--;
}

void page_free(void *va, unsigned order)
{
	assert_int_equal(order, 0);
	if (va)
		page_put((phys_addr_t)va);
}

void page_get(phys_addr_t pa)
{
	pages[page_slot((void *)pa)].refs++;
}

void page_chain_add(void **chain, void *va)
{
	pages[page_slot(va)].link = *chain;
	*chain = va;
}

void *page_link(const void *va)
{
	return pages[page_slot(va)].link;
}

u32 page_refs(phys_addr_t pa)
{
	return pages[page_slot((void *)pa)].refs;
}

int mmu_share(struct mmu *child, struct mmu *mmu, unsigned long start, unsigned long end,
	      size_t *shared)
{
	unsigned prot;
	phys_addr_t pa;

	for (; mmu_next(mmu, &start, end, &pa, &prot); start += PAGE_SIZE, ++*shared) {
		int err = mmu_map(child, start, pa, prot & ~MMU_WRITE);

		if (err)
			return err;
		mmu_protect(mmu, start, prot & ~MMU_WRITE);
		page_get(pa);
	}
	return 0;
}

size_t page_nr_free(void)
{
	size_t n = 0;

	for (size_t i = 0; i < pages_limit; i++)
		n += !pages[i].va;
	return n;
}

static unsigned spare_calls, spare_calls_max = UINT32_MAX; /* after so many the answer is no */

bool page_can_spare(size_t n)
{
	return spare_calls++ < spare_calls_max && n <= page_nr_free();
}

/* The byte at @va by the TLB, filling it from the loaded tables; NULL: a page fault. */
static inline u8 *translate(unsigned long va, unsigned access)
{
	struct pte *hit = find_pte(&tlb, va), *pte;

	/* Not every CPU drops the translation when it faults. */
	if (hit && !(hit->prot & access))
		return NULL;
	if (!hit) {
		pte = find_pte(loaded, va);
		if (!pte || !(pte->prot & access))
			return NULL;
		assert_true(tlb.nr < MAX_PTES);
		hit = &tlb.pte[tlb.nr++];
		*hit = *pte;
	}
	return (u8 *)hit->pa + (va & ~PAGE_MASK);
}
