/* SPDX-License-Identifier: MIT */
/* kernel/fs/seq.c: contents grow over every size, or the buffer says that they are not whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "user_memory.h"
#include <hotregs/fs.h>

static void contents_grow(void **state)
{
	struct seq *s = seq_create();
	struct file *f = file_create(&seq_file_ops, 0, s);
	char line[32], got[32];

	for (int i = 0; i < 5000; i++)
		seq_printf(s, "line %05d\n", i);
	seq_write(s, "end", 4);
	assert_false(s->overflow);
	assert_int_equal(s->size, 5000 * 11 + 4);
	for (int i = 0; i < 5000; i++) {
		snprintf(line, sizeof(line), "line %05d\n", i);
		assert_int_equal(f->ops->read(f, got, 11), 11);
		assert_memory_equal(got, line, 11);
	}
	assert_int_equal(f->ops->read(f, got, 32), 4);
	assert_string_equal(got, "end");
	assert_int_equal(f->ops->read(f, got, 32), 0);
	assert_int_equal(f->ops->lseek(f, 5, UAPI_SEEK_SET), 5);
	assert_int_equal(f->ops->read(f, got, 5), 5);
	assert_memory_equal(got, "00000", 5);
	file_put(f);
	assert_int_equal(host_allocations, 0);
}

/* Pieces that end right before, at and after a page's end. */
static void every_fit(void **state)
{
	for (size_t first = PAGE_SIZE - 4; first <= PAGE_SIZE + 1; first++) {
		struct seq *s = seq_create();
		char *fill = calloc(1, first);

		memset(fill, 'f', first);
		seq_write(s, fill, first);
		seq_printf(s, "%s", "abc");
		assert_false(s->overflow);
		assert_int_equal(s->size, first + 3);
		assert_memory_equal(s->buf + first, "abc", 3);
		assert_int_equal(s->buf[first - 1], 'f');
		seq_free(s);
		free(fill);
	}
	assert_int_equal(host_allocations, 0);
}

static void out_of_memory(void **state)
{
	struct seq *s = seq_create();

	seq_printf(s, "some");
	host_fail_alloc = 1;
	for (int i = 0; i < 1000; i++)
		seq_printf(s, "0123456789");
	assert_true(s->overflow);
	assert_true(s->size < PAGE_SIZE);
	seq_write(s, "x", 1); /* nothing is added behind a gap */
	assert_true(s->size < PAGE_SIZE);
	seq_free(s);
	host_fail_alloc = 1;
	assert_int_equal(PTR_ERR(seq_create()), -ENOMEM);
	seq_free(NULL);
	assert_int_equal(host_allocations, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(contents_grow),
	    cmocka_unit_test(every_fit),
	    cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
