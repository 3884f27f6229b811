/* SPDX-License-Identifier: MIT */
/* kernel/fs/export.c: who may open the stream, what arrives in the channel, what is given back. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/task.h>

#include <arch/uaccess.h>

static u8 received[1 << 20];
static size_t received_size;
static int channel_error;
static bool signal_while_writing;
static const u8 *bad_from; /* user memory from here on cannot be read */

static int channel_write(const void *buf, size_t n)
{
	if (channel_error)
		return channel_error;
	assert_in_range(received_size + n, 0, sizeof(received));
	memcpy(received + received_size, buf, n);
	received_size += n;
	if (signal_while_writing)
		current->work = TASK_WORK_SIGNAL;
	return 0;
}

static const struct export_channel slow = {"slow", NULL}, fast = {"fast", channel_write};

int copy_from_user(void *dst, const void __user *src, size_t n)
{
	if (bad_from && (const u8 *)src + n > bad_from)
		return -EFAULT;
	memcpy(dst, src, n);
	return 0;
}

static struct file writer = {.flags = UAPI_O_WRONLY};
static struct file other = {.flags = UAPI_O_WRONLY};
static u8 data[200000];

/* As the file system does: a refused file is released too. */
static int open_file(struct file *f)
{
	int err = export_file_ops.open(f);

	if (err)
		export_file_ops.release(f);
	return err;
}

/* The order of the tests is that of one boot. */
static void without_channel_there_is_no_device(void **state)
{
	assert_int_equal(open_file(&writer), -ENODEV);
	export_register(&slow);
	export_register(&fast); /* the last one counts */
}

static void only_writers_may_open(void **state)
{
	struct file reader = {.flags = UAPI_O_RDONLY}, both = {.flags = UAPI_O_RDWR};

	assert_int_equal(open_file(&reader), -EACCES);
	assert_int_equal(open_file(&both), -EACCES);
	assert_null(export_file_ops.read);
}

static void one_opener_at_a_time(void **state)
{
	assert_int_equal(open_file(&writer), 0);
	assert_int_equal(open_file(&other), -EBUSY);
	assert_int_equal(open_file(&other), -EBUSY); /* its release changed nothing */
	export_file_ops.release(&writer);
	assert_int_equal(host_allocations, 0);
}

static void memory_shortage_is_survived(void **state)
{
	host_fail_alloc = 1;
	assert_int_equal(open_file(&writer), 0); /* with a smaller buffer */
	export_file_ops.release(&writer);
	assert_int_equal(host_allocations, 0);
}

static void nothing_written_is_no_stream(void **state)
{
	assert_int_equal(open_file(&other), 0);
	assert_int_equal(export_file_ops.write(&other, data, 0), 0);
	bad_from = data;
	assert_int_equal(export_file_ops.write(&other, data, 100), -EFAULT);
	bad_from = NULL;
	export_file_ops.release(&other);
	assert_int_equal(received_size, 0);
}

static void all_bytes_arrive_in_order(void **state)
{
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rand();
	assert_int_equal(open_file(&writer), 0);
	assert_int_equal(export_file_ops.write(&writer, data, 1000), 1000);
	assert_int_equal(export_file_ops.write(&writer, data + 1000, sizeof(data) - 1000),
			 sizeof(data) - 1000);
	assert_int_equal(received_size, sizeof(data));
	assert_memory_equal(received, data, sizeof(data));
}

static void part_before_a_bad_page_is_told(void **state)
{
	ssize_t n;

	received_size = 0;
	bad_from = data + 150000;
	n = export_file_ops.write(&writer, data, sizeof(data));
	assert_in_range(n, 1, 150000);
	assert_int_equal(received_size, n);
	bad_from = NULL;
}

/* What was begun leaves, and the rest is the writer's to give again. */
static void signals_end_long_writes(void **state)
{
	ssize_t n;

	received_size = 0;
	signal_while_writing = true;
	n = export_file_ops.write(&writer, data, sizeof(data));
	assert_in_range(n, 1, sizeof(data) - 1);
	assert_int_equal(received_size, n);
	assert_int_equal(export_file_ops.write(&writer, data, 10), 10);
	signal_while_writing = false;
	current->work = TASK_WORK_EXIT;
	assert_int_equal(export_file_ops.write(&writer, data, 10), -EINTR);
	assert_int_equal(received_size, n + 10);
	current->work = 0;
}

static void channel_failure_is_told(void **state)
{
	channel_error = -EIO;
	assert_int_equal(export_file_ops.write(&writer, data, 10), -EIO);
	channel_error = 0;
}

static void stream_cannot_be_begun_again(void **state)
{
	export_file_ops.release(&writer);
	assert_int_equal(host_allocations, 0);
	assert_int_equal(open_file(&other), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_channel_there_is_no_device),
	    cmocka_unit_test(only_writers_may_open),
	    cmocka_unit_test(one_opener_at_a_time),
	    cmocka_unit_test(memory_shortage_is_survived),
	    cmocka_unit_test(nothing_written_is_no_stream),
	    cmocka_unit_test(all_bytes_arrive_in_order),
	    cmocka_unit_test(part_before_a_bad_page_is_told),
	    cmocka_unit_test(signals_end_long_writes),
	    cmocka_unit_test(channel_failure_is_told),
	    cmocka_unit_test(stream_cannot_be_begun_again),
	};

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
