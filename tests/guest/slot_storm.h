/* SPDX-License-Identifier: MIT */
/*
 * A storm of breakpoints, the same for tasks of the kernel's own and for threads of a program: each
 * opens, changes and closes its own at random, of whatever scope, on whatever CPU it is. Whether
 * there is room a model says that looks at all of them; what they count each knows exactly, as
 * nobody else touches what it watches.
 *
 * Who includes this has the storm_*() that are declared here, and defines STORM_POOLS.
 */
#pragma once

#include "watched.h"

#define STORMERS    5 /* at most INSTRUCTIONS */
#define STORM_EACH  4 /* breakpoints of each */
#define STORM_BYTES 16
#define NOBODY      (-1)

/* What it watches, and slots by pool that it has: none unless it is open. */
struct storm_range {
	uint32_t type;
	unsigned offset, len, pool;
	uint8_t held[2];
};

struct storm_breakpoint {
	int task, cpu; /* whose, by stormers, and where */
	struct storm_range range;
	bool on;
	uint64_t expected;
	struct storm_own own;
};

static struct stormer {
	struct storm_breakpoint bp[STORM_EACH];
	/* What each of these watches, and its owner alone touches. */
	uint8_t cell[STORM_EACH][STORM_BYTES] __attribute__((aligned(64)));
	uint32_t seed;
	int cpu; /* where it is */
	unsigned opened, refused, struck;
} stormers[STORMERS];

static unsigned storm_slots[2]; /* by pool: instructions, data; where these are one, the latter */
static int storm_cpus;

/* These return 0 or a negative errno. The first three are called with the lock held. */
static int storm_open(struct stormer *s, struct storm_breakpoint *bp);
static int storm_modify(struct stormer *s, struct storm_breakpoint *bp);
static void storm_close(struct storm_breakpoint *bp);
static void storm_turn(struct storm_breakpoint *bp, bool on);
static uint64_t storm_count(struct storm_breakpoint *bp);
static void storm_lock(void);
static void storm_unlock(void);
static void storm_move(int cpu);

static bool is_open(const struct storm_breakpoint *bp)
{
	return bp->range.held[0] || bp->range.held[1];
}

static uint32_t storm_random(struct stormer *s, uint32_t below)
{
	s->seed = s->seed * 1664525 + 1013904223;
	return (s->seed >> 8) % below;
}

/* --- Is there room? --- */

/* Slots of @pool that are taken on @cpu when stormer @task runs there. */
static unsigned taken(int task, int cpu, unsigned pool)
{
	unsigned n = 0;

	for (struct stormer *s = stormers; s < stormers + STORMERS; s++)
		for (struct storm_breakpoint *bp = s->bp; bp < s->bp + STORM_EACH; bp++)
			if ((bp->task == NOBODY || bp->task == task) &&
			    (bp->cpu == NOBODY || bp->cpu == cpu))
				n += bp->range.held[pool];
	return n;
}

static bool all_fit(void)
{
	for (int cpu = 0; cpu < storm_cpus; cpu++)
		for (int task = 0; task < STORMERS; task++)
			for (unsigned pool = 0; pool < 2; pool++)
				if (taken(task, cpu, pool) > storm_slots[pool])
					return false;
	return true;
}

/* --- What it watches --- */

static uintptr_t storm_address(struct stormer *s, const struct storm_breakpoint *bp)
{
	if (bp->range.type == HW_BREAKPOINT_X)
		return instruction(s - stormers);
	return (uintptr_t)&s->cell[bp - s->bp][bp->range.offset];
}

static struct watched storm_watched(struct stormer *s, const struct storm_breakpoint *bp)
{
	uintptr_t addr = storm_address(s, bp);

	return bp->range.type == HW_BREAKPOINT_X ? (struct watched){addr, addr + 1, 1}
						 : watched_by(addr, bp->range.len);
}

static void choose_range(struct stormer *s, struct storm_breakpoint *bp)
{
	static const uint32_t types[] = {HW_BREAKPOINT_W, HW_BREAKPOINT_RW, HW_BREAKPOINT_X};

	bp->range.type = types[storm_random(s, 3)];
	bp->range.offset = storm_random(s, 8);
	bp->range.len = 1 + storm_random(s, 8);
	bp->range.pool = SLOTS_ARE_SHARED || bp->range.type != HW_BREAKPOINT_X;
}

/* --- What a stormer does --- */

static void check_refusal(struct stormer *s, int err, bool fits)
{
	EXPECT_EQ(err, fits ? 0 : -ENOSPC);
	s->opened += fits;
	s->refused += !fits;
}

