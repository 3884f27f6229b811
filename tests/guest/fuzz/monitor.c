/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor samples meanwhile: the worker and its children by events that change from
 * batch to batch, and the bystander by one that must never miss a sample. Every record is checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"

#define RING_PAGES 16
#define RING_SIZE  (RING_PAGES * PAGE)
#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define TRAILER   32 /* bytes: TID, TIME, CPU, IDENTIFIER */
#define CHAIN_MAX (PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK)

/* A sample of that type, as it lies in the ring. */
struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
	uint64_t period, nr;
	uint64_t chain[CHAIN_MAX];
};

struct recorder {
	long fd; /* 0: none */
	int cpu; /* -1: any */
	struct perf_event_mmap_page *page;
	uint64_t id;
};

#define WORKER_EVENTS 4 /* at most, on each processor */
static struct recorder on_worker[WORKER_EVENTS * MAX_CPUS], on_bystander;

/* --- Records --- */

static union {
	struct perf_event_header header;
	struct sample sample;
	uint8_t bytes[65536];
} record;

static uint64_t now_ns(void)
{
	struct uapi_timespec ts;

	raw(SYS_clock_gettime, UAPI_CLOCK_MONOTONIC, &ts);
	return ts.sec * 1000000000ULL + ts.nsec;
}

/* Markers, and frames on the side of user space that their marker says. */
static void check_chain(const struct sample *s)
{
	uint64_t context = 0;

	for (uint64_t i = 0; i < s->nr; i++) {
		uint64_t entry = s->chain[i];

		if (entry >= PERF_CONTEXT_MAX) {
			CHECK(entry == PERF_CONTEXT_USER || (entry == PERF_CONTEXT_KERNEL && !i),
			      "chain entry %u is the marker %#llx", (unsigned)i,
			      (unsigned long long)entry);
			context = entry;
			continue;
		}
		CHECK(context, "a chain that begins with no marker");
		CHECK((context == PERF_CONTEXT_USER) == (entry < USER_LIMIT),
		      "chain entry %u, %#llx, is not of its context", (unsigned)i,
		      (unsigned long long)entry);
	}
}

static void check_sample(const struct recorder *r)
{
	const struct sample *s = &record.sample;

	CHECK(s->nr <= CHAIN_MAX && s->header.size == offsetof(struct sample, chain) + 8 * s->nr,
	      "a sample of %u bytes with %llu chain entries", s->header.size,
	      (unsigned long long)s->nr);
	CHECK(s->id == r->id, "a sample of event %llu", (unsigned long long)s->id);
	CHECK(r->cpu < 0 ? s->cpu < nr_cpus : (int)s->cpu == r->cpu, "a sample of CPU %u for %d",
	      (unsigned)s->cpu, r->cpu);
	CHECK(!s->zero && s->period, "a sample of period %llu", (unsigned long long)s->period);
	CHECK(s->time <= now_ns(), "a sample of the future");
	check_chain(s);
	shared->samples += r != &on_bystander;
}

/* Bytes of a record at least; 0: none that is written here. */
static unsigned least_size(unsigned type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return 32 + 8;
	case PERF_RECORD_MMAP2:
		return 64 + 8;
	case PERF_RECORD_LOST:
		return 16;
	case PERF_RECORD_COMM:
		return 8 + 8;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return 24;
	case PERF_RECORD_SWITCH:
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return 8;
	default:
		return UINT32_MAX;
	}
}

static void check_other(const struct recorder *r)
{
	unsigned least = least_size(record.header.type), size = record.header.size;
	uint64_t id;

	CHECK(least != UINT32_MAX, "a record of type %u", (unsigned)record.header.type);
	CHECK(size >= sizeof(record.header) + least + TRAILER, "a record of type %u of %u bytes",
	      (unsigned)record.header.type, size);
	memcpy(&id, record.bytes + size - sizeof(id), sizeof(id));
	CHECK(id == r->id, "a record of event %llu", (unsigned long long)id);
}

