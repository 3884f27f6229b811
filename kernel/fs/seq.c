/* SPDX-License-Identifier: MIT */
/* Growing buffers that a file's contents are written into when it is opened, and read from then. */
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

static unsigned order_of(size_t capacity)
{
	unsigned order = 0;

	while (PAGE_SIZE << order < capacity)
		order++;
	return order;
}

struct seq *seq_create(void)
{
	struct seq *s = kzalloc(sizeof(*s));

	return s ? s : ERR_PTR(-ENOMEM);
}

void seq_free(struct seq *s)
{
	if (!s)
		return;
	page_free(s->buf, order_of(s->capacity));
	kfree(s);
}

/* Makes room for @n bytes more. */
static bool seq_grow(struct seq *s, size_t n)
{
	unsigned order = order_of(s->size + n);
	char *buf;

	if (s->overflow || n <= s->capacity - s->size)
		return !s->overflow;
	buf = order <= MAX_PAGE_ORDER ? page_alloc(order) : NULL;
	if (!buf) {
		s->overflow = true;
		return false;
	}
	if (s->buf) {
		memcpy(buf, s->buf, s->size);
		page_free(s->buf, order_of(s->capacity));
	}
	s->buf = buf;
	s->capacity = PAGE_SIZE << order;
	return true;
}

void seq_write(struct seq *s, const void *data, size_t n)
{
	if (!seq_grow(s, n))
		return;
	memcpy(s->buf + s->size, data, n);
	s->size += n;
}

void seq_printf(struct seq *s, const char *fmt, ...)
{
	va_list ap, again;
	size_t n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(s->buf + s->size, s->capacity - s->size, fmt, ap);
	if (n >= s->capacity - s->size && seq_grow(s, n + 1))
		n = vsnprintf(s->buf + s->size, s->capacity - s->size, fmt, again);
	if (!s->overflow)
		s->size += n;
	va_end(again);
	va_end(ap);
}

static ssize_t seq_file_pread(struct file *f, void __user *buf, size_t n, loff_t pos)
{
	const struct seq *s = f->private;

	return file_read_memory(buf, n, pos, s->buf, s->size);
}

static loff_t seq_file_lseek(struct file *f, loff_t offset, int whence)
{
	const struct seq *s = f->private;

	return file_seek(f, offset, whence, s->size);
}

static int seq_file_stat(struct file *f, struct uapi_stat *st)
{
	const struct seq *s = f->private;

	st->mode = UAPI_S_IFREG | 0444;
	st->size = s->size;
	return 0;
}

static void seq_file_release(struct file *f)
{
	seq_free(f->private);
}

const struct file_ops seq_file_ops = {
    .read = file_read,
    .pread = seq_file_pread,
    .lseek = seq_file_lseek,
    .stat = seq_file_stat,
    .release = seq_file_release,
};
