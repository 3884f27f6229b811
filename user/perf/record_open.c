/* SPDX-License-Identifier: MIT */
/* Opening the events of perf record, and the rings that they write to: one for each CPU. */
#define _GNU_SOURCE
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_PAGES 128
#define MIN_PAGES     4

/* The threads of process @pid; the process itself where the system shows no threads. */
static int find_threads(struct recording *rec, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && rec->nr_targets < MAX_TARGETS)
		if (atoi(entry->d_name) > 0)
			rec->target[rec->nr_targets++] = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	if (rec->nr_targets == MAX_TARGETS)
		return error("-p: the process has more than %d threads", MAX_TARGETS - 1);
	if (!rec->nr_targets)
		rec->target[rec->nr_targets++] = pid;
	return 0;
}

/*
 * All events have one sample_type, so that tools can print the same fields for each. Side-band
 * records come with the first event only: all share its ring.
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
	attr->sample_period = event->rate;
	attr->freq = event->freq;
	attr->disabled = 1;
	attr->inherit = !opt->all_cpus;
	attr->enable_on_exec = !opt->all_cpus && !opt->pid;
	attr->sample_id_all = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = ring_bytes / 2;
	if (i == 0) {
		attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
		attr->build_id = 1;
		attr->context_switch = opt->switches;
	}
}

/* Build ids in MMAP2 came late to Linux (5.12): an older one refuses the bit. */
static int open_one(struct event *event, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = event_open(attr, pid, cpu);

	if (fd < 0 && event_fall_back(event, attr, errno))
		fd = event_open(attr, pid, cpu);
	if (fd < 0 && errno == EINVAL && attr->build_id) {
		attr->build_id = 0;
		fd = event_open(attr, pid, cpu);
		if (fd < 0)
			attr->build_id = 1;
	}
	return fd;
}

static int map_ring(struct recording *rec, int fd, unsigned cpu)
{
	if (ring_map(&rec->ring[cpu], fd, rec->opt.pages) < 0)
		return -1;
	rec->ring_fd[cpu] = fd;
	return 0;
}

/* The first event of a CPU owns its ring; all others write there too. */
static int open_on_cpu(struct recording *rec, unsigned event, pid_t target, unsigned cpu,
		       int *result)
{
	struct event *e = &rec->opt.events.event[event];
	int fd = open_one(e, &rec->attr[event], target, cpu);

	*result = fd;
	if (fd < 0 && errno == ENODEV && rec->nr_cpus > 1)
		return 0; /* that CPU is off */
	if (fd < 0) {
		event_open_error(e, &rec->attr[event], target, errno);
		return -1;
	}
	if (rec->ring_fd[cpu] < 0)
		return map_ring(rec, fd, cpu);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, rec->ring_fd[cpu]) < 0)
		return error("event \"%s\": cannot share the ring: %s", e->name, strerror(errno));
	return 0;
}

static void close_all(struct recording *rec)
{
	for (unsigned i = 0; i < rec->nr_fds; i++)
		if (rec->fds[i] >= 0)
			close(rec->fds[i]);
	for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++) {
		if (rec->ring_fd[cpu] >= 0)
			ring_unmap(&rec->ring[cpu]);
		rec->ring_fd[cpu] = -1;
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
			for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++) {
				bool first = rec->ring_fd[cpu] < 0;
				int *fd = &rec->fds[rec->nr_fds++];

				if (open_on_cpu(rec, e, rec->target[t], cpu, fd) == 0)
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
	rec->fds = calloc(MAX_EVENTS * rec->nr_targets * rec->nr_cpus, sizeof(rec->fds[0]));
	if (!rec->fds)
		return error("out of memory");
	memset(rec->ring_fd, -1, sizeof(rec->ring_fd));
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

int record_enable(struct recording *rec, bool enabled)
{
	unsigned long request = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (unsigned i = 0; i < rec->nr_fds; i++)
		if (rec->fds[i] >= 0 && ioctl(rec->fds[i], request, 0) < 0)
			return error("cannot switch an event: %s", strerror(errno));
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
	bool of_cpus = rec->opt.all_cpus;

	for (unsigned t = 0; t < rec->nr_targets; t++) {
		for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++) {
			int fd = rec->fds[t * rec->nr_cpus + cpu];

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

int record_open(struct recording *rec)
{
	const struct options *opt = &rec->opt;

	rec->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (rec->nr_cpus > MAX_CPUS)
		return error("more than %d CPUs", MAX_CPUS);
	if (!opt->pid)
		rec->target[rec->nr_targets++] = opt->all_cpus ? -1 : rec->workload.pid;
	else if (find_threads(rec, opt->pid) < 0)
		return -1;
	return open_events(rec);
}
