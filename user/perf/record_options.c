/* SPDX-License-Identifier: MIT */
/* The options of perf record: what they say, and what excludes each other. */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FREQUENCY 4000

/* Options without a letter that could be typed. */
enum { SWITCH_EVENTS = 1, USER_REGS, OVERWRITE };

static const char usage_text[] =
    "usage: perf record [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
    "  -e LIST            events, e.g. context-switches,cpu-clock:u (default cpu-clock);\n"
    "                     {a,b} is a group; behind a colon: u user mode, k kernel, I not idle,\n"
    "                     P as precise as can be, D pinned, e exclusive; {a,b}:S samples a\n"
    "                     alone, with the counts of all, and not of children\n"
    "  -c N               one sample every N events, or\n"
    "  -F N, -F max       N samples a second (default 4000): for all events but those that say\n"
    "                     it themselves: -e context-switches/period=1/,cpu-clock/freq=997/\n"
    "  -g                 call chains\n"
    "  -a                 all tasks, while the command runs\n"
    "  -C LIST            on these CPUs alone, e.g. 0,2-3; all tasks unless there is -p or -t\n"
    "  -p PID             an existing process instead of the command\n"
    "  -t TID             one thread of it, and nothing that it makes\n"
    "  -i, --no-inherit   the task alone, not its children and threads\n"
    "  -D MS              begins when the command has run for so many milliseconds\n"
    "  -o FILE            output; - is standard output (default /dev/export, else perf.pipe)\n"
    "  -m PAGES           ring size per CPU, a power of two; or bytes: 64K, 1M\n"
    "  --overwrite        new samples write over the oldest; what is left at the end is told\n"
    "  -k, --clockid NAME the clock that stamps: monotonic, monotonic_raw, boottime, realtime\n"
    "  --user-regs        the registers of the user's code, all there are\n"
    "  -I, --intr-regs    the registers where a sample struck, in the kernel or not\n"
    "  --switch-events    also a record for each switch in and out\n"
    "  -q                 no summary\n";

/* Gives a rate to the events that say none themselves and are sampled. */
static void set_rates(struct options *opt)
{
	for (unsigned i = 0; i < opt->events.nr; i++) {
		struct event *e = &opt->events.event[i];

		if (e->rate || event_counts_only(&opt->events, i))
			continue;
		/* Of a breakpoint, everybody who comes by. */
		if (e->type == PERF_TYPE_BREAKPOINT && !opt->count && !opt->freq) {
			e->rate = 1;
			continue;
		}
		e->freq = !opt->count;
		e->rate = opt->count ? opt->count : opt->freq ? opt->freq : DEFAULT_FREQUENCY;
	}
}

/*
 * Tasks and maps are to be known also from before the first sample, and not to be written over: an
 * event that never strikes tells of them.
 */
static int add_tracker(struct options *opt)
{
	if (opt->events.nr == MAX_EVENTS)
		return error("-D and --overwrite need an event: at most %d others", MAX_EVENTS - 1);
	return events_parse(&opt->events, "dummy/period=1/u");
}

static int usage_error(void)
{
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}

#define MAX_PAGES (1u << 20)

/* Pages, or bytes when there is a unit behind the number. */
static bool parse_pages(const char *text, size_t *pages)
{
	static const char units[] = "BKMG";
	size_t digits = strspn(text, "0123456789"), page = sysconf(_SC_PAGESIZE);
	const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
	char number[24];
	uint64_t n;

	if (digits >= sizeof(number) || (text[digits] && (!unit || text[digits + 1]))) {
		error("-m: \"%s\" is no number of pages, nor a size like 64K or 1M", text);
		return false;
	}
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if (!parse_number(number, "-m", &n))
		return false;
	if (unit) {
		n = n > UINT64_MAX >> 30 ? 0 : n << 10 * (unit - units);
		n = n % page ? 0 : n / page;
	}
	if (!n || (n & (n - 1)) || n > MAX_PAGES) {
		error("-m: %s is not a power of two of pages (of %zu bytes), or too large", text,
		      page);
		return false;
	}
	*pages = n;
	return true;
}

#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

/* A number, or "max" for what the kernel allows now. */
static bool parse_frequency(const char *text, uint64_t *freq)
{
	FILE *f;
	bool known;

	if (strcmp(text, "max") != 0)
		return parse_number(text, "-F", freq);
	f = fopen(MAX_RATE_FILE, "r");
	known = f && fscanf(f, "%" SCNu64, freq) == 1 && *freq;
	if (f)
		fclose(f);
	if (!known)
		error("-F max: " MAX_RATE_FILE " does not tell; say a number");
	return known;
}

#define MAX_DELAY_MS (24 * 60 * 60 * 1000)

