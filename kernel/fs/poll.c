/* SPDX-License-Identifier: MIT */
/* poll(2): waiting on the queues of several files, and on a timer, at once. */
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

/* The time-out is one queue more. */
#define INLINE_QUEUES (2 * POLL_QUEUES_PER_FILE + 1)

struct poll_entry {
	struct wait_queue *queue;
	struct waiter waiter;
};

struct poll_table {
	unsigned nr, max;
	struct poll_entry *entry;
};

/* The end of the waiting time. */
struct poll_timeout {
	struct timer timer;
	struct wait_queue queue;
	bool expired;
};

void poll_wait(struct poll_table *table, struct wait_queue *q)
{
	struct poll_entry *entry;

	if (!table)
		return;
	ASSERT(table->nr < table->max);
	entry = &table->entry[table->nr++];
	entry->queue = q;
	/* Marked as asleep only once, before anything was looked at: what has become ready since
	 * keeps the caller awake. */
	if (table->nr == 1)
		wait_prepare(q, &entry->waiter);
	else
		wait_prepare_more(q, &entry->waiter);
}

/* Off all queues again. */
static void poll_finish(struct poll_table *table)
{
	while (table->nr) {
		struct poll_entry *entry = &table->entry[--table->nr];

		wait_finish(entry->queue, &entry->waiter);
	}
}

static void poll_expired(struct timer *timer, struct pt_regs *regs)
{
	struct poll_timeout *t = container_of(timer, struct poll_timeout, timer);

	WRITE_ONCE(t->expired, true);
	wake_up(&t->queue);
}

/* What holds now of a file without a poll operation: it never makes anybody wait. */
static unsigned always_ready(const struct file *f)
{
	return (file_readable(f) ? UAPI_POLLIN : 0) | (file_writable(f) ? UAPI_POLLOUT : 0);
}

/* Sets all revents; how many are not zero. @table: where to wait if none is; NULL: only asks. */
static int poll_all(struct uapi_pollfd *fds, struct file *const *files, unsigned n,
		    struct poll_table *table)
{
	int ready = 0;

	for (unsigned i = 0; i < n; i++) {
		struct file *f = files[i];
		unsigned events = fds[i].events | UAPI_POLLERR | UAPI_POLLHUP;

		if (fds[i].fd < 0)
			fds[i].revents = 0;
		else if (!f)
			fds[i].revents = UAPI_POLLNVAL;
		else if (!f->ops->poll)
			fds[i].revents = always_ready(f) & events;
		else
			fds[i].revents = f->ops->poll(f, ready ? NULL : table) & events;
		ready += fds[i].revents != 0;
	}
	return ready;
}

/* Polls until something is ready, the time is over or a signal has to be taken. */
static int poll_loop(struct uapi_pollfd *fds, struct file *const *files, unsigned n,
		     struct poll_table *table, struct poll_timeout *timeout)
{
	int ready;

	for (;;) {
		/* On each round from nothing: a file may name other queues than last time. The
		 * caller counts as asleep from here on, so no wake-up is missed. */
		poll_wait(table, &timeout->queue);
		ready = poll_all(fds, files, n, table);
		if (ready || READ_ONCE(timeout->expired))
			break;
		if (signal_pending(current)) {
			ready = -EINTR;
			break;
		}
		schedule();
		poll_finish(table);
	}
	poll_finish(table);
	return ready;
}

/* As poll_files() with a table to wait with. */
static int poll_timed(struct uapi_pollfd *fds, struct file *const *files, unsigned n,
		      s64 timeout_ns, struct poll_table *table)
{
	struct poll_timeout timeout = {.expired = false};
	int ready;

	wait_queue_init(&timeout.queue);
	timer_init(&timeout.timer, poll_expired);
	if (timeout_ns >= 0)
		timer_arm(&timeout.timer, signal_deadline(timeout_ns));
	ready = poll_loop(fds, files, n, table, &timeout);
	timer_cancel(&timeout.timer);
	return ready;
}

int poll_files(struct uapi_pollfd *fds, unsigned n, s64 timeout_ns)
{
	struct poll_entry entries[INLINE_QUEUES];
	struct poll_table table = {.max = n * POLL_QUEUES_PER_FILE + 1, .entry = entries};
	struct file *files[MAX_FILES];
	int ready;

	if (table.max > INLINE_QUEUES)
		table.entry = kmalloc(table.max * sizeof(*table.entry));
	if (!table.entry)
		return -ENOMEM;
	/* Held to the end: the queues are inside what the files stand for. */
	for (unsigned i = 0; i < n; i++) {
		files[i] = fd_get(fds[i].fd);
		if (IS_ERR(files[i]))
			files[i] = NULL;
	}
	ready = timeout_ns ? poll_timed(fds, files, n, timeout_ns, &table)
			   : poll_all(fds, files, n, NULL);
	for (unsigned i = 0; i < n; i++)
		if (files[i])
			file_put(files[i]);
	if (table.entry != entries)
		kfree(table.entry);
	return ready;
}
