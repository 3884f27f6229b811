/* SPDX-License-Identifier: MIT */
/*
 * Exceptions and interrupts after entry.S has stored the registers: who handles which vector, and
 * what happens on the way back.
 */
#include <hotregs/address_space.h>
#include <hotregs/cpu.h>
#include <hotregs/irq.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/time.h>
#include <uapi/types.h>

#include <arch/uaccess.h>

#include <asm/debugreg.h>
#include <asm/lapic.h>
#include <asm/traps.h>
#include <asm/vectors.h>

/* Page-fault error code (Intel SDM vol. 3, 4.7). */
#define PF_WRITE BIT(1)
#define PF_USER  BIT(2)
#define PF_FETCH BIT(4)

/* An interrupt-descriptor-table gate (SDM vol. 3, 6.14.1). */
struct idt_gate {
	u16 offset_low, selector;
	u8 ist, type;
	u16 offset_mid;
	u32 offset_high, reserved;
};

static struct idt_gate idt[256] __aligned(16) __debug_data;

static const struct {
	const char *name;
	u8 signal; /* what a program gets; 0: never its fault */
	u8 code;   /* and that signal's; 0: see floating_point_code() */
} exceptions[32] = {
    [0] = {"divide error", UAPI_SIGFPE, UAPI_FPE_INTDIV},
    [2] = {"NMI", 0},
    [3] = {"breakpoint", UAPI_SIGTRAP, UAPI_TRAP_BRKPT},
    [4] = {"overflow", UAPI_SIGSEGV, UAPI_SI_KERNEL},
    [5] = {"bound range exceeded", UAPI_SIGSEGV, UAPI_SI_KERNEL},
    [6] = {"invalid opcode", UAPI_SIGILL, UAPI_ILL_ILLOPC},
    [7] = {"device not available", UAPI_SIGFPE, UAPI_SI_KERNEL},
    [8] = {"double fault", 0},
    [10] = {"invalid TSS", UAPI_SIGSEGV, UAPI_SI_KERNEL},
    [11] = {"segment not present", UAPI_SIGBUS, UAPI_SI_KERNEL},
    [12] = {"stack-segment fault", UAPI_SIGBUS, UAPI_SI_KERNEL},
    [13] = {"general protection fault", UAPI_SIGSEGV, UAPI_SI_KERNEL},
    [14] = {"page fault", UAPI_SIGSEGV},
    [16] = {"x87 floating-point error", UAPI_SIGFPE},
    [17] = {"alignment check", UAPI_SIGBUS, UAPI_BUS_ADRALN},
    [18] = {"machine check", 0},
    [19] = {"SIMD floating-point exception", UAPI_SIGFPE},
    [21] = {"control protection", UAPI_SIGSEGV, UAPI_SI_KERNEL},
};

static const char *exception_name(unsigned vector)
{
	return exceptions[vector].name ? exceptions[vector].name : "reserved exception";
}

void idt_set_entry(unsigned vector, const char *entry)
{
	unsigned long offset = (unsigned long)entry;

	idt[vector].offset_low = offset;
	idt[vector].offset_mid = offset >> 16;
	idt[vector].offset_high = offset >> 32;
}

void idt_init(void)
{
	for (unsigned v = 0; v < 256; v++) {
		idt_set_entry(v, trap_stubs + 16 * v);
		idt[v].selector = KERNEL_CS;
		idt[v].type = 0x8e; /* present, interrupt gate: entered with interrupts off */
	}
	idt[VECTOR_NMI].ist = IST_NMI;
	idt[VECTOR_DOUBLE_FAULT].ist = IST_DOUBLE_FAULT;
	/* Programs may execute INT3 and INTO. */
	idt[VECTOR_BREAKPOINT].type |= 0x60;
	idt[VECTOR_OVERFLOW].type |= 0x60;
}

void idt_set_stack(unsigned vector, unsigned ist)
{
	idt[vector].ist = ist;
}

void idt_load(void)
{
	struct {
		u16 limit;
		u64 base;
	} __packed idtr = {sizeof(idt) - 1, (u64)idt};

	__asm__ volatile("lidt %0" ::"m"(idtr));
}

static void __noreturn panic_page_fault(struct pt_regs *regs, unsigned long addr, unsigned access)
{
	panic_regs(regs, "page fault: cannot %s address 0x%lx",
		   access == MMU_EXEC    ? "execute"
		   : access == MMU_WRITE ? "write"
					 : "read",
		   addr);
}

static void page_fault(struct pt_regs *regs)
{
	unsigned long error = regs->orig_ax, addr;
	unsigned access = error & PF_FETCH ? MMU_EXEC : error & PF_WRITE ? MMU_WRITE : MMU_READ;
	bool sleepable = regs->flags & X86_EFLAGS_IF;
	int err = -EFAULT;

	__asm__("movq %%cr2, %0" : "=r"(addr));
	/* The kernel touches user memory in the copy functions and nowhere else. */
	if (!user_mode(regs) && !extable_covers(regs))
		panic_page_fault(regs, addr, access);
	/* Anything may fault again from here on: CR2 is read. */
	if (sleepable)
		irq_enable();
	/* A program's own access is a user access, whatever else the CPU or an emulator makes of
	 * it: there is nothing to resolve that the program could see resolved. */
	if (user_mode(regs) && !(error & PF_USER))
		err = -EFAULT;
	else if (sleepable && current->mm && addr < USER_END)
		err = mm_fault(current->mm, addr, access, regs);
	if (err) {
		if (user_mode(regs))
			process_page_fault(regs, addr, err);
		else
			extable_fixup(regs);
	}
	irq_disable();
}

