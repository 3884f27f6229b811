/* SPDX-License-Identifier: MIT */
/* kernel/fs/page_tree.c: pages by number, near and far, and all of them given back. */
#include <stdlib.h>

#include "host.h"
#include <hotregs/mm.h>

#include "../../kernel/fs/page_tree.h"

static struct page_tree tree;

static void add(u64 n)
{
	u64 *page = page_alloc(0);

	*page = n;
	assert_int_equal(page_tree_add(&tree, n, page), 0);
}

static bool has(u64 n)
{
	u64 *page = page_tree_find(&tree, n);

	assert_true(!page || *page == n);
	return page;
}

static void one_page_needs_no_table(void **state)
{
	assert_false(has(0));
	add(0);
	assert_int_equal(host_allocations, 1);
	assert_true(has(0));
	assert_false(has(1));
	assert_false(has(PAGE_TREE_MAX - 1));
	page_tree_cut(&tree, 1);
	assert_true(has(0));
	page_tree_cut(&tree, 0);
	assert_false(has(0));
	assert_int_equal(host_allocations, 0);
}

static const u64 numbers[] = {0, 1, 511, 512, 513, 262143, 262144, 5000000, PAGE_TREE_MAX - 1};

/* In every order of growth; and cut at every number, what lies before stays. */
static void far_pages(void **state)
{
	for (size_t from = 0; from <= ARRAY_SIZE(numbers); from++) {
		u64 cut = from < ARRAY_SIZE(numbers) ? numbers[from] : PAGE_TREE_MAX - 2;

		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			add(numbers[from & 1 ? i : ARRAY_SIZE(numbers) - 1 - i]);
		assert_int_equal(tree.nr_pages, ARRAY_SIZE(numbers));
		assert_false(has(2));
		assert_false(has(4999999));
		page_tree_cut(&tree, cut);
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			assert_int_equal(has(numbers[i]), numbers[i] < cut);
		page_tree_cut(&tree, 0);
		assert_int_equal(tree.nr_pages, 0);
		assert_int_equal(host_allocations, 0);
	}
}

/* The tables of what was cut go at once. */
static void tables_go_with_their_pages(void **state)
{
	add(3);
	assert_int_equal(host_allocations, 2); /* and a table */
	add(262144);
	assert_int_equal(host_allocations,
			 7); /* two more levels, and three tables and pages below */
	page_tree_cut(&tree, 4);
	assert_int_equal(host_allocations, 4);
	assert_true(has(3));
	page_tree_cut(&tree, 0);
	assert_int_equal(host_allocations, 0);
}

static void without_memory(void **state)
{
	for (unsigned n = 1; n <= 3; n++) {
		void *page = page_alloc(0);

		host_fail_alloc = n;
		assert_int_equal(page_tree_add(&tree, 262144, page), -ENOMEM);
		page_free(page, 0);
		assert_false(has(262144));
		add(0);
		assert_true(has(0));
		page_tree_cut(&tree, 0);
		assert_int_equal(host_allocations, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_page_needs_no_table),
	    cmocka_unit_test(far_pages),
	    cmocka_unit_test(tables_go_with_their_pages),
	    cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
