/* SPDX-License-Identifier: MIT */
/* The graph of lock orders: what it takes for an inversion, and what it tells of it. */
#include "../../kernel/debug/check/lock_order.h"
#include "host.h"
#include <stdio.h>
#include <string.h>

static struct lock_order order;
static u16 path[LOCK_CLASSES];
static unsigned length;

static int setup(void **state)
{
	memset(&order, 0, sizeof(order));
	length = 0;
	return 0;
}

static enum lock_verdict add(u8 outer, u8 inner)
{
	struct lock_edge edge = {outer, inner, 1000 + outer, 2000 + inner};

	return lock_order_add(&order, &edge, path, &length);
}

static void classes_go_by_their_names(void **state)
{
	char a[] = "a", again[] = "a";

	assert_int_equal(lock_order_class(&order, a), 0);
	assert_int_equal(lock_order_class(&order, "b"), 1);
	assert_int_equal(lock_order_class(&order, again), 0);
	assert_int_equal(lock_order_class(&order, "b"), 1);
	assert_int_equal(order.nr_classes, 2);
}

static void classes_are_so_many(void **state)
{
	static char name[LOCK_CLASSES + 1][16];

	for (int i = 0; i <= LOCK_CLASSES; i++) {
		snprintf(name[i], sizeof(name[i]), "%d", i);
		assert_int_equal(lock_order_class(&order, name[i]), i < LOCK_CLASSES ? i : -ENOSPC);
	}
	assert_int_equal(lock_order_class(&order, "7"), 7);
}

static void an_order_is_kept_once(void **state)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(3, 100), LOCK_ORDER_KEPT);
	assert_int_equal(order.nr_edges, 1);
	assert_int_equal(order.edge[0].outer_place, 1003);
	assert_int_equal(order.edge[0].inner_place, 2100);
}

static void the_other_way_is_an_inversion(void **state)
{
	add(3, 100);
	assert_int_equal(add(100, 3), LOCK_ORDER_INVERTED);
	assert_int_equal(length, 1);
	assert_int_equal(path[0], 0);
	/* It was not noted, or the first order would be wrong from now on. */
	assert_int_equal(add(3, 100), LOCK_ORDER_KEPT);
	assert_int_equal(order.nr_edges, 1);
}

static void one_class_has_no_order(void **state)
{
	assert_int_equal(add(5, 5), LOCK_ORDER_SAME);
	assert_int_equal(order.nr_edges, 0);
}

/* The shortest of two ways, its edges in the order in which they were taken. */
static void an_inversion_by_way_of_others(void **state)
{
	add(0, 1); /* edge 0 */
	add(1, 2);
	add(2, 3);
	add(3, 4);
	add(1, 127); /* edge 4 */
	add(127, 4);
	assert_int_equal(add(4, 0), LOCK_ORDER_INVERTED);
	assert_int_equal(length, 3);
	assert_int_equal(path[0], 0);
	assert_int_equal(path[1], 4);
	assert_int_equal(path[2], 5);
	/* What is no way back is none. */
	assert_int_equal(add(0, 4), LOCK_ORDER_KEPT);
	assert_int_equal(add(2, 127), LOCK_ORDER_KEPT);
	assert_int_equal(add(127, 1), LOCK_ORDER_INVERTED);
}

/* Against a search of everything: random orders of a few classes. */
static bool reaches(bool edge[12][12], int from, int to)
{
	bool reached[12] = {[0] = false};
	bool more = true;

	reached[from] = true;
	while (more) {
		more = false;
		for (int a = 0; a < 12; a++)
			for (int b = 0; b < 12; b++)
				if (reached[a] && edge[a][b] && !reached[b])
					reached[b] = more = true;
	}
	return reached[to];
}

static void check_path(u8 from, u8 to)
{
	for (unsigned i = 0; i < length; i++) {
		assert_int_equal(order.edge[path[i]].outer, from);
		from = order.edge[path[i]].inner;
	}
	assert_int_equal(from, to);
}

static void random_orders(void **state)
{
	u32 seed = 1;

	for (int round = 0; round < 200; round++) {
		bool edge[12][12] = {{false}};

		setup(NULL);
		for (int i = 0; i < 100; i++) {
			u8 a, b;

			seed = seed * 1664525 + 1013904223;
			a = (seed >> 16) % 12;
			b = (seed >> 24) % 12;
			if (a == b) {
				assert_int_equal(add(a, b), LOCK_ORDER_SAME);
			} else if (reaches(edge, b, a)) {
				assert_int_equal(add(a, b), LOCK_ORDER_INVERTED);
				check_path(b, a);
			} else {
				assert_int_equal(add(a, b), LOCK_ORDER_KEPT);
				edge[a][b] = true;
			}
		}
	}
}

static void edges_are_so_many(void **state)
{
	unsigned n = 0;

	for (int a = 0; a < LOCK_CLASSES && n < LOCK_EDGES; a++)
		for (int b = a + 1; b < LOCK_CLASSES && n < LOCK_EDGES; b++, n++)
			assert_int_equal(add(a, b), LOCK_ORDER_KEPT);
	assert_int_equal(add(126, 127), LOCK_ORDER_FULL);
	assert_int_equal(add(0, 1), LOCK_ORDER_KEPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(classes_go_by_their_names, setup),
	    cmocka_unit_test_setup(classes_are_so_many, setup),
	    cmocka_unit_test_setup(an_order_is_kept_once, setup),
	    cmocka_unit_test_setup(the_other_way_is_an_inversion, setup),
	    cmocka_unit_test_setup(one_class_has_no_order, setup),
	    cmocka_unit_test_setup(an_inversion_by_way_of_others, setup),
	    cmocka_unit_test_setup(random_orders, setup),
	    cmocka_unit_test_setup(edges_are_so_many, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
