/* SPDX-License-Identifier: MIT */
/* perf_event_open(2) and what a program does with its descriptor: all glue, no policy. */
#include <hotregs/address_space.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/perf_pmu.h>
#include <hotregs/process.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

#define FLAGS_DONE (PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_CLOEXEC)

static struct perf_user caller(void)
{
	return (struct perf_user){.uid = current->process->uid,
				  .privileged = process_privileged(),
				  .may_access = process_may_access};
}

/* A value is read whole or not at all. */
static ssize_t give_words(void __user *buf, size_t n, const u64 *words, u32 nr)
{
	size_t size = nr * sizeof(words[0]);

	return n < size ? -ENOSPC : copy_to_user(buf, words, size) ?: (ssize_t)size;
}

static ssize_t read_group(struct perf_event *event, void __user *buf, size_t n)
{
	ssize_t ret;
	u64 *words;
	int nr = perf_event_read_group(event, &words);

	if (nr < 0)
		return nr;
	ret = give_words(buf, n, words, nr);
	kfree(words);
	return ret;
}

static ssize_t perf_read(struct file *f, void __user *buf, size_t n)
{
	struct perf_event *event = f->private;
	u64 words[PERF_READ_WORDS_MAX];

	/* What has failed has come to its end. */
	if (perf_event_failed(event))
		return 0;
	if (perf_event_attr(event)->read_format & PERF_FORMAT_GROUP)
		return read_group(event, buf, n);
	return give_words(buf, n, words, perf_event_read_words(event, words));
}

static unsigned perf_poll(struct file *f, struct poll_table *table)
{
	struct perf_event *event = f->private;

	poll_wait(table, perf_event_waiters(event));
	return (perf_event_readable(event) ? UAPI_POLLIN : 0) |
	       (perf_event_hung_up(event) ? UAPI_POLLHUP : 0);
}

static void perf_unmapped(struct vma *vma)
{
	perf_event_munmap(vma->file->private);
}

static int perf_map(struct file *f, struct vma *vma, bool writable)
{
	size_t pages = (vma->end - vma->start) / PAGE_SIZE;
	const struct perf_user user = caller();
	struct perf_ring *ring;
	int err;

	if (vma->file_offset)
		return -EINVAL;
	if (vma->prot & MMU_EXEC)
		return -EACCES;
	err = perf_event_mmap(f->private, pages - 1, !writable, &user, &ring);
	if (err)
		return err;
	vma->flags |= VMA_SHARED;
	vma->pages = ring->page;
	vma->close = perf_unmapped;
	return 0;
}

static void perf_release(struct file *f)
{
	perf_event_release(f->private);
}

static long perf_ioctl(struct file *f, unsigned long cmd, unsigned long arg);

static const struct file_ops perf_file_ops = {
    .read = perf_read,
    .poll = perf_poll,
    .ioctl = perf_ioctl,
    .mmap = perf_map,
    .release = perf_release,
    .embedded = true,
};

/* The file behind descriptor @fd, which must be an event's, with a reference; ERR_PTR(-EBADF). */
static struct file *event_file_get(int fd)
{
	struct file *f = fd_get(fd);

	if (!IS_ERR(f) && f->ops != &perf_file_ops) {
		file_put(f);
		f = ERR_PTR(-EBADF);
	}
	return f;
}

static long set_output(struct perf_event *event, int fd)
{
	struct file *target;
	long err;

	if (fd == -1)
		return perf_event_set_output(event, NULL);
	target = event_file_get(fd);
	if (IS_ERR(target))
		return PTR_ERR(target);
	err = perf_event_set_output(event, target->private);
	file_put(target);
	return err;
}

static long set_period(struct perf_event *event, const void __user *arg)
{
	u64 period;
	int err = copy_from_user(&period, arg, sizeof(period));

	return err ? err : perf_event_set_period(event, period);
}

static long modify(struct perf_event *event, struct perf_event_attr __user *arg)
{
	struct perf_event_attr attr;
	int err = perf_attr_copy(&attr, arg);

	return err ? err : perf_event_modify(event, &attr, !process_privileged());
}

