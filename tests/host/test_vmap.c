/* SPDX-License-Identifier: MIT */
/* Kernel mappings on a fake MMU: guard pages, reuse of addresses, nothing lost without memory. */
#define MAX_PTES 4096
#include "mm/fake_mmu.h"

static bool mapped(const u8 *va)
{
	return find_pte(&kernel_tables, (unsigned long)va);
}

/* Reads through the TLB, so that stale translations would be found. */
static u8 *at(const u8 *va)
{
	u8 *byte = translate((unsigned long)va, MMU_WRITE);

	assert_non_null(byte);
	return byte;
}

static void check_new(const u8 *va, size_t n)
{
	assert_false(mapped(va - PAGE_SIZE));
	assert_false(mapped(va + n * PAGE_SIZE));
	for (size_t i = 0; i < n; i++) {
		const u8 *page = va + i * PAGE_SIZE;

		assert_int_equal(*at(page), 0);
		assert_ptr_equal(at(page + 5), (u8 *)vmap_phys(page + 5));
		*at(page) = 0x5a;
	}
}

static void random_mappings(void **state)
{
	static struct {
		u8 *va;
		size_t n;
	} m[30];
	unsigned long highest = 0;
	struct slab_usage usage;
	size_t in_use;

	for (int turn = 0; turn < 6000; turn++) {
		size_t i = (size_t)random() % ARRAY_SIZE(m);

		if (m[i].va) {
			vmap_free(m[i].va, m[i].n);
			assert_null(translate((unsigned long)m[i].va, MMU_READ));
			m[i].va = NULL;
			continue;
		}
		m[i].n = 1 + (size_t)random() % 20;
		m[i].va = vmap_alloc(m[i].n);
		assert_non_null(m[i].va);
		highest = MAX(highest, (unsigned long)m[i].va);
		check_new(m[i].va, m[i].n);
		in_use = 0;
		for (size_t k = 0; k < ARRAY_SIZE(m); k++)
			in_use += m[k].va != NULL;
		vmap_usage(&usage);
		assert_int_equal(usage.in_use, in_use);
	}
	for (size_t i = 0; i < ARRAY_SIZE(m); i++)
		vmap_free(m[i].va, m[i].n);
	vmap_usage(&usage);
	assert_int_equal(usage.in_use, 0);
	assert_int_equal(usage.pages, 1);
	assert_int_equal(usage.per_page * usage.size, PAGE_SIZE);
	assert_int_equal(held, 1); /* what remembers the addresses */
	assert_int_equal(kernel_tables.nr, 0);
	/* Addresses are used again: three thousand mappings of up to 32 pages, 30 at a time. */
	assert_true(highest < VMAP_START + 4 * ARRAY_SIZE(m) * 32 * PAGE_SIZE);
}

/* Each mapping is read on another CPU than where it ends. */
static void other_cpus_forget(void **state)
{
	u8 *va;

	cpus[1].id = 1;
	nr_cpus = 2;
	for (int turn = 0; turn < 100; turn++) {
		va = vmap_alloc(3);
		assert_non_null(va);
		host_run_as(&cpus[1], current);
		check_new(va, 3);
		host_run_as(&cpus[0], current);
		vmap_free(va, 3);
		assert_int_equal(tlb_of[1].nr, 0);
	}
	assert_true(host_smp_calls >= 100);
	nr_cpus = 1;
}

static void failures_lose_nothing(void **state)
{
	bool succeeded = false;

	for (unsigned n = 1; n < 40; n++) {
		u8 *va;

		host_fail_alloc = n;
		va = vmap_alloc(9);
		if (va) {
			/* One for each page and one to map it. */
			assert_true(n > 2 * 9);
			succeeded = true;
			check_new(va, 9);
			vmap_free(va, 9);
		}
		host_fail_alloc = 0;
		assert_int_equal(held, 1);
		assert_int_equal(kernel_tables.nr, 0);
	}
	assert_true(succeeded);
	assert_null(vmap_alloc((VMAP_END - VMAP_START) / PAGE_SIZE));
	assert_null(vmap_alloc(-1UL));
}

