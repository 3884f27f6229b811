/* SPDX-License-Identifier: MIT */
/* Opening the events of perf record, and the rings that they write to: one for each CPU. */
#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_PAGES 128
#define MIN_PAGES     4

/*
 * Samples with the counts of a group tell how much they grew since the sample before: readers would
 * mix up the tasks that have inherited them.
 */
static bool inherits(const struct options *opt, unsigned i)
{
	return !opt->all_tasks && !opt->no_inherit && !opt->tid &&
	       !opt->events.event[i].sample_read;
}

static void read_counts(const struct event_list *list, unsigned i, struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format =
	    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	if (list->event[list->event[i].leader].nr_group > 1)
		attr->read_format |= PERF_FORMAT_GROUP;
}

/*
 * All events have one sample_type but for counts, so that tools can print the same fields for each.
 * Siblings are on while their leader is.
 */
static void make_attr(const struct recording *rec, unsigned i, size_t ring_bytes,
		      struct perf_event_attr *attr)
{
	const struct options *opt = &rec->opt;
	const struct event *event = &opt->events.event[i];

	event_attr(event, attr);
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			    PERF_SAMPLE_PERIOD | (opt->chains ? PERF_SAMPLE_CALLCHAIN : 0);
	if (opt->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = event_registers();
	}
	if (opt->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = event_registers();
	}
	if (event->sample_read)
		read_counts(&opt->events, i, attr);
	attr->sample_period = event->rate;
	attr->freq = event->freq;
	attr->disabled = event->leader == i;
	attr->inherit = inherits(opt, i);
	attr->enable_on_exec = attr->disabled && !opt->all_tasks && !is_there(opt) &&
			       (!opt->delay_ms || i == rec->tracker);
	attr->sample_id_all = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = ring_bytes / 2;
	if (opt->clock) {
		attr->use_clockid = 1;
		attr->clockid = opt->clock->id;
	}
	attr->write_backward = opt->overwrite && i != rec->tracker;
	if (i == rec->tracker) {
		attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
		attr->build_id = 1;
		attr->context_switch = opt->switches;
	}
	event_find_precise(event, attr);
}

/* Build ids in MMAP2 came late to Linux (5.12): an older one refuses the bit. */
static int open_one(struct event *event, struct perf_event_attr *attr, pid_t pid, int cpu,
		    int group_fd)
{
	int fd = event_open(attr, pid, cpu, group_fd);

	if (fd < 0 && event_fall_back(event, attr, errno))
		fd = event_open(attr, pid, cpu, group_fd);
	if (fd < 0 && errno == EINVAL && attr->build_id) {
		attr->build_id = 0;
		fd = event_open(attr, pid, cpu, group_fd);
		if (fd < 0)
			attr->build_id = 1;
	}
	return fd;
}

/* Where event @e writes on the CPU that is @c in the list. */
static struct ring *ring_of(struct recording *rec, unsigned e, unsigned c)
{
	return rec->attr[e].write_backward ? &rec->last[c] : &rec->ring[c];
}

/*
 * Opens event @e for target @t on the CPU that is @c in the list, in the group of its leader, if
 * any; the first of a CPU owns its ring, and all others write there too.
 */
static int open_on_cpu(struct recording *rec, unsigned e, unsigned t, unsigned c, int *result)
{
	struct event *event = &rec->opt.events.event[e];
	unsigned nr, at = t * rec->cpus.nr + c;
	int group = event->leader == e ? -1 : record_fds(rec, event->leader, &nr)[at];
	struct ring *ring = ring_of(rec, e, c);
	int fd;

	*result = -1;
	if (event->leader != e && group < 0)
		return 0; /* that CPU is off */
	*result = fd = open_one(event, &rec->attr[e], rec->target[t], rec->cpus.cpu[c], group);
	if (fd < 0 && errno == ENODEV && !rec->opt.cpus.nr && rec->cpus.nr > 1)
		return 0;
	if (fd < 0) {
		event_open_error(event, &rec->attr[e], rec->target[t], errno);
		return -1;
	}
	if (ring->fd < 0)
		return ring_map(ring, fd, rec->opt.pages, rec->attr[e].write_backward);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		return error("event \"%s\": cannot share the ring: %s", event->name,
			     strerror(errno));
	return 0;
}

