/* SPDX-License-Identifier: MIT */
/* The page allocator against a model: which page belongs to whom, and how many are free. */
#include <hotregs/process.h>

#include "mm/arena.h"

#define PAGES (ARENA_SIZE / PAGE_SIZE)

enum { NOT_RAM, FREE, TAKEN };
static u8 owner[PAGES];

static size_t page_index(const void *va)
{
	size_t offset = (const u8 *)va - arena;

	assert_true(offset < ARENA_SIZE);
	assert_int_equal(offset % PAGE_SIZE, 0);
	return offset / PAGE_SIZE;
}

static size_t count(u8 what)
{
	size_t n = 0;

	for (size_t i = 0; i < PAGES; i++)
		n += owner[i] == what;
	return n;
}

static void mark(unsigned long from, unsigned long to, u8 from_state, u8 state)
{
	for (unsigned long i = from; i < to; i++) {
		assert_int_equal(owner[i], from_state);
		owner[i] = state;
	}
}

/* What page_init() may hand out, by the rules, but for the map, which it places as it likes. */
static void model_start(void)
{
	memset(owner, NOT_RAM, sizeof(owner));
	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		const struct boot_region *r = &boot_info.ram[i];
		unsigned long start = r->start - (unsigned long)arena;

		for (size_t p = ALIGN_UP(start, PAGE_SIZE) / PAGE_SIZE;
		     (p + 1) * PAGE_SIZE <= start + r->size; p++)
			owner[p] = FREE;
	}
	for (size_t p = 0; p < PAGES; p++) {
		unsigned long pa = p * PAGE_SIZE,
			      archive = boot_info.archive.start - (unsigned long)arena;

		if (pa < 0x10000 ||
		    (pa + PAGE_SIZE > IMAGE_OFFSET && pa < IMAGE_OFFSET + IMAGE_SIZE) ||
		    (boot_info.archive.size && pa + PAGE_SIZE > archive &&
		     pa < archive + boot_info.archive.size))
			owner[p] = NOT_RAM;
	}
}

static void *take(unsigned order)
{
	u8 *va = page_alloc(order);

	if (va) {
		size_t i = page_index(va);

		assert_int_equal(i % (1UL << order), 0);
		mark(i, i + (1UL << order), FREE, TAKEN);
		memset(va, 0x77, PAGE_SIZE << order);
		assert_int_equal(page_refs((phys_addr_t)va), 1);
	}
	return va;
}

static void give(void *va, unsigned order)
{
	mark(page_index(va), page_index(va) + (1UL << order), TAKEN, FREE);
	page_free(va, order);
}

/* Largest blocks that lie in free pages of the model. */
static size_t whole_blocks(void)
{
	size_t n = 0, per = BLOCK / PAGE_SIZE;

	for (size_t b = 0; b < PAGES; b += per) {
		size_t i = 0;

		while (i < per && owner[b + i] == FREE)
			i++;
		n += i == per;
	}
	return n;
}

/* Takes all memory a page at a time, gives it back, and finds all of it merged. */
static void exhaust_and_merge(void)
{
	static void *page[PAGES];
	size_t n = 0, blocks = 0, pieces = 0, total = page_nr_total();
	bool in_map = false;

	while ((page[n] = take(0)))
		n++;
	assert_int_equal(n, total);
	assert_int_equal(page_nr_free(), 0);
	/* What is left of usable RAM is the map, in one piece. */
	for (size_t i = 0; i < PAGES; i++)
		if (owner[i] == FREE) {
			pieces += !in_map;
			in_map = true;
			owner[i] = NOT_RAM;
		} else {
			in_map = false;
		}
	assert_int_equal(pieces, 1);
	/* Not in the order they came in. */
	for (size_t i = 0; i < n; i++) {
		size_t j = i + (size_t)random() % (n - i);
		void *p = page[j];

		page[j] = page[i];
		give(p, 0);
	}
	assert_int_equal(page_nr_free(), total);
	n = whole_blocks();
	while (take(MAX_PAGE_ORDER))
		blocks++;
	assert_int_equal(blocks, n);
}

static void pc_body(unsigned mib)
{
	size_t map, usable;

	set_archive(mib * MIB - 300 * KIB, 100 * KIB + 17);
	start_pc(mib * MIB - 128 * KIB);
	model_start();
	usable = count(FREE);
	map = ALIGN_UP(mib * MIB, BLOCK) / PAGE_SIZE * 16 / PAGE_SIZE;
	assert_int_equal(page_nr_total(), usable - map);
	assert_int_equal(page_nr_free(), usable - map);
	exhaust_and_merge();
}

static void all_ram_is_handed_over(void **state)
{
	for (unsigned mib = 8; mib <= ARENA_SIZE / MIB; mib += 3)
		in_child(pc_body, mib);
}

