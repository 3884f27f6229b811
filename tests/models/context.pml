/* SPDX-License-Identifier: MIT */
/*
 * An event of a task is enabled, disabled and closed while the task goes from processor to processor.
 *
 * What is modelled. Two processors that put one task on and off, send it to each other when it waits, are struck
 * by its event while it runs, and serve calls whenever their interrupts are on. A thread on a further processor
 * enables, disables and closes the event. The event's list is read by strikes without a lock; a change of it
 * takes two steps, and none of them may be seen.
 *
 * What it stands for: kernel/perf/context.c try_change(), perf_context_change(); core.c perf_event_start(),
 * perf_event_stop(), leave(), perf_event_release(); software.c strike(); kernel/smp/call.c smp_call(), run_calls();
 * of the scheduler the run-queue lock only, as sched.pml has the rest.
 *
 * What is asserted: nobody is inside a strike while the list is changed or the event's memory is freed, and a strike
 * touches no freed event. What enabling, disabling and closing ask for has happened when they return, and nothing of
 * them comes later: an enable does not overtake the disable or the close that follows it. Nobody waits for ever.
 *
 * fault ANYWHERE        the list is changed by who asks, wherever the task runs
 * fault NO_QUEUE_LOCK   whether the task runs is looked at without the lock of its queue
 * fault NO_WAIT         smp_call() returns before the call has been made
 * fault NO_RETRY        a call that came too late for the task is not repeated
 * fault STRIKE_OPEN     a strike leaves interrupts on
 */
#define STEPS 5 /* of each processor, beside calls */

#define IDLE 0
#define TASK 1
#define NOWHERE 2

#define START 1 /* functions that are called */
#define STOP  2
#define LEAVE 3

bool locked[2], inside[2];
byte running[2], cpu_of;
byte call[2];  /* the function that is asked for; 0: none */
bool done;     /* change.done */
bool attached, on, changing, freed;

inline spin_lock(c)
{
	atomic { !locked[c] -> locked[c] = true }
}

inline lock_queue()
{
	do
	:: q = cpu_of;
	   spin_lock(q);
	   if
	   :: cpu_of == q -> break
	   :: else -> locked[q] = false
	   fi
	od
}

inline change_list(func)
{
	assert(!inside[0] && !inside[1] && !freed);
	changing = true;
	if
	:: func == START -> assert(attached); on = true
	:: func == STOP -> on = false
	:: func == LEAVE -> on = false; attached = false
	fi;
	assert(!inside[0] && !inside[1]);
	changing = false;
	done = true
}

inline try_change(func)
{
#ifdef NO_QUEUE_LOCK
	q = cpu_of;
#else
	lock_queue();
#endif
	if
#ifdef ANYWHERE
	:: true -> change_list(func)
#else
	:: q == here || running[q] != TASK -> change_list(func)
	:: else
#endif
	fi;
#ifndef NO_QUEUE_LOCK
	locked[q] = false;
#endif
	q = 0
}

inline strike()
{
	if
	:: attached && on ->
	   inside[here] = true;
	   assert(!freed && !changing);
#ifdef STRIKE_OPEN
	   serve();
#endif
	   assert(!freed && !changing);
	   inside[here] = false
	:: else
	fi
}

inline serve()
{
	if
	:: call[here] -> try_change(call[here]); call[here] = 0
	:: else
	fi
}

proctype cpu(byte here)
{
	byte q, steps = STEPS;

	do
	:: steps > 0 -> /* a switch */
	   steps--;
	   spin_lock(here);
	   if
	   :: running[here] == TASK -> strike(); running[here] = IDLE
	   :: running[here] == IDLE && cpu_of == here -> running[here] = TASK; strike()
	   :: running[here] == IDLE && cpu_of == here -> cpu_of = 1 - here
	   :: else
	   fi;
	   locked[here] = false
	:: steps > 0 && running[here] == TASK -> /* a page fault */
	   steps--;
	   strike()
	:: call[here] -> serve()
	:: steps == 0 -> /* from here on only calls */
end:	   call[here] -> serve()
	od
}

inline perf_context_change(func)
{
	done = false;
	try_change(func);
	do
	:: done -> break
	:: else ->
	   to = cpu_of;
	   call[to] == 0 -> call[to] = func;
#ifndef NO_WAIT
	   call[to] == 0;
#else
	   break;
#endif
#ifdef NO_RETRY
	   break
#endif
	od;
	to = 0
}

active proctype user()
{
	byte here = NOWHERE, q, to;

	attached = true;
	if
	:: cpu_of = 0
	:: cpu_of = 1
	fi;
	run cpu(0);
	run cpu(1);
	perf_context_change(START);
	assert(on);
	perf_context_change(STOP);
	assert(!on);
	if
	:: perf_context_change(START); assert(on)
	:: true
	fi;
	perf_context_change(LEAVE);
	assert(!attached && !on);
	freed = true;
	assert(!inside[0] && !inside[1] && !call[0] && !call[1])
}
