/* SPDX-License-Identifier: MIT */
/* perf record: opens the events, runs the command, and moves records from the rings to a stream. */
#define _GNU_SOURCE
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEFAULT_FREQUENCY 4000
#define DEFAULT_PAGES     128
#define MIN_PAGES         4
#define WAKE_MS           500
#define READER_NICE       (-10)

static const char usage_text[] =
    "usage: perf record [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
    "  -e LIST            events, e.g. context-switches,cpu-clock:u (default cpu-clock)\n"
    "  -c N               one sample every N events, or\n"
    "  -F N               N samples a second (default 4000): for all events but those that say\n"
    "                     it themselves: -e context-switches/period=1/,cpu-clock/freq=997/\n"
    "  -g                 call chains\n"
    "  -a                 all tasks, while the command runs\n"
    "  -p PID             an existing process instead of the command\n"
    "  -o FILE            output; - is standard output (default /dev/export, else perf.pipe)\n"
    "  -m PAGES           ring size per CPU, a power of two\n"
    "  --user-regs        the registers of the user's code, all there are\n"
    "  -I, --intr-regs    the registers where a sample struck, in the kernel or not\n"
    "  --switch-events    also a record for each switch in and out\n"
    "  -q                 no summary\n";

/* --- Options --- */

/* Gives a rate to the events that say none themselves. */
static void set_rates(struct options *opt)
{
	for (unsigned i = 0; i < opt->events.nr; i++) {
		struct event *e = &opt->events.event[i];

		if (e->rate)
			continue;
		e->freq = !opt->count;
		e->rate = opt->count ? opt->count : opt->freq ? opt->freq : DEFAULT_FREQUENCY;
	}
}

static int usage_error(void)
{
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}

static bool parse_pages(const char *text, size_t *pages)
{
	uint64_t n;

	if (!parse_number(text, "-m", &n))
		return false;
	if ((n & (n - 1)) || n > 1u << 20) {
		error("-m: %" PRIu64 " is not a power of two, or too large", n);
		return false;
	}
	*pages = n;
	return true;
}

/* Takes option @c; false with a message. */
static bool take_option(struct options *opt, int c, const char *value)
{
	uint64_t n;

	switch (c) {
	case 'e':
		return events_parse(&opt->events, value) == 0;
	case 'c':
		return parse_number(value, "-c", &opt->count);
	case 'F':
		return parse_number(value, "-F", &opt->freq);
	case 'g':
		opt->chains = true;
		return true;
	case 'a':
		opt->all_cpus = true;
		return true;
	case 'p':
		if (!parse_number(value, "-p", &n))
			return false;
		opt->pid = n;
		return true;
	case 'o':
		opt->output = value;
		return true;
	case 'm':
		return parse_pages(value, &opt->pages);
	case 'q':
		opt->quiet = true;
		return true;
	case 's':
		opt->switches = true;
		return true;
	case 'U':
		opt->user_regs = true;
		return true;
	case 'I':
		opt->intr_regs = true;
		return true;
	}
	return false;
}

/* What excludes each other; false with a message. */
static bool options_agree(const struct options *opt)
{
	if (opt->all_cpus && opt->pid)
		error("record: -a and -p exclude each other");
	else if (opt->pid && opt->command)
		error("record: -p and a command (\"%s\") exclude each other", opt->command[0]);
	else if (opt->count && opt->freq)
		error("record: -c and -F exclude each other; events may differ, e.g. "
		      "-e context-switches/period=1/,cpu-clock/freq=997/");
	else
		return true;
	return false;
}

