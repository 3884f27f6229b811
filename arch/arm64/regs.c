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
#include <asm/offsets.h>
#include <asm/sysreg.h>

_Static_assert(offsetof(struct cpu, running) == CPU_CURRENT, "");
_Static_assert(offsetof(struct cpu, need_resched) == CPU_NEED_RESCHED, "");
_Static_assert(offsetof(struct cpu, arch.emergency_sp) == CPU_EMERGENCY_SP, "");
_Static_assert(offsetof(struct cpu, arch.stepping) == CPU_STEPPING, "");
_Static_assert(offsetof(struct task, stack) == TASK_STACK, "");
_Static_assert(offsetof(struct task, work) == TASK_WORK, "");
_Static_assert(offsetof(struct cpu_start, stack) == CPU_START_STACK, "");
_Static_assert(offsetof(struct mmu, root) == 0, "boot/head.S reads kernel_mmu's");
_Static_assert(DIRECT_MAP_BASE == 0xffff800000000000, "boot/head.S has this number");
_Static_assert(offsetof(struct fpsimd_state, fpsr) == 512, "fpsimd_save() stores in this order");
_Static_assert(offsetof(struct pt_regs, x[ARM64_FP]) == REGS_FP, "");
_Static_assert(offsetof(struct pt_regs, x[ARM64_LR]) == REGS_LR, "");
_Static_assert(offsetof(struct pt_regs, sp) == REGS_SP, "");
_Static_assert(offsetof(struct pt_regs, pc) == REGS_PC, "");
_Static_assert(offsetof(struct pt_regs, pstate) == REGS_PSTATE, "");
_Static_assert(offsetof(struct pt_regs, orig_x0) == REGS_ORIG_X0, "");
_Static_assert(offsetof(struct pt_regs, record) == REGS_RECORD, "");
_Static_assert(sizeof(struct pt_regs) == REGS_SIZE && REGS_SIZE % 16 == 0, "");

void regs_print(const struct pt_regs *regs)
{
	const unsigned long *x = regs->x;
	unsigned long offset;
	const char *name = user_mode(regs) ? NULL : kallsyms_lookup(regs->pc, &offset, NULL);

	printk("pc %016lx  lr %016lx  pstate %08lx", regs->pc, x[ARM64_LR], regs->pstate);
	if (name)
		printk("  %s+0x%lx", name, offset);
	printk("\nsp %016lx  orig x0 %lx  esr %08llx  far %016llx\n", regs->sp, regs->orig_x0,
	       sysreg_read(ESR_EL1), sysreg_read(FAR_EL1));
	for (int i = 0; i < 30; i += 3)
		printk("x%-2d %016lx  x%-2d %016lx  x%-2d %016lx\n", i, x[i], i + 1, x[i + 1],
		       i + 2, x[i + 2]);
}

void arch_thread_init(struct task *task, void (*entry)(void *), void *arg)
{
	extern const char thread_start[];
	/* The user frame's place stays free: a kernel thread may become a process. */
	unsigned long *sp =
	    (unsigned long *)(task->stack + KERNEL_STACK_SIZE - sizeof(struct pt_regs));

	/* What thread_start pops, and before it arch_switch_stack(). */
	*--sp = (unsigned long)arg;
	*--sp = (unsigned long)entry;
	*--sp = (unsigned long)thread_start;
	*--sp = 0;
	task->arch.sp = (unsigned long)sp;
}

void arm64_switch_user_state(struct task *prev, struct task *next)
{
	if (!(prev->flags & TASK_KTHREAD)) {
		fpsimd_save(&prev->arch.fpsimd);
		prev->arch.tpidr = sysreg_read(TPIDR_EL0);
	}
	if (!(next->flags & TASK_KTHREAD)) {
		fpsimd_restore(&next->arch.fpsimd);
		sysreg_write(TPIDR_EL0, next->arch.tpidr);
	}
}

void arch_user_regs_init(struct pt_regs *regs, unsigned long entry, unsigned long sp)
{
	memset(regs, 0, sizeof(*regs));
	regs->pc = entry;
	regs->pstate = MODE_EL0;
	regs->sp = sp;
	regs->orig_x0 = -1;
}

/* All zero: round to nearest, no exception trapped (FPCR: Arm ARM DDI 0487, C5.2.8). */
void arch_fpu_init(struct task *task)
{
	memset(&task->arch.fpsimd, 0, sizeof(task->arch.fpsimd));
	/* The running task's state is in the registers, and the next switch would save that. */
	if (task == current)
		fpsimd_restore(&task->arch.fpsimd);
}

void arch_user_state_init(struct task *task)
{
	arch_fpu_init(task);
	arch_set_tls(task, 0);
}

/* Copies current's state that is in registers. */
static void save_fpu(struct task *task)
{
	unsigned long flags = irq_save();

	fpsimd_save(&task->arch.fpsimd);
	irq_restore(flags);
}

void arch_fork(struct task *child, const struct task *parent)
{
	struct pt_regs *regs = (struct pt_regs *)(child->stack + KERNEL_STACK_SIZE) - 1;

	ASSERT(parent == current);
	*regs = *task_user_regs(parent);
	regs->x[0] = 0;
	save_fpu(child);
	child->arch.tpidr = sysreg_read(TPIDR_EL0);
}

void arch_user_thread_init(struct task *task, unsigned long entry, unsigned long arg,
			   unsigned long sp)
{
	struct pt_regs *regs = (struct pt_regs *)(task->stack + KERNEL_STACK_SIZE) - 1;

	arch_user_regs_init(regs, entry, sp);
	regs->x[0] = arg;
	save_fpu(task);
}

int arch_set_tls(struct task *task, unsigned long tls)
{
	if (tls >= USER_END)
		return -EPERM;
	task->arch.tpidr = tls;
	if (task == current)
		sysreg_write(TPIDR_EL0, tls);
	return 0;
}
