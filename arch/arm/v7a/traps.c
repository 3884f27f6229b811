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
#include <asm/cp15.h>
#include <asm/interrupts.h>
#include <asm/traps.h>

/* Fault status registers (ARM DDI 0406C, B4.1.52 and B3.13.3): bits 10 and 3:0 say what it was. */
#define FSR_STATUS(fsr) (((fsr) >> 6 & 0x10) | ((fsr)&0xf))
#define DFSR_WRITE      BIT(11)

#define STATUS_DEBUG       0x02
#define STATUS_PERMISSION  0x0f
#define STATUS_ASYNC_ABORT 0x16

static const struct {
	const char *name;
	u8 signal;    /* what a program gets; 0: never its fault */
	u8 code;      /* and that signal's */
	bool mapping; /* the page tables say no, which mm_fault() may change */
} faults[32] = {
    [0x01] = {"alignment fault", UAPI_SIGBUS, UAPI_BUS_ADRALN},
    [STATUS_DEBUG] = {"breakpoint", UAPI_SIGTRAP, UAPI_TRAP_BRKPT},
    [0x04] = {"fault on cache maintenance", UAPI_SIGSEGV, UAPI_SI_KERNEL},
    [0x05] = {"page fault", UAPI_SIGSEGV, 0, true}, /* translation, first level */
    [0x07] = {"page fault", UAPI_SIGSEGV, 0, true}, /* second level */
    [0x08] = {"external abort", UAPI_SIGBUS, UAPI_BUS_OBJERR},
    [0x09] = {"domain fault", UAPI_SIGSEGV, UAPI_SEGV_ACCERR},
    [0x0b] = {"domain fault", UAPI_SIGSEGV, UAPI_SEGV_ACCERR},
    [0x0c] = {"external abort on a table walk", 0},
    [0x0d] = {"page fault", UAPI_SIGSEGV, 0, true}, /* permission, first level */
    [0x0e] = {"external abort on a table walk", 0},
    [STATUS_PERMISSION] = {"page fault", UAPI_SIGSEGV, 0, true}, /* second level */
    [0x10] = {"TLB conflict", 0},
    /* In user mode it is of a program's own write to a device: the kernel waits for its own. */
    [STATUS_ASYNC_ABORT] = {"asynchronous external abort", UAPI_SIGBUS, UAPI_BUS_OBJERR},
    [0x18] = {"asynchronous parity error", 0},
    [0x19] = {"parity error", 0},
    [0x1c] = {"parity error on a table walk", 0},
    [0x1e] = {"parity error on a table walk", 0},
};

static const char *fault_name(u32 status)
{
	return faults[status].name ? faults[status].name : "abort of unknown cause";
}

static const char *access_name(unsigned access)
{
	return access == MMU_EXEC ? "execute" : access == MMU_WRITE ? "write" : "read";
}

/* From a program: it gets the signal, if that is its own fault. */
static void program_fault(struct pt_regs *regs, u32 status, unsigned long addr, int err)
{
	if (!faults[status].signal)
		panic_regs(regs, "%s", fault_name(status));
	if (faults[status].mapping) {
		irq_enable();
		process_page_fault(regs, addr, err);
		irq_disable();
	} else {
		signal_fault(faults[status].signal, faults[status].code, addr, fault_name(status));
	}
}

/* An abort on an @access to @addr. Interrupts off; what the processor says of it has been read. */
static void handle_abort(struct pt_regs *regs, u32 status, unsigned long addr, unsigned access)
{
	int err = -EFAULT;

	/* The kernel touches user memory in the copy functions and nowhere else. */
	if (!user_mode(regs) &&
	    (!faults[status].signal || status == STATUS_ASYNC_ABORT || !extable_covers(regs)))
		panic_regs(regs, "%s: cannot %s address 0x%lx", fault_name(status),
			   access_name(access), addr);
	if (faults[status].mapping && !(regs->cpsr & CPSR_I) && current->mm && addr < USER_END) {
		/* Anything may fault again from here on. */
		irq_enable();
		err = mm_fault(current->mm, addr, access, regs);
		irq_disable();
	}
	if (!err)
		return;
	if (user_mode(regs))
		program_fault(regs, status, addr, err);
	else
		extable_fixup(regs);
}

/*
 * What the kernel's stepped instruction has yet to do, it does without striking; unless it goes on
 * where the exception table says.
 */
