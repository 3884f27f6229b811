/* SPDX-License-Identifier: MIT */
/*
 * The tree /proc/sys: a file a number that everybody may read and the privileged user may set.
 * Names and meanings are Linux's, as docs/abi.md has them.
 */
#include "fs_node.h"
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/uaccess.h>

static const struct setting {
	int *value;
	int min, max;
} settings[] = {
    {&perf_limits.cpu_time_max_percent, 0, 100},
    {&perf_limits.max_sample_rate, 1, PERF_SAMPLE_RATE_MAX},
    {&perf_limits.mlock_kb, 0, INT32_MAX / 1024},
    {&perf_limits.paranoid, -1, 3},
};
static const char *const names[] = {
    "perf_cpu_time_max_percent",
    "perf_event_max_sample_rate",
    "perf_event_mlock_kb",
    "perf_event_paranoid",
};
_Static_assert(ARRAY_SIZE(names) == ARRAY_SIZE(settings), "");

#define NUMBER_MAX 16 /* bytes of a number with sign, line end and NUL */

static ssize_t sysctl_pread(struct file *f, void __user *buf, size_t n, loff_t pos)
{
	const struct setting *setting = f->private;
	char text[NUMBER_MAX];
	size_t size = snprintf(text, sizeof(text), "%d\n", READ_ONCE(*setting->value));

	return file_read_memory(buf, n, pos, text, size);
}

/* All of @text is a decimal number, with blanks around it. */
static bool parse_int(const char *text, long long *value)
{
	bool negative;

	while (*text == ' ' || *text == '\t')
		text++;
	negative = *text == '-';
	text += negative;
	if (*text < '0' || *text > '9')
		return false;
	for (*value = 0; *text >= '0' && *text <= '9'; text++)
		*value = *value * 10 + *text - '0';
	if (negative)
		*value = -*value;
	while (*text == ' ' || *text == '\t' || *text == '\n')
		text++;
	return !*text;
}

/* A number is written whole, wherever the file's position is. */
static ssize_t sysctl_write(struct file *f, const void __user *buf, size_t n)
{
	const struct setting *setting = f->private;
	char text[NUMBER_MAX];
	long long value;
	int err;

	if (!n || n >= sizeof(text))
		return -EINVAL;
	err = copy_from_user(text, buf, n);
	if (err)
		return err;
	text[n] = '\0';
	if (!parse_int(text, &value) || value < setting->min || value > setting->max)
		return -EINVAL;
	WRITE_ONCE(*setting->value, value);
	return n;
}

static loff_t sysctl_lseek(struct file *f, loff_t offset, int whence)
{
	return file_seek(f, offset, whence, 0);
}

static int sysctl_stat(struct file *f, struct uapi_stat *st)
{
	st->mode = UAPI_S_IFREG | 0644;
	st->size = 0;
	return 0;
}

static const struct file_ops sysctl_file_ops = {
    .read = file_read,
    .pread = sysctl_pread,
    .write = sysctl_write,
    .lseek = sysctl_lseek,
    .stat = sysctl_stat,
};

static const char *const sys_names[] = {"kernel"};
static struct fixed_dir sys_dir = {UAPI_DT_DIR, INO_SYSCTL + 1, 1, sys_names};
static struct fixed_dir kernel_dir = {UAPI_DT_REG, INO_SYSCTL + 2, ARRAY_SIZE(names), names};

int sysctl_lookup(const char *path, struct fs_node *node)
{
	static const char dir[] = "/kernel";

	if (!*path) {
		fs_node_dir(node, INO_SYSCTL, &fixed_dir_ops, &sys_dir);
		return 0;
	}
	if (strncmp(path, dir, sizeof(dir) - 1))
		return -ENOENT;
	path += sizeof(dir) - 1;
	if (!*path) {
		fs_node_dir(node, INO_SYSCTL + 1, &fixed_dir_ops, &kernel_dir);
		return 0;
	}
	for (size_t i = 0; *path == '/' && i < ARRAY_SIZE(names); i++) {
		if (strcmp(path + 1, names[i]))
			continue;
		*node = (struct fs_node){
		    .mode = UAPI_S_IFREG | 0644,
		    .ino = kernel_dir.ino + i,
		    .ops = &sysctl_file_ops,
		    .private = (void *)&settings[i],
		};
		return 0;
	}
	return -ENOENT;
}
