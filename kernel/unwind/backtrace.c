/* SPDX-License-Identifier: MIT */
/* The backtrace a person reads: kernel chain with symbols, then the user chain as addresses. */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/unwind.h>

#include <arch/perf.h>
#include <arch/regs.h>

#define BACKTRACE_MAX 64

static void print_kernel_chain(const struct task *task, const struct pt_regs *regs)
{
	unsigned long offset;
	const char *name;
	struct unwind u;
	int depth = 0;

	if (!unwind_start(&u, task, regs)) {
		printk("  (no kernel frames: ip %lx, sp %lx)\n", regs_ip(regs), regs_sp(regs));
		return;
	}
	do {
		/* A caller's address is that behind its call, which may be its last instruction. */
		name = kallsyms_lookup(u.ip - !!depth, &offset, NULL);
		if (name)
			printk("  %016lx %s+0x%lx\n", u.ip, name, offset + !!depth);
		else
			printk("  %016lx\n", u.ip);
	} while (++depth < BACKTRACE_MAX && unwind_next(&u));
}

static void print_user_chain(const struct pt_regs *regs)
{
	u64 ip[BACKTRACE_MAX];
	struct callchain chain = {ip, 0, BACKTRACE_MAX};

	perf_callchain_user(&chain, regs);
	for (u32 i = 0; i < chain.nr; i++)
		printk("  %016llx (user)\n", ip[i]);
}

void print_backtrace(const struct task *task, const struct pt_regs *regs)
{
	const struct pt_regs *user = user_mode(regs) ? regs : task_user_regs(task);

	printk("call chain:\n");
	if (!user_mode(regs))
		print_kernel_chain(task, regs);
	/* Only the loaded address space can be read, and a task that has not been a program has
	 * none. */
	if (user && task->mm && task->mm == this_cpu()->loaded_mm && user_mode(user))
		print_user_chain(user);
}