static noinline void abort_in_step(struct pt_regs *regs, u32 status, unsigned long addr,
				   unsigned access)
{
	unsigned long pc = regs->pc;

	step_faulted(regs);
	handle_abort(regs, status, addr, access);
	if (regs->pc != pc && current->arch.exempt == (pc | 1))
		current->arch.exempt = 0;
}

static noinline void abort_of(struct pt_regs *regs, u32 status, unsigned long addr, unsigned access)
{
	if (unlikely(this_cpu()->arch.debug.step.on))
		abort_in_step(regs, status, addr, access);
	else
		handle_abort(regs, status, addr, access);
}

static noinline void other_data_abort(struct pt_regs *regs, u32 dfsr, u32 status,
				      unsigned long addr)
{
	if (status == STATUS_ASYNC_ABORT && this_cpu()->arch.async_abort_expected) {
		printk("cpu: an external abort was pending at start\n");
		return;
	}
	abort_of(regs, status, addr, dfsr & DFSR_WRITE ? MMU_WRITE : MMU_READ);
}

/* What the processor says of it has been read when something may strike. */
__noinstr void data_abort(struct pt_regs *regs)
{
	u32 dfsr = cp_read(DFSR), status = FSR_STATUS(dfsr);
	unsigned long addr = cp_read(DFAR);

	if (likely(status == STATUS_DEBUG))
		debug_data_abort(regs, addr);
	else
		other_data_abort(regs, dfsr, status, addr);
}

/*
 * Of a debug event IFAR says nothing (B3.13.4), but it is always at the instruction. Where a
 * program jumps to the kernel, and a breakpoint is there, what it gets is the fault that the
 * breakpoint came before: the kernel's instructions are not its own to be read, stepped over or
 * carried out.
 */
__noinstr void prefetch_abort(struct pt_regs *regs)
{
	u32 ifsr = cp_read(IFSR), status = FSR_STATUS(ifsr);

	if (status != STATUS_DEBUG)
		abort_of(regs, status, cp_read(IFAR), MMU_EXEC);
	else if (unlikely(regs->pc >= USER_END) && user_mode(regs))
		abort_of(regs, STATUS_PERMISSION, regs->pc, MMU_EXEC);
	else if (!debug_prefetch_abort(regs))
		abort_of(regs, status, regs->pc, MMU_EXEC);
}

void undefined_instruction(struct pt_regs *regs)
{
	struct arch_cpu *arch = &this_cpu()->arch;

	/* LR is past the instruction, or past the first half of one in Thumb state (B1.8.3). */
	regs->pc -= regs->cpsr & CPSR_T ? 2 : 4;
	if (user_mode(regs)) {
		signal_fault(UAPI_SIGILL, UAPI_ILL_ILLOPC, regs->pc, "undefined instruction");
	} else if (arch->skip_undefined) {
		arch->met_undefined = true;
		regs->pc += 4;
	} else if (!extable_fixup(regs)) {
		panic_regs(regs, "undefined instruction");
	}
}

void unexpected_exception(struct pt_regs *regs)
{
	panic_regs(regs, "unexpected FIQ");
}

void irq_interrupt(struct pt_regs *regs)
{
	irq_enter();
	arm_irq_dispatch(regs);
	irq_exit();
	/* Kernel code is preempted where it was interruptible; exit_work() does it for user code.
	 */
	if (!user_mode(regs) && this_cpu()->need_resched) {
		percpu_reread(regs);
		preempt_schedule();
	}
}

/*
 * From entry.S on the emergency stack: an exception found no room for its frame. The record has the
 * place of the abort; if that was in the entry code, the frame that it was storing has the place
 * before.
 */
void stack_fault(struct pt_regs *regs)
{
	extern const char __entry_text_start[], __entry_text_end[];
	const u32 *record = this_cpu()->arch.abort_record;
	unsigned long low = current->stack;

	regs->pc = record[0];
	regs->cpsr = record[1];
	regs->orig_r0 = -1;
	if (regs->pc >= (unsigned long)__entry_text_start &&
	    regs->pc < (unsigned long)__entry_text_end && (regs->cpsr & CPSR_MODE) == MODE_SVC) {
		const struct pt_regs *partial = (const struct pt_regs *)regs->sp;

		regs->pc = partial->pc;
		regs->cpsr = partial->cpsr;
		regs->sp = (unsigned long)&partial->orig_r0;
	}
	if (regs->sp - (low - PAGE_SIZE) < 2 * PAGE_SIZE)
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