static void do_open(struct stormer *s, struct storm_breakpoint *bp)
{
	bool fits;
	int err;

	bp->task =
	    storm_random(s, 2) ? (int)(s - stormers) : (int)storm_random(s, STORMERS + 1) - 1;
	bp->cpu = (int)storm_random(s, storm_cpus + 1) - 1;
	if (bp->task == NOBODY && bp->cpu == NOBODY && !STORM_EVERYBODY)
		bp->cpu = s->cpu;
	bp->expected = 0;
	choose_range(s, bp);
	storm_lock();
	bp->range.held[bp->range.pool] = storm_watched(s, bp).slots;
	fits = all_fit();
	err = storm_open(s, bp);
	if (!fits)
		bp->range.held[bp->range.pool] = 0;
	storm_unlock();
	bp->on = !err;
	check_refusal(s, err, fits);
}

/* There has to be room for both until it has changed. */
static void do_modify(struct stormer *s, struct storm_breakpoint *bp)
{
	struct storm_range before = bp->range;
	unsigned slots;
	bool fits;
	int err;

	choose_range(s, bp);
	slots = storm_watched(s, bp).slots;
	storm_lock();
	if (bp->range.held[bp->range.pool] < slots)
		bp->range.held[bp->range.pool] = slots;
	fits = all_fit();
	err = storm_modify(s, bp);
	if (fits) {
		bp->range.held[!bp->range.pool] = 0;
		bp->range.held[bp->range.pool] = slots;
	} else {
		bp->range = before;
	}
	storm_unlock();
	check_refusal(s, err, fits);
}

static void do_close(struct storm_breakpoint *bp)
{
	storm_lock();
	storm_close(bp);
	bp->range.held[0] = bp->range.held[1] = 0;
	storm_unlock();
}

static void do_turn(struct storm_breakpoint *bp)
{
	bp->on = !bp->on;
	storm_turn(bp, bp->on);
}

/* Is it told of what @s does where it is? */
static bool is_heard(const struct stormer *s, const struct storm_breakpoint *bp)
{
	return is_open(bp) && bp->on && (bp->task == NOBODY || bp->task == s - stormers) &&
	       (bp->cpu == NOBODY || bp->cpu == s->cpu);
}

/* One access to what one of them watches, or beside it; or the instruction. */
static void strike_one(struct stormer *s, struct storm_breakpoint *bp)
{
	unsigned size = 1U << storm_random(s, sizeof(long) == 8 ? 4 : 3);
	uint8_t *at = &s->cell[bp - s->bp][storm_random(s, STORM_BYTES / size) * size];
	bool write = storm_random(s, 2);
	struct watched w = storm_watched(s, bp);

	if (is_heard(s, bp) && bp->range.type != HW_BREAKPOINT_X && touches(&w, at, size))
		bp->expected += write || bp->range.type == HW_BREAKPOINT_RW;
	access_data(at, size, write);
}

static void execute_own(struct stormer *s)
{
	for (struct storm_breakpoint *bp = s->bp; bp < s->bp + STORM_EACH; bp++)
		bp->expected += bp->range.type == HW_BREAKPOINT_X && is_heard(s, bp);
	execute(s - stormers);
}

static void strike_all(struct stormer *s)
{
	for (unsigned n = 0; n < 8; n++) {
		strike_one(s, &s->bp[storm_random(s, STORM_EACH)]);
		execute_own(s);
	}
	for (struct storm_breakpoint *bp = s->bp; bp < s->bp + STORM_EACH; bp++) {
		if (!is_open(bp))
			continue;
		EXPECT_EQ(storm_count(bp), bp->expected);
		s->struck += bp->expected;
	}
}

static void storm_step(struct stormer *s)
{
	struct storm_breakpoint *bp = &s->bp[storm_random(s, STORM_EACH)];
	bool there = is_open(bp);

	if (!storm_random(s, 3)) {
		s->cpu = storm_random(s, storm_cpus);
		storm_move(s->cpu);
	}
	switch (storm_random(s, 4)) {
	case 0:
		if (there)
			do_close(bp);
		break;
	case 1:
		if (there)
			do_modify(s, bp);
		break;
	case 2:
		if (there)
			do_turn(bp);
		break;
	default:
		if (!there)
			do_open(s, bp);
	}
	strike_all(s);
}

/* Whoever is the @nth. */
static void storm_run(unsigned nth, unsigned steps)
{
	struct stormer *s = &stormers[nth];

	s->seed = nth + 1;
	storm_move(s->cpu = nth % storm_cpus);
	while (steps--)
		storm_step(s);
	for (struct storm_breakpoint *bp = s->bp; bp < s->bp + STORM_EACH; bp++)
		if (is_open(bp))
			do_close(bp);
}

/* That it was one. */
static void storm_check(void)
{
	unsigned refused = 0;

	for (struct stormer *s = stormers; s < stormers + STORMERS; s++) {
		EXPECT(s->opened && s->struck);
		refused += s->refused;
	}
	EXPECT(refused);
}
