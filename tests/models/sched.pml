/* SPDX-License-Identifier: MIT */
/*
 * Wake-up, move and end of tasks on two processors.
 *
 * What is modelled. Two tasks and two idle loops, each a process that goes on only while a processor is on its
 * stack (stack[]). The sleeper waits for something twice and ends; the waker brings it about, moves whom it
 * likes, joins the sleeper and frees it, and ends. Somebody else, on a further processor that runs no task, wakes
 * and moves whom it likes in between, as interrupts and other tasks do. All accesses are sequentially
 * consistent, but for the one of -DCPU_FIRST.
 *
 * What it stands for: kernel/sched/run_queue.h lock_queue(), sched_move(); sched.c schedule(),
 * preempt_schedule(), switch_task(), end_switch(), send_on(), sched_arrive(), wake_up_task(), sched_exit(),
 * sched_idle(); affinity.c sched_set_affinity(); balance.c pull(), with sched_place() choosing at will; wait.c
 * sleeping; task.c task_gone(), kthread_join(), task_free().
 *
 * What is asserted: no processor takes a stack that another one is still on. A task is in one queue, its own
 * processor's, or in none. Who is enqueued was in none, and is not dead. A task that has ended says so, and is freed,
 * only when no processor is on its stack; nobody takes a freed one's queue. There is no end in which a task has
 * yet to do something: what was woken runs again, and no idle processor sleeps while somebody waits in its queue.
 *
 * with ROUNDS=2 MOVES=1 ACTS=0
 *
 * Faults: one line each, as run.py reads them.
 * fault WAKE_UNLOCKED   wake_up_task() does not take the queue's lock
 * fault UNLOCK_EARLY    the queue's lock is released before the stack is switched
 * fault NO_RECHECK      lock_queue() does not look again where the task is
 * fault CPU_FIRST       task->cpu is seen to have changed before the rest of the task
 * fault MOVE_RUNNING    a task that runs is moved as one that waits is
 * fault WAKE_MOVING     a task that is woken on its way is enqueued by who wakes it, too
 * fault LOOK_FIRST      who is about to sleep looks first, and says so then
 * fault NO_KICK         an idle processor is not interrupted for what is enqueued there
 * fault GONE_EARLY      a task says that it is gone before it has switched away
 * fault DEAD_UNLOCKED   a task becomes a dead one without the lock of its queue
 * fault PREEMPT_SLEEPS  a task that is preempted on its way to sleep is asleep
 */
#define SLEEPER 0
#define WAKER   1
#define IDLE(c) (2 + (c))
#define NOWHERE 2 /* the processor that runs no task */

#ifndef ROUNDS
#define ROUNDS 1 /* things that the sleeper waits for */
#define MOVES  0 /* that the waker makes */
#define ACTS   1 /* of somebody else */
#endif

#define RUNNING  0 /* state[] */
#define SLEEPING 1
#define DEAD     2

#define NOT      0 /* on_rq[] */
#define QUEUED   1
#define MOVING   2

#define STAYS    0 /* leaves[] */
#define CPU      1
#define FOR_GOOD 2

#define IN(set, n) (((set) >> (n)) & 1)

byte state[4], on_rq[4], leaves[4], target[4], cpu_of[4], allowed[4];
bool gone[2], freed;
byte posted;

bool locked[2], need_resched[2], kicked[2];
byte queue[2];         /* tasks, by bit */
byte running[2];       /* cpu->running */
byte switched_from[2];
byte stack[2];         /* whose it is on */
bool list_locked;      /* task_list_lock: keeps tasks from being freed */

#define in_its_queue(t, c) \
	(cpu_of[t] != c || (IN(queue[c], t) == (on_rq[t] == QUEUED) && !IN(queue[1 - c], t)))

/* What is done with a queue's lock held is one step: who looks without it may look before or after. Not so, of
 * course, in faults that are about just that. */
