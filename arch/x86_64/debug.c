/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions (Intel SDM vol. 3, 17.3): which slots have struck, and what else there is to it.
 *
 * They strike anywhere, also between an entry into the kernel and its first instruction, where the
 * stack may still be the program's: MOV SS puts them off by one instruction, which may be SYSCALL
 * (17.3.1.1). So they have a stack of their own. An emulator that raises a second one before the
 * first instruction of the first one's handler would overwrite the first one's frame there; such a
 * one is found out at boot, and stays on the interrupted stack, for it does not put them off
 * either.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/string.h>
#include <uapi/types.h>

#include <asm/debugreg.h>
#include <asm/traps.h>

#define FLAGS_TF BIT(8)
#define FLAGS_RF BIT(16)

/* What the processor stores at an entry (SDM vol. 3, 6.14.2). */
struct entry_frame {
	unsigned long ip, cs, flags, sp, ss;
};

/* Enabling bits of @dr7, one for each slot. */
static __always_inline u32 slots_on(unsigned long dr7)
{
	u32 on = dr7 >> 1 & 0x55; /* those that bp_install() uses */

	on = (on | on >> 1) & 0x33;
	return (on | on >> 2) & 0xf;
}

static __always_inline u32 control_of(unsigned long dr7, unsigned slot)
{
	return dr7 >> DR7_CONTROL(slot) & 0xf;
}

/*
 * Those of @on that watch exactly what one of @hits does: the processor reports all of them, an
 * emulator one.
 */
static noinline u32 with_twins(u32 hits, u32 on, unsigned long dr7)
{
	const unsigned long addr[] = {dr0_read(), dr1_read(), dr2_read(), dr3_read()};
	u32 all = hits;

	for (unsigned hit = 0; hit < ARRAY_SIZE(addr); hit++) {
		if (!(hits & BIT(hit)))
			continue;
		for (unsigned slot = 0; slot < ARRAY_SIZE(addr); slot++)
			if (addr[slot] == addr[hit] &&
			    control_of(dr7, slot) == control_of(dr7, hit))
				all |= BIT(slot);
	}
	return all & on;
}

/* Those that watch instructions: whose two bits of R/W are 0. */
static __always_inline u32 exec_slots(unsigned long dr7)
{
	u32 data = (dr7 >> DR7_CONTROL(0) | dr7 >> (DR7_CONTROL(0) + 1)) & 0x1111;

	data = (data | data >> 3) & 0x0303;
	return ~(data | data >> 6) & 0xf;
}

/* --- Where it struck --- */

/*
 * An entry that has not executed an instruction yet was made by one that struck. Which is told of:
 * its registers are those here, but for what the entry has stored. True: *@frame is that.
 */
static bool at_entry(const struct pt_regs *regs, struct entry_frame **frame)
{
	unsigned long offset = regs->ip - (unsigned long)trap_stubs, vector = offset / 16;
	bool has_error = vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 ||
			 vector == 21 || vector == 29 || vector == 30;

	if (user_mode(regs) || offset % 16 || vector >= 256)
		return false;
	*frame = (struct entry_frame *)(regs->sp + (has_error ? sizeof(unsigned long) : 0));
	return true;
}

/* Has one struck before the handler of a step has executed an instruction? */
static bool at_debug_stub(const struct pt_regs *regs)
{
	return regs->ip == (unsigned long)trap_stubs + 16 * VECTOR_DEBUG;
}

/* The same of SYSCALL, which leaves RIP in RCX and RFLAGS in R11 (SDM vol. 2). */
static bool at_syscall_entry(const struct pt_regs *regs)
{
	extern const char syscall_entry[];

	return regs->ip == (unsigned long)syscall_entry && !user_mode(regs);
}

/* The instruction is executed now, whatever interrupts it first (SDM vol. 3, 17.3.1.1). */
static __always_inline void resume_over(struct pt_regs *regs, unsigned long ip)
{
	if (regs->ip == ip)
		regs->flags |= FLAGS_RF;
}

static __always_inline void strike_one(unsigned slot, unsigned long dr7, struct pt_regs *regs)
{
	bool exec = DR7_TYPE(control_of(dr7, slot)) == DR7_EXEC;
	const struct bp_hit hit = {.regs = regs, .before_access = exec};
	unsigned long ip = regs->ip;

	if (unlikely(!breakpoint_strike_one(0, slot, &hit)))
		breakpoint_stray(ip);
	if (exec)
		resume_over(regs, ip);
}

static noinline void strike(u32 slots, unsigned long dr7, struct pt_regs *regs)
{
	u32 exec = slots & exec_slots(dr7), strays = 0;
	struct bp_hit hit = {.regs = regs, .before_access = false};
	unsigned long ip = regs->ip;

	strays |= breakpoint_strike(0, slots & ~exec, &hit);
	hit.before_access = true;
	strays |= breakpoint_strike(0, exec, &hit);
	if (exec)
		resume_over(regs, ip);
	if (strays)
		breakpoint_stray(ip);
}

/* What struck has entered the kernel by another way as well. */
static noinline void strike_before_entry(u32 slots, unsigned long dr7, struct pt_regs *regs,
					 struct entry_frame *frame)
{
	struct pt_regs outer = *regs;

	memcpy(&outer.ip, frame, sizeof(*frame));
	strike(slots, dr7, &outer);
	memcpy(frame, &outer.ip, sizeof(*frame));
	/* The others, as a handler may have changed them. */
	memcpy(regs, &outer, offsetof(struct pt_regs, ip));
}

