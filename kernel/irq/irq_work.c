/* SPDX-License-Identifier: MIT */
/* A per-CPU stack of work, pushed without a lock from any context and popped as a whole. */
#include <hotregs/cpu.h>
#include <hotregs/irq.h>

#include <arch/irq.h>

void irq_work_queue(struct irq_work *work)
{
	struct irq_work *head;
	unsigned long flags;
	struct cpu *cpu;

	if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_ACQ_REL))
		return;
	flags = irq_save();
	cpu = this_cpu();
	/* An NMI may push between the load and the exchange, but nothing pops meanwhile. */
	head = READ_ONCE(cpu->irq_work);
	do
		work->next = head;
	while (!__atomic_compare_exchange_n(&cpu->irq_work, &head, work, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	if (!head)
		arch_raise_irq_work();
	irq_restore(flags);
}

void irq_work_run(void)
{
	struct irq_work *work = __atomic_exchange_n(&this_cpu()->irq_work, NULL, __ATOMIC_ACQUIRE);
	struct irq_work *first = NULL, *next;

	for (; work; work = next) { /* oldest first */
		next = work->next;
		work->next = first;
		first = work;
	}
	for (; first; first = next) {
		next = first->next;
		/* From here on it may be queued again, and the function may free it. */
		__atomic_store_n(&first->pending, 0, __ATOMIC_RELEASE);
		first->func(first);
	}
}
