/* SPDX-License-Identifier: MIT */
/* kernel/fs/pipe_buffer.h against a model that is one big array, and its use of memory. */
#include <stdlib.h>
#include <string.h>

#include "../../kernel/fs/pipe_buffer.h"
#include "host.h"

/* Bytes that ever went in; those from `out` on are inside. */
static u8 model[1 << 22];
static size_t in, out;

static size_t put(struct pipe_buffer *b, size_t n)
{
	size_t done = 0, chunk;

	n = MIN(n, pipe_buffer_free(b));
	n = MIN(n, PIPE_BUF);
	if (!n || pipe_buffer_reserve(b, n))
		return 0;
	while (done < n) {
		u8 *space = pipe_buffer_space(b, &chunk);

		chunk = MIN(chunk, n - done);
		memcpy(space, model + in, chunk);
		pipe_buffer_add(b, chunk);
		in += chunk;
		done += chunk;
	}
	return done;
}

static size_t get(struct pipe_buffer *b, size_t n)
{
	size_t done = 0, chunk;

	while (done < n && pipe_buffer_used(b)) {
		const u8 *data = pipe_buffer_data(b, &chunk);

		assert_true(chunk > 0);
		chunk = MIN(chunk, n - done);
		assert_memory_equal(data, model + out, chunk);
		pipe_buffer_take(b, chunk);
		out += chunk;
		done += chunk;
	}
	return done;
}

static size_t pages(const struct pipe_buffer *b)
{
	size_t n = 0;

	for (int i = 0; i < PIPE_PAGES; i++)
		n += b->page[i] != NULL;
	assert_int_equal(n, host_allocations);
	return n;
}

static int setup(void **state)
{
	srand(1);
	for (size_t i = 0; i < sizeof(model); i++)
		model[i] = rand();
	in = out = 0;
	return 0;
}

static void holds_exactly_its_size(void **state)
{
	struct pipe_buffer b = {};

	for (int i = 0; i < PIPE_PAGES; i++)
		assert_int_equal(put(&b, PIPE_BUF), PIPE_BUF);
	assert_int_equal(pipe_buffer_free(&b), 0);
	assert_int_equal(put(&b, 1), 0);
	assert_int_equal(get(&b, 1), 1);
	assert_int_equal(put(&b, 2), 1);
	assert_int_equal(get(&b, 2 * PIPE_SIZE), PIPE_SIZE);
	assert_int_equal(get(&b, 1), 0);
	pipe_buffer_destroy(&b);
	assert_int_equal(host_allocations, 0);
}

static void costs_one_page_when_drained(void **state)
{
	struct pipe_buffer b = {};

	assert_int_equal(pages(&b), 0);
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(put(&b, 1), 1);
		assert_int_equal(get(&b, 1), 1);
		assert_int_equal(pages(&b), 1);
	}
	for (int i = 0; i < PIPE_PAGES; i++)
		put(&b, PIPE_BUF);
	assert_int_equal(pages(&b), PIPE_PAGES);
	get(&b, PIPE_SIZE / 2);
	assert_int_equal(pages(&b), PIPE_PAGES / 2);
	get(&b, PIPE_SIZE);
	assert_int_equal(pages(&b), 1);
	pipe_buffer_destroy(&b);
	assert_int_equal(host_allocations, 0);
}

static void out_of_memory_loses_nothing(void **state)
{
	struct pipe_buffer b = {};

	host_fail_alloc = 1;
	assert_int_equal(put(&b, 10), 0);
	assert_int_equal(put(&b, 4000), 4000);
	/* The second of two pages fails: nothing of an atomic write may be inside. */
	host_fail_alloc = 1;
	assert_int_equal(put(&b, 200), 0);
	assert_int_equal(pipe_buffer_used(&b), 4000);
	assert_int_equal(put(&b, 200), 200);
	assert_int_equal(get(&b, 9999), 4200);
	pipe_buffer_destroy(&b);
	assert_int_equal(host_allocations, 0);
}

static void random_traffic(void **state)
{
	struct pipe_buffer b = {};

	while (in + PIPE_BUF < sizeof(model)) {
		/* Long stretches of filling and of draining, so that the ring comes round. */
		bool fill = (in / 100000) % 2;
		size_t n = 1 + rand() % (rand() % 2 ? 5000 : 60);

		host_fail_alloc = rand() % 10 ? 0 : 1 + rand() % 2;
		put(&b, fill ? n : n / 2);
		get(&b, fill ? n / 2 : n);
		assert_int_equal(pipe_buffer_used(&b), in - out);
		/* No page stays that holds nothing, but for the warm one and one reserved in vain.
		 */
		assert_true(pages(&b) <= (in - out + 2 * PAGE_SIZE - 2) / PAGE_SIZE + 1);
	}
	host_fail_alloc = 0;
	pipe_buffer_destroy(&b);
	assert_int_equal(host_allocations, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(holds_exactly_its_size, setup),
	    cmocka_unit_test_setup(costs_one_page_when_drained, setup),
	    cmocka_unit_test_setup(out_of_memory_loses_nothing, setup),
	    cmocka_unit_test_setup(random_traffic, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
