/* SPDX-License-Identifier: MIT */
/* What perf stat prints, for people and for tools, in the form that stock perf has. */
#include "stat.h"

#include <inttypes.h>

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

/* What a count says beside itself. */
struct metric {
	double value;
	char unit[16]; /* empty: nothing */
};

/* The time that was counted, in ns; 0 when none was. */
static double time_counted(const struct counting *c)
{
	for (unsigned i = 0; i < c->events.nr; i++)
		if (counts_time(&c->events.event[i]) && c->counter[i].mean.n)
			return c->counter[i].mean.mean;
	return 0;
}

static struct metric metric_of(const struct counting *c, unsigned i)
{
	double value = c->counter[i].mean.mean, time = time_counted(c);
	struct metric m = {0};
	const char *scale = " KMG";

	if (!c->counter[i].mean.n)
		return m;
	if (counts_time(&c->events.event[i])) {
		m.value = c->elapsed_ns.mean > 0 ? value / c->elapsed_ns.mean : 0;
		snprintf(m.unit, sizeof(m.unit), "CPUs utilized");
	} else if (time > 0) {
		for (m.value = value * 1e9 / time; m.value >= 1000 && scale[1]; scale++)
			m.value /= 1000;
		snprintf(m.unit, sizeof(m.unit), "%.*s/sec", *scale != ' ', scale);
	}
	return m;
}

static void format_value(const struct counter *counter, bool is_time, char *text, size_t size)
{
	if (!counter->supported)
		snprintf(text, size, "<not %s>", counter->refused ? "permitted" : "supported");
	else if (!counter->mean.n)
		snprintf(text, size, "<not counted>");
	else if (is_time)
		snprintf(text, size, "%.2f", counter->mean.mean / 1e6);
	else
		snprintf(text, size, "%.0f", counter->mean.mean);
}

static void print_for_tools(const struct counting *c, unsigned i)
{
	const struct event *event = &c->events.event[i];
	const struct counter *counter = &c->counter[i];
	const char *sep = c->separator;
	struct metric m = metric_of(c, i);
	char value[32];

	format_value(counter, counts_time(event), value, sizeof(value));
	fprintf(stderr, "%s%s%s%s%s", value, sep, counts_time(event) ? "msec" : "", sep,
		event->name);
	if (c->runs > 1)
		fprintf(stderr, "%s%.2f%%", sep, mean_error_percent(&counter->mean));
	fprintf(stderr, "%s%" PRIu64 "%s%.2f", sep, counter->total.running / c->elapsed_ns.n, sep,
		count_percent(&counter->total));
	if (m.unit[0])
		fprintf(stderr, "%s%.3f%s%s\n", sep, m.value, sep, m.unit);
	else
		fprintf(stderr, "%s%s\n", sep, sep);
}

static void print_for_people(const struct counting *c, unsigned i)
{
	const struct event *event = &c->events.event[i];
	const struct counter *counter = &c->counter[i];
	bool waited = counter->supported && count_waited(&counter->total);
	struct metric m = metric_of(c, i);
	char text[64] = "", noise[32] = "", share[32] = "";

	format_value(counter, counts_time(event), text, sizeof(text));
	fprintf(stderr, "%18s %-4s ", text, counts_time(event) ? "msec" : "");
	text[0] = '\0';
	if (only_in_kernel(event) && counter->supported)
		snprintf(text, sizeof(text), "# always: the kernel is left out");
	else if (m.unit[0])
		snprintf(text, sizeof(text), "# %8.3f %s", m.value, m.unit);
	if (c->runs > 1 && counter->mean.n)
		snprintf(noise, sizeof(noise), "  ( +-%6.2f%% )",
			 mean_error_percent(&counter->mean));
	if (waited)
		snprintf(share, sizeof(share), "  (%.2f%%)", count_percent(&counter->total));
	if (noise[0] || share[0])
		fprintf(stderr, "%-32s %-34s%s%s\n", event->name, text, noise, share);
	else if (text[0])
		fprintf(stderr, "%-32s %s\n", event->name, text);
	else
		fprintf(stderr, "%s\n", event->name);
}

static void print_heading(const struct counting *c)
{
	fprintf(stderr, "\n Performance counter stats for '");
	if (c->cpu_text)
		fprintf(stderr, "CPU(s) %s", c->cpu_text);
	else if (c->all_tasks)
		fprintf(stderr, "system wide");
	for (char **word = c->command; !c->all_tasks && *word; word++)
		fprintf(stderr, "%s%s", word == c->command ? "" : " ", *word);
	fprintf(stderr, "'");
	if (c->runs > 1)
		fprintf(stderr, " (%u runs)", c->elapsed_ns.n);
	fprintf(stderr, ":\n\n");
}

static void print_elapsed(const struct mean *ns)
{
	double percent = mean_error_percent(ns);

	if (ns->n < 2)
		fprintf(stderr, "\n%18.9f seconds time elapsed\n\n", ns->mean / 1e9);
	else
		fprintf(stderr, "\n%18.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n\n",
			ns->mean / 1e9, ns->mean * percent / 100 / 1e9, percent);
}

void stat_print(const struct counting *c)
{
	if (!c->separator)
		print_heading(c);
	for (unsigned i = 0; i < c->events.nr; i++) {
		if (c->separator)
			print_for_tools(c, i);
		else
			print_for_people(c, i);
	}
	if (!c->separator)
		print_elapsed(&c->elapsed_ns);
}
