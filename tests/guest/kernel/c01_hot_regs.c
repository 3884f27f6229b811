/* SPDX-License-Identifier: MIT */
/* Contract C1 for kernel threads: a switch sample is where the thread went to sleep. */
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>
#include <hotregs/wait.h>

#include "ktest.h"

static struct capture capture;
static struct mutex mutex = MUTEX_INIT(mutex);
static struct wait_queue queue = WAIT_QUEUE_INIT(queue);
static bool condition, started;

/* Runs @entry in a thread of its own, captured from before its first switch; NULL: failed. */
static struct task *captured_thread(void (*entry)(void *))
{
	unsigned long flags;
	struct task *task;

	if (!capture_start(&capture, -1, false, false))
		return NULL;
	/* It must not run before its number is known. */
	flags = irq_save();
	task = kthread_start("c01", entry, NULL);
	if (!IS_ERR(task))
		capture.tid = task->tid;
	irq_restore(flags);
	if (EXPECT(!IS_ERR(task)))
		return task;
	capture_stop(&capture);
	return NULL;
}

static void join(struct task *task)
{
	kthread_join(task);
	capture_stop(&capture);
}

static noinline void depth_sleep(void)
{
	sleep_ns(1000000);
}

static noinline void depth_middle(void)
{
	depth_sleep();
	barrier();
}

static void sleeper(void *arg)
{
	depth_middle();
}

KTEST(c01_kernel_thread_sleep)
{
	const char *const chain[] = {"depth_sleep", "depth_middle", "sleeper",
				     "task_begin",  "thread_start", NULL};
	struct task *task = captured_thread(sleeper);

	if (!task)
		return;
	join(task);
	/* One switch to sleep, one for good. */
	EXPECT_EQ(capture.nr, 2);
	captured_chain_is(&capture.sample[0], chain);
	EXPECT_EQ(capture.sample[0].nr, 6);
}

KTEST(c01_last_switch_of_a_kernel_thread)
{
	/* kthread_exit() is part of the scheduler; who called it is where the thread ended. */
	const char *const chain[] = {"task_begin", "thread_start", NULL};
	struct task *task = captured_thread(sleeper);

	if (!task)
		return;
	join(task);
	captured_chain_is(&capture.sample[capture.nr - 1], chain);
}

static noinline void yield_deep(void)
{
	yield();
	barrier();
}

static void yielder(void *arg)
{
	yield_deep();
}

KTEST(c01_yield)
{
	const char *const chain[] = {"yield_deep", "yielder", "task_begin", "thread_start", NULL};
	struct task *task = captured_thread(yielder);

	if (!task)
		return;
	for (int i = 0; i < 3; i++)
		yield();
	join(task);
	captured_chain_is(&capture.sample[0], chain);
}

static noinline void lock_deep(void)
{
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
}

static void locker(void *arg)
{
	lock_deep();
}

KTEST(c01_mutex)
{
	const char *const chain[] = {"lock_deep", "locker", "task_begin", "thread_start", NULL};
	struct task *task;

	mutex_lock(&mutex);
	task = captured_thread(locker);
	if (!task) {
		mutex_unlock(&mutex);
		return;
	}
	sleep_ns(1000000); /* it runs into the mutex meanwhile */
	EXPECT_EQ(task->state, TASK_SLEEPING);
	mutex_unlock(&mutex);
	join(task);
	EXPECT_EQ(capture.nr, 2);
	captured_chain_is(&capture.sample[0], chain);
}

static noinline void wait_deep(void)
{
	wait_event(&queue, condition);
}

static void waiter_thread(void *arg)
{
	wait_deep();
}

KTEST(c01_wait_queue)
{
	const char *const chain[] = {"wait_deep", "waiter_thread", "task_begin", "thread_start",
				     NULL};
	struct task *task;

	condition = false;
	task = captured_thread(waiter_thread);
	if (!task)
		return;
	sleep_ns(1000000);
	EXPECT_EQ(task->state, TASK_SLEEPING);
	condition = true;
	wake_up(&queue);
	join(task);
	EXPECT_EQ(capture.nr, 2);
	captured_chain_is(&capture.sample[0], chain);
}

/* Spins in itself, so that the interrupted frame is known; a leaf has one only with an array. */
static noinline void spin_deep(void)
{
	char room[32];

	__asm__ volatile("" ::"r"(room) : "memory");
	WRITE_ONCE(started, true);
	while (!READ_ONCE(condition))
		cpu_relax();
}

static void spinner(void *arg)
{
	spin_deep();
}

/* Where in @s the frame of @symbol is; -1 when it is not. */
static int frame_of(const struct captured *s, const char *symbol)
{
	for (u32 i = 1; i < s->nr; i++) {
		const char *name = kallsyms_lookup(s->chain[i], NULL, NULL);

		if (name && !strcmp(name, symbol))
			return i;
	}
	return -1;
}

KTEST(c01_preemption)
{
	struct task *task;
	const struct captured *s = &capture.sample[0];
	int at;

	condition = started = false;
	task = captured_thread(spinner);
	if (!task)
		return;
	/* This thread's sleep ends by an interrupt of the spinner, which has used its slice up. */
	while (!READ_ONCE(started) || !READ_ONCE(capture.nr))
		sleep_ns(1000000);
	WRITE_ONCE(condition, true);
	join(task);
	if (!EXPECT(capture.nr >= 2))
		return;
	/* The place is where the interrupt gave way; the chain goes on in the interrupted loop. */
	EXPECT_EQ(s->ip, s->chain[1]);
	EXPECT(!in_sched_text(s->ip));
	at = frame_of(s, "spin_deep");
	if (EXPECT(at > 1)) {
		struct captured rest = *s;
		const char *const chain[] = {"spin_deep", "spinner", "task_begin", "thread_start",
					     NULL};

		rest.nr -= at - 1;
		memmove(rest.chain + 1, rest.chain + at, (rest.nr - 1) * sizeof(u64));
		rest.ip = rest.chain[1];
		captured_chain_is(&rest, chain);
	}
}
