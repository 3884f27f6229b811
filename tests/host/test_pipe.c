/* SPDX-License-Identifier: MIT */
/*
 * kernel/fs/pipe.c: what read(2), write(2) and poll(2) say of pipes. The other process is a
 * function that runs when the one under test sleeps.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "user_memory.h"
#include <hotregs/fs.h>
#include <hotregs/wait.h>

#include "../../kernel/fs/pipe_buffer.h"

static struct file *ends[2];
static void (*other_process)(void);
static unsigned sleeps;

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
	current->state = TASK_SLEEPING;
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
	current->state = TASK_RUNNING;
}

void schedule(void)
{
	assert_non_null(other_process);
	assert_int_equal(current->state, TASK_SLEEPING);
	sleeps++;
	other_process();
}

void poll_wait(struct poll_table *table, struct wait_queue *q)
{
}

static ssize_t rd(void *buf, size_t n)
{
	return ends[0]->ops->read(ends[0], buf, n);
}

static ssize_t wr(const void *buf, size_t n)
{
	return ends[1]->ops->write(ends[1], buf, n);
}

static unsigned poll_end(int i)
{
	return ends[i]->ops->poll(ends[i], NULL);
}

static void close_end(int i)
{
	file_put(ends[i]);
	ends[i] = NULL;
}

static int setup(void **state)
{
	other_process = NULL;
	sleeps = 0;
	bad_start = bad_end = NULL;
	current->work = 0;
	return pipe_create(ends);
}

static int teardown(void **state)
{
	for (int i = 0; i < 2; i++)
		if (ends[i])
			close_end(i);
	return host_allocations != 0; /* a leak fails the test */
}

static void nonblock(void)
{
	ends[0]->flags |= UAPI_O_NONBLOCK;
	ends[1]->flags |= UAPI_O_NONBLOCK;
}

static void bytes_come_out_as_they_went_in(void **state)
{
	static u8 data[PIPE_SIZE], got[PIPE_SIZE];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7 + i / 4096;
	assert_int_equal(wr(data, sizeof(data)), sizeof(data));
	assert_int_equal(rd(got, 10), 10);
	assert_int_equal(rd(got + 10, sizeof(got)), sizeof(got) - 10);
	assert_memory_equal(data, got, sizeof(data));
}

static void a_short_read_does_not_wait(void **state)
{
	char buf[100];

	assert_int_equal(wr("hello", 5), 5);
	assert_int_equal(rd(buf, sizeof(buf)), 5);
	assert_int_equal(sleeps, 0);
}

static void write_two_bytes(void)
{
	assert_int_equal(wr("ab", 2), 2);
}

static void a_reader_waits_for_bytes(void **state)
{
	char buf[4];

	other_process = write_two_bytes;
	assert_int_equal(rd(buf, sizeof(buf)), 2);
	assert_int_equal(sleeps, 1);
	assert_int_equal(current->state, TASK_RUNNING);
}

static void close_write_end(void)
{
	close_end(1);
}

static void a_reader_waits_for_the_end(void **state)
{
	char buf[4];

	other_process = close_write_end;
	assert_int_equal(rd(buf, sizeof(buf)), 0);
	assert_int_equal(sleeps, 1);
	assert_int_equal(poll_end(0), UAPI_POLLHUP);
}

static void what_was_written_outlives_the_writer(void **state)
{
	char buf[4];

	write_two_bytes();
	close_end(1);
	assert_int_equal(poll_end(0), UAPI_POLLIN | UAPI_POLLHUP);
	assert_int_equal(rd(buf, sizeof(buf)), 2);
	assert_int_equal(rd(buf, sizeof(buf)), 0);
}

static void writing_to_nobody(void **state)
{
	close_end(0);
	assert_int_equal(wr("x", 1), -EPIPE);
	assert_int_equal(poll_end(1), UAPI_POLLOUT | UAPI_POLLERR);
}

static size_t drained;

static void drain_3000(void)
{
	static u8 buf[3000];

	drained += rd(buf, sizeof(buf));
}

static void a_long_write_waits_for_room(void **state)
{
	static u8 data[3 * PIPE_SIZE];

	drained = 0;
	other_process = drain_3000;
	assert_int_equal(wr(data, sizeof(data)), sizeof(data));
	/* In big pieces: a wake-up is no reason to write a few bytes. */
	assert_in_range(sleeps, 1, 2 * sizeof(data) / 3000);
	while (drained < sizeof(data))
		drain_3000();
	assert_int_equal(poll_end(0), 0);
}

static void close_read_end(void)
{
	close_end(0);
}

