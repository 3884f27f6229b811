/* SPDX-License-Identifier: MIT */
/* The timers of processes, between system calls and what makes them run. */
#pragma once

#include "signals.h"

/* When a timer expires, in nanoseconds. */
struct timer_setting {
	u64 value;     /* the first time; 0: never */
	u64 interval;  /* from one time to the next; 0: once */
	bool absolute; /* value is a time of the timer's clock, not a distance */
};

struct process_timer {
	struct timer timer;
	struct process *process;
	struct signal_entry entry; /* what it sends */
	int clock, notify;         /* UAPI_CLOCK_*, UAPI_SIGEV_* */
	pid_t tid;                 /* UAPI_SIGEV_THREAD_ID */
	/* Under the lock of the process: */
	bool armed;
	bool privileged; /* who has armed it is */
	u64 expires;     /* by its clock */
	struct timer_setting setting;
};

/*
 * All are about current's process and may sleep. *old is what is left; a NULL setting only asks.
 * Numbers of timers begin at 0; -EINVAL: there is none with that one. -ENOMEM, -EAGAIN.
 */
int process_itimer(const struct timer_setting *setting, struct timer_setting *old);
int process_timer_create(int clock, const struct uapi_sigevent *event);
int process_timer_set(int id, const struct timer_setting *setting, struct timer_setting *old);
int process_timer_overrun(int id);
int process_timer_delete(int id);