static bool parse_delay(const char *text, uint64_t *ms)
{
	if (!parse_number(text, "-D", ms))
		return false;
	if (*ms > MAX_DELAY_MS)
		error("-D: %" PRIu64 " milliseconds are more than a day", *ms);
	return *ms <= MAX_DELAY_MS;
}

static bool parse_task(const char *text, const char *option, pid_t *pid)
{
	uint64_t n;

	if (!parse_number(text, option, &n))
		return false;
	if (n > INT32_MAX)
		error("%s: there is no %s", option, text);
	*pid = n;
	return n <= INT32_MAX;
}

/* Takes option @c, which has a value; false with a message. */
static bool take_value(struct options *opt, int c, const char *value)
{
	switch (c) {
	case 'e':
		return events_parse(&opt->events, value) == 0;
	case 'c':
		return parse_number(value, "-c", &opt->count);
	case 'F':
		return parse_frequency(value, &opt->freq);
	case 'C':
		return cpus_parse(&opt->cpus, value) == 0;
	case 'p':
		return parse_task(value, "-p", &opt->pid);
	case 't':
		return parse_task(value, "-t", &opt->tid);
	case 'D':
		return parse_delay(value, &opt->delay_ms);
	case 'k':
		opt->clock = clock_parse(value);
		return opt->clock;
	case 'm':
		return parse_pages(value, &opt->pages);
	case 'o':
		opt->output = value;
		return true;
	}
	return false;
}

/* What option @c switches on. */
static bool *flag_of(struct options *opt, int c)
{
	switch (c) {
	case 'g':
		return &opt->chains;
	case 'a':
		return &opt->all_tasks;
	case 'i':
		return &opt->no_inherit;
	case OVERWRITE:
		return &opt->overwrite;
	case 'q':
		return &opt->quiet;
	case SWITCH_EVENTS:
		return &opt->switches;
	case USER_REGS:
		return &opt->user_regs;
	case 'I':
		return &opt->intr_regs;
	}
	return NULL;
}

static bool take_option(struct options *opt, int c, const char *value)
{
	bool *flag = flag_of(opt, c);

	if (!flag)
		return take_value(opt, c, value);
	*flag = true;
	return true;
}

/* What excludes each other; false with a message. */
static bool options_agree(const struct options *opt)
{
	const char *there = opt->pid ? "-p" : "-t";

	if (opt->all_tasks && is_there(opt))
		error("record: -a and %s exclude each other", there);
	else if (opt->pid && opt->tid)
		error("record: -p and -t exclude each other");
	else if (opt->all_tasks && opt->no_inherit)
		error("record: -i is for a command or -p: all tasks are watched anyway");
	else if (opt->delay_ms && !opt->command)
		error("record: -D is for a command");
	else if (is_there(opt) && opt->command)
		error("record: %s and a command (\"%s\") exclude each other", there,
		      opt->command[0]);
	else if (opt->count && opt->freq)
		error("record: -c and -F exclude each other; events may differ, e.g. "
		      "-e context-switches/period=1/,cpu-clock/freq=997/");
	else
		return true;
	return false;
}

int record_options(struct options *opt, char **argv)
{
	static const struct option_spec specs[] = {
	    {'e', true, "event"},
	    {'c', true, "count"},
	    {'F', true, "freq"},
	    {'g', false, NULL},
	    {'a', false, "all-cpus"},
	    {'p', true, "pid"},
	    {'o', true, "output"},
	    {'q', false, "quiet"},
	    {'m', true, "mmap-pages"},
	    {SWITCH_EVENTS, false, "switch-events"},
	    {USER_REGS, false, "user-regs"},
	    {'I', false, "intr-regs"},
	    {'C', true, "cpu"},
	    {'i', false, "no-inherit"},
	    {'t', true, "tid"},
	    {'D', true, "delay"},
	    {'k', true, "clockid"},
	    {OVERWRITE, false, "overwrite"},
	    {'h', false, "help"},
	    {0, false, NULL},
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
	if (!opt->command && !is_there(opt)) {
		error("record: there is no command to run");
		return usage_error();
	}
	if (opt->cpus.nr && !is_there(opt))
		opt->all_tasks = true;
	if (!options_agree(opt))
		return EXIT_USAGE;
	if (!opt->events.nr && events_parse(&opt->events, "cpu-clock") < 0)
		return EXIT_USAGE;
	if (breakpoints_find(&opt->events, opt->command ? opt->command[0] : NULL,
			     opt->pid ? opt->pid : opt->tid) < 0)
		return EXIT_USAGE;
	set_rates(opt);
	return has_own_tracker(opt) && add_tracker(opt) < 0 ? EXIT_USAGE : 0;
}
