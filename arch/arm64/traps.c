// SPDX-License-Identifier: MIT
/*
 * Exceptions and interrupts after entry.S has stored the registers: what struck, who handles it,
 * and what happens on the way back.
 */
#include <hotregs/address_space.h>
#include <hotregs/cpu.h>
#include <hotregs/irq.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <uapi/types.h>

#include <arch/uaccess.h>
#include <asm/interrupts.h>
#include <asm/sysreg.h>
#include <asm/traps.h>

/* ESR_EL1 of an abort (Arm ARM DDI 0487, D17.2.37): what it was, and on which access. */
#define ISS_STATUS(esr) ((esr)&0x3f)
#define ISS_WRITE       BIT(6) /* of a cache maintenance instruction (CM), too, which reads */
#define ISS_CM          BIT(8)

static const struct fault {
	const char *name;
	u8 signal;    /* what a program gets; 0: never its fault */
	u8 code;      /* and that signal's */
	bool mapping; /* the page tables say no, which mm_fault() may change */
} faults[64] = {
    [0x00 ... 0x03] = {"page fault", UAPI_SIGSEGV, UAPI_SI_KERNEL}, /* address size */
    [0x04 ... 0x07] = {"page fault", UAPI_SIGSEGV, 0, true},        /* translation, by level */
    [0x08 ... 0x0b] = {"access flag fault", 0},
    [0x0c ... 0x0f] = {"page fault", UAPI_SIGSEGV, 0, true}, /* permission */
    [0x10] = {"external abort", UAPI_SIGBUS, UAPI_BUS_OBJERR},
    [0x14 ... 0x17] = {"external abort on a table walk", 0},
    [0x18] = {"parity error", 0},
    [0x1c ... 0x1f] = {"parity error on a table walk", 0},
    [0x21] = {"alignment fault", UAPI_SIGBUS, UAPI_BUS_ADRALN},
    [0x30] = {"TLB conflict", 0},
    [0x35] = {"exclusive access to a device", UAPI_SIGBUS, UAPI_BUS_OBJERR},
};

static const char *fault_name(const struct fault *fault)
{
	return fault->name ? fault->name : "abort of unknown cause";
}

static const char *access_name(unsigned access)
{
	return access == MMU_EXEC ? "execute" : access == MMU_WRITE ? "write" : "read";
}

/* From a program: it gets the signal, if that is its own fault. */
static void program_fault(struct pt_regs *regs, const struct fault *fault, unsigned long addr,
			  int err)
{
	if (!fault->signal)
		panic_regs(regs, "%s", fault_name(fault));
	if (fault->mapping) {
		irq_enable();
		process_page_fault(regs, addr, err);
		irq_disable();
	} else {
		signal_fault(fault->signal, fault->code, addr, fault_name(fault));
	}
}

/* The kernel's own, or one that it has met for a program. */
static noinline void kernel_fault(struct pt_regs *regs, const struct fault *fault,
				  unsigned long addr, unsigned access)
{
	if (addr - (current->stack - PAGE_SIZE) < PAGE_SIZE)
		panic_regs(regs, "kernel stack overflow");
	panic_regs(regs, "%s: cannot %s address 0x%lx", fault_name(fault), access_name(access),
		   addr);
}

/* An abort on an @access to @addr. Interrupts off; what the processor says of it has been read. */
static void handle_abort(struct pt_regs *regs, u64 esr, unsigned long addr, unsigned access)
{
	const struct fault *fault = &faults[ISS_STATUS(esr)];
	int err = -EFAULT;

	/* The kernel touches user memory in the copy functions and nowhere else. */
	if (!user_mode(regs) && (!fault->signal || !extable_covers(regs)))
		kernel_fault(regs, fault, addr, access);
	if (fault->mapping && !(regs->pstate & PSTATE_I) && current->mm && addr < USER_END) {
		/* Anything may fault again from here on. */
		irq_enable();
		err = mm_fault(current->mm, addr, access, regs);
		irq_disable();
	}
	if (!err)
		return;
	if (user_mode(regs))
		program_fault(regs, fault, addr, err);
	else
		extable_fixup(regs);
}

