/* SPDX-License-Identifier: MIT */
/* Calls about time: clocks, sleeping, timers. */
#include <string.h>
#include <uapi/signal.h>

#include "calls.h"

static unsigned long gen_clock(struct op *op)
{
	return one_in(8) ? hostile_word() : below(6);
}

static unsigned long in_time(uint64_t ns)
{
	struct uapi_timespec ts = {ns / 1000000000, ns % 1000000000};

	if (one_in(24))
		ts = (struct uapi_timespec){hostile_word(), hostile_word()};
	return in_or_hostile(memcpy(in_bytes(sizeof(ts)), &ts, sizeof(ts)));
}

unsigned long gen_short_time(struct op *op)
{
	return in_time(below(300000));
}

/* Absolute times are a little after the last that was seen, or in the past. */
static unsigned long gen_sleep_time(struct op *op)
{
	return in_time(op->arg[1] & UAPI_TIMER_ABSTIME ? shared->clock + below(300000)
						       : below(300000));
}

static unsigned long gen_abstime(struct op *op)
{
	return one_in(16) ? hostile_word() : one_in(3) ? UAPI_TIMER_ABSTIME : 0;
}

static unsigned long gen_date(struct op *op)
{
	return in_time(1700000000000000000ULL + rand32());
}

/* Far from each other, so that there is time between two expirations. */
static unsigned long gen_itimer(struct op *op)
{
	struct uapi_itimerspec it = {.value = {0, 50000 + below(1000000)}};

	if (one_in(3))
		it.interval.nsec = 100000 + below(1000000);
	if (one_in(16))
		it = (struct uapi_itimerspec){{hostile_word(), hostile_word()},
					      {hostile_word(), hostile_word()}};
	if (one_in(8))
		it.value = (struct uapi_timespec){0, 0};
	return in_or_hostile(memcpy(in_bytes(sizeof(it)), &it, sizeof(it)));
}

static unsigned long gen_sigevent(struct op *op)
{
	struct uapi_sigevent event = {.notify = 1 + below(3), .signo = 1 + below(UAPI_NSIG)};

	if (event.notify == 3)
		event.notify = UAPI_SIGEV_THREAD_ID;
	if (event.notify == UAPI_SIGEV_THREAD_ID)
		event.tid = self.pid;
	if (one_in(8))
		((uint32_t *)&event)[below(sizeof(event) / sizeof(uint32_t))] = hostile_word();
	if (one_in(8))
		return 0;
	return in_or_hostile(memcpy(in_bytes(sizeof(event)), &event, sizeof(event)));
}

/* Those that are made are numbered from the lowest on. */
static unsigned long gen_timer(struct op *op)
{
	return one_in(8) ? hostile_word() : below(4);
}

static unsigned long gen_which(struct op *op)
{
	return one_in(8) ? hostile_word() : one_in(4) ? below(3) : UAPI_ITIMER_REAL;
}

OUT(time, struct uapi_timespec)
OUT(tms, struct uapi_tms)
OUT(setting, struct uapi_itimerspec)

/* No timer kills: what has no handler is not sent. */
static bool event_allowed(const struct op *op)
{
	struct uapi_sigevent event;

	if (op->arg[1] - ARENA >= ARENA_SIZE)
		return !overlaps_region(op->arg[1]);
	memcpy(&event, (void *)op->arg[1], MIN(sizeof(event), ARENA + ARENA_SIZE - op->arg[1]));
	return event.signo != UAPI_SIGKILL && event.signo != UAPI_SIGSTOP;
}

static void timer_done(const struct op *op)
{
	CHECK(op->result >= 0 && op->result < 4096, "timer %ld", op->result);
}

CALL(nanosleep, ARGS(gen_short_time, gen_time));
CALL(clock_gettime, ARGS(gen_clock, gen_time), .weight = 4);
CALL(clock_nanosleep, ARGS(gen_clock, gen_abstime, gen_sleep_time, gen_time), .weight = 4);
CALL(clock_getres, ARGS(gen_clock, gen_time), .weight = 2);
CALL(clock_settime, ARGS(gen_clock, gen_date), .weight = 2);
CALL(times, ARGS(gen_tms), .weight = 2, .done = value);
CALL(setitimer, ARGS(gen_which, gen_itimer, gen_setting), .weight = 4);
CALL(getitimer, ARGS(gen_which, gen_setting), .weight = 2);
CALL(timer_create, ARGS(gen_clock, gen_sigevent), .weight = 12, .allowed = event_allowed,
     .done = timer_done);
CALL(timer_settime, ARGS(gen_timer, gen_abstime, gen_itimer, gen_setting), .weight = 8);
CALL(timer_gettime, ARGS(gen_timer, gen_setting), .weight = 4);
CALL(timer_getoverrun, ARGS(gen_timer), .weight = 2, .done = value);
CALL(timer_delete, ARGS(gen_timer), .weight = 2);
