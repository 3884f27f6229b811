/* SPDX-License-Identifier: MIT */
/*
 * The captures of moves to a processor whose moves are sampled, and the end of that event.
 *
 * What is modelled. A task is sent from one processor to the other by either, put on and off, while the event of
 * processor 1 that samples moves is closed. Where a move to it is decided, the place is captured into memory of the
 * event's (one capture, so that it runs out), without a lock of processor 1's; it stays with the task until that
 * runs, or is sent elsewhere. The task may end with one.
 *
 * What it stands for: kernel/perf/moves.c perf_sched_migrate(), next_move(), take(), give_back(), drop(),
 * perf_moves_strike(), perf_moves_dead(), perf_moves_unuse(), perf_moves_free(), leave_home_everywhere(); of
 * kernel/sched/run_queue.h sched_move() and of sched.c the switch, with the run-queue locks; smp_call().
 *
 * What is asserted: the captures' memory is freed only when no processor can be in the middle of taking one, of
 * striking with one or of giving one back, and no task holds one. Each move that was decided is emitted once, or
 * accounted: as lost for want of room or with the task, or as of no interest any more.
 *
 * fault NO_DROP     the memory is freed without the tasks having been asked
 * fault NO_WAIT     smp_call() returns before the call has been made
 * fault DROP_OPEN   a task's captures are taken off it without the lock of its queue
 * fault KEPT        what was emitted stays with the task
 * fault SILENT      a move for which there is no room is not counted
 * fault FORGOTTEN   a task ends, and with it what it holds
 */
#define STEPS 4 /* of each processor, beside calls */

#define IDLE 0
#define TASK 1

#define UNUSE 1 /* a function that is called */

bool locked[2];
byte running[2], cpu_of, call[2];
bool moves, free_one, freed; /* the context's pointer; is the capture free; the memory */
bool holds, dead;            /* the task has the capture */
bool other_holds;            /* another one, that never runs, has it */
byte using[2];               /* has a pointer into the memory */
byte decided, emitted, dropped, lost;

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

inline give_back()
{
	assert(!freed && !free_one);
	free_one = true
}

inline drop()
{
	if
	:: holds -> holds = false; give_back(); dropped++
	:: else
	fi
}

/* At the decision to send the task to the other of two; that it leaves. */
inline migrate(to)
{
	if
	:: to == 1 && moves ->
	   using[here] = true;
	   decided++;
	   /* Now it may be closed. */
	   assert(!freed);
	   atomic {
		   if
		   :: free_one -> free_one = false; holds = true
#ifdef SILENT
		   :: else
#else
		   :: else -> lost++
#endif
		   fi
	   };
	   using[here] = false
	:: else -> drop()
	fi;
	cpu_of = to
}

inline strike()
{
	if
	:: holds ->
	   using[here] = true;
#ifndef KEPT
	   holds = false;
#endif
	   assert(!freed);
	   emitted++;
	   give_back();
	   using[here] = false
	:: else
	fi
}

inline serve()
{
	if
	:: call[here] == UNUSE -> moves = false
	:: else
	fi;
	call[here] = 0
}

proctype cpu(byte here)
{
	byte q, steps = STEPS;

	do
	:: steps > 0 && !dead -> /* a switch */
	   steps--;
	   spin_lock(here);
	   if
	   :: running[here] == TASK -> running[here] = IDLE
	   :: running[here] == IDLE && cpu_of == here && !dead -> strike(); running[here] = TASK
	   :: else
	   fi;
	   locked[here] = false
	:: steps > 0 && !dead -> /* a move, by either */
	   steps--;
	   lock_queue();
	   if
	   :: running[q] != TASK && !dead -> migrate(1 - q)
	   :: else
	   fi;
	   locked[q] = false;
	   q = 0
	:: call[here] -> serve()
	:: steps == 0 || dead -> break
	od;
	/* The last one ends the task where it is. */
	if
	:: here == cpu_of && !dead ->
	   spin_lock(here);
	   if
	   :: cpu_of == here ->
	      running[here] = IDLE;
	      dead = true;
#ifndef FORGOTTEN
	      drop()
#endif
	   :: else
	   fi;
	   locked[here] = false
	:: else
	fi;
	do
	:: call[here] -> serve()
	:: steps == 0 || dead ->
end:	   call[here] -> serve()
	od
}

inline smp_call(c, func)
{
	call[c] = func;
#ifndef NO_WAIT
	call[c] == 0
#endif
}

/* Of the tasks that have not been freed. */
inline leave_home_everywhere()
{
	if
	:: other_holds -> other_holds = false; give_back()
	:: else
	fi;
#ifndef DROP_OPEN
	lock_queue();
#endif
	if
	:: !dead -> drop()
	:: else
	fi;
#ifndef DROP_OPEN
	locked[q] = false
#endif
}

active proctype user()
{
	byte q;

	moves = true;
	if
	:: free_one = true
	:: other_holds = true
	fi;
	run cpu(0);
	run cpu(1);
	smp_call(1, UNUSE);
#ifndef NO_DROP
	leave_home_everywhere();
#endif
	assert(!using[0] && !using[1] && !holds && free_one);
	freed = true;
	assert(decided == emitted + dropped + lost)
}
