/* SPDX-License-Identifier: MIT */
/*
 * The signal frame of ARMv7-A, at the stack pointer that the handler is entered with; LR has the
 * restorer. It begins with a frame record that leads to the interrupted instruction, and the
 * handler is entered with R11 there; the restorer's unwind table (user/libc/arm/restorer.S) says
 * the same. So a chain goes on through it.
 */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <uapi/ucontext.h>

#include <arch/irq.h>
#include <arch/regs.h>
#include <arch/signal.h>
#include <arch/switch.h>
#include <arch/uaccess.h>

/* What a program may set by itself (ARM DDI 0406C, B1.3.3): N Z C V Q, GE, E, and where to go on.
 */
#define CPSR_ARITHMETIC 0xf80f0000UL
#define CPSR_E          0x200UL
#define CPSR_IT         0x0600fc00UL

struct frame {
	unsigned long fp, pc; /* a frame record, as GCC makes them: R11 points at the second word */
	struct uapi_siginfo info;
	struct uapi_ucontext uc;
} __aligned(8);

_Static_assert(sizeof(struct frame) <= UAPI_MINSIGSTKSZ, "");
_Static_assert(offsetof(struct frame, uc.uc_mcontext.arm_r4) == UAPI_SIGNAL_FRAME_R4,
	       "restorer.S has this number");
_Static_assert(offsetof(struct uapi_mcontext, arm_cpsr) == offsetof(struct pt_regs, cpsr) &&
		   offsetof(struct uapi_mcontext, arm_pc) == offsetof(struct pt_regs, pc),
	       "the core registers are in the order of the trap frame");
_Static_assert(sizeof(((struct uapi_mcontext *)0)->vfp) == sizeof(struct vfp_state), "");

/*
 * In the saved status alone, where the processor has nothing: the interrupted instruction has
 * struck already, and is yet to be executed.
 */
#define CPSR_EXEMPT BIT(21)

#define CORE_REGS_SIZE (offsetof(struct pt_regs, cpsr) + sizeof(long))

/* A step is the interrupted code's, not the handler's. True: one was about to be made. */
static bool leave_step(const struct pt_regs *regs)
{
	struct arm_debug *debug;
	unsigned long flags = irq_save();
	bool exempt;

	debug = &this_cpu()->arch.debug;
	if (debug->step.on)
		step_put_off(debug);
	exempt = current->arch.exempt == (regs->pc | 1);
	current->arch.exempt = 0;
	irq_restore(flags);
	return exempt;
}

static void fill_frame(struct frame *frame, const struct pt_regs *regs,
		       const struct signal_call *call)
{
	struct uapi_ucontext *uc = &frame->uc;
	unsigned long flags;

	frame->fp = regs->r[11];
	frame->pc = regs->pc | (regs->cpsr & CPSR_T ? 1 : 0);
	frame->info = *call->info;
	/* What lies between the members is the program's to see, too. */
	memset(uc, 0, offsetof(struct uapi_ucontext, uc_mcontext));
	uc->uc_stack.ss_sp = (void *)(unsigned long)call->altstack.base;
	uc->uc_stack.ss_flags = call->altstack.flags;
	uc->uc_stack.ss_size = call->altstack.size;
	uc->uc_sigmask = call->mask;
	memcpy(&uc->uc_mcontext, regs, CORE_REGS_SIZE);
	if (leave_step(regs))
		uc->uc_mcontext.arm_cpsr |= CPSR_EXEMPT;
	uc->uc_mcontext.fault_address = call->info->addr;
	/* A switch in between would store and load them as well, but not half of them. */
	flags = irq_save();
	vfp_save((struct vfp_state *)&uc->uc_mcontext.vfp);
	irq_restore(flags);
	uc->uc_mcontext.vfp.unused = 0;
}

int arch_signal_call(struct pt_regs *regs, const struct signal_call *call)
{
	const struct uapi_sigaction *action = call->action;
	unsigned long top = call->stack_top ? call->stack_top : regs->sp;
	unsigned long at = ALIGN_DOWN(top - sizeof(struct frame), 8);
	struct frame frame;

	if (action->handler >= USER_END || top < sizeof(frame) || at < call->stack_low)
		return -EFAULT;
	fill_frame(&frame, regs, call);
	if (copy_to_user((void __user *)at, &frame, sizeof(frame)))
		return -EFAULT;
	regs->r[0] = call->info->signo;
	regs->r[1] = at + offsetof(struct frame, info);
	regs->r[2] = at + offsetof(struct frame, uc);
	regs->r[11] = at + offsetof(struct frame, pc);
	regs->sp = at;
	regs->lr = action->restorer;
	regs->pc = action->handler & (action->handler & 1 ? ~1UL : ~3UL);
	regs->cpsr = (regs->cpsr & CPSR_ARITHMETIC) | MODE_USR | (action->handler & 1 ? CPSR_T : 0);
	return 0;
}

/*
 * User mode, interrupts on, and a state that an exception return can load: ARM or Thumb, a PC that
 * is aligned for it, an IT block in Thumb state only (B1.8.10).
 */
static void make_user_state(struct pt_regs *regs)
{
	unsigned long cpsr = regs->cpsr;

	regs->cpsr = (cpsr & (CPSR_ARITHMETIC | CPSR_E)) | MODE_USR;
	if (cpsr & CPSR_T) {
		regs->cpsr |= CPSR_T | (cpsr & CPSR_IT);
		regs->pc &= ~1UL;
	} else {
		regs->pc &= ~3UL;
	}
}

int arch_signal_return(struct pt_regs *regs, uapi_sigset_t *mask)
{
	struct frame frame;
	unsigned long flags;

	if (copy_from_user(&frame, (const void __user *)regs->sp, sizeof(frame)) ||
	    frame.uc.uc_mcontext.arm_pc >= USER_END)
		return -EFAULT;
	leave_step(regs);
	memcpy(regs, &frame.uc.uc_mcontext, CORE_REGS_SIZE);
	make_user_state(regs);
	if (frame.uc.uc_mcontext.arm_cpsr & CPSR_EXEMPT)
		current->arch.exempt = regs->pc | 1;
	regs->orig_r0 = -1;
	flags = irq_save();
	vfp_restore((const struct vfp_state *)&frame.uc.uc_mcontext.vfp);
	irq_restore(flags);
	*mask = frame.uc.uc_sigmask;
	return 0;
}
