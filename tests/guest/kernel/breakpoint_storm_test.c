/* SPDX-License-Identifier: MIT */
/*
 * Tasks of the kernel's own that open, change and close breakpoints of each other's, of CPUs' and
 * of everybody's at random: see slot_storm.h. "steps=" on the command line is how long it lasts.
 */
#include <hotregs/cpu.h>
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include "strikes.h"

#define STEPS           1000
#define STORM_EVERYBODY true

struct storm_own {
	struct breakpoint bp;
	u64 count;
};

#include "../slot_storm.h"

static struct mutex storm_mutex = MUTEX_INIT(storm_mutex);
static struct wait_queue gate = WAIT_QUEUE_INIT(gate);
static struct task *tasks[STORMERS];
static bool go;
static u32 running;

static void storm_lock(void)
{
	mutex_lock(&storm_mutex);
}

static void storm_unlock(void)
{
	mutex_unlock(&storm_mutex);
}

static void storm_move(int cpu)
{
	sched_set_affinity(current, CPU_MASK(cpu));
}

static void count_strike(struct breakpoint *bp, const struct bp_hit *hit)
{
	++*(u64 *)bp->context;
}

static void parse(struct stormer *s, const struct storm_breakpoint *bp, struct bp_parts *parts)
{
	const struct perf_event_attr attr = {
	    .bp_type = bp->range.type, .bp_addr = storm_address(s, bp), .bp_len = bp->range.len};
	const char *why;

	EXPECT_EQ(bp_parse(&attr, parts, &why), 0);
}

static int storm_open(struct stormer *s, struct storm_breakpoint *bp)
{
	struct storm_own *own = &bp->own;

	memset(own, 0, sizeof(*own));
	own->bp.task = bp->task == NOBODY ? NULL : tasks[bp->task];
	own->bp.cpu = bp->cpu;
	own->bp.hit = count_strike;
	own->bp.context = &own->count;
	parse(s, bp, &own->bp.parts);
	return breakpoint_reserve(&own->bp) ?: (breakpoint_enable(&own->bp), 0);
}

static int storm_modify(struct stormer *s, struct storm_breakpoint *bp)
{
	struct bp_parts parts;

	parse(s, bp, &parts);
	return breakpoint_modify(&bp->own.bp, &parts);
}

static void storm_close(struct storm_breakpoint *bp)
{
	close_bp(&bp->own.bp);
}

static void storm_turn(struct storm_breakpoint *bp, bool on)
{
	if (on)
		breakpoint_enable(&bp->own.bp);
	else
		breakpoint_disable(&bp->own.bp);
}

static uint64_t storm_count(struct storm_breakpoint *bp)
{
	return READ_ONCE(bp->own.count);
}

static void storm(void *arg)
{
	wait_event(&gate, READ_ONCE(go));
	storm_run((unsigned long)arg, ktest_number("steps", STEPS));
	/* The others may still have some of this one's. */
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		sleep_ns(100000);
}

KTEST(smp_breakpoint_storm)
{
	if (no_breakpoints())
		return;
	memset(stormers, 0, sizeof(stormers));
	storm_cpus = nr_cpus;
	storm_slots[0] = SLOTS_ARE_SHARED ? 0 : slots_of(HW_BREAKPOINT_X);
	storm_slots[1] = slots_of(HW_BREAKPOINT_W);
	running = STORMERS;
	go = false;
	for (unsigned long i = 0; i < STORMERS; i++)
		tasks[i] = kthread_start("storm", storm, (void *)i);
	WRITE_ONCE(go, true);
	wake_up(&gate);
	for (unsigned i = 0; i < STORMERS; i++)
		kthread_join(tasks[i]);
	storm_check();
	EXPECT_EQ(breakpoint_slots_used(), 0);
}
