// SPDX-License-Identifier: MIT
/*
 * The kernel's own mappings: single pages shown at consecutive addresses, with an unmapped page on
 * either side, for stacks, rings and device registers.
 *
 * Addresses are handed out in slots of a power of two pages. A freed slot serves its size again,
 * which keeps the page tables few; when there are no more addresses, it is split for smaller ones,
 * and when that does not do either, free slots that are neighbours are merged.
 */
#include <hotregs/printk.h>
#include <hotregs/spinlock.h>

#include <hotregs/mm.h>

#define LONG_BITS      (8 * sizeof(long))
#define SLOT_ORDERS    (LONG_BITS - PAGE_SHIFT)
#define SLOTS_PER_PAGE (PAGE_SIZE / sizeof(struct slot))
#define CHECK_PAGES    64 /* so often vmap_alloc() looks whether there is memory for the rest */

/*
 * Remembers a free slot. There is one for every slot ever made, so that freeing needs no memory;
 * they are cut from whole pages, which stay.
 */
struct slot {
	struct slot *next;
	unsigned long start;
};

static struct spinlock lock = SPINLOCK_INIT; /* guards what follows, and the tables of the region */
static unsigned long region_top = VMAP_START;
static struct slot *free_slots[SLOT_ORDERS]; /* by order of their size in pages */
static struct slot *spare;                   /* stand for slots in use */
static struct slot *unused;                  /* stand for none yet */
static size_t nr_used, nr_pages;             /* slots in use; pages that all are cut from */
static bool unmerged;                        /* slots were freed since they were last merged */

static struct slot *pop(struct slot **list)
{
	struct slot *slot = *list;

	if (slot)
		*list = slot->next;
	return slot;
}

static void push(struct slot **list, struct slot *slot)
{
	slot->next = *list;
	*list = slot;
}

/* The order of a slot for @pages and two guard pages. */
static unsigned slot_order(size_t pages)
{
	return 8 * sizeof(pages) - __builtin_clzl(pages + 1);
}

static bool add_unused(void)
{
	struct slot *slot = page_alloc(0);

	for (size_t i = 0; slot && i < SLOTS_PER_PAGE; i++)
		push(&unused, &slot[i]);
	nr_pages += slot != NULL;
	return slot;
}

/* A slot beyond all others, or NULL. Lock held. */
static struct slot *new_slot(unsigned order)
{
	size_t size = PAGE_SIZE << order;
	struct slot *slot;

	if (size > VMAP_END - region_top || (!unused && !add_unused()))
		return NULL;
	slot = pop(&unused);
	slot->start = region_top;
	region_top += size;
	return slot;
}

/* A piece of the smallest free slot that is large enough, or NULL. Lock held. */
static struct slot *split_slot(unsigned order)
{
	unsigned have = order;
	struct slot *slot;

	while (have < SLOT_ORDERS && !free_slots[have])
		have++;
	if (have == SLOT_ORDERS)
		return NULL;
	slot = pop(&free_slots[have]);
	while (have > order) {
		struct slot *upper;

		if (!unused && !add_unused()) {
			push(&free_slots[have], slot);
			return NULL;
		}
		have--;
		upper = pop(&unused);
		upper->start = slot->start + (PAGE_SIZE << have);
		push(&free_slots[have], upper);
	}
	return slot;
}

/* Two lists, each in the order of addresses, as one. */
static struct slot *join(struct slot *a, struct slot *b)
{
	struct slot *list = NULL, **end = &list;

	while (a && b) {
		*end = pop(a->start < b->start ? &a : &b);
		end = &(*end)->next;
	}
	*end = a ?: b;
	return list;
}

/* Takes all free slots, in the order of addresses, with each one's order added to its start. */
static struct slot *take_sorted(void)
{
	struct slot *sorted[LONG_BITS] = {}; /* [i]: a list of 2^i, or none */
	struct slot *list = NULL;

	for (unsigned order = 0; order < SLOT_ORDERS; order++) {
		for (struct slot *slot; (slot = pop(&free_slots[order]));) {
			unsigned i = 0;

			slot->start += order;
			slot->next = NULL;
			for (; sorted[i]; sorted[i++] = NULL)
				slot = join(sorted[i], slot);
			sorted[i] = slot;
		}
	}
	for (unsigned i = 0; i < LONG_BITS; i++)
		list = join(sorted[i], list);
	return list;
}

/* Makes [start, end) as few free slots as possible: never more than it was. */
static void free_run(unsigned long start, unsigned long end)
{
	if (end == region_top) {
		region_top = start;
		return;
	}
	while (start < end) {
		unsigned order = LONG_BITS - 1 - __builtin_clzl((end - start) >> PAGE_SHIFT);
		struct slot *slot = pop(&unused);

		ASSERT(slot);
		slot->start = start;
		push(&free_slots[order], slot);
		start += PAGE_SIZE << order;
	}
}

/*
 * Merges free slots. It takes long where there are many; so it is left until nothing else does, and
 * is not repeated for nothing. Lock held.
 */
