/* SPDX-License-Identifier: MIT */
/* Devices without a device: /dev/null is at its end and takes everything, /dev/zero has zeroes
 * without end, /dev/full has no room. */
#include <hotregs/fs.h>

#include <arch/uaccess.h>

static ssize_t null_read(struct file *f, void __user *buf, size_t n)
{
	return 0;
}

static ssize_t null_write(struct file *f, const void __user *buf, size_t n)
{
	return n;
}

static ssize_t zero_read(struct file *f, void __user *buf, size_t n)
{
	static const u8 zeroes[512];
	size_t done = 0;

	while (done < n) {
		size_t chunk = MIN(n - done, sizeof(zeroes));

		if (copy_to_user((u8 __user *)buf + done, zeroes, chunk))
			return done ? (ssize_t)done : -EFAULT;
		done += chunk;
	}
	return done;
}

static ssize_t full_write(struct file *f, const void __user *buf, size_t n)
{
	return -ENOSPC;
}

static const struct file_ops null_file_ops = {.read = null_read, .write = null_write};
static const struct file_ops zero_file_ops = {.read = zero_read, .write = null_write};
static const struct file_ops full_file_ops = {.read = zero_read, .write = full_write};
DEVICE_FILE(null, "null", &null_file_ops);
DEVICE_FILE(zero, "zero", &zero_file_ops);
DEVICE_FILE(full, "full", &full_file_ops);
