/* SPDX-License-Identifier: MIT */
/*
 * How far the clock of a new processor is from that of the one that started it. The two toss a word
 * to and fro: what the other's clock said lies between two readings of one's own.
 */
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <arch/irq.h>

#include "skew.h"

#define ROUNDS 16     /* the shortest counts */
#define TRIES  4      /* of so many rounds, while it is not clear */
#define BLUNT  100000 /* cycles of a round: of so many, most were not its own */

struct skew {
	s64 cycles; /* the new processor's clock less the other's */
	u64 width;  /* of the round: half of it is how wrong cycles may be */
};

/* Of the one processor that is being started. */
static struct {
	u32 turn; /* enum turn; what is written before a change is seen after it */
	u64 answer;
	bool adjusted;
	struct skew before, after;
} meeting;
enum turn { IDLE, ASKED, ANSWERED, DONE };

static void set_turn(enum turn turn)
{
	__atomic_store_n(&meeting.turn, turn, __ATOMIC_RELEASE);
}

static enum turn turn(void)
{
	return __atomic_load_n(&meeting.turn, __ATOMIC_ACQUIRE);
}

static u64 distance(const struct skew *skew)
{
	return skew->cycles < 0 ? -skew->cycles : skew->cycles;
}

/* No more than what can be mere doubt. */
static bool is_doubt(const struct skew *skew)
{
	return distance(skew) <= skew->width / 2;
}

/* More than that; and as much again, for no reading of a counter is exact. */
static bool is_certain(const struct skew *skew)
{
	return distance(skew) > skew->width;
}

static void measure(struct skew *best)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		u64 begin = clock_cycles(), width;

		set_turn(ASKED);
		while (turn() != ANSWERED)
			cpu_relax();
		width = clock_cycles() - begin;
		if (width < best->width)
			*best = (struct skew){begin + width / 2 - meeting.answer, width};
	}
}

static struct skew find_skew(void)
{
	struct skew best = {.width = UINT64_MAX};

	for (unsigned i = 0; i < TRIES; i++) {
		measure(&best);
		if (best.width < BLUNT && (is_doubt(&best) || is_certain(&best)))
			break;
	}
	return best;
}

void skew_correct(void)
{
	meeting.before = find_skew();
	meeting.adjusted = is_certain(&meeting.before) && !clock_adjust(-meeting.before.cycles);
	if (meeting.adjusted)
		meeting.after = find_skew();
	set_turn(DONE);
}

static void print_skew(const struct skew *skew)
{
	if (is_doubt(skew))
		printk("clocks agree within %llu cycles", distance(skew) + skew->width / 2);
	else
		printk("clock skew %lld cycles, within %llu", skew->cycles, skew->width / 2);
}

void skew_answer(u32 cpu)
{
	for (; turn() != DONE; cpu_relax()) {
		if (turn() != ASKED)
			continue;
		meeting.answer = clock_cycles();
		set_turn(ANSWERED);
	}
	set_turn(IDLE);
	printk("smp: cpu %u: ", cpu);
	print_skew(&meeting.before);
	if (meeting.adjusted) {
		printk("; corrected: ");
		print_skew(&meeting.after);
	} else if (is_certain(&meeting.before)) {
		printk("; it cannot be corrected: its times do not compare with others'");
	}
	printk("\n");
}
