// SPDX-License-Identifier: MIT
/*
 * The trap frame and a task's first one: printing, fresh user frames, fork's copy, the first kernel
 * stack; and the proof that assembly's offsets are C's.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/mmu.h>
#include <arch/regs.h>
#include <arch/switch.h>
#include <asm/cp15.h>
#include <asm/offsets.h>

_Static_assert(offsetof(struct cpu, running) == CPU_CURRENT, "");
_Static_assert(offsetof(struct cpu, need_resched) == CPU_NEED_RESCHED, "");
_Static_assert(offsetof(struct arch_cpu, abort_record) == 0, "");
_Static_assert(offsetof(struct arch_cpu, emergency_sp) == ABORT_EMERGENCY_SP, "");
_Static_assert(offsetof(struct task, stack) == TASK_STACK, "");
_Static_assert(offsetof(struct task, work) == TASK_WORK, "");
_Static_assert(offsetof(struct cpu_start, stack) == CPU_START_STACK, "");
_Static_assert(offsetof(struct mmu, root) == 0, "boot/head.S reads kernel_mmu's");
_Static_assert(offsetof(struct vfp_state, fpscr) == 256, "vfp_save() stores in this order");
_Static_assert(offsetof(struct pt_regs, r[11]) == REGS_FP, "");
_Static_assert(offsetof(struct pt_regs, sp) == REGS_SP, "");
_Static_assert(offsetof(struct pt_regs, lr) == REGS_LR, "");
_Static_assert(offsetof(struct pt_regs, pc) == REGS_PC, "");
_Static_assert(offsetof(struct pt_regs, cpsr) == REGS_CPSR, "");
_Static_assert(offsetof(struct pt_regs, orig_r0) == REGS_ORIG_R0, "");
_Static_assert(sizeof(struct pt_regs) == REGS_SIZE, "");

void regs_print(const struct pt_regs *regs)
{
	const unsigned long *r = regs->r;
	unsigned long offset;
	const char *name = user_mode(regs) ? NULL : kallsyms_lookup(regs->pc, &offset, NULL);

	printk("pc %08lx  lr %08lx  cpsr %08lx", regs->pc, regs->lr, regs->cpsr);
	if (name)
		printk("  %s+0x%lx", name, offset);
	printk("\nsp %08lx  orig r0 %08lx  dfar %08x  dfsr %03x  ifar %08x  ifsr %03x\n", regs->sp,
	       regs->orig_r0, cp_read(DFAR), cp_read(DFSR), cp_read(IFAR), cp_read(IFSR));
	printk("r0 %08lx  r1 %08lx  r2 %08lx  r3 %08lx\n", r[0], r[1], r[2], r[3]);
	printk("r4 %08lx  r5 %08lx  r6 %08lx  r7 %08lx\n", r[4], r[5], r[6], r[7]);
	printk("r8 %08lx  r9 %08lx  r10 %08lx  fp %08lx  ip %08lx\n", r[8], r[9], r[10], r[11],
	       r[12]);
}

void arch_thread_init(struct task *task, void (*entry)(void *), void *arg)
{
	extern const char thread_start[];
	/* The user frame's place stays free: a kernel thread may become a process. */
	unsigned long *sp =
	    (unsigned long *)(task->stack + KERNEL_STACK_SIZE - sizeof(struct pt_regs));

	/* What arch_switch_stack() pops. */
	*--sp = (unsigned long)thread_start;
	for (int r = 11; r > 5; r--)
		*--sp = 0;
	*--sp = (unsigned long)arg;   /* r5 */
	*--sp = (unsigned long)entry; /* r4 */
	task->arch.sp = (unsigned long)sp;
}

void arm_switch_user_state(struct task *prev, struct task *next)
{
	if (!(prev->flags & TASK_KTHREAD)) {
		vfp_save(&prev->arch.vfp);
		prev->arch.tpidrurw = cp_read(TPIDRURW);
	}
	if (!(next->flags & TASK_KTHREAD)) {
		vfp_restore(&next->arch.vfp);
		cp_write(TPIDRURW, next->arch.tpidrurw);
		cp_write(TPIDRURO, next->arch.tpidruro);
	}
}

void arch_user_regs_init(struct pt_regs *regs, unsigned long entry, unsigned long sp)
{
	memset(regs, 0, sizeof(*regs));
	regs->pc = entry & ~1UL;
	regs->cpsr = MODE_USR | (entry & 1 ? CPSR_T : 0);
	regs->sp = sp;
	regs->orig_r0 = -1;
}

/* All zero: round to nearest, no exception trapped (FPSCR: ARM DDI 0406C, B4.1.58). */
void arch_fpu_init(struct task *task)
{
	memset(&task->arch.vfp, 0, sizeof(task->arch.vfp));
	/* The running task's state is in the registers, and the next switch would save that. */
	if (task == current)
		vfp_restore(&task->arch.vfp);
}

void arch_user_state_init(struct task *task)
{
	arch_fpu_init(task);
	arch_set_tls(task, 0);
	task->arch.tpidrurw = 0;
	if (task == current)
		cp_write(TPIDRURW, 0);
}

/* Copies current's state that is in registers. */
static void save_fpu(struct task *task)
{
	unsigned long flags = irq_save();

	vfp_save(&task->arch.vfp);
	irq_restore(flags);
}

void arch_fork(struct task *child, const struct task *parent)
{
	struct pt_regs *regs = (struct pt_regs *)(child->stack + KERNEL_STACK_SIZE) - 1;

	ASSERT(parent == current);
	*regs = *task_user_regs(parent);
	regs->r[0] = 0;
	save_fpu(child);
	child->arch.tpidrurw = cp_read(TPIDRURW);
	child->arch.tpidruro = parent->arch.tpidruro;
}

void arch_user_thread_init(struct task *task, unsigned long entry, unsigned long arg,
			   unsigned long sp)
{
	struct pt_regs *regs = (struct pt_regs *)(task->stack + KERNEL_STACK_SIZE) - 1;

	arch_user_regs_init(regs, entry, sp);
	regs->r[0] = arg;
	save_fpu(task);
}

int arch_set_tls(struct task *task, unsigned long tls)
{
	if (tls >= USER_END)
		return -EPERM;
	task->arch.tpidruro = tls;
	if (task == current)
		cp_write(TPIDRURO, tls);
	return 0;
}
