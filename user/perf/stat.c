/* SPDX-License-Identifier: MIT */
/* perf stat: counts events while a command runs, its children included, once or several times. */
#define _GNU_SOURCE
#include "stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INTERRUPTED (128 + 2) /* as a shell tells SIGINT */

static unsigned nr_fds(const struct counting *c)
{
	return c->cpus.nr ? c->cpus.nr : 1;
}

static void make_attr(const struct counting *c, unsigned i, struct perf_event_attr *attr)
{
	event_attr(&c->events.event[i], attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->disabled = c->events.event[i].leader == i; /* siblings are on while it is */
	attr->inherit = !c->all_tasks && !c->no_inherit;
	attr->enable_on_exec = attr->disabled && !c->all_tasks && !c->delay_ms;
	event_find_precise(&c->events.event[i], attr);
}

/*
 * An event that the machine does not have is reported as such, and siblings of one are not counted;
 * any other failure ends it all.
 */
static int open_counter(struct counting *c, unsigned i, pid_t pid)
{
	struct event *event = &c->events.event[i];
	struct counter *counter = &c->counter[i];
	struct perf_event_attr attr;
	pid_t target = c->all_tasks ? -1 : pid;

	make_attr(c, i, &attr);
	for (unsigned n = 0; n < nr_fds(c); n++) {
		int on = c->all_tasks ? (int)c->cpus.cpu[n] : -1;
		int group = event->leader == i ? -1 : c->counter[event->leader].fd[n];
		int fd;

		counter->fd[n] = -1;
		if (event->leader != i && group < 0) {
			counter->supported = true; /* for all we know */
			continue;
		}
		fd = event_open(&attr, target, on, group);
		if (fd < 0 && event_fall_back(event, &attr, errno)) {
			fd = event_open(&attr, target, on, group);
			if (fd < 0 && event_unsupported(errno))
				counter->refused = true;
		}
		counter->fd[n] = fd;
		if (fd < 0 && !event_unsupported(errno)) {
			event_open_error(event, &attr, target, errno);
			return -1;
		}
		counter->supported |= fd >= 0;
	}
	return 0;
}

/* Enables or disables all: a group goes with its leader. */
static int request(const struct counting *c, unsigned long request)
{
	for (unsigned i = 0; i < c->events.nr; i++)
		for (unsigned n = 0; c->events.event[i].leader == i && n < nr_fds(c); n++)
			if (c->counter[i].fd[n] >= 0 && ioctl(c->counter[i].fd[n], request, 0) < 0)
				return error("event \"%s\": %s", c->events.event[i].name,
					     strerror(errno));
	return 0;
}

/* Takes one run's count of event @i and closes it. */
static int read_counter(struct counting *c, unsigned i)
{
	struct counter *counter = &c->counter[i];
	struct count count = {0};

	for (unsigned n = 0; n < nr_fds(c); n++) {
		uint64_t v[3]; /* value, enabled, running */

		if (counter->fd[n] < 0)
			continue;
		if (read(counter->fd[n], v, sizeof(v)) != sizeof(v))
			return error("event \"%s\": cannot be read: %s", c->events.event[i].name,
				     strerror(errno));
		close(counter->fd[n]);
		count_add(&count, v[0], v[1], v[2]);
	}
	count_add(&counter->total, count.value, count.enabled, count.running);
	if (count_known(&count))
		mean_add(&counter->mean, count_scaled(&count));
	return 0;
}

/* Lets the command go and counts, from now or from a while on. */
static int begin(struct counting *c, struct workload *workload)
{
	if (!c->delay_ms && c->all_tasks && request(c, PERF_EVENT_IOC_ENABLE) < 0)
		return -1;
	if (workload_go(workload) < 0)
		return -1;
	if (!c->delay_ms)
		return 0;
	if (!workload_runs_for(workload, c->delay_ms))
		error("the command ended within the %d ms of -D", (int)c->delay_ms);
	return request(c, PERF_EVENT_IOC_ENABLE);
}

/* Returns the command's exit status, or -1. */
static int run_once(struct counting *c, struct workload *workload)
{
	uint64_t start, end;
	int status;

	if (workload_start(workload, c->command, false) < 0)
		return -1;
	for (unsigned i = 0; i < c->events.nr; i++)
		if (open_counter(c, i, workload->pid) < 0)
			return -1;
	if (clock_now(CLOCK_MONOTONIC, &start) < 0 || begin(c, workload) < 0)
		return -1;
	status = workload_wait(workload);
	if (workload->not_run)
		return status;
	if (request(c, PERF_EVENT_IOC_DISABLE) < 0 || clock_now(CLOCK_MONOTONIC, &end) < 0)
		return -1;
	for (unsigned i = 0; i < c->events.nr; i++)
		if (read_counter(c, i) < 0)
			return -1;
	mean_add(&c->elapsed_ns, end - start);
	return status;
}

int cmd_stat(int argc, char **argv)
{
	(void)argc;

	static struct counting c;
	struct workload workload;
	int status = stat_options(&c, argv);

	if (status)
		return status;
	for (uint64_t run = 0; run < c.runs && status != INTERRUPTED; run++) {
		status = run_once(&c, &workload);
		if (status < 0)
			return EXIT_FAILURE;
		if (workload.not_run)
			return status;
	}
	stat_print(&c);
	return status;
}