/* Any number of regions, at any byte, and archives anywhere. */
static void odd_layout_body(unsigned seed)
{
	unsigned long at = (unsigned long)random() % 100000;

	srandom(seed);
	fill_arena();
	host_run_as(cpus, NULL);
	while (boot_info.nr_ram < 12 && at < ARENA_SIZE - 4 * MIB) {
		unsigned long size = (unsigned long)random() % (6 * MIB) + 1;

		size = MIN(size, ARENA_SIZE - at);
		add_ram(at, at + size);
		at += size + (random() % 3 ? (unsigned long)random() % MIB : 0);
	}
	set_archive(2 * MIB + (unsigned long)random() % (20 * MIB), (unsigned long)random() % MIB);
	page_init();
	page_init_high();
	model_start();
	assert_true(page_nr_total() > 0 && page_nr_total() < count(FREE));
	exhaust_and_merge();
}

static void any_layout_works(void **state)
{
	for (unsigned seed = 1; seed <= 40; seed++)
		in_child(odd_layout_body, seed);
}

/* The archive lies between two other reserved ranges and touches both. */
static void touching_body(unsigned arg)
{
	fill_arena();
	host_run_as(cpus, NULL);
	add_ram(0, 16 * MIB);
	set_archive(0x10000, IMAGE_OFFSET - 0x10000);
	page_init();
	page_init_high();
	model_start();
	exhaust_and_merge();
}

static void reserved_ranges_may_touch(void **state)
{
	in_child(touching_body, 0);
}

static void boot_map_body(unsigned arg)
{
	fill_arena();
	host_run_as(cpus, NULL);
	add_ram(MIB, ARENA_SIZE);
	page_init();
	/* Nothing of what is not mapped yet is handed out. */
	for (void *p; (p = page_alloc(0));)
		assert_true(page_index(p) < ARENA_HIGH / PAGE_SIZE);
	page_init_high();
	assert_int_equal(page_nr_free(), (ARENA_SIZE - ARENA_HIGH) / PAGE_SIZE);
	assert_true(page_index(page_alloc(0)) >= ARENA_HIGH / PAGE_SIZE);
}

static void unmapped_ram_comes_later(void **state)
{
	in_child(boot_map_body, 0);
}

static struct block {
	void *va;
	unsigned order, refs;
} blocks[600];

/* Random requests; every block keeps what was written to it. */
static void random_body(unsigned seed)
{
	size_t taken = 0;

	srandom(seed);
	start_pc(20 * MIB);
	model_start();
	for (int turn = 0; turn < 60000; turn++) {
		struct block *b = &blocks[random() % ARRAY_SIZE(blocks)];

		if (!b->va) {
			b->order = random() % 3 ? 0 : (unsigned)random() % (MAX_PAGE_ORDER + 1);
			b->refs = 1;
			b->va = take(b->order);
			if (!b->va)
				continue;
			taken += 1UL << b->order;
			memset(b->va, b - blocks, PAGE_SIZE << b->order);
		} else if (b->order == 0 && random() % 3 == 0) {
			page_get((phys_addr_t)b->va);
			b->refs++;
			assert_int_equal(page_refs((phys_addr_t)b->va), b->refs);
		} else {
			assert_int_equal(*(u8 *)b->va, (u8)(b - blocks));
			assert_int_equal(((u8 *)b->va)[(PAGE_SIZE << b->order) - 1],
					 (u8)(b - blocks));
			if (--b->refs) {
				page_put((phys_addr_t)b->va);
				continue;
			}
			taken -= 1UL << b->order;
			give(b->va, b->order);
			b->va = NULL;
		}
		assert_int_equal(page_nr_free(), page_nr_total() - taken);
	}
}

static void random_requests(void **state)
{
	for (unsigned seed = 1; seed <= 4; seed++)
		in_child(random_body, seed);
}

static void misuse_body(unsigned arg)
{
	char *a;

	start_pc(16 * MIB);
	assert_null(page_alloc(MAX_PAGE_ORDER + 1));
	page_free(NULL, 3);
	a = page_alloc_zeroed(1);
	for (size_t i = 0; i < 2 * PAGE_SIZE; i++)
		assert_int_equal(a[i], 0);
	expect_assert_failure(page_free(a, 0));
	page_free(a, 1);
	expect_assert_failure(page_free(a, 1));
	a = page_alloc(0);
	page_put((phys_addr_t)a);
	expect_assert_failure(page_put((phys_addr_t)a));
	expect_assert_failure(page_get((phys_addr_t)a));
}

static void chain_body(unsigned arg)
{
	void *page[5], *chain = NULL;

	start_pc(16 * MIB);
	for (int i = 0; i < 5; i++) {
		page[i] = page_alloc(0);
		page_chain_add(&chain, page[i]);
	}
	page_chain_remove(&chain, page[2]);
	assert_ptr_equal(chain, page[4]);
	page_chain_remove(&chain, page[4]);
	page_chain_remove(&chain, page[0]);
	assert_ptr_equal(chain, page[3]);
	assert_ptr_equal(page_link(chain), page[1]);
	assert_null(page_link(page[1]));
	page_chain_remove(&chain, page[1]);
	page_chain_remove(&chain, page[3]);
	assert_null(chain);
}

