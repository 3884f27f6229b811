/* SPDX-License-Identifier: MIT */
/*
 * perf script: prints the samples of a stream, a line each and the chain below it, in the form that
 * stock perf script prints and flame-graph tools read. Every field is checked against the record.
 */
#define _GNU_SOURCE
#include "perf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] = "usage: perf script [-i FILE]\n"
				 "  -i FILE   a stream that perf record wrote (default standard "
				 "input)\n";

/* --- Events, as the ATTR records describe them --- */

struct known_event {
	uint64_t sample_type, read_format;
	struct known_id {
		uint64_t id, counted; /* by the last sample that told */
	} * ids;
	size_t nr_ids;
	char name[48];
};
static struct known_event known[MAX_EVENTS];
static unsigned nr_known;

/* A place in a record; reading past its end gives zeroes and sets bad. */
struct cursor {
	const uint8_t *pos, *end;
	bool bad;
};

static struct cursor body_of(const struct perf_event_header *h)
{
	return (struct cursor){(const uint8_t *)(h + 1), (const uint8_t *)h + h->size, false};
}

static void take(struct cursor *c, void *to, size_t n)
{
	memset(to, 0, n);
	if ((size_t)(c->end - c->pos) < n) {
		c->bad = true;
		c->pos = c->end;
		return;
	}
	memcpy(to, c->pos, n);
	c->pos += n;
}

