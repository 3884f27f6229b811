// SPDX-License-Identifier: MIT
/*
 * Physical pages: a buddy allocator of blocks of 2^0 to 2^10 pages, and in front of it a small
 * cache of single pages for each CPU, which spares the usual request the lock, the splitting and
 * the merging.
 */
#include <hotregs/boot_info.h>
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/smp.h>
#include <hotregs/spinlock.h>
#include <hotregs/string.h>

#include "page.h"

#define BLOCK_PAGES (1UL << MAX_PAGE_ORDER)
#define BLOCK_SIZE  (BLOCK_PAGES << PAGE_SHIFT)

#define CACHE_MAX   64
#define CACHE_BATCH 16

/* page_can_spare() leaves this part of all memory. */
#define RESERVE_PART 16

/*
 * What others cannot take: this part of all memory is for the privileged user, who needs it to end
 * what takes the rest, and so many pages are for init and the kernel. It is twice the reserve, or a
 * program without privilege that stops at its end would keep the privileged user's calls from going
 * on.
 */
#define PRIVILEGED_PART 8
#define INIT_PAGES      16

/* Firmware and the legacy hole take up to 1 MiB of the 8 that are needed. */
#define RAM_NEEDED (7UL << 20)

struct page *page_map;
phys_addr_t page_map_base;
unsigned long page_map_start;

static struct spinlock lock = SPINLOCK_INIT;
static u32 free_list[MAX_PAGE_ORDER + 1] = {[0 ... MAX_PAGE_ORDER] = NO_PAGE};
static u32 free_orders;  /* bit o: free_list[o] is not empty */
static size_t nr_free;   /* pages in free_list */
static size_t nr_tables; /* pages of page tables; atomic */
static size_t nr_total;

/* Free single pages, touched by their CPU only, with interrupts off; others look how many. */
static struct page_cache {
	u32 count;
	u32 first; /* chained by next; valid when count > 0 */
} caches[MAX_CPUS];

/* --- Buddies. All with the lock held. --- */

static void add_block(struct page *page, unsigned order)
{
	page->kind = PAGE_FREE;
	page->order = order;
	page_list_add(&free_list[order], page);
	free_orders |= 1U << order;
}

static void remove_block(struct page *page, unsigned order)
{
	page_list_del(&free_list[order], page);
	if (free_list[order] == NO_PAGE)
		free_orders &= ~(1U << order);
}

static struct page *take_block(unsigned order)
{
	u32 fitting = free_orders & (UINT32_MAX << order);
	struct page *page;
	unsigned have;

	if (!fitting)
		return NULL;
	have = __builtin_ctz(fitting);
	page = &page_map[free_list[have]];
	remove_block(page, have);
	while (have > order) {
		have--;
		add_block(page + (1UL << have), have);
	}
	nr_free -= 1UL << order;
	page->kind = PAGE_USED; /* before the lock is free: its buddy may be freed next */
	return page;
}

static void free_block(struct page *page, unsigned order)
{
	u32 nr = page_number(page);

	nr_free += 1UL << order;
	/* The buddy's first descriptor is valid: the split that made this block wrote it. */
	for (; order < MAX_PAGE_ORDER; order++) {
		struct page *buddy = &page_map[nr ^ (1U << order)];

		if (buddy->kind != PAGE_FREE || buddy->order != order)
			break;
		remove_block(buddy, order);
		nr &= ~(1U << order);
	}
	add_block(&page_map[nr], order);
}

/* --- The caches. All with interrupts off. --- */

static void cache_push(struct page_cache *cache, struct page *page)
{
	page->kind = PAGE_CACHED;
	page->next = cache->first;
	cache->first = page_number(page);
	cache->count++;
}

static struct page *cache_pop(struct page_cache *cache)
{
	struct page *page = &page_map[cache->first];

	cache->first = page->next;
	cache->count--;
	return page;
}

