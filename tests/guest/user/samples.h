/* SPDX-License-Identifier: MIT */
/* Reads an event's ring buffer record by record, and names what a chain points at. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Every event of these tests has the same sample_type, so that one parser serves. */
#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct recorder {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size; /* of data, bytes */
};

struct record {
	struct perf_event_header header;
	uint8_t body[65536 - sizeof(struct perf_event_header)];
};

struct sample {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, addr;
	uint32_t cpu;
	uint64_t period;
	uint64_t nr;
	const uint64_t *chain; /* inside the record */
};

/* A software event of @config with period 1 and SAMPLE_TYPE; the caller adds the rest. */
struct perf_event_attr software_event(uint64_t config);

int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);

/* Opens and maps; false, with errno, when either fails. @pages of data, a power of two. */
bool recorder_open(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu,
		   size_t pages);
void recorder_close(struct recorder *r);

/* Takes the next record out; false when there is none. */
bool recorder_next(struct recorder *r, struct record *out);

/* Takes records up to the next sample of @tid (0: anybody's). The chain lives as long as @record.
 */
bool recorder_next_sample(struct recorder *r, pid_t tid, struct record *record, struct sample *s);
void record_sample(const struct record *record, struct sample *s);

/* The function that @ip lies in, the kernel's or this program's; "?" when unknown. */
const char *symbol_of(uint64_t ip);

/* Does the chain hold @symbols, NULL-terminated, one right after the other from entry @at? */
bool chain_has(const struct sample *s, uint64_t at, const char *const *symbols);

/* The entry after context marker @marker, or @s->nr when the chain has none. */
uint64_t chain_after(const struct sample *s, uint64_t marker);

/* Prints a chain as KTAP comments, for failed tests. */
void chain_print(const struct sample *s);
