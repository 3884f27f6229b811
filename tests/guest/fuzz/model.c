/* SPDX-License-Identifier: MIT */
/*
 * What a fuzzing process believes of itself: its descriptors, children and mappings, and which
 * parts of its address space it needs to go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uapi/signal.h>

#include "fuzz.h"

struct self self;

/* What was mapped when the worker began, but for the arena of MAP_FIXED: the program itself. */
static struct region own[32];
static unsigned nr_own;

/* --- Address space --- */

static void learn_own_regions(void)
{
	static char text[4096];
	long n, fd = raw(SYS_open, "/proc/self/maps", 0, 0);
	char *line = text, *rest;

	CHECK(fd >= 0, "open of /proc/self/maps: %ld", fd);
	n = raw(SYS_read, fd, text, sizeof(text) - 1);
	CHECK(n > 0 && n < (long)sizeof(text) - 1, "read of /proc/self/maps: %ld", n);
	raw(SYS_close, fd);
	text[n] = 0;
	for (nr_own = 0; *line && nr_own < ARRAY_SIZE(own); nr_own++) {
		own[nr_own].start = strtoul(line, &rest, 16);
		own[nr_own].end = strtoul(rest + 1, NULL, 16);
		line = strchr(line, '\n') + 1;
	}
	CHECK(!*line, "more mappings than a worker should have");
	CHECK(overlaps_own(ARENA, 1) && overlaps_own(CANARY, 1) && overlaps_own(SHARED, 1),
	      "/proc/self/maps does not tell what is mapped");
}

bool overlaps_own(unsigned long addr, size_t len)
{
	unsigned long end = (addr + len + PAGE - 1) & ~(PAGE - 1);

	/* What wraps around is the kernel's to refuse. */
	for (unsigned i = 0; i < nr_own; i++)
		if (addr < own[i].end && end > own[i].start)
			return true;
	return false;
}

void forget_regions(unsigned long start, unsigned long end)
{
	for (struct region *r = self.region; r < self.region + MAX_REGIONS; r++)
		if (r->end > start && r->start < end)
			memset(r, 0, sizeof(*r));
}

void add_region(unsigned long start, size_t len, unsigned prot, bool ring)
{
	unsigned long end = start + ((len + PAGE - 1) & ~(PAGE - 1));

	forget_regions(start, end);
	for (struct region *r = self.region; r < self.region + MAX_REGIONS; r++) {
		if (r->end)
			continue;
		*r = (struct region){start, end, prot, ring};
		return;
	}
	/* Nobody would find it again. */
	CHECK(!raw(SYS_munmap, start, end - start), "munmap of what was just mapped");
}

bool overlaps_region(unsigned long addr)
{
	for (struct region *r = self.region; r < self.region + MAX_REGIONS; r++)
		if (addr >= r->start && addr < r->end)
			return true;
	return false;
}

const struct region *any_region(unsigned prot)
{
	unsigned first = below(MAX_REGIONS);

	for (unsigned i = 0; i < MAX_REGIONS; i++) {
		const struct region *r = &self.region[(first + i) % MAX_REGIONS];

		if (r->end && (r->prot & prot) == prot)
			return r;
	}
	return NULL;
}

/* --- Descriptors --- */

void model_check_fds(bool accept)
{
	for (int fd = 0; fd < SHARED_FD; fd++) {
		bool is_open = raw(SYS_fcntl, fd, UAPI_F_GETFD, 0) >= 0;

		if (accept && is_open != !!self.fd[fd])
			self.fd[fd] = is_open ? FD_OTHER : FD_NONE;
		CHECK(is_open == !!self.fd[fd], "descriptor %d is %s", fd,
		      is_open ? "open, which it should not be" : "closed, which it should not be");
	}
}

/* --- Children --- */

struct child *find_child(pid_t pid)
{
	for (struct child *c = self.child; c < self.child + MAX_CHILDREN; c++)
		if (pid > 0 && c->pid == pid)
			return c;
	return NULL;
}

/* --- Beginnings --- */

void model_init(void)
{
	memset(&self, 0, sizeof(self));
	self.pid = raw(SYS_getpid);
	self.parent = raw(SYS_getppid);
	self.brk = self.brk_min = raw(SYS_brk, 0);
	model_check_fds(false);
	self.thread_pointer = thread_pointer();
	learn_own_regions();
}

void model_child(void)
{
	self.parent = self.pid;
	self.pid = raw(SYS_getpid);
	self.depth++;
	memset(self.child, 0, sizeof(self.child));
	threads_forget();
	for (struct region *r = self.region; r < self.region + MAX_REGIONS; r++)
		if (r->ring)
			memset(r, 0, sizeof(*r));
}