/* Which of the exceptions that are not masked it was: the flags and masks of the x87 FPU and of SSE
 * are in the same order (SDM vol. 1, 8.1.3, 8.1.5 and 10.2.3). */
static int floating_point_code(unsigned vector)
{
	unsigned flags;
	u16 fsw, fcw;
	u32 mxcsr;

	if (vector == VECTOR_SIMD) {
		__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
		flags = mxcsr & ~(mxcsr >> 7);
	} else {
		__asm__ volatile("fnstsw %0; fnstcw %1" : "=m"(fsw), "=m"(fcw));
		flags = fsw & ~fcw;
	}
	return flags & BIT(0)   ? UAPI_FPE_FLTINV
	       : flags & BIT(2) ? UAPI_FPE_FLTDIV
	       : flags & BIT(3) ? UAPI_FPE_FLTOVF
	       : flags & BIT(5) ? UAPI_FPE_FLTRES
				: UAPI_FPE_FLTUND; /* or a denormal operand */
}

/* INT3 is past itself when it traps; the others are at the instruction. */
static void program_exception(struct pt_regs *regs, unsigned vector)
{
	unsigned long addr = regs->ip - (vector == VECTOR_BREAKPOINT);
	int code = exceptions[vector].code;

	signal_fault(exceptions[vector].signal, code ? code : floating_point_code(vector), addr,
		     exceptions[vector].name);
}

static void exception(struct pt_regs *regs, unsigned vector)
{
	if (vector == VECTOR_PAGE_FAULT) {
		page_fault(regs);
		return;
	}
	/* What FXRSTOR refuses, an address between the halves of the address space. */
	if (vector == VECTOR_PROTECTION && !user_mode(regs) && extable_fixup(regs))
		return;
	if (!user_mode(regs) || !exceptions[vector].signal)
		panic_regs(regs, "%s", exception_name(vector));
	program_exception(regs, vector);
}

static void interrupt(struct pt_regs *regs, unsigned vector)
{
	irq_enter();
	/* The LAPIC remembers one more interrupt of a vector: acknowledge first, lose none. */
	if (vector != VECTOR_SPURIOUS)
		lapic_eoi();
	if (vector == VECTOR_TIMER)
		time_interrupt(regs);
	else if (vector == VECTOR_IRQ_WORK)
		irq_work_run();
	else if (vector == VECTOR_IPI)
		smp_interrupt();
	else if (vector - VECTOR_IRQ_BASE < NR_IRQS)
		irq_dispatch(vector - VECTOR_IRQ_BASE);
	irq_exit();
}

/* From entry.S, interrupts off, on the task's kernel stack. */
void trap_dispatch(struct pt_regs *regs, unsigned vector)
{
	if (vector < ARRAY_SIZE(exceptions)) {
		exception(regs, vector);
		return;
	}
	interrupt(regs, vector);
	/* Kernel code is preempted where it was interruptible; exit_work() does it for user code.
	 */
	if (!user_mode(regs) && this_cpu()->need_resched)
		preempt_schedule();
}

/* A push on the guard page below a kernel stack ends here, for it has nowhere to push its frame. */
static void __noreturn double_fault(struct pt_regs *regs)
{
	unsigned long addr;

	__asm__("movq %%cr2, %0" : "=r"(addr));
	if (current->stack - 1 - addr < PAGE_SIZE)
		panic_regs(regs, "kernel stack overflow");
	panic_regs(regs, "double fault");
}

bool (*nmi_handler)(struct pt_regs *regs);

static noinline void exception_on_stack(struct pt_regs *regs, unsigned vector)
{
	this_cpu()->nmi_depth++;
	if (vector == VECTOR_DOUBLE_FAULT)
		double_fault(regs);
	if (!nmi_handler || !nmi_handler(regs))
		panic_regs(regs, "unexpected NMI");
	this_cpu()->nmi_depth--;
}

/*
 * What an NMI interrupts may be a debug exception, whose stack the next one would overwrite, and
 * the end of that one would let the next NMI in on the stack of this one (SDM vol. 3, 6.7.1). So
 * nothing strikes in between. What DR7 is to be again is what it was: somebody may be about to
 * change it.
 */
static __always_inline void nmi(struct pt_regs *regs)
{
	unsigned long dr7 = dr7_read();

	dr7_write(DR7_IDLE);
	exception_on_stack(regs, VECTOR_NMI);
	dr7_write(dr7);
}

/* From entry.S, interrupts off, on an exception stack, but debug exceptions maybe not. */
__noinstr void ist_dispatch(struct pt_regs *regs, unsigned vector)
{
	if (vector == VECTOR_DEBUG)
		debug_exception(regs);
	else if (vector == VECTOR_NMI)
		nmi(regs);
	else
		exception_on_stack(regs, vector);
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
