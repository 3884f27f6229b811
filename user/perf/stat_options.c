/* SPDX-License-Identifier: MIT */
/* The options of perf stat. */
#include "stat.h"

#include <stdlib.h>

#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions"
#define MAX_RUNS       1000
#define MAX_DELAY_MS   (24 * 60 * 60 * 1000)

static const char usage_text[] =
    "usage: perf stat [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
    "  -e LIST           events, e.g. context-switches,page-faults:u; {a,b} are counted together\n"
    "  -a                all tasks, while the command runs\n"
    "  -C LIST           all tasks, on these CPUs alone, e.g. 0,2-3\n"
    "  -i, --no-inherit  the task alone, not its children and threads\n"
    "  -r N              runs the command N times: means, and how far they may be off\n"
    "  -D MS             begins when the command has run for so many milliseconds\n"
    "  -x SEP            one line an event: value SEP unit SEP event SEP [with -r: error SEP]\n"
    "                    time running SEP percent of the time SEP metric SEP its unit\n";

static bool only_counted(const struct event_list *events)
{
	for (unsigned i = 0; i < events->nr; i++) {
		const struct event *e = &events->event[i];

		if (e->rate)
			error(
			    "stat: event \"%s\" is counted: period= and freq= are for perf record",
			    e->name);
		else if (e->sample_read)
			error("stat: event \"%s\" is counted: modifier S is for perf record; "
			      "groups are read together without",
			      e->name);
		else
			continue;
		return false;
	}
	return true;
}

static bool parse_limited(const char *text, const char *option, uint64_t most, uint64_t *value)
{
	if (!parse_number(text, option, value))
		return false;
	if (*value > most)
		error("stat: %s: at most %u", option, (unsigned)most);
	return *value <= most;
}

static bool take_option(struct counting *c, int option, const char *value)
{
	switch (option) {
	case 'e':
		return events_parse(&c->events, value) == 0 && only_counted(&c->events);
	case 'a':
		c->all_tasks = true;
		return true;
	case 'C':
		c->cpu_text = value;
		return cpus_parse(&c->cpus, value) == 0;
	case 'i':
		c->no_inherit = true;
		return true;
	case 'r':
		return parse_limited(value, "-r", MAX_RUNS, &c->runs);
	case 'D':
		return parse_limited(value, "-D", MAX_DELAY_MS, &c->delay_ms);
	case 'x':
		c->separator = value;
		return true;
	}
	return false;
}

static int usage_error(const char *what)
{
	error("stat: %s", what);
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}

int stat_options(struct counting *c, char **argv)
{
	static const struct option_spec specs[] = {
	    {'e', true, "event"}, {'a', false, "all-cpus"},   {'x', true, "field-separator"},
	    {'C', true, "cpu"},   {'i', false, "no-inherit"}, {'r', true, "repeat"},
	    {'D', true, "delay"}, {'h', false, "help"},       {0, false, NULL},
	};
	struct option_parser p = {.next = argv + 1};
	int o;

	c->runs = 1;
	while ((o = option_next(&p, specs)) > 0) {
		if (o == 'h') {
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
		if (!take_option(c, o, p.value))
			return EXIT_USAGE;
	}
	if (o < 0)
		return EXIT_USAGE;
	c->all_tasks |= c->cpus.nr > 0;
	c->command = p.next;
	if (!c->command[0])
		return usage_error("there is no command to run");
	if (c->all_tasks && c->no_inherit)
		return usage_error("-i is for a command: all tasks are counted anyway");
	if (c->all_tasks && !c->cpus.nr && cpus_all(&c->cpus) < 0)
		return EXIT_FAILURE;
	if (!c->events.nr && events_parse(&c->events, DEFAULT_EVENTS) < 0)
		return EXIT_USAGE;
	return breakpoints_find(&c->events, c->command[0], 0) < 0 ? EXIT_USAGE : 0;
}