#if defined(WAKE_UNLOCKED) || defined(CPU_FIRST) || defined(UNLOCK_EARLY)
#define MAYBE_ATOMIC
#else
#define MAYBE_ATOMIC atomic
#endif

/* Each process has: me, here (its processor), and for what it calls q, next, t, m, arrives, ends. */

inline spin_lock(c)
{
	atomic { !locked[c] -> locked[c] = true }
}

inline spin_unlock(c)
{
	d_step {
		assert(in_its_queue(SLEEPER, c) && in_its_queue(WAKER, c));
		locked[c] = false
	}
}

inline lock_queue(task)
{
	do
	:: q = cpu_of[task];
	   atomic {
		   !locked[q] -> locked[q] = true;
		   if
#ifdef NO_RECHECK
		   :: true -> break
#else
		   :: cpu_of[task] == q -> break
		   :: else -> locked[q] = false
#endif
		   fi
	   }
	od;
	assert(task != SLEEPER || !freed)
}

inline enqueue(c, task)
{
	assert(!IN(queue[0] | queue[1], task) && state[task] != DEAD);
	on_rq[task] = QUEUED;
	queue[c] = queue[c] | (1 << task)
}

inline dequeue(c, task)
{
	assert(IN(queue[c], task));
	on_rq[task] = NOT;
	queue[c] = queue[c] & ~(1 << task)
}

inline request_resched(c)
{
	need_resched[c] = true;
	if
#ifndef NO_KICK
	:: c != here -> kicked[c] = true
#endif
	:: else
	fi
}

/* A more urgent one than what runs there, or not; than the idle loop it is. */
inline enqueue_woken(c, task)
{
	enqueue(c, task);
	if
	:: true -> request_resched(c)
	:: running[c] != IDLE(c) -> skip
	fi
}

inline sched_arrive(task)
{
	lock_queue(task);
	atomic {
		assert(on_rq[task] == MOVING);
		enqueue_woken(q, task);
		spin_unlock(q);
		q = 0;
		arrives = false
	}
}

/* From q, locked. */
inline sched_move(task, dest)
{
	if
#ifndef MOVE_RUNNING
	:: running[q] == task ->
	   target[task] = dest;
	   leaves[task] = (dest == q -> STAYS : CPU);
	   if
	   :: leaves[task] -> request_resched(q)
	   :: else
	   fi
#endif
	:: else ->
#ifdef CPU_FIRST
	   cpu_of[task] = dest;
#endif
	   if
	   :: on_rq[task] == QUEUED ->
	      dequeue(q, task);
	      on_rq[task] = MOVING;
	      arrives = true
	   :: else
	   fi;
	   cpu_of[task] = dest
	fi
}

inline wake_up_task(task)
{
#ifdef WAKE_UNLOCKED
	q = cpu_of[task];
#else
	lock_queue(task);
#endif
	if
	:: state[task] == SLEEPING ->
	   state[task] = RUNNING;
	   MAYBE_ATOMIC {
		   if
#ifdef WAKE_MOVING
		   :: on_rq[task] != QUEUED ->
#else
		   :: on_rq[task] == NOT ->
#endif
		      if
		      :: enqueue_woken(q, task)
		      :: IN(allowed[task], 1 - q) ->
			 on_rq[task] = MOVING;
			 sched_move(task, 1 - q);
			 arrives = true
		      fi
		   :: else
		   fi
	   }
	:: else
	fi;
	atomic {
#ifndef WAKE_UNLOCKED
		spin_unlock(q);
#endif
		q = 0;
	};
	if
	:: arrives -> sched_arrive(task)
	:: else
	fi
}

inline task_gone(task)
{
	d_step {
		assert(state[task] == DEAD && on_rq[task] == NOT);
		assert(stack[0] != task && stack[1] != task);
		gone[task] = true
	};
	if
	:: task == SLEEPER -> wake_up_task(WAKER)
	:: else
	fi
}

