/* SPDX-License-Identifier: MIT */
/* perf stat: counts events while a command runs, its children included. */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions"

struct counter {
	int fd[MAX_CPUS]; /* one for a task, one a CPU with -a; -1: not open */
	bool supported;
	bool refused; /* it is, but not without what there is no permission for */
	uint64_t value, enabled, running; /* times in ns */
};

struct counting {
	struct event_list events;
	struct counter counter[MAX_EVENTS];
	unsigned nr_cpus; /* 1 unless all_cpus */
	bool all_cpus;
	const char *separator; /* NULL: for people */
	char **command;
};

static const char usage_text[] =
    "usage: perf stat [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
    "  -e LIST   events, e.g. context-switches,page-faults:u\n"
    "  -a        all tasks, while the command runs\n"
    "  -x SEP    one line an event: value SEP unit SEP event SEP time running SEP percent\n";

static bool only_counted(const struct event_list *events)
{
	for (unsigned i = 0; i < events->nr; i++) {
		if (!events->event[i].rate)
			continue;
		error("stat: event \"%s\" is counted: period= and freq= are for perf record",
		      events->event[i].name);
		return false;
	}
	return true;
}

static int parse_options(struct counting *c, char **argv)
{
	static const struct option_spec specs[] = {
	    {'e', true, "event"}, {'a', false, "all-cpus"}, {'x', true, "field-separator"},
	    {'h', false, "help"}, {0, false, NULL},
	};
	struct option_parser p = {.next = argv + 1};
	int o;

	while ((o = option_next(&p, specs)) > 0) {
		switch (o) {
		case 'e':
			if (events_parse(&c->events, p.value) < 0 || !only_counted(&c->events))
				return EXIT_USAGE;
			break;
		case 'a':
			c->all_cpus = true;
			break;
		case 'x':
			c->separator = p.value;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
	}
	if (o < 0)
		return EXIT_USAGE;
	c->command = p.next;
	if (!c->command[0]) {
		error("stat: there is no command to run");
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	if (!c->events.nr && events_parse(&c->events, DEFAULT_EVENTS) < 0)
		return EXIT_USAGE;
	return 0;
}

/* An event that the machine does not have is reported as such; any other failure ends it all. */
static int open_counter(struct counting *c, unsigned i, pid_t pid)
{
	struct event *event = &c->events.event[i];
	struct counter *counter = &c->counter[i];
	struct perf_event_attr attr;
	pid_t target = c->all_cpus ? -1 : pid;

	event_attr(event, &attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	attr.inherit = !c->all_cpus;
	attr.enable_on_exec = !c->all_cpus;
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		int on = c->all_cpus ? (int)cpu : -1;
		int fd = event_open(&attr, target, on, -1);

		if (fd < 0 && event_fall_back(event, &attr, errno)) {
			fd = event_open(&attr, target, on, -1);
			if (fd < 0 && event_unsupported(errno))
				counter->refused = true;
		}
		counter->fd[cpu] = fd;
		if (fd < 0 && !event_unsupported(errno)) {
			event_open_error(event, &attr, target, errno);
			return -1;
		}
		counter->supported |= fd >= 0;
	}
	return 0;
}

static int for_each_fd(struct counting *c, int (*f)(struct counter *, int fd))
{
	for (unsigned i = 0; i < c->events.nr; i++)
		for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++)
			if (c->counter[i].fd[cpu] >= 0 &&
			    f(&c->counter[i], c->counter[i].fd[cpu]) < 0)
				return error("event \"%s\": %s", c->events.event[i].name,
					     strerror(errno));
	return 0;
}

static int enable(struct counter *counter, int fd)
{
	(void)counter;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int disable(struct counter *counter, int fd)
{
	(void)counter;
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static int read_counter(struct counter *counter, int fd)
{
	uint64_t v[3]; /* value, enabled, running */

	if (read(fd, v, sizeof(v)) != sizeof(v))
		return -1;
	counter->value += v[0];
	counter->enabled += v[1];
	counter->running += v[2];
	return 0;
}

static bool counts_time(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_TASK_CLOCK || e->config == PERF_COUNT_SW_CPU_CLOCK);
}

/*
 * Tasks are switched and moved by the kernel: without it there is nothing to count. Stock perf
 * prints the 0 alone, which then is read as if the program had never waited. For tools, the ":u" of
 * the event's name has to do.
 */
static bool only_in_kernel(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && e->user && !e->kernel &&
	       (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		e->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static void print_for_tools(const struct counting *c, unsigned i)
{
	const struct event *event = &c->events.event[i];
	const struct counter *counter = &c->counter[i];
	const char *sep = c->separator, *unit = counts_time(event) ? "msec" : "";

	if (!counter->supported)
		fprintf(stderr, "<not supported>%s%s%s%s0%s100.00\n", sep, sep, event->name, sep,
			sep);
	else if (counts_time(event))
		fprintf(stderr, "%.2f%s%s%s%s%s%" PRIu64 "%s100.00\n", counter->value / 1e6, sep,
			unit, sep, event->name, sep, counter->running, sep);
	else
		fprintf(stderr, "%" PRIu64 "%s%s%s%s%" PRIu64 "%s100.00\n", counter->value, sep,
			sep, event->name, sep, counter->running, sep);
}

static void print_for_people(const struct counting *c, unsigned i, double elapsed_ns)
{
	const struct event *event = &c->events.event[i];
	const struct counter *counter = &c->counter[i];

	if (!counter->supported)
		fprintf(stderr, "   <not %s>      %s\n",
			counter->refused ? "permitted" : "supported", event->name);
	else if (counts_time(event))
		fprintf(stderr, "%18.2f msec %-20s # %6.3f CPUs utilized\n", counter->value / 1e6,
			event->name, elapsed_ns > 0 ? counter->value / elapsed_ns : 0.0);
	else if (only_in_kernel(event))
		fprintf(stderr, "%18" PRIu64 "      %-20s # always: the kernel is left out\n",
			counter->value, event->name);
	else
		fprintf(stderr, "%18" PRIu64 "      %s\n", counter->value, event->name);
}

static void print_heading(const struct counting *c)
{
	fprintf(stderr, "\n Performance counter stats for '");
	if (c->all_cpus)
		fprintf(stderr, "system wide");
	for (char **word = c->command; !c->all_cpus && *word; word++)
		fprintf(stderr, "%s%s", word == c->command ? "" : " ", *word);
	fprintf(stderr, "':\n\n");
}

static void print_counts(const struct counting *c, double elapsed_ns)
{
	if (!c->separator)
		print_heading(c);
	for (unsigned i = 0; i < c->events.nr; i++) {
		if (c->separator)
			print_for_tools(c, i);
		else
			print_for_people(c, i, elapsed_ns);
	}
	if (!c->separator)
		fprintf(stderr, "\n%18.9f seconds time elapsed\n\n", elapsed_ns / 1e9);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int cmd_stat(int argc, char **argv)
{
	(void)argc;

	static struct counting c;
	struct workload workload;
	int status = parse_options(&c, argv);
	double start;

	if (status)
		return status;
	c.nr_cpus = c.all_cpus ? sysconf(_SC_NPROCESSORS_CONF) : 1;
	if (c.nr_cpus > MAX_CPUS) {
		error("more than %d CPUs", MAX_CPUS);
		return EXIT_FAILURE;
	}
	if (workload_start(&workload, c.command, false) < 0)
		return EXIT_FAILURE;
	for (unsigned i = 0; i < c.events.nr; i++)
		if (open_counter(&c, i, workload.pid) < 0)
			return EXIT_FAILURE;
	if (c.all_cpus && for_each_fd(&c, enable) < 0)
		return EXIT_FAILURE;
	start = now_ns();
	if (workload_go(&workload) < 0)
		return EXIT_FAILURE;
	status = workload_wait(&workload);
	if (workload.not_run)
		return status;
	if (for_each_fd(&c, disable) < 0 || for_each_fd(&c, read_counter) < 0)
		return EXIT_FAILURE;
	print_counts(&c, now_ns() - start);
	return status;
}