static unsigned data_access(u64 esr)
{
	return (esr & (ISS_WRITE | ISS_CM)) == ISS_WRITE ? MMU_WRITE : MMU_READ;
}

/* What an exception of a program's is that no abort is. */
static void program_exception(struct pt_regs *regs, u64 esr)
{
	switch (ESR_EC(esr)) {
	case EC_BRK:
		signal_fault(UAPI_SIGTRAP, UAPI_TRAP_BRKPT, regs->pc, "breakpoint instruction");
		break;
	case EC_PC_ALIGNMENT:
		signal_fault(UAPI_SIGBUS, UAPI_BUS_ADRALN, regs->pc, "misaligned PC");
		break;
	case EC_SP_ALIGNMENT:
		signal_fault(UAPI_SIGBUS, UAPI_BUS_ADRALN, regs->sp, "misaligned SP");
		break;
	default:
		signal_fault(UAPI_SIGILL, UAPI_ILL_ILLOPC, regs->pc, "undefined instruction");
		break;
	}
}

/*
 * What both levels take: of each the code from the kernel is one more than a program's. False: it
 * is none of these.
 */
static inline bool common_exception(struct pt_regs *regs, u64 esr)
{
	unsigned long far = sysreg_read(FAR_EL1);

	switch (ESR_EC(esr) & ~1UL) {
	case EC_BREAKPOINT:
	case EC_WATCHPOINT:
	case EC_STEP:
		debug_exception(regs, esr, far);
		return true;
	}
	unmask_debug(regs);
	switch (ESR_EC(esr) & ~1UL) {
	case EC_DATA:
		handle_abort(regs, esr, far, data_access(esr));
		return true;
	case EC_INSTRUCTION:
		handle_abort(regs, esr, far, MMU_EXEC);
		return true;
	}
	return false;
}

void user_exception(struct pt_regs *regs, u64 esr)
{
	if (!common_exception(regs, esr))
		program_exception(regs, esr);
}

void kernel_exception(struct pt_regs *regs, u64 esr)
{
	if (!common_exception(regs, esr) && !extable_fixup(regs))
		panic_regs(regs, "undefined instruction or the like (ESR_EL1 %08llx)", esr);
}

void unexpected_exception(struct pt_regs *regs)
{
	unmask_debug(regs);
	panic_regs(regs, "unexpected exception");
}

/* In user mode it is of a program's own write to a device: the kernel waits for its own. */
void serror_interrupt(struct pt_regs *regs)
{
	unmask_debug(regs);
	if (this_cpu()->arch.serror_expected)
		printk("cpu: an SError was pending at start\n");
	else if (user_mode(regs))
		signal_fault(UAPI_SIGBUS, UAPI_BUS_OBJERR, 0, "asynchronous external abort");
	else
		panic_regs(regs, "SError interrupt");
}

void irq_interrupt(struct pt_regs *regs)
{
	unmask_debug(regs);
	irq_enter();
	arm_irq_dispatch(regs);
	irq_exit();
	/* Kernel code is preempted where it was interruptible; exit_work() does it for user code.
	 */
	if (!user_mode(regs) && this_cpu()->need_resched)
		preempt_schedule();
}

/* From entry.S on the emergency stack: an exception found no room for its frame. */
void stack_fault(struct pt_regs *regs)
{
	regs->orig_x0 = -1;
	if (regs->sp - (current->stack - PAGE_SIZE) < 2 * PAGE_SIZE)
		panic_regs(regs, "kernel stack overflow");
	panic_regs(regs, "no kernel stack");
}

/*
 * From entry.S before a return to user mode (@syscall: from a system call) that has work to do,
 * interrupts off. What it finds done can be undone by the next interrupt, so it looks again after
 * each turn.
 */
void exit_work(struct pt_regs *regs, bool syscall)
{
	/* Behind a debug exception they still are masked, and its step may be on. */
	unmask_debug(regs);
	while (this_cpu()->need_resched || READ_ONCE(current->work)) {
		if (this_cpu()->need_resched)
			schedule();
		if (READ_ONCE(current->work)) {
			irq_enable();
			exit_to_user(regs, syscall);
			irq_disable();
		}
	}
}
