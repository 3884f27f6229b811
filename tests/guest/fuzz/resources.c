/* SPDX-License-Identifier: MIT */
/*
 * What is in use between batches: pages, kernel objects, tasks. The processes that stay may come to
 * use more memory of their own; that is added to what is free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MAX_STAYING 32
#define MAX_SLABS   24

struct resources {
	long pages; /* free, of the processes that stay, of live objects, or page tables */
	long tasks;
	long objects[MAX_SLABS]; /* live, by kind */
};

static pid_t staying[MAX_STAYING];
static unsigned nr_staying;
static struct resources expected;
static char slab_name[MAX_SLABS][24];

char *contents(const char *path)
{
	static char text[8192];
	size_t n = 0;
	long got, fd = raw(SYS_open, path, UAPI_O_RDONLY);

	CHECK(fd >= 0, "open of %s: %ld", path, fd);
	while ((got = raw(SYS_read, fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += got;
	CHECK(!got && n < sizeof(text) - 1, "read of %s: %ld", path, got);
	raw(SYS_close, fd);
	text[n] = 0;
	return text;
}

/* A number of kB in /proc/meminfo, in pages. */
static long meminfo_pages(const char *field)
{
	const char *at = strstr(contents("/proc/meminfo"), field);

	CHECK(at, "/proc/meminfo has no %s", field);
	return strtol(at + strlen(field), NULL, 10) / (long)(PAGE / 1024);
}

/* "0.00 0.00 0.00 RUNNING/ALL LAST" */
static long count_tasks(void)
{
	const char *all = strchr(contents("/proc/loadavg"), '/');

	CHECK(all, "/proc/loadavg has no number of tasks");
	return strtol(all + 1, NULL, 10);
}

/* Field 24 of /proc/PID/stat; 0: a kernel thread. */
static long resident_pages(pid_t pid)
{
	char path[32], *field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	field = strrchr(contents(path), ')');
	for (int i = 2; field && i < 24; i++)
		field = strchr(field + 1, ' ');
	CHECK(field, "%s is too short", path);
	return strtol(field, NULL, 10);
}

/* Live objects of each kind, and the pages that they are in: @r->pages has these too. */
static void count_objects(struct resources *r)
{
	char *line = contents("/proc/slabinfo"), *rest;
	unsigned n = 0;

	for (; line && *line; line = rest ? rest + 1 : NULL) {
		rest = strchr(line, '\n');
		if (*line == '#' || !strncmp(line, "slabinfo", 8))
			continue;
		CHECK(n < MAX_SLABS, "more lines in /proc/slabinfo than expected");
		snprintf(slab_name[n], sizeof(slab_name[n]), "%.*s", (int)strcspn(line, " "), line);
		r->objects[n++] = strtol(line + strcspn(line, " "), NULL, 10);
		line = strstr(line, "slabdata");
		CHECK(line, "/proc/slabinfo tells no slabs");
		r->pages += strtol(line + strlen("slabdata"), NULL, 10);
	}
	CHECK(n, "/proc/slabinfo is empty");
}

static void measure(struct resources *r)
{
	memset(r, 0, sizeof(*r));
	r->tasks = count_tasks();
	count_objects(r);
	/* The kernel keeps its page tables, however many it once needed. */
	r->pages += meminfo_pages("MemFree:") + meminfo_pages("PageTables:");
	for (unsigned i = 0; i < nr_staying; i++)
		r->pages += resident_pages(staying[i]);
}

/* Calls @what for every process and thread there is. */
static void for_each_task(void (*what)(pid_t pid))
{
	static uint64_t buffer[256];
	long n, fd = raw(SYS_open, "/proc", UAPI_O_RDONLY);

	CHECK(fd >= 0, "open of /proc: %ld", fd);
	while ((n = raw(SYS_getdents, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct uapi_dirent *entry = (void *)((uint8_t *)buffer + at);

			if (atoi(entry->name))
				what(atoi(entry->name));
			at += entry->reclen;
		}
	}
	raw(SYS_close, fd);
}

/* The first event on a task leaves something with it, until it ends. */
static void add_staying(pid_t pid)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	long fd = raw(SYS_perf_event_open, &attr, pid, -1, -1, 0);

	CHECK(fd >= 0, "perf_event_open on process %d: %ld", (int)pid, fd);
	raw(SYS_close, fd);
	CHECK(nr_staying < MAX_STAYING, "more tasks than expected");
	staying[nr_staying++] = pid;
}

static void end_stray(pid_t pid)
{
	for (unsigned i = 0; i < nr_staying; i++)
		if (staying[i] == pid)
			return;
	end_process(pid);
}

/* --- Want of memory --- */

#define CHUNK (256 * PAGE)

static uint8_t *chunk[256];
static unsigned nr_chunks;

#define STACK_USED (8 * PAGE)

/* What the supervisor shares with the worker until one of them writes, becomes its own: later there
 * may be no page for it. */
static void own_memory(void)
{
	char *line = contents("/proc/self/maps"), *rest;

	for (; *line; line = strchr(line, '\n') + 1) {
		unsigned long start = strtoul(line, &rest, 16), end = strtoul(rest + 1, &rest, 16);

		if (strncmp(rest, " rw-p", 5))
			continue;
		if (!strncmp(line + strcspn(line, "[\n"), "[stack]", 7))
			start = end - STACK_USED;
		for (; start < end; start += PAGE)
			*(volatile uint8_t *)start = *(volatile uint8_t *)start;
	}
}

/* Has the kernel write to it, who says so when others, on other processors, were faster. */
static bool take_page(uint8_t *page)
{
	long got = raw(SYS_clock_gettime, UAPI_CLOCK_MONOTONIC, page);

	CHECK(!got || (got == -EFAULT && nr_cpus > 1), "a page for the supervisor: %ld", got);
	return !got;
}

void resources_use_up(unsigned leave)
{
	long pages, got;

	own_memory();
	pages = meminfo_pages("MemFree:");
	pages -=
	    leave + pages / 256 + 8; /* for page tables, and what the supervisor does meanwhile */
	/* Some memory is left for others when there is a mapping made, but not when it is used: so
	 * first all are made. */
	for (long left = pages; left > 0 && nr_chunks < ARRAY_SIZE(chunk); left -= CHUNK / PAGE) {
		got = raw(SYS_mmap, 0, CHUNK, UAPI_PROT_READ | UAPI_PROT_WRITE,
			  UAPI_MAP_PRIVATE | UAPI_MAP_ANONYMOUS, -1, 0);
		if (got == -ENOMEM && nr_cpus > 1)
			break;
		CHECK((unsigned long)got < -4095UL, "mmap by the supervisor: %ld", got);
		chunk[nr_chunks++] = (uint8_t *)got;
	}
	for (long at = 0; at < pages && at < (long)(nr_chunks * (CHUNK / PAGE)); at++)
		if (!take_page(chunk[at * PAGE / CHUNK] + at * PAGE % CHUNK))
			break;
}

void resources_give_back(void)
{
	while (nr_chunks)
		CHECK(!raw(SYS_munmap, chunk[--nr_chunks], CHUNK), "munmap by the supervisor");
}

/* --- The files of a batch --- */

static void clear(const char *dir);

static void remove_entry(const char *dir, const char *name)
{
	char path[512], other[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	/* With a long name before them, names in it could be too long. */
	if (strlen(name) > 64) {
		snprintf(other, sizeof(other), "%s/short", dir);
		if (!raw(SYS_rename, path, other))
			strcpy(path, other);
	}
	if (raw(SYS_unlink, path)) {
		clear(path);
		CHECK(!raw(SYS_rmdir, path), "%s can not be removed", path);
	}
}

/* Removes all that is in @dir, the first entry as long as there is one. */
static void clear(const char *dir)
{
	union {
		struct uapi_dirent entry;
		uint8_t bytes[320];
	} buffer;
	long n, fd;

	for (int i = 0;; i++) {
		fd = raw(SYS_open, dir, UAPI_O_RDONLY | UAPI_O_DIRECTORY);
		CHECK(fd >= 0 && i < 1000, "open of %s: %ld", dir, fd);
		n = raw(SYS_getdents, fd, &buffer, sizeof(buffer));
		raw(SYS_close, fd);
		if (n <= 0)
			return;
		remove_entry(dir, buffer.entry.name);
	}
}

void resources_learn_tasks(void)
{
	for_each_task(add_staying);
	expected.tasks = count_tasks();
}

void end_strays(void)
{
	for_each_task(end_stray);
}

/* Ends what a batch left behind, which init then reaps. */
static void wait_for_strays(void)
{
	struct uapi_timespec ms = {0, 1000000};

	for (int i = 0; count_tasks() != expected.tasks; i++) {
		CHECK(i < PATIENCE, "%ld tasks, not %ld", count_tasks(), expected.tasks);
		end_strays();
		raw(SYS_nanosleep, &ms);
		monitor_drain();
	}
}

void resources_learn_memory(void)
{
	wait_for_strays();
	clear("/tmp");
	measure(&expected);
}

void resources_check(void)
{
	struct uapi_timespec ms = {0, 1000000};
	struct resources now;

	wait_for_strays();
	clear("/tmp");
	for (int i = 0; i < PATIENCE; i++) {
		measure(&now);
		if (!memcmp(&now, &expected, sizeof(now)))
			return;
		raw(SYS_nanosleep, &ms);
		monitor_drain();
	}
	for (unsigned i = 0; i < MAX_SLABS; i++)
		CHECK(now.objects[i] == expected.objects[i], "after the batch %ld of %s, not %ld",
		      now.objects[i], slab_name[i], expected.objects[i]);
	fail("after the batch %ld pages are free or known, not %ld", now.pages, expected.pages);
}
