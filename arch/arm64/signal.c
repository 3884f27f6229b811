/* SPDX-License-Identifier: MIT */
/*
 * The signal frame of AArch64, at the stack pointer that the handler is entered with; x30 has the
 * restorer. It begins with a frame record that leads to the interrupted instruction, and the
 * handler is entered with x29 there: so a chain goes on through it.
 */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <uapi/ucontext.h>

#include <arch/irq.h>
#include <arch/regs.h>
#include <arch/signal.h>
#include <arch/switch.h>
#include <arch/uaccess.h>

/* What a program may set by itself (Arm ARM DDI 0487, C5.2): N Z C V, and where the processor has
 * them DIT and SSBS. */
#define PSTATE_USER (0xf0000000UL | BIT(24) | BIT(12))

struct frame {
	struct frame_record record;
	struct uapi_siginfo info;
	struct uapi_ucontext uc;
} __aligned(16);

_Static_assert(sizeof(struct frame) <= UAPI_MINSIGSTKSZ, "");
_Static_assert(sizeof(((struct uapi_mcontext *)0)->fpsimd) == sizeof(struct fpsimd_state), "");
_Static_assert(offsetof(struct uapi_mcontext, pstate) - offsetof(struct uapi_mcontext, regs) ==
		   offsetof(struct pt_regs, pstate),
	       "the core registers are in the order of the trap frame");

#define CORE_REGS_SIZE (offsetof(struct pt_regs, pstate) + sizeof(long))

/*
 * In the saved status, where a program's is 0: the interrupted instruction has struck already, and
 * is yet to be executed.
 */
#define PSTATE_EXEMPT PSTATE_SS

/* A step is the interrupted code's, not the handler's. True: one was about to be made. */
static bool leave_step(const struct pt_regs *regs)
{
	bool exempt = current->arch.exempt == (regs->pc | 1);

	current->arch.exempt = 0;
	return exempt;
}

static void fill_frame(struct frame *frame, const struct pt_regs *regs,
		       const struct signal_call *call)
{
	struct uapi_mcontext *mc = &frame->uc.uc_mcontext;
	unsigned long flags;

	memset(frame, 0, sizeof(*frame));
	frame->record = (struct frame_record){regs->x[ARM64_FP], regs->pc};
	frame->info = *call->info;
	frame->uc.uc_stack.ss_sp = (void *)call->altstack.base;
	frame->uc.uc_stack.ss_flags = call->altstack.flags;
	frame->uc.uc_stack.ss_size = call->altstack.size;
	frame->uc.uc_sigmask = call->mask;
	memcpy(mc->regs, regs, CORE_REGS_SIZE);
	if (leave_step(regs))
		mc->pstate |= PSTATE_EXEMPT;
	mc->fault_address = call->info->addr;
	/* A switch in between would store and load them as well, but not half of them. */
	flags = irq_save();
	fpsimd_save((struct fpsimd_state *)&mc->fpsimd);
	irq_restore(flags);
}

int arch_signal_call(struct pt_regs *regs, const struct signal_call *call)
{
	const struct uapi_sigaction *action = call->action;
	unsigned long top = call->stack_top ? call->stack_top : regs->sp;
	unsigned long at = ALIGN_DOWN(top - sizeof(struct frame), 16);
	struct frame frame;

	if (action->handler >= USER_END || top < sizeof(frame) || at < call->stack_low)
		return -EFAULT;
	fill_frame(&frame, regs, call);
	if (copy_to_user((void __user *)at, &frame, sizeof(frame)))
		return -EFAULT;
	regs->x[0] = call->info->signo;
	regs->x[1] = at + offsetof(struct frame, info);
	regs->x[2] = at + offsetof(struct frame, uc);
	regs->x[ARM64_FP] = at + offsetof(struct frame, record);
	regs->x[ARM64_LR] = action->restorer;
	regs->sp = at;
	regs->pc = action->handler;
	regs->pstate = MODE_EL0;
	return 0;
}

int arch_signal_return(struct pt_regs *regs, uapi_sigset_t *mask)
{
	struct frame frame;
	const struct uapi_mcontext *mc = &frame.uc.uc_mcontext;
	unsigned long flags;

	if (copy_from_user(&frame, (const void __user *)regs->sp, sizeof(frame)) ||
	    mc->pc >= USER_END)
		return -EFAULT;
	memcpy(regs, mc->regs, CORE_REGS_SIZE);
	current->arch.exempt = mc->pstate & PSTATE_EXEMPT ? regs->pc | 1 : 0;
	regs->pstate = (regs->pstate & PSTATE_USER) | MODE_EL0;
	regs->orig_x0 = -1;
	flags = irq_save();
	fpsimd_restore((const struct fpsimd_state *)&mc->fpsimd);
	irq_restore(flags);
	*mask = frame.uc.uc_sigmask;
	return 0;
}