static void the_reader_leaves_during_a_write(void **state)
{
	static u8 data[2 * PIPE_SIZE];

	other_process = close_read_end;
	assert_int_equal(wr(data, sizeof(data)), PIPE_SIZE);
	assert_int_equal(wr(data, 1), -EPIPE);
}

static void kill_current(void)
{
	current->work = TASK_WORK_SIGNAL;
}

static void a_fatal_signal_ends_the_wait(void **state)
{
	static u8 data[PIPE_SIZE + 1];
	char buf[1];

	other_process = kill_current;
	assert_int_equal(rd(buf, 1), -EINTR);
	current->work = 0;
	assert_int_equal(wr(data, sizeof(data)), PIPE_SIZE);
}

static void not_blocking(void **state)
{
	static u8 data[2 * PIPE_SIZE];

	nonblock();
	assert_int_equal(rd(data, 1), -EAGAIN);
	assert_int_equal(poll_end(0), 0);
	assert_int_equal(poll_end(1), UAPI_POLLOUT);
	/* A long write takes what there is room for; */
	assert_int_equal(wr(data, PIPE_SIZE - 100), PIPE_SIZE - 100);
	assert_int_equal(poll_end(1), 0);
	/* a short one goes whole or not at all. */
	assert_int_equal(wr(data, 101), -EAGAIN);
	assert_int_equal(wr(data, PIPE_BUF), -EAGAIN);
	assert_int_equal(wr(data, PIPE_BUF + 1), 100);
	assert_int_equal(wr(data, PIPE_BUF + 1), -EAGAIN);
	assert_int_equal(wr(data, 1), -EAGAIN);
}

static void bad_pointers(void **state)
{
	static u8 data[4 * PAGE_SIZE] __aligned(PAGE_SIZE), got[4 * PAGE_SIZE] __aligned(PAGE_SIZE);

	memset(data, 7, sizeof(data));
	nonblock();
	bad_start = data + 2 * PAGE_SIZE;
	bad_end = data + sizeof(data);
	assert_int_equal(wr(bad_start, 5), -EFAULT);
	assert_int_equal(poll_end(0), 0);
	/* What lies before the bad page counts. */
	assert_int_equal(wr(data + PAGE_SIZE + 7, 3 * PAGE_SIZE - 7), PAGE_SIZE - 7);
	bad_start = got + PAGE_SIZE;
	bad_end = got + 2 * PAGE_SIZE;
	assert_int_equal(rd(got + PAGE_SIZE, 10), -EFAULT);
	assert_int_equal(rd(got + PAGE_SIZE - 10, 20), 10);
	/* And what was not delivered is not lost. */
	assert_int_equal(rd(got + 2 * PAGE_SIZE, PAGE_SIZE), PAGE_SIZE - 17);
	assert_int_equal(got[2 * PAGE_SIZE], 7);
}

static void wake_ups_only_when_somebody_can_wait(void **state)
{
	static u8 data[PIPE_SIZE];

	host_wakeups = 0;
	assert_int_equal(wr("x", 1), 1);
	assert_int_equal(host_wakeups, 1); /* it was empty */
	assert_int_equal(wr("y", 1), 1);
	assert_int_equal(rd(data, 1), 1);
	assert_int_equal(host_wakeups, 1);
	assert_int_equal(wr(data, PIPE_SIZE - 1), PIPE_SIZE - 1);
	assert_int_equal(host_wakeups, 1);
	assert_int_equal(rd(data, 1), 1);
	assert_int_equal(host_wakeups, 2); /* it was full */
}

static void creation_out_of_memory(void **state)
{
	struct file *other[2];
	long before = host_allocations;

	for (unsigned i = 1; i <= 3; i++) {
		host_fail_alloc = i;
		assert_int_equal(pipe_create(other), -ENOMEM);
		assert_int_equal(host_allocations, before);
	}
	host_fail_alloc = 1;
	assert_int_equal(wr("x", 1), -ENOMEM);
	assert_int_equal(wr("x", 1), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(bytes_come_out_as_they_went_in),
	    TEST(a_short_read_does_not_wait),
	    TEST(a_reader_waits_for_bytes),
	    TEST(a_reader_waits_for_the_end),
	    TEST(what_was_written_outlives_the_writer),
	    TEST(writing_to_nobody),
	    TEST(a_long_write_waits_for_room),
	    TEST(the_reader_leaves_during_a_write),
	    TEST(a_fatal_signal_ends_the_wait),
	    TEST(not_blocking),
	    TEST(bad_pointers),
	    TEST(wake_ups_only_when_somebody_can_wait),
	    TEST(creation_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