static noinline void strike_before_syscall(u32 slots, unsigned long dr7, struct pt_regs *regs)
{
	struct pt_regs outer = *regs;

	outer.ip = regs->cx;
	outer.flags = regs->r11;
	outer.cs = USER_CS;
	outer.ss = USER_DS;
	strike(slots, dr7, &outer);
	regs->cx = outer.ip;
	regs->r11 = outer.flags;
}

/* --- What it was --- */

/* From a stack of the exception's own the way back is another one. */
void bp_exit_to_work(void)
{
	this_cpu()->arch.debug_work = true;
}

/* A program's step, or its INT1. */
static void program_step(struct pt_regs *regs)
{
	regs->flags &= ~FLAGS_TF;
	signal_fault(UAPI_SIGTRAP, UAPI_TRAP_TRACE, regs->ip, "debug exception");
	bp_exit_to_work();
}

/*
 * Nothing but slots. Of the kernel's own steps there are none: what a program has begun may end at
 * an entry.
 */
static noinline void other_causes(struct pt_regs *regs, unsigned long cause, u32 hits)
{
	bool none = !(cause & (DR6_SLOTS | DR6_BD | DR6_BS));

	if (user_mode(regs) && ((cause & DR6_BS) || none)) {
		program_step(regs);
		return;
	}
	regs->flags &= ~FLAGS_TF;
	if ((cause & DR6_BS) && at_syscall_entry(regs))
		return;
	if (!hits || (cause & (DR6_BD | DR6_BS)))
		breakpoint_stray(regs->ip);
}

/* --- Which stack --- */

/* At boot, until it is known: a step and a strike by one instruction. */
static struct {
	bool on;
	bool nests; /* the strike came before the handler of the step */
	bool struck;
} probe;
static u8 probed;

static void probe_exception(struct pt_regs *regs, unsigned long cause)
{
	struct entry_frame *frame;

	regs->flags &= ~FLAGS_TF;
	probe.nests |= at_entry(regs, &frame);
	probe.struck |= cause & DR6_SLOTS;
}

/* TF takes effect one instruction after the one that sets it (SDM vol. 3, 17.3.1.4). */
static void step_over_store(void)
{
	__asm__ volatile("pushfq; orq %1, (%%rsp); popfq; movb $1, %0; nop"
			 : "=m"(probed)
			 : "i"(FLAGS_TF)
			 : "memory", "cc");
}

static void probe_stack(void)
{
	const struct bp_form form = {(unsigned long)&probed, DR7_WRITE};
	struct bp_bank bank = {};
	unsigned long flags;

	bp_install(&bank, 0, 0, &form);
	flags = irq_save();
	probe.on = true;
	bp_exchange(NULL, &bank);
	step_over_store();
	bp_exchange(&bank, NULL);
	probe.on = false;
	irq_restore(flags);
	if (!probe.nests)
		idt_set_stack(VECTOR_DEBUG, IST_DEBUG);
	printk("debug: %u breakpoints%s; exceptions %s\n", BP_SLOTS,
	       probe.struck ? "" : ", which do not strike data",
	       probe.nests ? "stay on the interrupted stack, as this processor nests them"
			   : "have a stack of their own");
}
INITCALL(0, probe_stack);

/* --- The exception --- */

/* DR6 is read, and slots are off: what is called may do as it likes. */
static noinline void handle(struct pt_regs *regs, unsigned long cause, unsigned long dr7)
{
	u32 on = slots_on(dr7), hits = cause & on;
	struct cpu *cpu = this_cpu();
	bool user = user_mode(regs);
	struct entry_frame *frame;

	/* What it interrupts in the kernel may be anything. */
	cpu->nmi_depth += !user;
	if (hits) {
		if (on & (on - 1))
			hits = with_twins(hits, on, dr7);
		if (likely(user || (!at_entry(regs, &frame) && !at_syscall_entry(regs))))
			strike(hits, dr7, regs);
		else if (at_entry(regs, &frame))
			strike_before_entry(hits, dr7, regs, frame);
		else
			strike_before_syscall(hits, dr7, regs);
	}
	if (unlikely(!hits || (cause & (DR6_BD | DR6_BS))))
		other_causes(regs, cause, hits);
	cpu->nmi_depth -= !user;
}

static noinline void any_exception(struct pt_regs *regs, unsigned long cause, unsigned long dr7)
{
	if (unlikely(probe.on)) {
		probe_exception(regs, cause);
	} else if (probe.nests && (cause & DR6_BS) && at_debug_stub(regs)) {
		/* The step's own handler has yet to read it. */
		dr6_write(DR6_IDLE | DR6_BS);
		handle(regs, cause & DR6_SLOTS, dr7);
	} else {
		handle(regs, cause & (DR6_SLOTS | DR6_BD | DR6_BS), dr7);
	}
}

/*
 * Interrupts off. Until DR7 is written a slot may strike; DR6 is only added to by the processor
 * (SDM vol. 3, 17.2.3). Mostly it is the one breakpoint that a program has.
 */
__noinstr void debug_exception(struct pt_regs *regs)
{
	const struct arch_cpu *arch = &this_cpu()->arch;
	unsigned long cause = dr6_read() ^ DR6_IDLE, dr7 = arch->dr7;
	unsigned slot = cause ? __builtin_ctzl(cause) : 0;

	dr7_write(DR7_IDLE);
	dr6_write(DR6_IDLE);
	if (likely(user_mode(regs) && cause == BIT(slot) && (dr7 & DR7_ALL_ON) == DR7_ON(slot)))
		strike_one(slot, dr7, regs);
	else
		any_exception(regs, cause, dr7);
	/* What it is to be by now. */
	dr7_write(READ_ONCE(arch->dr7));
}