/* The next record into `record`; false: none. */
static bool next_record(struct recorder *r)
{
	const uint8_t *data = (const uint8_t *)r->page + PAGE;
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	size_t at = tail % RING_SIZE, first;

	if (head == tail)
		return false;
	CHECK(head - tail <= RING_SIZE && !(head % 8), "data_head is %llu at data_tail %llu",
	      (unsigned long long)head, (unsigned long long)tail);
	memcpy(&record.header, data + at, sizeof(record.header));
	CHECK(record.header.size >= sizeof(record.header) && !(record.header.size % 8) &&
		  record.header.size <= head - tail,
	      "a record of %u bytes, of %llu there are", record.header.size,
	      (unsigned long long)(head - tail));
	first = MIN(record.header.size, RING_SIZE - at);
	memcpy(record.bytes, data + at, first);
	memcpy(record.bytes + first, data, record.header.size - first);
	__atomic_store_n(&r->page->data_tail, tail + record.header.size, __ATOMIC_RELEASE);
	if (record.header.type == PERF_RECORD_SAMPLE)
		check_sample(r);
	else
		check_other(r);
	return true;
}

/* All that is there now: who writes on another processor may be as fast as we are. */
static void read_records(struct recorder *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);

	while (r->page->data_tail != head)
		next_record(r);
}

/* --- Opening and closing --- */

static void recorder_open(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = PERF_ATTR_SIZE_VER5;
	attr->sample_type = SAMPLE_TYPE;
	attr->sample_id_all = 1;
	attr->disabled = 1; /* what strikes before there is a ring is in none */
	r->cpu = cpu;
	r->fd = raw(SYS_perf_event_open, attr, pid, cpu, -1, 0);
	CHECK(r->fd >= 0, "perf_event_open by the supervisor: %ld", r->fd);
	r->page = mmap(NULL, PAGE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	CHECK(r->page != MAP_FAILED, "mmap of the supervisor's ring: %d", errno);
	CHECK(!raw(SYS_ioctl, r->fd, PERF_EVENT_IOC_ENABLE), "PERF_EVENT_IOC_ENABLE");
	CHECK(!raw(SYS_ioctl, r->fd, PERF_EVENT_IOC_ID, &r->id), "PERF_EVENT_IOC_ID");
}

static void recorder_close(struct recorder *r)
{
	CHECK(!raw(SYS_ioctl, r->fd, PERF_EVENT_IOC_DISABLE), "PERF_EVENT_IOC_DISABLE");
	read_records(r);
	CHECK(!raw(SYS_munmap, r->page, PAGE + RING_SIZE), "munmap of the supervisor's ring");
	raw(SYS_close, r->fd);
	r->fd = 0;
}

void monitor_open(pid_t worker)
{
	const struct perf_event_attr choices[] = {
	    {.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1},
	    {.config = PERF_COUNT_SW_CPU_CLOCK, .sample_freq = 7001, .freq = 1},
	    {.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1},
	    {.config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 90001, .exclude_kernel = 1},
	    {.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 3, .exclude_callchain_user = 1},
	    {.config = PERF_COUNT_SW_DUMMY,
	     .mmap = 1,
	     .comm = 1,
	     .task = 1,
	     .mmap2 = 1,
	     .mmap_data = 1,
	     .context_switch = 1},
	    {.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 2, .exclude_kernel = 1},
	};
	unsigned n = 1 + below(WORKER_EVENTS);
	struct recorder *r = on_worker;

	for (unsigned i = 0; i < n; i++) {
		struct perf_event_attr attr = PICK(choices);
		bool all = one_in(6);

		attr.inherit = !all;
		for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
			recorder_open(r++, &attr, all ? -1 : worker, cpu);
	}
}

/* --- The bystander --- */

/* The chain of its naps, told by its coming twice; what else it has are preemptions. */
static struct sample nap;
static uint32_t nap_samples, naps_before;
static uint64_t all_samples, all_lost;
static pid_t bystander_pid;
static uint64_t switches_before[2]; /* before and after its event was opened */

/* How often the bystander has left a processor, as the scheduler counts. */
static uint64_t bystander_switches(void)
{
	static const char field[] = "nr_switches : ";
	char path[32], *at;

	snprintf(path, sizeof(path), "/proc/%d/sched", (int)bystander_pid);
	at = strstr(contents(path), field);
	CHECK(at, "%s has no number of switches", path);
	return strtoull(at + strlen(field), NULL, 10);
}

static bool same_chain(const struct sample *a, const struct sample *b)
{
	return a->nr == b->nr && !memcmp(a->chain, b->chain, a->nr * sizeof(a->chain[0]));
}

void monitor_bystander(pid_t pid)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				       .sample_period = 1,
				       .read_format = PERF_FORMAT_LOST};
	struct uapi_timespec ms = {0, 1000000};

	bystander_pid = pid;
	switches_before[0] = bystander_switches();
	recorder_open(&on_bystander, &attr, pid, -1);
	switches_before[1] = bystander_switches();
	do {
		nap = record.sample;
		while (!next_record(&on_bystander))
			raw(SYS_nanosleep, &ms);
		all_samples++;
	} while (!nap.nr || !same_chain(&nap, &record.sample));
	CHECK(nap.nr > 6 && nap.chain[0] == PERF_CONTEXT_KERNEL, "the bystander's chain is short");
	naps_before = shared->naps;
}

