/* SPDX-License-Identifier: MIT */
/*
 * The order of the ring's accesses, which no test on one processor can see: each atomic one is
 * noted, with the order that it asks for and what the ring's first word was at that moment.
 */
void note(const volatile void *at, int order);

/* The compiler's builtins, for all that follows: the ring's header and its code. */
#define __atomic_store_n(p, v, order) (note(p, order), __atomic_store_n(p, v, order))
#define __atomic_load_n(p, order)     (note(p, order), __atomic_load_n(p, order))
#define __atomic_compare_exchange_n(p, expected, v, weak, order, failed) \
	(note(p, order), __atomic_compare_exchange_n(p, expected, v, weak, order, failed))

#include "../../kernel/perf/ring.c"
#include "host.h"

struct access {
	const volatile void *at;
	int order;
	u64 first_word;
};

static struct access seen[256];
static unsigned nr_seen;
static const struct perf_ring *watched;

void note(const volatile void *at, int order)
{
	if (!watched)
		return;
	assert_true(nr_seen < ARRAY_SIZE(seen));
	seen[nr_seen++] = (struct access){at, order, *(const u64 *)watched->data};
}

static void nobody(struct perf_ring *ring)
{
}

static struct perf_ring *new_ring(void)
{
	struct perf_ring *ring = perf_ring_create(1, false, 0, nobody);

	assert_false(IS_ERR(ring));
	watched = ring;
	nr_seen = 0;
	return ring;
}

static void free_ring(struct perf_ring *ring)
{
	watched = NULL;
	host_run_irq_work();
	perf_ring_free(ring);
	assert_int_equal(host_allocations, 0);
}

static int write_words(struct perf_ring *ring, u64 word, u32 n)
{
	struct perf_output out;

	if (perf_output_begin(&out, ring, n * sizeof(u64)))
		return -ENOSPC;
	while (n--)
		perf_output_u64(&out, word);
	perf_output_end(&out);
	return 0;
}

/* The last access to @at. */
static const struct access *last_of(const volatile void *at)
{
	for (unsigned i = nr_seen; i--;)
		if (seen[i].at == at)
			return &seen[i];
	fail_msg("no atomic access to it");
	return NULL;
}

static bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* A reader that sees the position sees the record. */
static void the_position_comes_after_the_record(void **state)
{
	struct perf_ring *ring = new_ring();

	assert_int_equal(write_words(ring, 7, 4), 0);
	assert_true(releases(last_of(&ring->page->data_head)->order));
	assert_int_equal(last_of(&ring->page->data_head)->first_word, 7);
	free_ring(ring);
}

static void so_it_does_where_positions_wrap(void **state)
{
	struct perf_ring *ring = new_ring();

	ring->head = ring->published = ring->limit = ring->wakeup_at = -16UL;
	ring->page->data_tail = ring->page->data_head = -16ULL;
	assert_int_equal(write_words(ring, 8, 4), 0);
	assert_int_equal(ring->head, 16);
	assert_true(releases(last_of(&ring->page->data_head)->order));
	assert_int_equal(last_of(&ring->page->data_head)->first_word, 8);
	free_ring(ring);
}

/* What the reader has left is overwritten after its position was read, with what it left behind. */
static void the_tail_is_read_before_the_record_is_written(void **state)
{
	struct perf_ring *ring = new_ring();

	assert_int_equal(write_words(ring, 1, PAGE_SIZE / sizeof(u64)), 0);
	assert_int_equal(write_words(ring, 2, 4), -ENOSPC);
	nr_seen = 0;
	ring->page->data_tail = 4 * sizeof(u64);
	assert_int_equal(write_words(ring, 2, 4), 0);
	assert_true(acquires(last_of(&ring->page->data_tail)->order));
	assert_int_equal(last_of(&ring->page->data_tail)->first_word, 1);
	assert_int_equal(last_of(&ring->page->data_head)->first_word, 2);
	free_ring(ring);
}

/* Whoever frees a ring has seen the last of its waker. */
static void a_ring_is_freed_after_its_waker(void **state)
{
	struct perf_ring *ring = new_ring();
	const void *pending = &ring->wake_pending;

	perf_ring_wake(ring);
	host_run_irq_work();
	assert_true(releases(last_of(pending)->order));
	watched = ring;
	nr_seen = 0;
	perf_ring_free(ring);
	watched = NULL;
	assert_true(acquires(last_of(pending)->order));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_position_comes_after_the_record),
	    cmocka_unit_test(so_it_does_where_positions_wrap),
	    cmocka_unit_test(the_tail_is_read_before_the_record_is_written),
	    cmocka_unit_test(a_ring_is_freed_after_its_waker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
