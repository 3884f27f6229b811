/* SPDX-License-Identifier: MIT */
/* kmalloc() over the real page allocator, against a model that knows what every object contains. */
#include "mm/arena.h"

static struct object {
	u8 *p;
	size_t size;
	u8 fill;
} objects[3000];

static void check(const struct object *o)
{
	for (size_t i = 0; i < o->size; i++)
		assert_int_equal(o->p[i], o->fill);
}

static size_t random_size(void)
{
	switch (random() % 8) {
	case 0:
		return (size_t)random() % 20000;
	case 1:
		return (size_t)random() % 2100;
	default:
		return (size_t)random() % 300;
	}
}

static void random_body(unsigned seed)
{
	size_t before, live = 0;

	srandom(seed);
	start_pc(24 * MIB);
	before = page_nr_free();
	for (int turn = 0; turn < 100000; turn++) {
		struct object *o = &objects[random() % ARRAY_SIZE(objects)];

		if (o->p) {
			check(o);
			live -= o->size;
			kfree(o->p);
			o->p = NULL;
			continue;
		}
		o->size = random_size();
		o->fill = (u8)random();
		o->p = kmalloc(o->size);
		assert_non_null(o->p);
		assert_int_equal((unsigned long)o->p % 16, 0);
		memset(o->p, o->fill, o->size);
		live += o->size;
		assert_true(kmalloc_in_use() >= live);
		assert_true(kmalloc_in_use() <= 2 * live + 16 * ARRAY_SIZE(objects));
	}
	for (struct object *o = objects; o < objects + ARRAY_SIZE(objects); o++) {
		if (o->p)
			check(o);
		kfree(o->p);
	}
	assert_int_equal(kmalloc_in_use(), 0);
	assert_int_equal(page_nr_free(), before); /* empty pages it keeps count as free */
}

static void random_requests(void **state)
{
	for (unsigned seed = 1; seed <= 3; seed++)
		in_child(random_body, seed);
}

/* Every size up to two pages: neighbours do not overlap, and the size is all there. */
static void sizes_body(unsigned arg)
{
	start_pc(16 * MIB);
	for (size_t size = 0; size <= 2 * PAGE_SIZE; size++) {
		struct object o[3];
		size_t before = kmalloc_in_use();

		for (int i = 0; i < 3; i++) {
			o[i] = (struct object){kmalloc(size), size, (u8)(size + i)};
			assert_non_null(o[i].p);
			memset(o[i].p, o[i].fill, size);
		}
		assert_true(o[0].p != o[1].p && o[1].p != o[2].p && o[0].p != o[2].p);
		assert_true(kmalloc_in_use() - before >= 3 * size);
		for (int i = 0; i < 3; i++) {
			check(&o[i]);
			kfree(o[i].p);
		}
		assert_int_equal(kmalloc_in_use(), before);
	}
}

static void every_size(void **state)
{
	in_child(sizes_body, 0);
}

static void exhaustion_body(unsigned size)
{
	void **first = NULL, **p;
	size_t n = 0, again = 0, total;

	start_pc(9 * MIB);
	total = page_nr_free();
	for (; (p = kmalloc(size)); n++) {
		*p = first;
		first = p;
	}
	assert_null(kzalloc(size));
	assert_true(n * size > total * PAGE_SIZE / 2);
	while ((p = first)) {
		first = *p;
		kfree(p);
	}
	assert_int_equal(kmalloc_in_use(), 0);
	/* The page kept for the next request is had by all, whatever they ask for. */
	while (page_alloc(0))
		again++;
	assert_int_equal(page_nr_free(), 0);
	assert_int_equal(again, total);
	assert_null(kmalloc(-1UL));
	assert_null(kmalloc((4UL << 20) + 1));
}

static void exhaustion_is_null(void **state)
{
	in_child(exhaustion_body, 16);
	in_child(exhaustion_body, 1000);
	in_child(exhaustion_body, 9000);
}

/* An empty page beside one with an object in use: only the first may be taken back. */
static void need_body(unsigned arg)
{
	u8 *o[4];

	start_pc(9 * MIB);
	for (int i = 0; i < 4; i++)
		o[i] = kmalloc(2048); /* two a page */
	kfree(o[0]);
	kfree(o[1]);
	kfree(o[2]);
	memset(o[3], 0x33, 2048);
	for (void *page; (page = page_alloc(0));)
		memset(page, 0x44, PAGE_SIZE);
	check(&(struct object){o[3], 2048, 0x33});
	assert_int_equal(page_nr_free(), 0);
	assert_int_equal(kmalloc_in_use(), 2048);
	assert_ptr_equal(kmalloc(2048), o[2]);
	assert_null(kmalloc(2048));
}

static void need_takes_empty_pages_only(void **state)
{
	in_child(need_body, 0);
}

static void misuse_body(unsigned arg)
{
	u8 *a, *b;

	start_pc(16 * MIB);
	kfree(NULL);
	a = kzalloc(100);
	b = kmalloc(100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(a[i], 0);
	kfree(a);
	switch (arg) {
	case 0:
		expect_assert_failure(kfree(a));
		break;
	case 1:
		memset(a, 1, 16); /* written after it was freed */
		expect_assert_failure(kmalloc(100));
		break;
	default:
		a = kmalloc(10000);
		kfree(a);
		expect_assert_failure(kfree(a));
	}
	assert_non_null(b);
}

static void misuse_is_noticed(void **state)
{
	for (unsigned i = 0; i < 3; i++)
		in_child(misuse_body, i);
}

static void usage_tells_objects_by_size(void **state)
{
	struct slab_usage before[32], u;
	void *objects[40];
	unsigned classes, of_48 = 0;

	start_pc(24 * MIB);
	for (classes = 0; kmalloc_usage(classes, &before[classes]); classes++) {
		assert_true(!classes || before[classes].size > before[classes - 1].size);
		assert_int_equal(before[classes].per_page, PAGE_SIZE / before[classes].size);
		if (before[classes].size == 48)
			of_48 = classes;
	}
	assert_true(of_48 > 0);
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i] = kmalloc(33 + i % 16);
	for (unsigned i = 0; i < classes; i++) {
		assert_true(kmalloc_usage(i, &u));
		assert_int_equal(u.in_use,
				 before[i].in_use + (i == of_48 ? ARRAY_SIZE(objects) : 0));
		assert_true(u.pages >= u.empty + (u.in_use > 0));
		assert_true(u.in_use <= (u.pages - u.empty) * u.per_page);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
		kfree(objects[i]);
	assert_true(kmalloc_usage(of_48, &u));
	assert_int_equal(u.in_use, before[of_48].in_use);
	assert_true(u.pages - u.empty <= before[of_48].pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_requests),    cmocka_unit_test(every_size),
	    cmocka_unit_test(exhaustion_is_null), cmocka_unit_test(need_takes_empty_pages_only),
	    cmocka_unit_test(misuse_is_noticed),  cmocka_unit_test(usage_tells_objects_by_size),
	};

	return cmocka_run_group_tests_name("kmalloc", tests, NULL, NULL);
}
