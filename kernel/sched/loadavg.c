/* SPDX-License-Identifier: MIT */
/* Load averages over 1, 5 and 15 minutes, kept by a kernel thread that sleeps between looks. */
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/wait.h>

#define LOOK_NS   100000000ULL
#define FIXED_ONE (1u << 24)

/* 2^24 * (1 - exp(-0.1 s / 60 s)), and for 300 s and 900 s. */
static const u32 weight[3] = {27939, 5591, 1864};
static u32 average[3]; /* in 1/2^24 tasks */

static void loadavg_update(void)
{
	s64 active = -1; /* this thread aside */

	for_each_cpu (cpu)
		active += READ_ONCE(cpu->rq.nr);
	for (int i = 0; i < 3; i++)
		average[i] += ((active * FIXED_ONE - average[i]) * weight[i]) / FIXED_ONE;
}

void loadavg(u32 hundredths[3])
{
	for (int i = 0; i < 3; i++)
		hundredths[i] = (u64)READ_ONCE(average[i]) * 100 / FIXED_ONE;
}

/* Sleeps a level below the thread's entry, so that its chains have something to show. */
static noinline void loadavg_wait(void)
{
	sleep_ns(LOOK_NS);
}

static void loadavg_thread(void *arg)
{
	for (;;) {
		loadavg_wait();
		loadavg_update();
	}
}

void loadavg_start(void)
{
	if (IS_ERR(kthread_start("loadavg", loadavg_thread, NULL)))
		printk("loadavg: no memory for its thread; load averages stay 0\n");
}