static void device_registers(void **state)
{
	const unsigned prot = MMU_READ | MMU_WRITE | MMU_DEVICE;
	u8 *va = ioremap(0xfee00ff8, 16);
	struct pte *first, *second;

	assert_non_null(va);
	assert_int_equal((unsigned long)va & (PAGE_SIZE - 1), 0xff8);
	first = find_pte(&kernel_tables, (unsigned long)va);
	second = find_pte(&kernel_tables, (unsigned long)va + 8);
	assert_int_equal(first->pa, 0xfee00000);
	assert_int_equal(second->pa, 0xfee01000);
	assert_true(first->prot == prot && second->prot == prot);
	assert_int_equal(kernel_tables.nr, 2);
	host_fail_alloc = 2;
	assert_null(ioremap(0xfec00000, 2 * PAGE_SIZE));
	assert_int_equal(kernel_tables.nr, 2);
}

static void more_than_there_is_takes_nothing(void **state)
{
	long before = held;

	pages_limit = 100;
	host_fail_alloc = 1;
	assert_null(vmap_alloc(page_nr_free() + 1));
	assert_null(vmap_alloc(1UL << 20));
	assert_int_equal(host_fail_alloc, 1); /* no page was asked for */
	host_fail_alloc = 0;
	pages_limit = MAX_PAGES;
	assert_int_equal(held, before);
}

/* Others take the memory meanwhile: it ends when that shows, not when there is no page left. */
static void memory_that_goes_is_noticed(void **state)
{
	long before = held;

	spare_calls = 0;
	spare_calls_max = 3;
	host_fail_alloc = 1000;
	assert_null(vmap_alloc(500));
	assert_in_range(host_fail_alloc, 1000 - 400, 1000 - 100); /* so many were taken */
	host_fail_alloc = 0;
	spare_calls_max = UINT32_MAX;
	assert_int_equal(held, before);
	assert_int_equal(kernel_tables.nr, 2); /* device_registers() */
}

/* Large mappings that came and went have used all addresses; small ones still find some. */
static void addresses_are_used_again_for_smaller(void **state)
{
	static u8 *va[250];

	for (size_t pages = 4094; pages > 2; pages /= 2) {
		host_fail_alloc = 1;
		assert_null(vmap_alloc(pages));
	}
	host_fail_alloc = 0;
	for (size_t i = 0; i < ARRAY_SIZE(va); i++) {
		va[i] = vmap_alloc(2 + i % 3);
		assert_non_null(va[i]);
		check_new(va[i], 2 + i % 3);
	}
	for (size_t i = 0; i < ARRAY_SIZE(va); i++)
		vmap_free(va[i], 2 + i % 3);
	assert_int_equal(kernel_tables.nr, 2);
}

static bool is_odd_slot(const u8 *va)
{
	return ((unsigned long)va - VMAP_START) / PAGE_SIZE / 4 % 2;
}

/* The smallest mappings have used all addresses; what is free side by side is large again. */
static void addresses_are_used_again_for_larger(void **state)
{
	static u8 *va[(VMAP_END - VMAP_START) / PAGE_SIZE / 4], *large;
	struct slab_usage before, after;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(va) && (va[n] = vmap_alloc(1)); n++)
		continue;
	assert_in_range(n, ARRAY_SIZE(va) - 4, ARRAY_SIZE(va));
	vmap_usage(&before);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < n; i++)
			if (is_odd_slot(va[i]))
				vmap_free(va[i], 1);
		assert_null(vmap_alloc(3)); /* between any two free ones is one in use */
		for (size_t i = 0; i < n; i++)
			if (is_odd_slot(va[i]))
				assert_non_null(va[i] = vmap_alloc(1));
	}
	for (size_t i = 0; i < n; i++) /* 7 and the number have no common divisor */
		vmap_free(va[i * 7 % n], 1);
	large = vmap_alloc(2046);
	assert_non_null(large);
	check_new(large, 2046);
	vmap_free(large, 2046);
	assert_non_null(large = vmap_alloc(1));
	vmap_free(large, 1);
	vmap_usage(&after);
	assert_int_equal(after.pages, before.pages);
	assert_int_equal(after.in_use, before.in_use - n);
	assert_int_equal(kernel_tables.nr, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(other_cpus_forget),
	    cmocka_unit_test(random_mappings),
	    cmocka_unit_test(failures_lose_nothing),
	    cmocka_unit_test(device_registers),
	    cmocka_unit_test(more_than_there_is_takes_nothing),
	    cmocka_unit_test(memory_that_goes_is_noticed),
	    cmocka_unit_test(addresses_are_used_again_for_smaller),
	    cmocka_unit_test(addresses_are_used_again_for_larger),
	};

	return cmocka_run_group_tests_name("vmap", tests, NULL, NULL);
}
