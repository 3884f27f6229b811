/* SPDX-License-Identifier: MIT */
/*
 * Starting the other processors, one at a time: each takes the next struct cpu once it has come.
 * One that comes after it was given up finds that out, and waits for ever without a struct cpu.
 */
#include <hotregs/boot_info.h>
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/smp.h>

#include "skew.h"

/* A processor that has been reset is there within some milliseconds, an emulated one in a second.
 */
#define START_TIMEOUT_NS 2000000000ULL
#define LOOK_NS          100000ULL /* how often somebody looks */

static struct task idle_tasks[MAX_CPUS]; /* [0] is not used: the boot processor has its own */

void smp_begin(struct cpu_start *start)
{
	struct cpu *cpu = start->cpu;
	u32 state = CPU_START_WAITED;

	if (!__atomic_compare_exchange_n(&start->state, &state, CPU_START_CLAIMED, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		arch_cpu_park();
	arch_cpu_begin(cpu);
	skew_correct();
	irq_start_cpu();
	time_start_cpu();
	/* Whoever sees the number sees all of the above. */
	__atomic_store_n(&nr_cpus, cpu->id + 1, __ATOMIC_SEQ_CST);
	/* Until then nobody told it what the kernel has unmapped. */
	mmu_flush(VMAP_START, VMAP_END);
	breakpoint_start_cpu();
	sched_idle();
	panic("the idle loop has ended");
}

/* Is the processor there? If not, it never will be. */
static bool wait_for(struct cpu_start *start)
{
	u64 deadline = clock_ns() + START_TIMEOUT_NS;
	u32 state = CPU_START_WAITED;

	while (READ_ONCE(start->state) == CPU_START_WAITED && clock_ns() < deadline)
		time_wait(LOOK_NS);
	if (__atomic_compare_exchange_n(&start->state, &state, CPU_START_GIVEN_UP, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	skew_answer(start->cpu->id);
	while (READ_ONCE(nr_cpus) <= start->cpu->id)
		cpu_relax();
	return true;
}

/* Makes @start and its struct cpu; -ENOMEM. */
static int prepare(struct cpu_start *start)
{
	struct cpu *cpu = &cpus[nr_cpus];

	start->stack = (unsigned long)vmap_alloc(KERNEL_STACK_SIZE / PAGE_SIZE);
	if (!start->stack)
		return -ENOMEM;
	start->cpu = cpu;
	*cpu = (struct cpu){.id = nr_cpus};
	time_init_cpu(cpu);
	sched_init_cpu(cpu, &idle_tasks[cpu->id], start->stack);
	perf_init_cpu(cpu);
	return arch_cpu_prepare(cpu);
}

/* Starts processor @hwid; 0, -ENOMEM, -ETIMEDOUT or the architecture's error. */
static int start_cpu(u64 hwid)
{
	struct cpu_start *start = kzalloc(sizeof(*start));
	int err = start ? prepare(start) : -ENOMEM;

	if (err)
		goto no_memory;
	err = arch_cpu_start(start, hwid);
	if (!err && wait_for(start))
		return 0;
	/* It may still come: what it would begin with stays. */
	arch_cpu_discard(start->cpu);
	return err ?: -ETIMEDOUT;

no_memory:
	if (start)
		vmap_free((void *)start->stack, KERNEL_STACK_SIZE / PAGE_SIZE);
	kfree(start);
	return err;
}

/* How many processors are to run, at most: cpus=N. */
static unsigned wanted(void)
{
	char value[16];
	const char *end;
	unsigned long n;
	int err = cmdline_get("cpus", value, sizeof(value));

	if (err == -ENOENT)
		return MAX_CPUS;
	n = strtoul(value, &end);
	if (err || !value[0] || *end || n == 0) {
		printk("cpus=%s: not a number of processors\n", value);
		return MAX_CPUS;
	}
	return MIN(n, (unsigned long)MAX_CPUS);
}

void smp_start(void)
{
	u64 hwid[MAX_CPUS];
	unsigned n = arch_cpus_find(hwid, MAX_CPUS), max = wanted();

	for (unsigned i = 1; i < MIN(n, (unsigned)MAX_CPUS) && nr_cpus < max; i++) {
		int err = start_cpu(hwid[i]);

		if (err)
			printk("smp: processor %llu does not come and is left out (error %d)\n",
			       hwid[i], -err);
	}
	if (n > 1)
		printk("smp: %u of %u processors run\n", nr_cpus, n);
}