static uint64_t take_u64(struct cursor *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint32_t take_u32(struct cursor *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return v;
}

/* A NUL-terminated string; what is behind it is not looked at. */
static const char *take_string(struct cursor *c)
{
	const char *s = (const char *)c->pos;

	if (!memchr(s, '\0', c->end - c->pos)) {
		c->bad = true;
		return "";
	}
	return s;
}

static void name_from_attr(struct known_event *event, const struct perf_event_attr *attr)
{
	static const char *const software[] = {
	    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	    "emulation-faults", "dummy",
	};

	if (attr->type == PERF_TYPE_SOFTWARE &&
	    attr->config < sizeof(software) / sizeof(software[0]))
		snprintf(event->name, sizeof(event->name), "%s", software[attr->config]);
	else
		snprintf(event->name, sizeof(event->name), "event-%" PRIu32 ":%" PRIx64, attr->type,
			 (uint64_t)attr->config);
}

static int add_event(const struct perf_event_header *h)
{
	struct cursor c = body_of(h);
	struct perf_event_attr attr = {0};
	struct known_event *event = &known[nr_known];
	uint32_t type = take_u32(&c), size = take_u32(&c);

	c.pos -= sizeof(type) + sizeof(size);
	if (c.bad || size < PERF_ATTR_SIZE_VER0 || size > (size_t)(c.end - c.pos))
		return error("an event's description is malformed");
	if (nr_known == MAX_EVENTS)
		return error("the stream has more than %d events", MAX_EVENTS);
	memcpy(&attr, c.pos, size < sizeof(attr) ? size : sizeof(attr));
	c.pos += size;
	event->nr_ids = (c.end - c.pos) / sizeof(uint64_t);
	event->ids = calloc(event->nr_ids + 1, sizeof(event->ids[0]));
	if (!event->ids)
		return error("out of memory");
	for (size_t i = 0; i < event->nr_ids; i++)
		event->ids[i].id = take_u64(&c);
	event->sample_type = attr.sample_type;
	event->read_format = attr.read_format;
	name_from_attr(event, &attr);
	nr_known++;
	if (nr_known > 1 && (event->sample_type & PERF_SAMPLE_IDENTIFIER) !=
				(known[0].sample_type & PERF_SAMPLE_IDENTIFIER))
		return error("the stream's events cannot be told apart");
	return 0;
}

static struct known_event *find_id(uint64_t id, struct known_id **found)
{
	for (unsigned e = 0; e < nr_known; e++) {
		for (size_t i = 0; i < known[e].nr_ids; i++) {
			if (known[e].ids[i].id != id)
				continue;
			*found = &known[e].ids[i];
			return &known[e];
		}
	}
	return NULL;
}

static struct known_event *event_of_id(uint64_t id)
{
	struct known_id *found;

	return find_id(id, &found);
}

/* u64 what, id, then text: only names matter here. */
static void update_event(const struct perf_event_header *h)
{
	struct cursor c = body_of(h);
	uint64_t what = take_u64(&c);
	struct known_event *event = event_of_id(take_u64(&c));
	const char *name = take_string(&c);

	if (!c.bad && what == 2 && event)
		snprintf(event->name, sizeof(event->name), "%s", name);
}

/* --- Samples --- */

struct sample {
	const struct known_event *event;
	uint64_t ip, time, addr, period;
	uint32_t pid, tid, cpu;
	struct cursor counts; /* what read() would return, when there is READ */
	uint64_t nr;          /* of chain */
	const uint8_t *chain; /* may be unaligned */
};

/* --- What read() would return, of an event alone or of a group --- */

static void skip_times(struct cursor *c, uint64_t format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		take_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		take_u64(c);
}

/* How many counts follow. */
static uint64_t begin_counts(struct cursor *c, uint64_t format)
{
	uint64_t nr;

	if (!(format & PERF_FORMAT_GROUP))
		return 1;
	nr = take_u64(c);
	skip_times(c, format);
	return nr;
}

static uint64_t take_count(struct cursor *c, uint64_t format, uint64_t *id)
{
	uint64_t value = take_u64(c);

	if (!(format & PERF_FORMAT_GROUP))
		skip_times(c, format);
	*id = format & PERF_FORMAT_ID ? take_u64(c) : 0;
	if (format & 16 /* LOST */)
		take_u64(c);
	return value;
}

static void skip_counts(struct cursor *c, uint64_t format)
{
	uint64_t id;

	for (uint64_t nr = begin_counts(c, format); nr && !c->bad; nr--)
		take_count(c, format, &id);
}

static bool parse_sample(const struct perf_event_header *h, struct sample *s)
{
	struct cursor c = body_of(h);
	uint64_t type;

	memset(s, 0, sizeof(*s));
	if (!nr_known)
		return false;
	s->event = &known[0];
	if (known[0].sample_type & PERF_SAMPLE_IDENTIFIER)
		s->event = event_of_id(take_u64(&c));
	else if (nr_known > 1)
		return false;
	if (!s->event)
		return false;
	type = s->event->sample_type;
	if (type & PERF_SAMPLE_IP)
		s->ip = take_u64(&c);
	if (type & PERF_SAMPLE_TID) {
		s->pid = take_u32(&c);
		s->tid = take_u32(&c);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = take_u64(&c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = take_u64(&c);
	if (type & PERF_SAMPLE_ID)
		take_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(&c);
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = take_u32(&c);
		take_u32(&c);
	}
	if (type & PERF_SAMPLE_PERIOD)
		s->period = take_u64(&c);
	s->counts = c;
	if (type & PERF_SAMPLE_READ)
		skip_counts(&c, s->event->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr = take_u64(&c);
		s->chain = c.pos;
		if (s->nr > (size_t)(c.end - c.pos) / sizeof(uint64_t))
			return false;
	}
	return !c.bad;
}

/* For the order: a sample's own time, or the one in the trailer of other records. */
static uint64_t record_time(const struct perf_event_header *h)
{
	uint64_t type = nr_known ? known[0].sample_type : 0, time;
	size_t behind = 8;
	struct sample s;

	if (h->type == PERF_RECORD_SAMPLE)
		return parse_sample(h, &s) ? s.time : 0;
	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	behind += 8 * (!!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
		       !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER));
	if (h->size < sizeof(*h) + behind)
		return 0;
	memcpy(&time, (const uint8_t *)h + h->size - behind, sizeof(time));
	return time;
}

static void print_frame(uint32_t pid, bool kernel, uint64_t ip, const char *before)
{
	struct symbol_name name;

	machine_resolve(pid, kernel, ip, &name);
	if (name.name)
		printf("%s%16" PRIx64 " %s+0x%" PRIx64 " (%s)\n", before, ip, name.name,
		       name.offset, name.dso);
	else
		printf("%s%16" PRIx64 " [unknown] (%s)\n", before, ip,
		       name.dso ? name.dso : "[unknown]");
}

static void print_chain(const struct sample *s)
{
	bool kernel = false;

	for (uint64_t i = 0; i < s->nr; i++) {
		uint64_t ip;

		memcpy(&ip, s->chain + i * sizeof(ip), sizeof(ip));
		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
		else
			print_frame(s->pid, kernel, ip, "\t");
	}
	putchar('\n');
}

static void print_as(const struct sample *s, const struct known_event *event, uint64_t period,
		     bool kernel)
{
	bool chain = s->event->sample_type & PERF_SAMPLE_CALLCHAIN;

	printf(chain ? "%s %7" PRIu32 " " : "%16s %7" PRIu32 " ", machine_task_name(s->pid, s->tid),
	       s->tid);
	printf("[%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s: ", s->cpu,
	       s->time / 1000000000, s->time % 1000000000 / 1000, period, event->name);
	if (chain) {
		putchar('\n');
		print_chain(s);
	} else {
		print_frame(s->pid, kernel, s->ip, "");
	}
}

/* A sample with counts stands for all events that it has counts of: by how much they have grown. */
static void print_growth(const struct sample *s, bool kernel)
{
	struct cursor c = s->counts;
	uint64_t format = s->event->read_format, id;

	for (uint64_t nr = begin_counts(&c, format); nr && !c.bad; nr--) {
		uint64_t value = take_count(&c, format, &id), grown;
		struct known_id *known_id;
		const struct known_event *event = find_id(id, &known_id);

		if (!event)
			continue;
		grown = value - known_id->counted;
		known_id->counted = value;
		if (grown)
			print_as(s, event, grown, kernel);
	}
}

static int print_sample(const struct perf_event_header *h)
{
	bool kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct sample s;

	if (!parse_sample(h, &s))
		return error("a sample is malformed");
	if ((s.event->sample_type & PERF_SAMPLE_READ) && (s.event->read_format & PERF_FORMAT_ID))
		print_growth(&s, kernel);
	else
		print_as(&s, s.event, s.period, kernel);
	return 0;
}

/* --- Other records --- */

static int take_mmap(const struct perf_event_header *h)
{
	struct cursor c = body_of(h);
	struct build_id id = {0};
	uint32_t pid = take_u32(&c);
	uint64_t start, len, pgoff;
	const char *path;

	take_u32(&c);
	start = take_u64(&c);
	len = take_u64(&c);
	pgoff = take_u64(&c);
	if (h->type == PERF_RECORD_MMAP2) {
		uint8_t head[4], bytes[BUILD_ID_MAX];

		take(&c, head, sizeof(head));
		take(&c, bytes, sizeof(bytes));
		take_u64(&c); /* protection, flags */
		if ((h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) && head[0] <= BUILD_ID_MAX) {
			id.size = head[0];
			memcpy(id.bytes, bytes, sizeof(bytes));
		}
	}
	path = take_string(&c);
	if (c.bad)
		return error("a map's record is malformed");
	if ((h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		machine_map(pid, start, len, pgoff, path, &id);
	return 0;
}

static int take_comm(const struct perf_event_header *h)
{
	struct cursor c = body_of(h);
	uint32_t pid = take_u32(&c), tid = take_u32(&c);
	const char *comm = take_string(&c);

	if (c.bad)
		return error("a COMM record is malformed");
	machine_comm(pid, tid, comm);
	return 0;
}

static int take_fork(const struct perf_event_header *h)
{
	struct cursor c = body_of(h);
	uint32_t pid = take_u32(&c), ppid = take_u32(&c), tid = take_u32(&c), ptid = take_u32(&c);

	if (c.bad)
		return error("a FORK record is malformed");
	machine_fork(pid, tid, ppid, ptid);
	return 0;
}

static int process(const struct perf_event_header *h)
{
	switch (h->type) {
	case STREAM_ATTR:
		return add_event(h);
	case STREAM_EVENT_UPDATE:
		update_event(h);
		return 0;
	case PERF_RECORD_SAMPLE:
		return print_sample(h);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_mmap(h);
	case PERF_RECORD_COMM:
		return take_comm(h);
	case PERF_RECORD_FORK:
		return take_fork(h);
	}
	return 0; /* nothing that a sample's line shows */
}

int cmd_script(int argc, char **argv)
{
	static const struct option_spec specs[] = {
	    {'i', true, "input"}, {'h', false, "help"}, {0, false, NULL}};
	struct option_parser p = {.next = argv + 1};
	const struct perf_event_header *h;
	const char *input = NULL;
	struct reader *r;
	int c, ret = 0;

	(void)argc;
	while ((c = option_next(&p, specs)) > 0) {
		if (c == 'h') {
			fputs(usage_text, stdout);
			return EXIT_SUCCESS;
		}
		input = p.value;
	}
	if (c < 0)
		return EXIT_USAGE;
	if (*p.next) {
		error("script: \"%s\" is not understood", *p.next);
		return EXIT_USAGE;
	}
	r = reader_open(input);
	if (!r)
		return EXIT_FAILURE;
	reader_set_time(r, record_time);
	while (ret == 0 && (h = reader_next(r)))
		ret = process(h);
	if (reader_close(r) < 0)
		ret = -1;
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
