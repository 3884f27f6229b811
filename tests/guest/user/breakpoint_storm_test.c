/* SPDX-License-Identifier: MIT */
/*
 * Threads that open, change and close breakpoint events of each other's and of CPUs' at random: see
 * ../slot_storm.h.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "strikes.h"

#define STEPS           400
#define STORM_EVERYBODY false

struct storm_own {
	int fd;
};

#include "../slot_storm.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static pid_t tids[STORMERS];

static void storm_lock(void)
{
	pthread_mutex_lock(&mutex);
}

static void storm_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void storm_move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static struct perf_event_attr attr_of(struct stormer *s, const struct storm_breakpoint *bp)
{
	return breakpoint(bp->range.type, (void *)storm_address(s, bp), bp->range.len);
}

static int storm_open(struct stormer *s, struct storm_breakpoint *bp)
{
	struct perf_event_attr attr = attr_of(s, bp);

	bp->own.fd =
	    perf_event_open(&attr, bp->task == NOBODY ? -1 : tids[bp->task], bp->cpu, -1, 0);
	return bp->own.fd < 0 ? -errno : 0;
}

static int storm_modify(struct stormer *s, struct storm_breakpoint *bp)
{
	struct perf_event_attr attr = attr_of(s, bp);

	attr.disabled = !bp->on;
	return ioctl(bp->own.fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) < 0 ? -errno : 0;
}

static void storm_close(struct storm_breakpoint *bp)
{
	close(bp->own.fd);
}

static void storm_turn(struct storm_breakpoint *bp, bool on)
{
	EXPECT_EQ(ioctl(bp->own.fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0), 0);
}

static uint64_t storm_count(struct storm_breakpoint *bp)
{
	return value(bp->own.fd);
}

static void *storm(void *arg)
{
	unsigned nth = (uintptr_t)arg;

	tids[nth] = syscall(SYS_gettid);
	pthread_barrier_wait(&together);
	storm_run(nth, STEPS * ktap_scale);
	/* The others may still have some of this one's. */
	pthread_barrier_wait(&together);
	return NULL;
}

static unsigned slots_for(uint32_t type, const void *addr)
{
	int fd[SLOTS_MAX];
	unsigned n = fill_slots(fd, type, addr);

	close_all(fd, n);
	return n;
}

TEST(smp_breakpoint_storm)
{
	pthread_t thread[STORMERS];
	cpu_set_t cpus;

	if (no_breakpoints())
		return;
	memset(stormers, 0, sizeof(stormers));
	EXPECT_EQ(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	storm_cpus = CPU_COUNT(&cpus);
	storm_slots[1] = slots_for(HW_BREAKPOINT_W, stormers);
	if (!SLOTS_ARE_SHARED)
		storm_slots[0] = slots_for(HW_BREAKPOINT_X, side_by_side);
	pthread_barrier_init(&together, NULL, STORMERS);
	for (uintptr_t i = 0; i < STORMERS; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, storm, (void *)i), 0);
	for (int i = 0; i < STORMERS; i++)
		EXPECT_EQ(pthread_join(thread[i], NULL), 0);
	storm_check();
	EXPECT_EQ(slots_used(), 0);
}
