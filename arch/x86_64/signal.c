/* SPDX-License-Identifier: MIT */
/*
 * The signal frame of x86_64. From the bottom: the restorer, which the handler returns to, then
 * what struct frame has. It begins with a frame record that leads to the interrupted instruction,
 * and the handler is entered with RBP there: so a chain goes on through it.
 */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <uapi/ucontext.h>

#include <arch/irq.h>
#include <arch/regs.h>
#include <arch/signal.h>
#include <arch/switch.h>
#include <arch/uaccess.h>
#include <asm/uaccess.h>

#define RED_ZONE 128 /* bytes below RSP that leaf functions use (System V ABI AMD64, 3.2.2) */

/* RFLAGS (Intel SDM vol. 1, 3.4.3). */
#define FLAGS_ALWAYS 0x202 /* IF, and a bit that always is 1 */
#define FLAGS_TF     BIT(8)
#define FLAGS_DF     BIT(10)
#define FLAGS_RF     BIT(16)
#define FLAGS_AC     BIT(18)
/* What a program may set by itself: CF PF AF ZF SF TF DF OF RF AC ID. Not IOPL, NT, VM. */
#define FLAGS_USER   (0xcd5UL | FLAGS_TF | FLAGS_RF | FLAGS_AC | BIT(21))

#define MXCSR_MASK_DEFAULT 0xffbf /* where FXSAVE tells none (SDM vol. 1, 11.6.6) */

struct frame {
	unsigned long fp, ip; /* a frame record */
	struct uapi_siginfo info;
	unsigned long unused; /* so that what FXSAVE stores is aligned */
	struct uapi_ucontext uc;
};

/* As it is pushed. */
struct call_frame {
	unsigned long restorer;
	struct frame frame;
};

/* The rest of it is the FPU's state, which goes straight between the registers and user memory. */
#define BEFORE_FPU offsetof(struct frame, uc.uc_mcontext.fpregs)

_Static_assert(sizeof(struct call_frame) + RED_ZONE <= UAPI_MINSIGSTKSZ, "");
_Static_assert(sizeof(struct uapi_fpstate) == sizeof(((struct arch_task *)0)->fpu), "FXSAVE's");
_Static_assert(sizeof(struct frame) == BEFORE_FPU + sizeof(struct uapi_fpstate), "");
_Static_assert(BEFORE_FPU % 16 == 0, "as FXSAVE has it");

/* --- The FPU's state --- */

/* Which bits of MXCSR there are. */
static u32 mxcsr_mask(void)
{
	const struct uapi_fpstate *own = (const struct uapi_fpstate *)current->arch.fpu;
	unsigned long flags = irq_save();
	u32 mask;

	__asm__ volatile("fxsave64 %0" : "=m"(current->arch.fpu));
	mask = own->mxcr_mask ? own->mxcr_mask : MXCSR_MASK_DEFAULT;
	irq_restore(flags);
	return mask;
}

/* Loads @image without the bits for which FXRSTOR has refused it (SDM vol. 2), or might have. */
static noinline int fpu_load_allowed(const struct uapi_fpstate __user *image)
{
	struct uapi_fpstate *own = (struct uapi_fpstate *)current->arch.fpu, copy;
	unsigned long flags;

	if (copy_from_user(&copy, image, sizeof(copy)))
		return -EFAULT;
	copy.mxcsr &= mxcsr_mask();
	/* By way of current's place for it: the kernel's stacks are not aligned for FXRSTOR. */
	flags = irq_save();
	memcpy(own, &copy, sizeof(*own));
	__asm__ volatile("fxrstor64 %0" ::"m"(current->arch.fpu));
	irq_restore(flags);
	return 0;
}

/* Not every emulator refuses bits of MXCSR that there are not. */
static int fpu_load(const struct uapi_fpstate __user *image)
{
	u32 mxcsr;

	if (unlikely(fpu_from_user(image)))
		return fpu_load_allowed(image);
	__asm__("stmxcsr %0" : "=m"(mxcsr));
	return unlikely(mxcsr & ~MXCSR_MASK_DEFAULT) ? fpu_load_allowed(image) : 0;
}

/* --- The other registers --- */

static void save_regs(long long gregs[UAPI_NGREG], const struct pt_regs *regs)
{
	gregs[UAPI_REG_R8] = regs->r8;
	gregs[UAPI_REG_R9] = regs->r9;
	gregs[UAPI_REG_R10] = regs->r10;
	gregs[UAPI_REG_R11] = regs->r11;
	gregs[UAPI_REG_R12] = regs->r12;
	gregs[UAPI_REG_R13] = regs->r13;
	gregs[UAPI_REG_R14] = regs->r14;
	gregs[UAPI_REG_R15] = regs->r15;
	gregs[UAPI_REG_RDI] = regs->di;
	gregs[UAPI_REG_RSI] = regs->si;
	gregs[UAPI_REG_RBP] = regs->bp;
	gregs[UAPI_REG_RBX] = regs->bx;
	gregs[UAPI_REG_RDX] = regs->dx;
	gregs[UAPI_REG_RAX] = regs->ax;
	gregs[UAPI_REG_RCX] = regs->cx;
	gregs[UAPI_REG_RSP] = regs->sp;
	gregs[UAPI_REG_RIP] = regs->ip;
	gregs[UAPI_REG_EFL] = regs->flags;
}

