/* SPDX-License-Identifier: MIT */
/* Clock, timers and irq_work on the real machine. */
#include <hotregs/irq.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include "ktest.h"

KTEST(time_clock_never_goes_back)
{
	u64 last = clock_ns();

	for (int i = 0; i < 10000; i++) {
		u64 now = clock_ns();

		if (!EXPECT(now >= last))
			return;
		last = now;
	}
}

/* A span converted by itself is what two times have between them, but for what is rounded. */
KTEST(time_spans_are_what_the_clock_says)
{
	u64 from = clock_cycles(), start = clock_cycles_to_ns(from), last = 0;

	for (unsigned bit = 0; bit < 50; bit++)
		for (u64 cycles = 1ULL << bit; cycles < 2ULL << bit;
		     cycles += (1ULL << bit) / 3 + 1) {
			u64 ns = clock_span_ns(cycles);

			if (!EXPECT(ns >= last) ||
			    !EXPECT(clock_cycles_to_ns(from + cycles) - start - ns <= 1))
				return;
			last = ns;
		}
}

static struct timer timer[3];
static unsigned fired[3], nr_fired;

static void fire(struct timer *t, struct pt_regs *regs)
{
	fired[nr_fired++] = t - timer;
}

KTEST(time_timers_fire_in_order)
{
	static const u64 delay[3] = {3000000, 1000000, 2000000};
	u64 start = clock_ns();

	nr_fired = 0;
	for (int i = 0; i < 3; i++) {
		timer_init(&timer[i], fire);
		timer_arm(&timer[i], start + delay[i]);
	}
	while (READ_ONCE(nr_fired) < 3)
		sleep_ns(1000000);
	EXPECT_EQ(fired[0], 1);
	EXPECT_EQ(fired[1], 2);
	EXPECT_EQ(fired[2], 0);
}

KTEST(time_cancelled_timer_is_silent)
{
	nr_fired = 0;
	timer_init(&timer[0], fire);
	timer_arm(&timer[0], clock_ns() + 1000000);
	timer_cancel(&timer[0]);
	timer_cancel(&timer[0]);
	sleep_ns(3000000);
	EXPECT_EQ(nr_fired, 0);
}

static unsigned worked;

static void work(struct irq_work *w)
{
	EXPECT(this_cpu()->irq_depth > 0);
	worked++;
}

KTEST(irq_work_runs_once_per_queueing)
{
	static struct irq_work w = {.func = work};
	unsigned long flags = irq_save();

	worked = 0;
	irq_work_queue(&w);
	irq_work_queue(&w);
	EXPECT_EQ(worked, 0);
	irq_restore(flags);
	while (!READ_ONCE(worked))
		cpu_relax();
	EXPECT_EQ(worked, 1);
	irq_work_queue(&w);
	while (READ_ONCE(worked) < 2)
		cpu_relax();
	EXPECT_EQ(worked, 2);
}
