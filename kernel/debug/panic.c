/* SPDX-License-Identifier: MIT */
/*
 * The end of a kernel that found itself wrong: says what it knows and powers off. It trusts nothing
 * more than it must: what it prints may fault, and then the report ends there.
 */
#include <hotregs/check.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>
#include <hotregs/unwind.h>

#include <arch/irq.h>
#include <arch/power.h>
#include <arch/smp.h>

static u32 panic_cpu; /* id + 1 of the CPU that reports; 0: none */
static u32 panic_depth;

/* Before its structure is set up, nothing of a CPU's may be read: its pointer leads nowhere. */
static const struct cpu *known_cpu(void)
{
	return nr_cpus ? this_cpu() : NULL;
}

/* One CPU reports; others that panic meanwhile are silent for good. */
static void claim_panic(const struct cpu *cpu)
{
	u32 me = cpu ? cpu->id + 1 : 1, owner = 0;

	if (!__atomic_compare_exchange_n(&panic_cpu, &owner, me, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE) &&
	    owner != me)
		arch_cpu_park();
}

static void report(const struct cpu *cpu, const struct pt_regs *regs)
{
	const struct task *task = cpu ? current : NULL;

	if (cpu)
		printk("cpu %u", cpu->id);
	else
		printk("before CPU set-up");
	if (task)
		printk(", task %.*s, pid %d, tid %d", TASK_COMM_LEN, task->comm, task->pid,
		       task->tid);
	printk("\n");
	regs_print(regs);
	if (!cpu)
		return; /* stacks and events are looked up through it */
	print_backtrace(task, regs);
	perf_print_state();
}

void panic_regs(const struct pt_regs *regs, const char *fmt, ...)
{
	struct pt_regs here = {0};
	const struct cpu *cpu;
	va_list ap;

	irq_disable();
	cpu = known_cpu();
	claim_panic(cpu);
	check_stop();
	if (++panic_depth > 2) /* even the end failed */
		arch_cpu_park();
	/* What the others go on to do, and print, would only make it worse. */
	if (cpu)
		smp_stop_others();
	console_flush_early();

	printk("\n%s: ", panic_depth == 1 ? "kernel panic" : "panic while reporting a panic");
	va_start(ap, fmt);
	vprintk(fmt, ap);
	va_end(ap);
	printk("\n");

	if (panic_depth == 1) {
		if (!regs) {
			arch_hot_regs(&here);
			regs = &here;
		}
		report(cpu, regs);
	}
	arch_power_off(POWER_OFF_PANIC);
}
