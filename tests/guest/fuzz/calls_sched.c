/* SPDX-License-Identifier: MIT */
/* Calls about who runs when. */
#include <string.h>

#include "calls.h"

static unsigned long gen_nice(struct op *op)
{
	return one_in(8) ? hostile_word() : below(8);
}

static unsigned long gen_policy(struct op *op)
{
	return one_in(8) ? hostile_word() : below(4) - 1;
}

static unsigned long gen_number(struct op *op)
{
	return one_in(8) ? hostile_word() : op->arg[1] == UAPI_SCHED_OTHER ? 0 : below(6);
}

static unsigned long gen_mask_size(struct op *op)
{
	return one_in(8) ? hostile_word() : one_in(4) ? below(70) : sizeof(long);
}

static unsigned long gen_mask(struct op *op)
{
	unsigned long mask = one_in(2) ? 1 : rand32();

	return in_or_hostile(memcpy(in_bytes(sizeof(mask)), &mask, sizeof(mask)));
}

static unsigned long gen_mask_out(struct op *op)
{
	return out_bytes(op, MIN(op->arg[1], PAGE));
}

OUT(interval, struct uapi_timespec)

/* On several processors all are equally urgent: see become_urgent(). */
static bool may_rank(void)
{
	return nr_cpus == 1;
}

/* Not more urgent than the supervisor, and nobody's but its own. */
static bool is_own(int tid)
{
	return !tid || tid == self.pid || find_child(tid) || tid > MAX_PID || tid < 0;
}

static bool nice_allowed(const struct op *op)
{
	int nice = op->arg[1];

	return may_rank() && is_own(op->arg[0]) && (nice >= -8 || nice < UAPI_NICE_MIN);
}

static bool policy_allowed(const struct op *op)
{
	int number = op->arg[2];

	return may_rank() && is_own(op->arg[0]) && (number < 8 || number > UAPI_SCHED_PRIORITY_MAX);
}

static bool affinity_allowed(const struct op *op)
{
	return is_own(op->arg[0]);
}

static void at_most_mask(const struct op *op)
{
	CHECK((unsigned long)op->result <= op->arg[1], "%ld bytes of %lu", op->result, op->arg[1]);
}

CALL(sched_yield, ARGS(gen_word));
CALL(setpriority, ARGS(gen_pid, gen_nice), .weight = 2, .allowed = nice_allowed);
CALL(getpriority, ARGS(gen_pid), .weight = 2, .done = value);
CALL(sched_setscheduler, ARGS(gen_pid, gen_policy, gen_number), .weight = 4,
     .allowed = policy_allowed);
CALL(sched_getscheduler, ARGS(gen_pid), .weight = 2, .done = value);
CALL(sched_getparam, ARGS(gen_pid), .weight = 2, .done = value);
CALL(sched_rr_get_interval, ARGS(gen_pid, gen_interval), .weight = 2);
CALL(sched_setaffinity, ARGS(gen_pid, gen_mask_size, gen_mask), .weight = 2,
     .allowed = affinity_allowed);
CALL(sched_getaffinity, ARGS(gen_pid, gen_mask_size, gen_mask_out), .weight = 2,
     .done = at_most_mask);
CALL(getcpu, ARGS(gen_word), .done = value);