/* ENABLE, DISABLE, RESET: of @event, or all of its group. */
static long apply(struct perf_event *event, void (*change)(struct perf_event *),
		  void (*change_group)(struct perf_event *), unsigned long arg)
{
	if (arg & ~(unsigned long)PERF_IOC_FLAG_GROUP)
		return -EINVAL;
	(arg ? change_group : change)(event);
	return 0;
}

static long perf_ioctl(struct file *f, unsigned long cmd, unsigned long arg)
{
	struct perf_event *event = f->private;
	u64 id;

	/* Requests are 32 bits wide; a program may have extended the sign. */
	switch ((u32)cmd) {
	case PERF_EVENT_IOC_ENABLE:
		return apply(event, perf_event_enable, perf_group_enable, arg);
	case PERF_EVENT_IOC_DISABLE:
		return apply(event, perf_event_disable, perf_group_disable, arg);
	case PERF_EVENT_IOC_RESET:
		return apply(event, perf_event_reset, perf_group_reset, arg);
	case PERF_EVENT_IOC_REFRESH:
		return perf_event_refresh(event, arg);
	case PERF_EVENT_IOC_PERIOD:
		return set_period(event, (const void __user *)arg);
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(event, arg);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return perf_event_pause_output(event, arg);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify(event, (struct perf_event_attr __user *)arg);
	case PERF_EVENT_IOC_ID:
		id = perf_event_id(event);
		return copy_to_user((void __user *)arg, &id, sizeof(id));
	default:
		return -ENOTTY;
	}
}

/* The file behind @group_fd, with a reference; NULL: there is none. ERR_PTR(-EBADF). */
static struct file *get_group(int group_fd, unsigned long flags)
{
	if (group_fd != -1)
		return event_file_get(group_fd);
	return flags & PERF_FLAG_FD_OUTPUT ? ERR_PTR(-EBADF) : NULL;
}

/* A descriptor for @event, which is released when there is none to be had. Its file is part of it.
 */
static long install(struct perf_event *event, bool cloexec)
{
	struct file *f = perf_event_room(event);
	long fd;

	file_init(f, &perf_file_ops, UAPI_O_RDWR, event);
	fd = fd_install(f, 0, cloexec);
	if (fd < 0)
		file_put(f);
	return fd;
}

/* Opens @event beside @group, if there is one: in its group, for its ring, neither or both. It is
 * no more when this fails. */
static long open_in(struct perf_event *event, pid_t pid, int cpu, struct perf_event *group,
		    unsigned long flags)
{
	struct perf_event *leader = flags & PERF_FLAG_FD_NO_GROUP ? NULL : group;
	const struct perf_user user = caller();
	long err = perf_event_open(event, pid, cpu, leader, &user);

	if (err)
		return err;
	if (flags & PERF_FLAG_FD_OUTPUT)
		err = perf_event_set_output(event, group);
	if (!err)
		return install(event, flags & PERF_FLAG_FD_CLOEXEC);
	perf_event_release(event);
	return err;
}

/* The same with that of @group_fd. */
static long open_with(struct perf_event *event, pid_t pid, int cpu, int group_fd,
		      unsigned long flags)
{
	struct file *group = get_group(group_fd, flags);
	long ret;

	if (!group)
		return open_in(event, pid, cpu, NULL, flags);
	if (IS_ERR(group)) {
		perf_event_discard(event);
		return PTR_ERR(group);
	}
	ret = open_in(event, pid, cpu, group->private, flags);
	file_put(group);
	return ret;
}

long sys_perf_event_open(struct perf_event_attr __user *uattr, pid_t pid, int cpu, int group_fd,
			 unsigned long flags)
{
	struct perf_event_attr *attr;
	struct perf_event *event;
	long err;

	/* There are no cgroups. */
	if (flags & ~FLAGS_DONE)
		return -EINVAL;
	event = perf_event_new(sizeof(struct file), &attr);
	if (!event)
		return -ENOMEM;
	err = perf_attr_copy(attr, uattr);
	if (!err)
		return open_with(event, pid, cpu, group_fd, flags);
	perf_event_discard(event);
	return err;
}