inline end_switch()
{
	MAYBE_ATOMIC {
		t = switched_from[here];
		if
		:: leaves[t] == STAYS
		:: leaves[t] == CPU ->
#ifdef CPU_FIRST
		   cpu_of[t] = target[t];
#endif
		   leaves[t] = STAYS;
		   arrives = (on_rq[t] == MOVING);
		   cpu_of[t] = target[t];
		   target[t] = 0
		:: leaves[t] == FOR_GOOD -> ends = true
		fi;
		switched_from[here] = IDLE(here);
		spin_unlock(here)
	};
	if
	:: arrives -> sched_arrive(t)
	:: ends -> ends = false; task_gone(t)
	:: else
	fi;
	t = 0
}

inline pick_next()
{
	if
	:: IN(queue[here], SLEEPER) -> next = SLEEPER
	:: IN(queue[here], WAKER) -> next = WAKER
	:: queue[here] == 0 -> next = IDLE(here)
	fi
}

/* Goes on once a processor is on this stack. */
inline resume()
{
	atomic {
		if
		:: stack[0] == me -> here = 0
		:: stack[1] == me -> here = 1
		fi
	};
	end_switch()
}

/* The lock of here's queue is held. */
inline switch_away()
{
	if
	:: leaves[me] && on_rq[me] ->
	   dequeue(here, me);
	   on_rq[me] = (leaves[me] == CPU -> MOVING : NOT)
	:: else
	fi;
	pick_next();
	need_resched[here] = false;
	if
	:: next == me -> spin_unlock(here)
	:: else ->
	   switched_from[here] = me;
	   running[here] = next;
#ifdef UNLOCK_EARLY
	   spin_unlock(here);
	   spin_lock(here);
#endif
	   assert(stack[1 - here] != next);
	   stack[here] = next
	fi
}

inline switch_task()
{
	MAYBE_ATOMIC { switch_away() };
	if
	:: next != me ->
	   atomic { next = 0; here = NOWHERE };
	   resume()
	:: else -> next = 0
	fi
}

inline schedule()
{
	atomic {
		spin_lock(here);
		if
		:: state[me] != RUNNING && on_rq[me] -> dequeue(here, me)
		:: else
		fi
	};
	switch_task()
}

/* Interrupts are on: one may come, after which the task is preempted if it has to be. */
inline interruptible()
{
	if
	:: need_resched[here] || kicked[here] ->
	   kicked[here] = false;
	   if
	   :: need_resched[here] ->
	      spin_lock(here);
#ifdef PREEMPT_SLEEPS
	      if
	      :: state[me] == SLEEPING -> dequeue(here, me)
	      :: else
	      fi;
#endif
	      switch_task()
	   :: else
	   fi
	:: true
	fi
}

inline sched_exit()
{
#ifdef DEAD_UNLOCKED
	state[me] = DEAD;
#endif
#ifdef GONE_EARLY
	gone[me] = true;
#endif
	spin_lock(here);
#ifndef DEAD_UNLOCKED
	state[me] = DEAD;
#endif
	leaves[me] = FOR_GOOD;
	switch_away()
}

inline set_affinity(task, mask)
{
	lock_queue(task);
	MAYBE_ATOMIC {
		allowed[task] = mask;
		t = (leaves[task] == CPU -> target[task] : cpu_of[task]);
		if
		:: state[task] != DEAD && !IN(mask, t) -> sched_move(task, 1 - t)
		:: else
		fi;
		t = 0;
		m = (task == me && leaves[task]);
		spin_unlock(q);
		q = 0
	};
	if
	:: arrives -> sched_arrive(task)
	:: else
	fi;
	if
	:: m -> m = 0; schedule()
	:: else
	fi
}