static void cache_drain(struct page_cache *cache, u32 keep)
{
	spin_lock(&lock);
	while (cache->count > keep)
		free_block(cache_pop(cache), 0);
	spin_unlock(&lock);
}

static void cache_fill(struct page_cache *cache)
{
	spin_lock(&lock);
	while (cache->count < CACHE_BATCH) {
		struct page *page = take_block(0);

		if (!page)
			break;
		cache_push(cache, page);
	}
	spin_unlock(&lock);
}

static struct page *alloc_single(struct page_cache *cache)
{
	if (unlikely(!cache->count))
		cache_fill(cache);
	return likely(cache->count) ? cache_pop(cache) : NULL;
}

static struct page *alloc_block(struct page_cache *cache, unsigned order)
{
	struct page *page;

	spin_lock(&lock);
	page = take_block(order);
	spin_unlock(&lock);
	if (page || !cache->count)
		return page;
	cache_drain(cache, 0);
	spin_lock(&lock);
	page = take_block(order);
	spin_unlock(&lock);
	return page;
}

static void drain_own(void *arg)
{
	struct page_cache *cache = &caches[this_cpu()->id];

	if (cache->count)
		cache_drain(cache, 0);
}

/*
 * Pages that other CPUs have in their caches are free, but not for the caller's. It can wait for
 * them where interrupts are on: then it holds no spinlock either. False: there are none.
 */
static noinline bool drain_others(void)
{
	u32 mask = 0;

	if (!irqs_enabled())
		return false;
	for (u32 id = 0; id < nr_cpus; id++)
		if (READ_ONCE(caches[id].count))
			mask |= CPU_MASK(id);
	if (!mask)
		return false;
	smp_call(mask, drain_own, NULL);
	return true;
}

static void release(struct page *page, unsigned order)
{
	unsigned long flags = irq_save();
	struct page_cache *cache = &caches[this_cpu()->id];

	if (likely(order == 0)) {
		if (unlikely(cache->count == CACHE_MAX))
			cache_drain(cache, CACHE_MAX - CACHE_BATCH);
		cache_push(cache, page);
	} else {
		spin_lock(&lock);
		free_block(page, order);
		spin_unlock(&lock);
	}
	irq_restore(flags);
}

/* --- Who may take what. --- */

/* Pages that the caller cannot take. */
static size_t nr_kept(void)
{
	switch (process_claim()) {
	case CLAIM_USER:
		return nr_total / PRIVILEGED_PART;
	case CLAIM_PRIVILEGED:
		return INIT_PAGES;
	case CLAIM_SYSTEM:
		break;
	}
	return 0;
}

/* May the caller take @pages, when @reserve of what it may take are to be left? */
static bool may_take(size_t pages, size_t reserve)
{
	size_t n = page_nr_free(), kept = nr_kept() + reserve;

	return n >= kept && pages <= n - kept;
}

/* There is so much that it does not matter who asks for 2^order pages. */
static bool is_plenty(unsigned order)
{
	return READ_ONCE(nr_free) >= nr_total / PRIVILEGED_PART + INIT_PAGES + (1UL << order);
}

/* --- The interface --- */

static struct page *take(unsigned order)
{
	unsigned long flags = irq_save();
	struct page_cache *cache = &caches[this_cpu()->id];
	struct page *page = likely(order == 0) ? alloc_single(cache) : alloc_block(cache, order);

	irq_restore(flags);
	return page;
}

/* When there is nothing left: what is kept for later requests, here or elsewhere, is given up. */
static noinline struct page *take_kept(unsigned order)
{
	struct page *page = NULL;

	while (!page && kmalloc_shrink())
		page = take(order);
	if (!page && drain_others())
		page = take(order);
	return page;
}

void *page_alloc(unsigned order)
{
	struct page *page;

	if (unlikely(order > MAX_PAGE_ORDER))
		return NULL;
	if (unlikely(!is_plenty(order)) && !may_take(1UL << order, 0))
		return NULL;
	page = take(order);
	if (unlikely(!page))
		page = take_kept(order);
	if (unlikely(!page))
		return NULL;
	page->kind = PAGE_USED;
	page->order = order;
	refcount_set(&page->refs, 1);
	return page_address(page);
}

