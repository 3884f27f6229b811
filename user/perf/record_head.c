/* SPDX-License-Identifier: MIT */
/* The head of the stream that perf record writes: its events, where it was made, what is there. */
#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct record record;

/* Strings of features are length, text, zeroes up to the length. */
static void feature_string(const char *text)
{
	static const char zeroes[64];
	size_t n = strlen(text) + 1, padded = (n + 63) & ~(size_t)63;

	record_u32(&record, padded);
	record_bytes(&record, text, n);
	record_bytes(&record, zeroes, padded - n);
}

static void feature_begin(uint64_t feature)
{
	record_begin(&record, STREAM_FEATURE, 0);
	record_u64(&record, feature);
}

enum { FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE, FEATURE_ARCH = 6, FEATURE_NRCPUS };
enum { FEATURE_CMDLINE = 11, FEATURE_EVENT_DESC };
enum { FEATURE_GROUP_DESC = 17, FEATURE_CLOCKID = 23, FEATURE_CLOCK_DATA = 29 };

static int write_text_feature(struct recording *rec, uint64_t feature, const char *text)
{
	feature_begin(feature);
	feature_string(text);
	return record_write(&record, &rec->stream);
}

/* Ids of event @e: one for each target and CPU. */
static int append_ids(struct recording *rec, unsigned e)
{
	unsigned n;
	const int *fds = record_fds(rec, e, &n);

	for (unsigned i = 0; i < n; i++) {
		uint64_t id;

		if (fds[i] < 0)
			continue;
		if (ioctl(fds[i], PERF_EVENT_IOC_ID, &id) < 0)
			return error("cannot ask for an event's id: %s", strerror(errno));
		record_u64(&record, id);
	}
	return 0;
}

static unsigned count_ids(const struct recording *rec, unsigned e)
{
	unsigned n, ids = 0;
	const int *fds = record_fds(rec, e, &n);

	for (unsigned i = 0; i < n; i++)
		ids += fds[i] >= 0;
	return ids;
}

static int first_id(struct recording *rec, unsigned e, uint64_t *id)
{
	unsigned n, i = 0;
	const int *fds = record_fds(rec, e, &n);

	while (i < n && fds[i] < 0)
		i++;
	if (i == n || ioctl(fds[i], PERF_EVENT_IOC_ID, id) < 0)
		return error("cannot ask for an event's id");
	return 0;
}

static int write_attrs(struct recording *rec)
{
	enum { UPDATE_NAME = 2 };

	for (unsigned e = 0; e < rec->opt.events.nr; e++) {
		record_begin(&record, STREAM_ATTR, 0);
		record_bytes(&record, &rec->attr[e], rec->attr[e].size);
		if (append_ids(rec, e) < 0 || record_write(&record, &rec->stream) < 0)
			return -1;
	}
	for (unsigned e = 0; e < rec->opt.events.nr; e++) {
		uint64_t id;

		if (first_id(rec, e, &id) < 0)
			return -1;
		record_begin(&record, STREAM_EVENT_UPDATE, 0);
		record_u64(&record, UPDATE_NAME);
		record_u64(&record, id);
		record_string(&record, rec->opt.events.event[e].name);
		if (record_write(&record, &rec->stream) < 0)
			return -1;
	}
	return 0;
}

static int write_event_desc(struct recording *rec)
{
	feature_begin(FEATURE_EVENT_DESC);
	record_u32(&record, rec->opt.events.nr);
	record_u32(&record, rec->attr[0].size);
	for (unsigned e = 0; e < rec->opt.events.nr; e++) {
		record_bytes(&record, &rec->attr[e], rec->attr[e].size);
		record_u32(&record, count_ids(rec, e));
		feature_string(rec->opt.events.event[e].name);
		if (append_ids(rec, e) < 0)
			return -1;
	}
	return record_write(&record, &rec->stream);
}

/* For each group of more than one: its name, which event leads, and how many there are. */
static int write_group_desc(struct recording *rec)
{
	const struct event_list *events = &rec->opt.events;
	unsigned groups = 0;

	for (unsigned e = 0; e < events->nr; e++)
		groups += events->event[e].nr_group > 1;
	if (!groups)
		return 0;
	feature_begin(FEATURE_GROUP_DESC);
	record_u32(&record, groups);
	for (unsigned e = 0; e < events->nr; e++) {
		if (events->event[e].nr_group == 1)
			continue;
		feature_string("{anon_group}");
		record_u32(&record, e);
		record_u32(&record, events->event[e].nr_group);
	}
	return record_write(&record, &rec->stream);
}

/* The clock's resolution; and a moment, by the time of day and by the clock. */
static int write_clock(struct recording *rec)
{
	const struct clock *clock = rec->opt.clock;
	uint64_t resolution, time_of_day, time;

	if (!clock)
		return 0;
	if (clock_resolution(clock->libc, &resolution) < 0 ||
	    clock_now(CLOCK_REALTIME, &time_of_day) < 0 || clock_now(clock->libc, &time) < 0)
		return -1;
	feature_begin(FEATURE_CLOCKID);
	record_u64(&record, resolution);
	if (record_write(&record, &rec->stream) < 0)
		return -1;
	feature_begin(FEATURE_CLOCK_DATA);
	record_u32(&record, 1); /* version */
	record_u32(&record, clock->id);
	record_u64(&record, time_of_day);
	record_u64(&record, time);
	return record_write(&record, &rec->stream);
}

static int write_features(struct recording *rec, int argc, char **argv)
{
	struct utsname u;

	if (uname(&u) < 0)
		return error("uname: %s", strerror(errno));
	if (write_text_feature(rec, FEATURE_HOSTNAME, u.nodename) < 0 ||
	    write_text_feature(rec, FEATURE_OSRELEASE, u.release) < 0 ||
	    write_text_feature(rec, FEATURE_ARCH, u.machine) < 0)
		return -1;
	feature_begin(FEATURE_NRCPUS);
	record_u32(&record, sysconf(_SC_NPROCESSORS_CONF));
	record_u32(&record, sysconf(_SC_NPROCESSORS_ONLN));
	if (record_write(&record, &rec->stream) < 0)
		return -1;
	feature_begin(FEATURE_CMDLINE);
	record_u32(&record, argc + 1);
	feature_string("perf");
	for (int i = 0; i < argc; i++)
		feature_string(argv[i]);
	if (record_write(&record, &rec->stream) < 0)
		return -1;
	if (write_event_desc(rec) < 0 || write_group_desc(rec) < 0)
		return -1;
	return write_clock(rec);
}

static bool kernel_is_seen(const struct recording *rec)
{
	bool seen = false;

	for (unsigned e = 0; e < rec->opt.events.nr; e++)
		seen |= !rec->attr[e].exclude_kernel;
	return seen;
}

int write_head(struct recording *rec, int argc, char **argv)
{
	if (write_attrs(rec) < 0 || write_features(rec, argc, argv) < 0)
		return -1;
	if (kernel_is_seen(rec) && synthesize_kernel(&rec->stream) < 0)
		return -1;
	if (rec->process < 0)
		return synthesize_all_tasks(&rec->stream);
	return synthesize_task(&rec->stream, rec->process);
}