/* Reads what the bystander's ring has; false: nothing. */
static bool drain(void)
{
	uint64_t before = all_samples;

	while (next_record(&on_bystander)) {
		CHECK(record.header.type == PERF_RECORD_SAMPLE, "a bystander's record of type %u",
		      (unsigned)record.header.type);
		nap_samples += same_chain(&nap, &record.sample);
		all_samples++;
	}
	return all_samples != before;
}

/*
 * As many samples as it took naps, give or take the one that it is in. Where others run while it
 * does, a nap may be over before it has left its processor.
 */
static void check_naps(void)
{
	int missed = shared->naps - naps_before - nap_samples;

	if (nr_cpus == 1)
		CHECK(missed >= -1 && missed <= 1, "%d samples of the bystander are missing",
		      missed);
}

static void drain_bystander(void)
{
	struct {
		uint64_t value, lost;
	} count;

	drain();
	/* Until it does not run between the two. */
	do
		CHECK(raw(SYS_read, on_bystander.fd, &count, sizeof(count)) == sizeof(count),
		      "read of the bystander's count");
	while (drain());
	all_lost = count.lost;
	check_naps();
	CHECK(count.value == all_samples && (!all_lost || nr_cpus > 1),
	      "%llu samples of %llu, %llu lost", (unsigned long long)all_samples,
	      (unsigned long long)count.value, (unsigned long long)all_lost);
}

/*
 * As many samples as the scheduler counted switches, but for one that either just makes. Where we
 * are not more urgent than others, the ring may have overflowed.
 */
static void check_switches(void)
{
	uint64_t least = bystander_switches() - switches_before[1], most, all;

	drain_bystander();
	most = bystander_switches() - switches_before[0];
	all = all_samples + all_lost;
	CHECK(all + 1 >= least && all <= most + 1,
	      "%llu samples of the bystander, which was switched %llu or %llu times",
	      (unsigned long long)all, (unsigned long long)least, (unsigned long long)most);
}

void monitor_drain(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(on_worker); i++)
		if (on_worker[i].fd)
			read_records(&on_worker[i]);
	drain_bystander();
}

void monitor_close(void)
{
	check_switches();
	for (unsigned i = 0; i < ARRAY_SIZE(on_worker); i++)
		if (on_worker[i].fd)
			recorder_close(&on_worker[i]);
}
