/* SPDX-License-Identifier: MIT */
/* The options of perf record: what they say, and what excludes each other. */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>

#define DEFAULT_FREQUENCY 4000

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

int record_options(struct options *opt, char **argv)
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
