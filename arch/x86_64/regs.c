/* SPDX-License-Identifier: MIT */
/*
 * The trap frame and a task's first one: printing, fresh user frames, fork's copy, the first kernel
 * stack; and the proof that assembly's offsets are C's.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>
#include <uapi/ucontext.h>

#include <arch/irq.h>
#include <arch/mmu.h>
#include <arch/regs.h>
#include <arch/switch.h>
#include <asm/offsets.h>

_Static_assert(offsetof(struct cpu, running) == CPU_CURRENT, "");
_Static_assert(offsetof(struct cpu, need_resched) == CPU_NEED_RESCHED, "");
_Static_assert(offsetof(struct cpu, arch.tss.rsp[0]) == CPU_KERNEL_SP, "");
_Static_assert(offsetof(struct cpu, arch.user_sp) == CPU_USER_SP, "");
_Static_assert(offsetof(struct cpu, arch.debug_work) == CPU_DEBUG_WORK, "");
_Static_assert(offsetof(struct task, work) == TASK_WORK, "");
_Static_assert(offsetof(struct pt_regs, bp) == REGS_BP, "");
_Static_assert(offsetof(struct pt_regs, orig_ax) == REGS_ORIG_AX, "");
_Static_assert(offsetof(struct pt_regs, ip) == REGS_IP, "");
_Static_assert(offsetof(struct pt_regs, cs) == REGS_CS, "");
_Static_assert(offsetof(struct pt_regs, flags) == REGS_FLAGS, "");
_Static_assert(offsetof(struct pt_regs, sp) == REGS_SP, "");
_Static_assert(sizeof(struct pt_regs) == REGS_SIZE, "");

#define X86_EFLAGS_FIXED (1UL << 1) /* always reads as one */

void regs_print(const struct pt_regs *regs)
{
	unsigned long offset, cr2;
	const char *name = user_mode(regs) ? NULL : kallsyms_lookup(regs->ip, &offset, NULL);

	__asm__("movq %%cr2, %0" : "=r"(cr2));
	printk("rip %016lx  cs %02lx  rflags %08lx", regs->ip, regs->cs, regs->flags);
	if (name)
		printk("  %s+0x%lx", name, offset);
	printk("\nrsp %016lx  ss %02lx  error/nr %lx  cr2 %016lx\n", regs->sp, regs->ss,
	       regs->orig_ax, cr2);
	printk("rax %016lx  rbx %016lx  rcx %016lx\n", regs->ax, regs->bx, regs->cx);
	printk("rdx %016lx  rsi %016lx  rdi %016lx\n", regs->dx, regs->si, regs->di);
	printk("rbp %016lx  r8  %016lx  r9  %016lx\n", regs->bp, regs->r8, regs->r9);
	printk("r10 %016lx  r11 %016lx  r12 %016lx\n", regs->r10, regs->r11, regs->r12);
	printk("r13 %016lx  r14 %016lx  r15 %016lx\n", regs->r13, regs->r14, regs->r15);
}

void arch_thread_init(struct task *task, void (*entry)(void *), void *arg)
{
	extern const char thread_start[];
	/* The user frame's place stays free: a kernel thread may become a process. */
	unsigned long *sp =
	    (unsigned long *)(task->stack + KERNEL_STACK_SIZE - sizeof(struct pt_regs));

	/* What thread_start pops, and before it arch_switch_stack(); a call's alignment then holds.
	 */
	*--sp = 0;
	*--sp = (unsigned long)arg;
	*--sp = (unsigned long)entry;
	*--sp = (unsigned long)thread_start;
	task->arch.sp = (unsigned long)sp;
}

void arch_user_regs_init(struct pt_regs *regs, unsigned long entry, unsigned long sp)
{
	memset(regs, 0, sizeof(*regs));
	regs->ip = entry;
	regs->cs = USER_CS;
	regs->flags = X86_EFLAGS_IF | X86_EFLAGS_FIXED;
	regs->sp = sp;
	regs->ss = USER_DS;
}

static union user_selectors user_selectors_read(void)
{
	union user_selectors s;

	__asm__ volatile("movw %%ds, %0\n\tmovw %%es, %1\n\tmovw %%fs, %2\n\tmovw %%gs, %3"
			 : "=r"(s.ds), "=r"(s.es), "=r"(s.fs), "=r"(s.gs));
	return s;
}

/* What a program has loaded, the CPU has checked. GS takes the program's base with it: the kernel's
 * is elsewhere meanwhile. */
static void user_selectors_write(union user_selectors s)
{
	__asm__ volatile("movl %0, %%ds\n\tmovl %1, %%es\n\tmovl %2, %%fs\n\t"
			 "swapgs\n\tmovl %3, %%gs\n\tswapgs" ::"r"((u32)s.ds),
			 "r"((u32)s.es), "r"((u32)s.fs), "r"((u32)s.gs)
			 : "memory");
}

void user_selectors_save(struct task *task)
{
	task->arch.selectors = user_selectors_read();
	user_selectors_write((union user_selectors){});
}

void user_selectors_load(const struct task *task)
{
	user_selectors_write(task->arch.selectors);
}

/* Power-on values that programs expect: all exceptions masked (SDM vol. 1, 8.1.5 and 10.2.3). */
void arch_fpu_init(struct task *task)
{
	static const struct uapi_fpstate clean __aligned(16) = {.cwd = 0x037f, .mxcsr = 0x1f80};

	/* The running task's state is in the registers. */
	if (task == current)
		__asm__ volatile("fxrstor64 %0" ::"m"(clean));
	else
		memcpy(task->arch.fpu, &clean, sizeof(clean));
}

void arch_user_state_init(struct task *task)
{
	unsigned long flags = irq_save();

	arch_fpu_init(task);
	task->arch.selectors.any = 0;
	if (task == current)
		user_selectors_write(task->arch.selectors);
	/* After FS, which takes the base with it. */
	arch_set_tls(task, 0);
	irq_restore(flags);
}

void arch_fork(struct task *child, const struct task *parent)
{
	struct pt_regs *regs = (struct pt_regs *)(child->stack + KERNEL_STACK_SIZE) - 1;

	ASSERT(parent == current);
	*regs = *task_user_regs(parent);
	regs->ax = 0;
	child->arch.fs_base = parent->arch.fs_base;
	child->arch.selectors = user_selectors_read();
	__asm__ volatile("fxsave64 %0" : "=m"(child->arch.fpu));
}

void arch_user_thread_init(struct task *task, unsigned long entry, unsigned long arg,
			   unsigned long sp)
{
	struct pt_regs *regs = (struct pt_regs *)(task->stack + KERNEL_STACK_SIZE) - 1;

	arch_user_regs_init(regs, entry, sp);
	regs->di = arg;
	__asm__ volatile("fxsave64 %0" : "=m"(task->arch.fpu));
}

int arch_set_tls(struct task *task, unsigned long tls)
{
	/* One that is not canonical would fault here (Intel SDM vol. 2, WRMSR). */
	if (tls >= USER_END)
		return -EPERM;
	task->arch.fs_base = tls;
	if (task == current)
		wrmsr(MSR_FS_BASE, tls);
	return 0;
}