/* Takes one that waits from the other processor's queue. */
inline pull()
{
	MAYBE_ATOMIC {
		q = 1 - here;
		spin_lock(q);
		if
		:: IN(queue[q], SLEEPER) && running[q] != SLEEPER && IN(allowed[SLEEPER], here) -> t = SLEEPER;
		   sched_move(SLEEPER, here)
		:: IN(queue[q], WAKER) && running[q] != WAKER && IN(allowed[WAKER], here) -> t = WAKER;
		   sched_move(WAKER, here)
		:: true
		fi;
		spin_unlock(q);
		q = 0
	};
	m = arrives;
	if
	:: arrives -> sched_arrive(t)
	:: else
	fi;
	t = 0
}

#define LOCALS byte here = NOWHERE, q, next, t; bool m, arrives, ends

inline sleep_until(condition)
{
	do
#ifdef LOOK_FIRST
	:: if
	   :: condition -> break
	   :: else
	   fi;
	   state[me] = SLEEPING;
	   schedule()
#else
	:: state[me] = SLEEPING;
	   interruptible();
	   if
	   :: condition -> break
	   :: else -> schedule()
	   fi
#endif
	od;
	state[me] = RUNNING
}

proctype sleeper()
{
	LOCALS;
	byte me = SLEEPER, round = 1;

	resume();
	do
	:: round <= ROUNDS ->
	   sleep_until(posted >= round);
	   round++;
	   interruptible()
	:: else -> break
	od;
	sched_exit()
}

proctype waker()
{
	LOCALS;
	byte me = WAKER, moves = MOVES;

	resume();
	do
	:: posted < ROUNDS ->
	   posted++;
	   wake_up_task(SLEEPER);
	   interruptible()
	:: moves > 0 ->
	   moves--;
	   if
	   :: set_affinity(SLEEPER, 1)
	   :: set_affinity(SLEEPER, 2)
	   :: set_affinity(WAKER, 1)
	   :: set_affinity(WAKER, 2)
	   fi;
	   interruptible()
	:: posted == ROUNDS -> break
	od;
	sleep_until(gone[SLEEPER]);
	atomic { !list_locked -> list_locked = true };
	d_step {
		assert(stack[0] != SLEEPER && stack[1] != SLEEPER);
		freed = true;
		list_locked = false
	};
	sched_exit()
}

proctype idle(byte me)
{
	LOCALS;

	resume();
	do
	:: queue[here] -> schedule()
	:: queue[here] == 0 -> pull();
	   if
	   :: m -> m = 0; schedule()
	   :: else ->
end:	      kicked[here] -> kicked[here] = false
	   fi
	od
}

/* Keeps whom it wakes or moves by the lock of the list of tasks. */
proctype somebody()
{
	LOCALS;
	byte me = NOWHERE + 2, acts = ACTS;

	do
	:: acts > 0 ->
	   acts--;
	   atomic { !list_locked -> list_locked = true };
	   if
	   :: !freed -> wake_up_task(SLEEPER)
	   :: !freed -> set_affinity(SLEEPER, 1)
	   :: !freed -> set_affinity(SLEEPER, 2)
	   :: true
	   fi;
	   list_locked = false
	:: true -> break
	od
}

init
{
	atomic {
		/* Both processors are in the middle of a switch. */
		locked[0] = true;
		locked[1] = true;
		switched_from[0] = IDLE(0);
		switched_from[1] = IDLE(1);
		cpu_of[IDLE(1)] = 1;
		allowed[SLEEPER] = 3;
		allowed[WAKER] = 3;
		on_rq[SLEEPER] = QUEUED;
		on_rq[WAKER] = QUEUED;
		queue[0] = 1 << SLEEPER;
		if
		:: queue[0] = queue[0] | (1 << WAKER);
		   running[1] = IDLE(1)
		:: queue[1] = 1 << WAKER;
		   cpu_of[WAKER] = 1;
		   running[1] = WAKER
		fi;
		stack[1] = running[1];
		run sleeper();
		run waker();
		run idle(IDLE(0));
		run idle(IDLE(1));
		run somebody()
	}
}