/* Returns 0 to go on, else an exit status. */
static int parse_options(struct options *opt, char **argv)
{
	static const struct option_spec specs[] = {
	    {'e', true, "event"},      {'c', true, "count"},
	    {'F', true, "freq"},       {'g', false, NULL},
	    {'a', false, "all-cpus"},  {'p', true, "pid"},
	    {'o', true, "output"},     {'q', false, "quiet"},
	    {'m', true, "mmap-pages"}, {'s', false, "switch-events"},
	    {'U', false, "user-regs"}, {'I', false, "intr-regs"},
	    {'h', false, "help"},      {0, false, NULL},
	};
	struct option_parser p = {.next = argv + 1};
	int c;

	while ((c = option_next(&p, specs)) > 0) {
		if (c == 'h') {
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
		if (!take_option(opt, c, p.value))
			return EXIT_USAGE;
	}
	if (c < 0)
		return EXIT_USAGE;
	opt->command = *p.next ? p.next : NULL;
	if (!opt->command && !opt->pid) {
		error("record: there is no command to run");
		return usage_error();
	}
	if (!options_agree(opt))
		return EXIT_USAGE;
	if (!opt->events.nr && events_parse(&opt->events, "cpu-clock") < 0)
		return EXIT_USAGE;
	set_rates(opt);
	return 0;
}

/* --- Opening --- */

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

static int set_enabled(struct recording *rec, bool enabled)
{
	unsigned long request = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (unsigned i = 0; i < rec->nr_fds; i++)
		if (rec->fds[i] >= 0 && ioctl(rec->fds[i], request, 0) < 0)
			return error("cannot switch an event: %s", strerror(errno));
	return 0;
}

static struct record record;

/* --- Recording --- */

/* Empties all rings; the round tells readers that what comes later is not much older. */
static int drain_all(struct recording *rec)
{
	bool any = false;

	for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++) {
		int ret = rec->ring_fd[cpu] < 0
			      ? 0
			      : ring_drain(&rec->ring[cpu], &rec->stream, &rec->counts);

		if (ret < 0)
			return -1;
		any |= ret > 0;
	}
	if (!any)
		return 0;
	record_begin(&record, STREAM_FINISHED_ROUND, 0);
	return record_write(&record, &rec->stream);
}

/*
 * Until the command has ended, or, without one, until the process watched has. A ring wakes us when
 * it is half full; the clock does now and then, so that a machine that dies takes little with it.
 */
static int move_records(struct recording *rec)
{
	struct pollfd fds[1 + MAX_CPUS];
	unsigned n = 0, open_rings;

	fds[n++] =
	    (struct pollfd){.fd = rec->opt.command ? rec->workload.report : -1, .events = POLLIN};
	for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++)
		fds[n++] = (struct pollfd){.fd = rec->ring_fd[cpu], .events = POLLIN};
	do {
		if (poll(fds, n, WAKE_MS) < 0 && errno != EINTR)
			return error("poll: %s", strerror(errno));
		if (drain_all(rec) < 0)
			return -1;
		open_rings = 0;
		for (unsigned i = 1; i < n; i++) {
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1; /* its tasks are gone */
			open_rings += fds[i].fd >= 0;
		}
	} while (!fds[0].revents && (rec->opt.command || open_rings));
	return 0;
}

static void print_summary(const struct recording *rec)
{
	fprintf(stderr,
		"[ perf record: %" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " bytes to %s ]\n",
		rec->counts.samples, rec->counts.lost, rec->stream.bytes,
		strcmp(rec->stream.path, "-") ? rec->stream.path : "standard output");
}

static int start(struct recording *rec, int argc, char **argv)
{
	struct options *opt = &rec->opt;
	bool to_stdout = opt->output && !strcmp(opt->output, "-");

	rec->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (rec->nr_cpus > MAX_CPUS)
		return error("more than %d CPUs", MAX_CPUS);
	if (opt->command && workload_start(&rec->workload, opt->command, to_stdout) < 0)
		return -1;
	if (opt->pid) {
		if (find_threads(rec, opt->pid) < 0)
			return -1;
	} else {
		rec->target[rec->nr_targets++] = opt->all_cpus ? -1 : rec->workload.pid;
	}
	if (open_events(rec) < 0 || stream_open(&rec->stream, opt->output) < 0 ||
	    write_head(rec, argc, argv) < 0)
		return -1;
	/* A reader that runs late loses records. Where it may not be more urgent, so be it. */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
	if ((opt->all_cpus || opt->pid) && set_enabled(rec, true) < 0)
		return -1;
	return opt->command ? workload_go(&rec->workload) : 0;
}

int cmd_record(int argc, char **argv)
{
	static struct recording rec;
	int status = parse_options(&rec.opt, argv);

	if (status)
		return status;
	if (start(&rec, argc, argv) < 0 || move_records(&rec) < 0 || set_enabled(&rec, false) < 0 ||
	    drain_all(&rec) < 0)
		return EXIT_FAILURE;
	if (rec.opt.command)
		status = workload_wait(&rec.workload);
	if (!rec.opt.quiet)
		print_summary(&rec);
	return status;
}