/* CS and SS stay what they are. The IP is one of user space, or IRET would fault in the kernel. */
static void load_regs(struct pt_regs *regs, const long long gregs[UAPI_NGREG])
{
	regs->r8 = gregs[UAPI_REG_R8];
	regs->r9 = gregs[UAPI_REG_R9];
	regs->r10 = gregs[UAPI_REG_R10];
	regs->r11 = gregs[UAPI_REG_R11];
	regs->r12 = gregs[UAPI_REG_R12];
	regs->r13 = gregs[UAPI_REG_R13];
	regs->r14 = gregs[UAPI_REG_R14];
	regs->r15 = gregs[UAPI_REG_R15];
	regs->di = gregs[UAPI_REG_RDI];
	regs->si = gregs[UAPI_REG_RSI];
	regs->bp = gregs[UAPI_REG_RBP];
	regs->bx = gregs[UAPI_REG_RBX];
	regs->dx = gregs[UAPI_REG_RDX];
	regs->ax = gregs[UAPI_REG_RAX];
	regs->cx = gregs[UAPI_REG_RCX];
	regs->sp = gregs[UAPI_REG_RSP];
	regs->ip = gregs[UAPI_REG_RIP];
	regs->flags = (gregs[UAPI_REG_EFL] & FLAGS_USER) | FLAGS_ALWAYS;
}

/* --- Calls --- */

static void fill_frame(struct frame *frame, const struct pt_regs *regs,
		       const struct signal_call *call)
{
	struct uapi_ucontext *uc = &frame->uc;

	frame->fp = regs->bp;
	frame->ip = regs->ip;
	frame->info = *call->info;
	frame->unused = 0;
	/* What lies between the members is the program's to see, too. */
	memset(uc, 0, offsetof(struct uapi_ucontext, uc_mcontext));
	uc->uc_stack.ss_sp = (void *)call->altstack.base;
	uc->uc_stack.ss_flags = call->altstack.flags;
	uc->uc_stack.ss_size = call->altstack.size;
	uc->uc_sigmask = call->mask;
	save_regs(uc->uc_mcontext.gregs, regs);
}

int arch_signal_call(struct pt_regs *regs, const struct signal_call *call)
{
	const struct uapi_sigaction *action = call->action;
	unsigned long top = call->stack_top ? call->stack_top : regs->sp - RED_ZONE;
	unsigned long at = ALIGN_DOWN(top - sizeof(struct frame), 16);
	unsigned long sp = at - offsetof(struct call_frame, frame);
	struct call_frame f;

	if (action->handler >= USER_END || top < sizeof(f) || top > USER_END ||
	    sp < call->stack_low)
		return -EFAULT;
	f.restorer = action->restorer;
	fill_frame(&f.frame, regs, call);
	if (copy_to_user((void __user *)sp, &f, offsetof(struct call_frame, frame) + BEFORE_FPU) ||
	    fpu_to_user((void __user *)(at + BEFORE_FPU)))
		return -EFAULT;
	/* Nobody knows what a handler interrupts, so it begins with a clean state. */
	arch_fpu_init(current);
	regs->di = call->info->signo;
	regs->si = at + offsetof(struct frame, info);
	regs->dx = at + offsetof(struct frame, uc);
	regs->ax = 0; /* no vector registers hold arguments, to a function without prototype */
	regs->ip = action->handler;
	regs->sp = sp;
	regs->bp = at;
	regs->flags &= ~(FLAGS_DF | FLAGS_TF | FLAGS_RF | FLAGS_AC);
	return 0;
}

int arch_signal_return(struct pt_regs *regs, uapi_sigset_t *mask)
{
	unsigned long at = regs->sp;
	struct frame frame;

	if (!user_range_ok(at, sizeof(frame)) ||
	    copy_from_user(&frame, (const void __user *)at, BEFORE_FPU) ||
	    (unsigned long)frame.uc.uc_mcontext.gregs[UAPI_REG_RIP] >= USER_END ||
	    fpu_load((const void __user *)(at + BEFORE_FPU)))
		return -EFAULT;
	load_regs(regs, frame.uc.uc_mcontext.gregs);
	*mask = frame.uc.uc_sigmask;
	return 0;
}
