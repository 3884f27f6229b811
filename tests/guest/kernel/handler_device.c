/* SPDX-License-Identifier: MIT */
/*
 * /dev/handler, in the test kernel only: a program opens an event on itself with a handler of
 * kernel code's own, and reads what that has seen.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>

#include <arch/uaccess.h>

#include "../policy.h"
#include "counting_pmu.h"

struct handled {
	struct perf_event *event; /* NULL: not opened yet */
	u32 nr;
	struct seen seen[SEEN_MAX];
};

/* Counts the frames of each part of a chain. */
static void count_frames(const struct callchain *chain, struct seen *seen)
{
	uint32_t *part = NULL;

	for (u32 i = 0; i < chain->nr; i++) {
		if (chain->ip[i] == PERF_CONTEXT_KERNEL)
			part = &seen->kernel_frames;
		else if (chain->ip[i] == PERF_CONTEXT_USER)
			part = &seen->user_frames;
		else if (part)
			++*part;
	}
}

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct handled *handled = perf_event_context(event);
	u64 ip[PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK];
	struct callchain chain = {ip, 0, ARRAY_SIZE(ip)};
	struct seen *seen;

	if (handled->nr == SEEN_MAX)
		return;
	seen = &handled->seen[handled->nr++];
	*seen = (struct seen){
	    .ip = data->ip,
	    .addr = data->addr,
	    .period = data->period,
	    .reg_ip = regs_ip(regs),
	    .reg_sp = regs_sp(regs),
	    .user_mode = user_mode(regs),
	};
	perf_callchain(event, regs, &chain);
	count_frames(&chain, seen);
}

static int handler_open(struct file *f)
{
	f->private = kzalloc(sizeof(struct handled));
	return f->private ? 0 : -ENOMEM;
}

static long open_event(struct handled *handled, struct perf_event_attr __user *uattr)
{
	struct perf_event_attr attr;
	struct perf_event *event;
	int err = handled->event ? -EBUSY : perf_attr_copy(&attr, uattr);

	if (err)
		return err;
	event = perf_event_create_kernel_counter(&attr, -1, current, handler, handled);
	if (IS_ERR(event))
		return PTR_ERR(event);
	handled->event = event;
	return 0;
}

static long handler_ioctl(struct file *f, unsigned long cmd, unsigned long arg)
{
	struct handled *handled = f->private;
	u64 value;

	switch (cmd) {
	case HANDLER_OPEN:
		return open_event(handled, (struct perf_event_attr __user *)arg);
	case HANDLER_STOP:
		if (!handled->event)
			return -EINVAL;
		perf_event_disable(handled->event);
		value = perf_event_read(handled->event, NULL, NULL);
		return copy_to_user((void __user *)arg, &value, sizeof(value));
	case HANDLER_CHANGES:
		value = counting_changes();
		return copy_to_user((void __user *)arg, &value, sizeof(value));
	case HANDLER_SLOTS:
		value = breakpoint_slots_used();
		return copy_to_user((void __user *)arg, &value, sizeof(value));
	default:
		return -ENOTTY;
	}
}

static ssize_t handler_pread(struct file *f, void __user *buf, size_t n, loff_t pos)
{
	struct handled *handled = f->private;

	return file_read_memory(buf, n, pos, handled->seen, handled->nr * sizeof(struct seen));
}

static void handler_release(struct file *f)
{
	struct handled *handled = f->private;

	if (handled && handled->event)
		perf_event_release(handled->event);
	kfree(handled);
}

static const struct file_ops handler_file_ops = {
    .open = handler_open,
    .read = file_read,
    .pread = handler_pread,
    .ioctl = handler_ioctl,
    .release = handler_release,
};

DEVICE_FILE(handler, "handler", &handler_file_ops);
