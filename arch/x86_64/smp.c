/* SPDX-License-Identifier: MIT */
/* Other processors of this architecture. */
#include <hotregs/cpu.h>
#include <hotregs/smp.h>

#include <arch/irq.h>
#include <arch/smp.h>

unsigned arch_cpus_find(u64 hwid[], unsigned max)
{
	return 1;
}

int arch_cpu_start(struct cpu_start *start, u64 hwid)
{
	return -ENOSYS;
}

int arch_cpu_prepare(struct cpu *cpu)
{
	return 0;
}

void arch_cpu_discard(struct cpu *cpu)
{
}

void arch_cpu_begin(struct cpu *cpu)
{
}

void arch_send_ipi(struct cpu *cpu)
{
}

void arch_cpu_park(void)
{
	irq_disable();
	for (;;)
		cpu_relax();
}