/* The cache of a CPU that is idle is no memory lost; but only who may wait gets at it. */
static void drain_body(unsigned arg)
{
	void *page[16];

	start_pc(16 * MIB);
	model_start();
	cpus[1].id = 1;
	nr_cpus = 2;
	for (size_t i = 0; i < ARRAY_SIZE(page); i++)
		page[i] = take(0);
	while (take(0))
		;
	host_run_as(&cpus[1], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(page); i++)
		give(page[i], 0);
	host_run_as(&cpus[0], NULL);
	irq_disable();
	assert_null(page_alloc(0));
	irq_enable();
	for (size_t i = 0; i < ARRAY_SIZE(page); i++)
		assert_non_null(take(0));
	assert_null(take(0));
}

static void other_cpus_caches_are_drained(void **state)
{
	in_child(drain_body, 0);
}

static void chains(void **state)
{
	in_child(chain_body, 0);
}

static void reserve_body(unsigned arg)
{
	size_t reserve;

	start_pc(16 * MIB);
	reserve = page_nr_total() / 16;
	assert_true(page_can_spare(page_nr_free() - reserve));
	assert_false(page_can_spare(page_nr_free() - reserve + 1));
	assert_false(page_can_spare(-1UL));
	while (page_nr_free() > reserve)
		assert_non_null(page_alloc(0));
	assert_true(page_can_spare(0));
	assert_false(page_can_spare(1));
	/* Below the reserve nothing is left, rather than nearly everything. */
	assert_non_null(page_alloc(0));
	assert_false(page_can_spare(0));
	assert_false(page_can_spare(1));
}

static void a_part_is_not_spared(void **state)
{
	in_child(reserve_body, 0);
}

static enum memory_claim claim = CLAIM_SYSTEM;

enum memory_claim process_claim(void)
{
	return claim;
}

/* Takes single pages as @who until there are none for it; how many are left. */
static size_t left_by(enum memory_claim who)
{
	claim = who;
	while (page_alloc(0))
		;
	return page_nr_free();
}

static void claims_body(unsigned arg)
{
	size_t eighth, reserve;

	start_pc(16 * MIB);
	eighth = page_nr_total() / 8;
	reserve = page_nr_total() / 16;
	claim = CLAIM_USER;
	assert_int_equal(page_nr_spare(), page_nr_free() - eighth - reserve);
	assert_true(page_can_spare(page_nr_spare()));
	assert_false(page_can_spare(page_nr_spare() + 1));
	assert_int_equal(left_by(CLAIM_USER), eighth);
	assert_null(page_alloc(1));
	assert_int_equal(page_nr_spare(), 0);
	/* The privileged user's calls that are not urgent go on, too. */
	claim = CLAIM_PRIVILEGED;
	assert_true(page_can_spare(8));
	assert_int_equal(left_by(CLAIM_PRIVILEGED), 16);
	assert_false(page_can_spare(0));
	assert_int_equal(left_by(CLAIM_SYSTEM), 0);
}

static void the_last_pages_are_not_everybodys(void **state)
{
	in_child(claims_body, 0);
}

static void misuse_is_noticed(void **state)
{
	in_child(misuse_body, 0);
}

static void small_body(unsigned kib)
{
	if (kib >= 7 * KIB) {
		start_pc(MIB + kib * KIB - 640 * KIB);
		assert_true(page_nr_free() > 0);
	} else {
		expect_assert_failure(start_pc(MIB + kib * KIB - 640 * KIB));
	}
}

static void full_body(unsigned arg)
{
	set_archive(0, ARENA_SIZE);
	expect_assert_failure(start_pc(ARENA_SIZE));
}

static void too_little_memory_is_said(void **state)
{
	in_child(small_body, 7 * KIB + 512);
	in_child(small_body, 7 * KIB);
	in_child(small_body, 7 * KIB - 4);
	in_child(full_body, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_ram_is_handed_over),
	    cmocka_unit_test(any_layout_works),
	    cmocka_unit_test(reserved_ranges_may_touch),
	    cmocka_unit_test(unmapped_ram_comes_later),
	    cmocka_unit_test(the_last_pages_are_not_everybodys),
	    cmocka_unit_test(random_requests),
	    cmocka_unit_test(misuse_is_noticed),
	    cmocka_unit_test(too_little_memory_is_said),
	    cmocka_unit_test(chains),
	    cmocka_unit_test(a_part_is_not_spared),
	    cmocka_unit_test(other_cpus_caches_are_drained),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
