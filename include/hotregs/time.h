/* SPDX-License-Identifier: MIT */
/* Clocks and timers. */
#pragma once

#include <hotregs/list.h>
#include <hotregs/spinlock.h>
#include <hotregs/types.h>

#include <arch/clock.h>

struct cpu;
struct pt_regs;

/* Nanoseconds since boot. NMI-safe, monotonic per CPU, a few instructions. */
static inline u64 clock_ns(void)
{
	return clock_cycles_to_ns(clock_cycles());
}

/* How long @cycles of the counter are, in ns, rounded down: sums of cycles are exact, of this not.
 * Pure. */
static inline u64 clock_span_ns(u64 cycles)
{
	u64 factor = clock_ns_per_cycle();
	u32 lo = cycles, hi = cycles >> 32;

	return hi * factor + lo * (factor >> 32) + ((u64)lo * (u32)factor >> 32);
}

/* Seconds since 1970 at boot; from the board's real-time clock, 0 when it has none. */
extern u64 clock_boot_epoch;

/* Nanoseconds since 1970, as the clock says or has been set. Any context but NMI for the second. */
u64 clock_realtime_ns(void);
/* What it would have told when clock_ns() was @ns, if it had been set as it is now. NMI-safe. */
u64 clock_realtime_at(u64 ns);
void clock_set_realtime(u64 ns);

/* How long it may take until somebody who waits for an absolute such time notices a setting. */
#define CLOCK_SET_NOTICED_NS 1000000000ULL

/* A one-shot timer; runs in interrupt context on the CPU that armed it. */
struct timer {
	struct list_head node; /* in cpu->timers.armed, while armed */
	u64 expires;           /* clock_ns() */
	u32 cpu;
	void (*func)(struct timer *timer, struct pt_regs *regs); /* @regs: what was interrupted */
};

/* A CPU's timers. Other CPUs take the lock to cancel one. */
struct timer_queue {
	struct spinlock lock;
	struct list_head armed; /* earliest first */
	u64 programmed;         /* when the clock event will interrupt; UINT64_MAX: not */
	struct timer *running;  /* whose function runs now */
	struct timer tick;
};

/* Sets up @cpu's timers; before its first timer is armed. */
void time_init_cpu(struct cpu *cpu);

/*
 * Prepares a timer; @func runs with interrupts off and may arm the timer again. Calls for one timer
 * must not overlap each other.
 */
void timer_init(struct timer *timer, void (*func)(struct timer *, struct pt_regs *));

/* Arms (or moves) @timer on this CPU; a time that has passed fires at once. Any context but NMI. */
void timer_arm(struct timer *timer, u64 expires);

/*
 * Disarms @timer; harmless when it is not armed. If it was armed on another CPU, waits there for a
 * running function to end: the caller then holds no lock that the function takes. Any context but
 * NMI.
 */
void timer_cancel(struct timer *timer);

/*
 * Lets @ns pass. For the idle task, which cannot sleep_ns(): the processor waits, not the task.
 * Interrupts on.
 */
void time_wait(u64 ns);

/* A device that can interrupt this CPU once at a given time. */
struct clock_event {
	const char *name;
	void (*set)(u64 delta_ns); /* interrupt in so many ns, at least 1; UINT64_MAX: never */
	/* Sets up the calling processor's own device, not the first one's. Interrupts off. */
	void (*start_cpu)(void);
};
/* Called once, by the board's driver. Timers armed before wait until then. */
void time_set_clock_event(const struct clock_event *dev);

/* Sets up the calling processor, not the first, for timer interrupts. Interrupts off. */
void time_start_cpu(void);

/* Called by the clock-event driver's interrupt: runs what has expired, arms the next. */
void time_interrupt(struct pt_regs *regs);

/* Starts this CPU's tick when it leaves idle; stops it by itself. Interrupts off. */
void time_tick_start(void);