void *page_alloc_zeroed(unsigned order)
{
	void *va = page_alloc(order);

	if (likely(va))
		for (size_t i = 0; i < 1UL << order; i++)
			page_clear(va + i * PAGE_SIZE);
	return va;
}

static void drop_reference(struct page *page, unsigned order)
{
	ASSERT(page->kind == PAGE_USED && page->order == order);
	if (refcount_put(&page->refs))
		release(page, order);
}

void page_free(void *va, unsigned order)
{
	if (va)
		drop_reference(page_of(va), order);
}

void page_put(phys_addr_t pa)
{
	drop_reference(page_of_phys(pa), 0);
}

void page_get(phys_addr_t pa)
{
	struct page *page = page_of_phys(pa);

	ASSERT(page->kind == PAGE_USED && page->order == 0);
	refcount_get(&page->refs);
}

u32 page_refs(phys_addr_t pa)
{
	u32 refs = refcount_read(&page_of_phys(pa)->refs);

	/* What others did to the page before they let it go is seen. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return refs;
}

static u32 chain_head(void *chain)
{
	return chain ? page_number(page_of(chain)) : NO_PAGE;
}

void page_chain_add(void **chain, void *va)
{
	u32 head = chain_head(*chain);

	page_list_add(&head, page_of(va));
	*chain = va;
}

void page_chain_remove(void **chain, void *va)
{
	u32 head = chain_head(*chain);

	page_list_del(&head, page_of(va));
	*chain = head == NO_PAGE ? NULL : page_address(&page_map[head]);
}

void *page_link(const void *va)
{
	u32 next = page_of(va)->next;

	return next == NO_PAGE ? NULL : page_address(&page_map[next]);
}

void page_count_tables(int pages)
{
	__atomic_fetch_add(&nr_tables, pages, __ATOMIC_RELAXED);
}

size_t page_nr_tables(void)
{
	return READ_ONCE(nr_tables);
}

size_t page_nr_free(void)
{
	size_t n = READ_ONCE(nr_free) + kmalloc_empty_pages();

	for (u32 i = 0; i < nr_cpus; i++)
		n += READ_ONCE(caches[i].count);
	return n;
}

size_t page_nr_total(void)
{
	return nr_total;
}

size_t page_nr_spare(void)
{
	size_t n = page_nr_free(), kept = nr_kept() + nr_total / RESERVE_PART;

	return n > kept ? n - kept : 0;
}

bool page_can_spare(size_t pages)
{
	return may_take(pages, nr_total / RESERVE_PART);
}

/* --- Start-up --- */

struct range {
	phys_addr_t start, end;
};

enum { RANGE_LOW, RANGE_IMAGE, RANGE_ARCHIVE, RANGE_MAP, RANGE_BOOT };
#define NR_RESERVED (RANGE_BOOT + BOOT_MAX_RESERVED)
static struct range reserved[NR_RESERVED];

static void reserve(int what, phys_addr_t start, phys_addr_t end)
{
	reserved[what].start = ALIGN_DOWN(start, PAGE_SIZE);
	reserved[what].end = ALIGN_UP(end, PAGE_SIZE);
}

/* Cuts from @r what is reserved at its start, and all from its first reserved page on. */
static void trim(struct range *r)
{
	phys_addr_t start;

	do { /* reserved ranges may touch, in any order */
		start = r->start;
		for (const struct range *v = reserved; v < reserved + NR_RESERVED; v++)
			if (v->start <= r->start && r->start < v->end)
				r->start = v->end;
	} while (r->start != start);
	for (const struct range *v = reserved; v < reserved + NR_RESERVED; v++)
		if (r->start < v->start && v->start < r->end)
			r->end = v->start;
}

/* Finds the lowest range of usable RAM in [@from, @to). */
static bool next_usable(phys_addr_t from, phys_addr_t to, struct range *r)
{
	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		const struct boot_region *ram = &boot_info.ram[i];
		phys_addr_t end = ALIGN_DOWN(MIN(ram->start + ram->size, to), PAGE_SIZE);

		r->start = ALIGN_UP(MAX(ram->start, from), PAGE_SIZE);
		r->end = end;
		trim(r);
		if (r->start < r->end)
			return true;
	}
	return false;
}