static void merge_slots(void)
{
	unsigned long start = 0, end = 0;
	struct slot *list = take_sorted();

	for (struct slot *slot; (slot = pop(&list));) {
		unsigned long at = slot->start & PAGE_MASK;
		unsigned order = slot->start & ~PAGE_MASK;

		if (at != end) {
			free_run(start, end);
			start = at;
		}
		end = at + (PAGE_SIZE << order);
		push(&unused, slot);
	}
	free_run(start, end);
	unmerged = false;
}

/* Lock held. */
static struct slot *find_slot(unsigned order)
{
	return pop(&free_slots[order]) ?: new_slot(order) ?: split_slot(order);
}

/* Addresses for @pages; the first one, past the guard page, or 0. */
static unsigned long slot_alloc(size_t pages)
{
	unsigned long flags, start = 0;
	struct slot *slot;
	unsigned order;

	if (pages > (VMAP_END - VMAP_START) >> PAGE_SHIFT)
		return 0;
	order = slot_order(pages);
	flags = spin_lock_irqsave(&lock);
	slot = find_slot(order);
	if (!slot && unmerged) {
		merge_slots();
		slot = find_slot(order);
	}
	if (slot) {
		start = slot->start + PAGE_SIZE;
		push(&spare, slot);
		nr_used++;
	}
	spin_unlock_irqrestore(&lock, flags);
	return start;
}

static void slot_free(unsigned long va, size_t pages)
{
	unsigned long flags = spin_lock_irqsave(&lock);
	struct slot *slot = pop(&spare);

	ASSERT(slot);
	slot->start = va - PAGE_SIZE;
	push(&free_slots[slot_order(pages)], slot);
	nr_used--;
	unmerged = true;
	spin_unlock_irqrestore(&lock, flags);
}

void vmap_usage(struct slab_usage *usage)
{
	unsigned long flags = spin_lock_irqsave(&lock);

	*usage = (struct slab_usage){
	    .size = sizeof(struct slot),
	    .in_use = nr_used,
	    .pages = nr_pages,
	    .per_page = SLOTS_PER_PAGE,
	};
	spin_unlock_irqrestore(&lock, flags);
}

static int map(unsigned long va, phys_addr_t pa, unsigned prot)
{
	unsigned long flags = spin_lock_irqsave(&lock);
	int err = mmu_map(&kernel_mmu, va, pa, prot);

	spin_unlock_irqrestore(&lock, flags);
	return err;
}

static phys_addr_t unmap(unsigned long va)
{
	unsigned long flags = spin_lock_irqsave(&lock);
	phys_addr_t pa = mmu_unmap(&kernel_mmu, va);

	spin_unlock_irqrestore(&lock, flags);
	return pa;
}

/* Unmaps and frees pages, which are kept in a chain until no CPU can reach them any more. */
static void free_pages(unsigned long va, size_t pages)
{
	void *chain = NULL, *next;

	if (!pages)
		return;
	for (size_t i = 0; i < pages; i++) {
		phys_addr_t pa = unmap(va + i * PAGE_SIZE);

		ASSERT(pa);
		page_chain_add(&chain, phys_to_virt(pa));
	}
	kernel_flush(va, va + pages * PAGE_SIZE);
	for (; chain; chain = next) {
		next = page_link(chain);
		page_free(chain, 0);
	}
}

void *vmap_alloc(size_t pages)
{
	unsigned long va = slot_alloc(pages);

	if (!va)
		return NULL;
	for (size_t i = 0; i < pages; i++) {
		void *page = NULL;

		if (i % CHECK_PAGES || page_can_spare(pages - i))
			page = page_alloc_zeroed(0);
		if (page && !map(va + i * PAGE_SIZE, virt_to_phys(page), MMU_READ | MMU_WRITE))
			continue;
		page_free(page, 0);
		free_pages(va, i);
		slot_free(va, pages);
		return NULL;
	}
	return (void *)va;
}

void vmap_free(void *va, size_t pages)
{
	if (!va)
		return;
	free_pages((unsigned long)va, pages);
	slot_free((unsigned long)va, pages);
}

phys_addr_t vmap_phys(const void *va)
{
	phys_addr_t pa;
	unsigned prot;
	bool mapped = mmu_lookup(&kernel_mmu, (unsigned long)va, &pa, &prot);

	ASSERT(mapped);
	return pa;
}

void *ioremap(phys_addr_t pa, size_t size)
{
	phys_addr_t first = ALIGN_DOWN(pa, PAGE_SIZE);
	size_t pages = (ALIGN_UP(pa + size, PAGE_SIZE) - first) >> PAGE_SHIFT;
	unsigned long va = slot_alloc(pages);

	if (!va)
		return NULL;
	for (size_t i = 0; i < pages; i++) {
		if (!map(va + i * PAGE_SIZE, first + i * PAGE_SIZE,
			 MMU_READ | MMU_WRITE | MMU_DEVICE))
			continue;
		while (i--)
			unmap(va + i * PAGE_SIZE);
		slot_free(va, pages);
		return NULL;
	}
	return (void *)(va + (unsigned long)(pa - first));
}
