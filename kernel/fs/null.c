/* SPDX-License-Identifier: MIT */
/* /dev/null: always at its end, and takes everything. */
#include <hotregs/fs.h>

static ssize_t null_read(struct file *f, void __user *buf, size_t n)
{
	return 0;
}

static ssize_t null_write(struct file *f, const void __user *buf, size_t n)
{
	return n;
}

static const struct file_ops null_file_ops = {.read = null_read, .write = null_write};
DEVICE_FILE(null, "null", &null_file_ops);