/*
 * Makes the descriptors of the block that contains page @nr those of reserved pages, once: where
 * only a part of a block is usable, merging looks at the rest.
 */
static void prepare_block(size_t nr)
{
	static size_t prepared = SIZE_MAX;

	if (nr / BLOCK_PAGES == prepared)
		return;
	prepared = nr / BLOCK_PAGES;
	memset(&page_map[prepared * BLOCK_PAGES], 0, BLOCK_PAGES * sizeof(struct page));
}

/* Gives the usable RAM in [@from, @to) to the buddies, as the largest blocks that lie in it. */
static void hand_over(phys_addr_t from, phys_addr_t to)
{
	struct range r;

	for (; next_usable(from, to, &r); from = r.end) {
		size_t nr = (r.start - page_map_base) >> PAGE_SHIFT;
		size_t end = (r.end - page_map_base) >> PAGE_SHIFT;

		nr_total += end - nr;
		while (nr < end) {
			unsigned order = nr ? __builtin_ctzl(nr) : MAX_PAGE_ORDER;

			order = MIN(order, MAX_PAGE_ORDER);
			while (nr + (1UL << order) > end)
				order--;
			if (order < MAX_PAGE_ORDER)
				prepare_block(nr);
			free_block(&page_map[nr], order);
			nr += 1UL << order;
		}
	}
}

/* Finds room for the map of all pages in the first RAM large enough, and reserves it. */
static bool place_map(void)
{
	const struct boot_region *last = &boot_info.ram[boot_info.nr_ram - 1];
	phys_addr_t end = ALIGN_UP(last->start + last->size, BLOCK_SIZE);
	size_t size;
	struct range r;

	page_map_base = ALIGN_DOWN(boot_info.ram[0].start, BLOCK_SIZE);
	page_map_start = (unsigned long)phys_to_virt(page_map_base);
	size = ((end - page_map_base) >> PAGE_SHIFT) * sizeof(struct page);
	for (phys_addr_t from = 0; next_usable(from, BOOT_MAP_END, &r); from = r.end) {
		if (r.end - r.start < size)
			continue;
		page_map = phys_to_virt(r.start);
		reserve(RANGE_MAP, r.start, r.start + size);
		return true;
	}
	return false;
}

void page_init(void)
{
	extern const char __image_start[], __image_end[];
	const struct boot_region *archive = &boot_info.archive;
	u64 found = 0;

	for (unsigned i = 0; i < boot_info.nr_ram; i++)
		found += boot_info.ram[i].size;
	reserve(RANGE_LOW, 0, RAM_RESERVED_END);
	reserve(RANGE_IMAGE, (unsigned long)__image_start - KERNEL_IMAGE_BASE,
		(unsigned long)__image_end - KERNEL_IMAGE_BASE);
	reserve(RANGE_ARCHIVE, archive->start, archive->start + archive->size);
	for (unsigned i = 0; i < boot_info.nr_reserved; i++)
		reserve(RANGE_BOOT + i, boot_info.reserved[i].start,
			boot_info.reserved[i].start + boot_info.reserved[i].size);
	if (found >= RAM_NEEDED && place_map())
		hand_over(0, BOOT_MAP_END);
	if (!nr_free)
		panic("out of memory at start: found %llu KiB of RAM (boot archive: %llu KiB), "
		      "at least 8 MiB are needed",
		      (unsigned long long)found >> 10, (unsigned long long)archive->size >> 10);
}

void page_init_high(void)
{
	hand_over(BOOT_MAP_END, UINT64_MAX);
}
