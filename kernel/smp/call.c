/* SPDX-License-Identifier: MIT */
/*
 * Functions that one processor calls on others. Each has a lock-free stack of calls, which its
 * interrupt takes as a whole and turns round, so that they run in the order in which they came.
 */
#include <hotregs/check.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>

#include <arch/irq.h>
#include <arch/smp.h>

/* One call to one processor; on the caller's stack until done. */
struct smp_call {
	struct smp_call *next;
	void (*func)(void *arg);
	void *arg;
	u32 done;
};

static bool stopping;

static void push(struct cpu *cpu, struct smp_call *call)
{
	struct smp_call *head = READ_ONCE(cpu->calls);

	do
		call->next = head;
	while (!__atomic_compare_exchange_n(&cpu->calls, &head, call, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	/* Who pushed the first has interrupted it already. */
	if (!head)
		arch_send_ipi(cpu);
}

static void run_calls(struct cpu *cpu)
{
	struct smp_call *call = __atomic_exchange_n(&cpu->calls, NULL, __ATOMIC_ACQUIRE);
	struct smp_call *first = NULL, *next;

	for (; call; call = next) {
		next = call->next;
		call->next = first;
		first = call;
	}
	for (; first; first = next) {
		next = first->next;
		first->func(first->arg);
		/* From here on it is its caller's stack again. */
		__atomic_store_n(&first->done, 1, __ATOMIC_RELEASE);
	}
}

void smp_interrupt(void)
{
	if (unlikely(READ_ONCE(stopping)))
		arch_cpu_park();
	run_calls(this_cpu());
}

void smp_call(u32 cpus_asked, void (*func)(void *arg), void *arg)
{
	struct smp_call call[MAX_CPUS];
	unsigned long flags;
	u32 here;

	might_sleep();
	ASSERT(!(cpus_asked & ~cpus_online()));
	flags = irq_save();
	here = CPU_MASK(this_cpu()->id);
	for (u32 id = 0; id < MAX_CPUS; id++) {
		if (!(cpus_asked & ~here & CPU_MASK(id)))
			continue;
		call[id] = (struct smp_call){.func = func, .arg = arg};
		push(&cpus[id], &call[id]);
	}
	if (cpus_asked & here)
		func(arg);
	irq_restore(flags);
	for (u32 id = 0; id < MAX_CPUS; id++)
		while (cpus_asked & ~here & CPU_MASK(id) &&
		       !__atomic_load_n(&call[id].done, __ATOMIC_ACQUIRE))
			cpu_relax();
}

void smp_kick(struct cpu *cpu)
{
	arch_send_ipi(cpu);
}

void smp_stop_others(void)
{
	const struct cpu *here = this_cpu();

	WRITE_ONCE(stopping, true);
	for_each_cpu (cpu)
		if (cpu != here)
			arch_send_ipi(cpu);
}