static void close_all(struct recording *rec)
{
	for (unsigned i = 0; i < rec->nr_fds; i++)
		if (rec->fds[i] >= 0)
			close(rec->fds[i]);
	for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++) {
		if (rec->ring[cpu].fd >= 0)
			ring_unmap(&rec->ring[cpu]);
		if (rec->last[cpu].fd >= 0)
			ring_unmap(&rec->last[cpu]);
	}
	rec->nr_fds = 0;
}

/* Opens everything with rings of opt.pages; 0, -1 with a message, -2 when the rings did not fit. */
static int try_open(struct recording *rec)
{
	const struct event_list *events = &rec->opt.events;
	size_t ring_bytes = rec->opt.pages * sysconf(_SC_PAGESIZE);

	for (unsigned e = 0; e < events->nr; e++) {
		make_attr(rec, e, ring_bytes, &rec->attr[e]);
		for (unsigned t = 0; t < rec->nr_targets; t++) {
			for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++) {
				bool first = ring_of(rec, e, cpu)->fd < 0;
				int *fd = &rec->fds[rec->nr_fds++];

				if (open_on_cpu(rec, e, t, cpu, fd) == 0)
					continue;
				return first && *fd >= 0 ? -2 : -1;
			}
		}
	}
	return 0;
}

/*
 * Large rings wake us rarely; where locked memory is short, smaller ones do. A size that was asked
 * for is not changed.
 */
static int open_events(struct recording *rec)
{
	bool fixed = rec->opt.pages != 0;
	int ret;

	if (!fixed)
		rec->opt.pages = DEFAULT_PAGES;
	rec->fds = calloc(MAX_EVENTS * rec->nr_targets * rec->cpus.nr, sizeof(rec->fds[0]));
	if (!rec->fds)
		return error("out of memory");
	for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++)
		rec->ring[cpu].fd = rec->last[cpu].fd = -1;
	while ((ret = try_open(rec)) == -2) {
		int err = errno;

		close_all(rec);
		if (fixed || rec->opt.pages == MIN_PAGES || (err != ENOMEM && err != EPERM))
			return error("cannot map a ring of %zu pages: %s", rec->opt.pages,
				     err == EPERM ? "perf_event_mlock_kb allows no more"
						  : strerror(err));
		rec->opt.pages /= 2;
	}
	return ret;
}

static int request(struct recording *rec, unsigned e, unsigned long request)
{
	unsigned nr;
	const int *fds = record_fds(rec, e, &nr);

	for (unsigned i = 0; i < nr; i++)
		if (fds[i] >= 0 && ioctl(fds[i], request, 0) < 0)
			return error("cannot switch an event: %s", strerror(errno));
	return 0;
}

int record_enable_tracker(struct recording *rec)
{
	return request(rec, rec->tracker, PERF_EVENT_IOC_ENABLE);
}

int record_enable(struct recording *rec, bool enabled)
{
	unsigned long what = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (unsigned e = 0; e < rec->opt.events.nr; e++)
		if (rec->opt.events.event[e].leader == e && request(rec, e, what) < 0)
			return -1;
	return 0;
}

/*
 * A record is stamped a little before it can be read. Reading an event goes by where its tasks run,
 * which may be in the midst of that: a CPU's event by that CPU, a task's by all that inherited it,
 * whichever CPU the event is for.
 */
int record_settle(const struct recording *rec)
{
	uint64_t words[3 + 3 * MAX_EVENTS]; /* as many as any read_format may have */
	bool of_cpus = rec->opt.all_tasks;
	unsigned nr;
	const int *fds = record_fds(rec, rec->tracker, &nr);

	for (unsigned t = 0; t < rec->nr_targets; t++) {
		for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++) {
			int fd = fds[t * rec->cpus.nr + cpu];

			if (fd < 0)
				continue;
			if (read(fd, words, sizeof(words)) < 0)
				return error("cannot read an event: %s", strerror(errno));
			if (!of_cpus)
				break;
		}
	}
	return 0;
}

/* The first event that follows children, if any does, unless there is one made for it. */
static unsigned find_tracker(const struct options *opt)
{
	if (has_own_tracker(opt))
		return opt->events.nr - 1;
	for (unsigned e = 0; e < opt->events.nr; e++)
		if (inherits(opt, e))
			return e;
	return 0;
}

int record_open(struct recording *rec)
{
	const struct options *opt = &rec->opt;

	if (opt->cpus.nr)
		rec->cpus = opt->cpus;
	else if (cpus_all(&rec->cpus) < 0)
		return -1;
	rec->tracker = find_tracker(opt);
	return open_events(rec);
}
