// SPDX-License-Identifier: MIT
/*
 * Debug exceptions (Arm ARM DDI 0487, D2): whose slots have struck, and the step over the
 * instruction that did it. Both kinds strike before the instruction is executed. It is then
 * executed by itself (D2.11), with the slots off that have struck. What else would strike, does so
 * meanwhile and is off, too, when it is executed once more.
 *
 * A step between a load-exclusive and its store would let the store fail, and its program try for
 * ever: these are executed as one, up to a breakpoint behind the store.
 *
 * The exceptions are taken with PSTATE.D set, so nothing strikes in the kernel while they are
 * handled.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/unwind.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/breakpoint.h>
#include <arch/irq.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/cache.h>
#include <asm/debugreg.h>
#include <asm/start.h>
#include <asm/traps.h>

#include "../arm/common/breakpoint.h"
#include "carry_out.h"

#define MASKS (PSTATE_I | PSTATE_F)

/* --- What has struck --- */

static inline u32 exec_slots(const struct bp_bank *bank, unsigned long pc)
{
	u32 own = 0;

	for (u32 on = bank->on[BP_EXEC]; on; on &= on - 1)
		if (bank->value[BP_EXEC][__builtin_ctz(on)] == pc)
			own |= on & -on;
	return own;
}

/*
 * FAR has an address of the access, if not always one that is watched: of what is there or above,
 * the nearest. What ends below it has not been touched. @off: these have struck before.
 */
static inline u32 data_slots(const struct bp_bank *bank, u32 off, unsigned long addr, u32 kind)
{
	unsigned long least = -1UL;
	u32 own = 0;

	for (u32 on = bank->on[BP_DATA] & ~off; on; on &= on - 1) {
		unsigned slot = __builtin_ctz(on);
		const struct bp_form form = {bank->value[BP_DATA][slot],
					     bank->control[BP_DATA][slot], BP_DATA};
		struct bp_range range = bp_range(&form);
		unsigned long distance = range.first > addr ? range.first - addr : 0;

		if (addr > range.last || distance > least || !(DBGWCR_LSC(form.control) & kind))
			continue;
		if (distance < least)
			own = 0;
		least = distance;
		own |= on & -on;
	}
	return own;
}

/* --- Steps --- */

/* LDXR, STXR and their like (C4.1.94): of one register or of two. */
static bool is_exclusive(u32 insn)
{
	return (insn & 0x3fa00000) == 0x08000000 || (insn & 0xbfa00000) == 0x88200000;
}

static bool is_load(u32 insn)
{
	return insn & BIT(22);
}

/* CBZ, CBNZ, TBZ, TBNZ, B.cond: by which a store that has failed is tried again. */
static bool is_conditional_branch(u32 insn)
{
	return (insn & 0x7c000000) == 0x34000000 || (insn & 0xff000010) == 0x54000000;
}

static bool read_insn(bool user, unsigned long at, u32 *insn)
{
	if (user)
		return user_range_ok(at, sizeof(*insn)) &&
		       arch_user_word(insn, (const u32 __user *)at);
	*insn = *(const u32 *)at;
	return true;
}

#define EXCLUSIVE_MAX 32 /* instructions from a load to its store */

/* Is the load of an exclusive access before @pc, and its store not? */
static bool is_in_exclusive(bool user, unsigned long pc)
{
	unsigned long at = pc;
	u32 insn;

	for (unsigned n = 0; n < EXCLUSIVE_MAX; n++) {
		at -= 4;
		if ((!user && !kernel_text_address(at)) || !read_insn(user, at, &insn))
			return false;
		if (is_exclusive(insn))
			return is_load(insn);
	}
	return false;
}

/*
 * Behind the exclusive access that the instruction at @pc, @insn, is a part of, or that it lies in:
 * the exception there has the store fail, and all is done again. 0: of none.
 */
static noinline unsigned long end_of_exclusive(bool user, unsigned long pc, u32 insn)
{
	if (!is_exclusive(insn) && !is_in_exclusive(user, pc))
		return 0;
	for (unsigned long at = pc; at < pc + 4 * EXCLUSIVE_MAX; at += 4) {
		if (!read_insn(user, at, &insn))
			return 0;
		if (!is_exclusive(insn) || is_load(insn))
			continue;
		return read_insn(user, at + 4, &insn) && is_conditional_branch(insn) ? at + 8
										     : at + 4;
	}
	return 0;
}

static inline void turn_off(const struct arm64_step *step)
{
	for (u32 slots = step->off[BP_EXEC]; slots; slots &= slots - 1)
		dbgbcr_write(__builtin_ctz(slots), 0);
	for (u32 slots = step->off[BP_DATA]; slots; slots &= slots - 1)
		dbgwcr_write(__builtin_ctz(slots), 0);
}

static inline void turn_on(const struct bp_bank *bank, const struct arm64_step *step)
{
	for (u32 slots = step->off[BP_EXEC] & bank->on[BP_EXEC]; slots; slots &= slots - 1)
		dbgbcr_write(__builtin_ctz(slots), bank->control[BP_EXEC][__builtin_ctz(slots)]);
	for (u32 slots = step->off[BP_DATA] & bank->on[BP_DATA]; slots; slots &= slots - 1)
		dbgwcr_write(__builtin_ctz(slots), bank->control[BP_DATA][__builtin_ctz(slots)]);
}

/* What a step has had off is on again. */
static inline void nothing_off(struct arm_debug *debug)
{
	struct arm64_step *step = &debug->step;

	if (unlikely(step->turned_off))
		turn_on(&debug->loaded, step);
	step->off[BP_EXEC] = step->off[BP_DATA] = 0;
	step->turned_off = false;
}

/* What is to be off is in step->off. @end: behind an exclusive access, or 0. */
static inline void begin_step(struct cpu *cpu, struct pt_regs *regs, unsigned long end)
{
	struct arm64_step *step = &cpu->arch.debug.step;
	bool user = user_mode(regs);

	turn_off(step);
	step->turned_off = true;
	step->pc = regs->pc;
	step->end = end;
	cpu->arch.stepping = true;
	if (unlikely(end)) {
		dbgbvr_write(arm_breakpoints.step_slot, end);
		dbgbcr_write(arm_breakpoints.step_slot, BAS_A64 << DBGCR_BAS_AT |
							    (user ? DBGCR_USER : DBGCR_KERNEL) |
							    DBGCR_E);
	} else {
		sysreg_write(MDSCR_EL1, sysreg_read(MDSCR_EL1) | MDSCR_SS);
		regs->pstate |= PSTATE_SS;
	}
	if (likely(user)) {
		step->task = current;
	} else {
		step->task = NULL;
		step->unmasked = ~regs->pstate & MASKS;
		regs->pstate |= MASKS;
	}
}

/* All slots are as they were, but for those that step->off still has. */
static inline void stop_step(struct cpu *cpu, struct pt_regs *regs)
{
	struct arm64_step *step = &cpu->arch.debug.step;

	if (unlikely(step->end)) {
		dbgbcr_write(arm_breakpoints.step_slot, 0);
	} else {
		sysreg_write(MDSCR_EL1, sysreg_read(MDSCR_EL1) & ~MDSCR_SS);
		regs->pstate &= ~(unsigned long)PSTATE_SS;
	}
	if (unlikely(!step->task))
		regs->pstate &= ~step->unmasked;
	cpu->arch.stepping = false;
}

static inline void end_step(struct cpu *cpu, struct pt_regs *regs)
{
	stop_step(cpu, regs);
	nothing_off(&cpu->arch.debug);
}

void step_put_off(struct pt_regs *regs)
{
	struct cpu *cpu = this_cpu();
	struct arm64_step *step = &cpu->arch.debug.step;

	/* An exclusive access is tried again from its load on, if its store has not been executed.
	 */
	if (regs->pc == step->pc || (step->end && step->end - 4 - regs->pc - 1 < 4 * EXCLUSIVE_MAX))
		current->arch.exempt = step->pc | 1;
	end_step(cpu, regs);
	synchronize_context();
}

/* --- The exceptions --- */

/* What has struck while it was looked at what this processor has. */
static struct {
	bool struck[BP_POOLS], stepped;
} probe;

/* @slots are of one pool, and not 0. */
static inline void tell(struct cpu *cpu, struct pt_regs *regs, unsigned pool, u32 slots)
{
	const struct bp_hit hit = {.regs = regs, .before_access = true};
	bool user = user_mode(regs), owned;
	unsigned long pc = regs->pc;

	/* What it interrupts in the kernel may be anything. */
	cpu->nmi_depth += !user;
	if (likely(user && !(slots & (slots - 1))))
		owned = breakpoint_strike_one(pool, __builtin_ctz(slots), &hit);
	else
		owned = !breakpoint_strike(pool, slots, &hit);
	cpu->nmi_depth -= !user;
	if (unlikely(!owned))
		breakpoint_stray(pc);
}

/* Once more the instruction that @task has been stepping over: nobody is told. */
static noinline bool is_exempt(struct task *task, const struct pt_regs *regs)
{
	bool exempt = task->arch.exempt == (regs->pc | 1);

	if (user_mode(regs) || exempt)
		task->arch.exempt = 0;
	return exempt;
}

/* Done is done, if nothing else can strike. */
static inline bool carry_out(struct arm_debug *debug, struct pt_regs *regs, bool user, u32 insn)
{
	struct arm64_step *step = &debug->step;

	if (unlikely(!user))
		return carry_out_masks(regs, insn);
	return !(debug->loaded.on[BP_DATA] & ~step->off[BP_DATA]) &&
	       (carry_out_prologue(regs, insn) || carry_out_access(regs, insn));
}

static inline void step_over(struct cpu *cpu, struct pt_regs *regs)
{
	struct arm_debug *debug = &cpu->arch.debug;
	bool user = user_mode(regs);
	unsigned long end = 0;
	u32 insn;

	if (likely(read_insn(user, regs->pc, &insn))) {
		if (unlikely(current->arch.alone != regs->pc)) {
			end = end_of_exclusive(user, regs->pc, insn);
			current->arch.alone = end ? 0 : regs->pc;
		}
		if (likely(!end) && likely(carry_out(debug, regs, user, insn))) {
			nothing_off(debug);
			return;
		}
	}
	begin_step(cpu, regs, end);
}

/*
 * The instruction at @regs has struck @own. What the owners do with their slots is done while those
 * are as they should be; so whatever a step has off already is on again meanwhile.
 */
static void strike(struct cpu *cpu, struct pt_regs *regs, unsigned pool, u32 own)
{
	struct arm_debug *debug = &cpu->arch.debug;
	struct arm64_step *step = &debug->step;
	unsigned long pc = regs->pc;
	u32 slots = own;

	if (unlikely(debug->probing)) {
		probe.struck[pool] = true;
		own = 0;
	} else if (unlikely(!own)) {
		breakpoint_stray(pc);
		/* Whatever it was, it must not be so again: one that nobody turned on, too. */
		slots = BIT(arm_breakpoints.slots[pool] + (pool == BP_EXEC)) - 1;
	}
	step->off[pool] |= slots;
	if (unlikely(current->arch.exempt) && is_exempt(current, regs))
		own = 0;
	if (likely(own))
		tell(cpu, regs, pool, own);
	if (likely(regs->pc == pc)) {
		step_over(cpu, regs);
		return;
	}
	nothing_off(debug);
}

/* A step that is on and not over: its instruction has struck once more, and is stepped over anew.
 */
static inline void interrupt_step(struct cpu *cpu, struct pt_regs *regs)
{
	struct arm64_step *step = &cpu->arch.debug.step;

	if (step->task == (user_mode(regs) ? current : NULL) && (regs->pc == step->pc || step->end))
		stop_step(cpu, regs);
	else
		end_step(cpu, regs);
}

static void breakpoint_exception(struct pt_regs *regs)
{
	struct cpu *cpu = this_cpu();
	u32 own = exec_slots(&cpu->arch.debug.loaded, regs->pc);
	bool stepped = cpu->arch.stepping && cpu->arch.debug.step.end;

	if (unlikely(cpu->arch.stepping)) {
		if (stepped)
			end_step(cpu, regs);
		else
			interrupt_step(cpu, regs);
	}
	if (own || !stepped)
		strike(cpu, regs, BP_EXEC, own);
}

static void watchpoint_exception(struct pt_regs *regs, u64 esr, unsigned long addr)
{
	struct cpu *cpu = this_cpu();
	const struct bp_bank *loaded = &cpu->arch.debug.loaded;
	u32 off, own;

	if (unlikely(cpu->arch.stepping))
		interrupt_step(cpu, regs);
	off = cpu->arch.debug.step.off[BP_DATA];
	own = data_slots(loaded, off, addr, esr & BIT(6) ? LSC_STORE : LSC_LOAD); /* WnR */
	/* Of what does both, one is told. */
	if (unlikely(!own))
		own = data_slots(loaded, off, addr, LSC_LOAD | LSC_STORE);
	strike(cpu, regs, BP_DATA, own);
}

static void step_exception(struct pt_regs *regs)
{
	struct cpu *cpu = this_cpu();

	probe.stepped |= cpu->arch.debug.probing;
	if (likely(cpu->arch.stepping)) {
		end_step(cpu, regs);
		return;
	}
	sysreg_write(MDSCR_EL1, sysreg_read(MDSCR_EL1) & ~MDSCR_SS);
	regs->pstate &= ~(unsigned long)PSTATE_SS;
	breakpoint_stray(regs->pc);
}

void debug_exception(struct pt_regs *regs, u64 esr, unsigned long far)
{
	switch (ESR_EC(esr) & ~1UL) { /* bit 0: from the kernel itself */
	case EC_BREAKPOINT:
		breakpoint_exception(regs);
		break;
	case EC_STEP:
		step_exception(regs);
		break;
	case EC_WATCHPOINT:
		watchpoint_exception(regs, esr, far);
		break;
	}
	synchronize_context();
}

/* As after any exception in user mode. */
void bp_exit_to_work(void)
{
}

/* --- What there is --- */

/* The first gate that is shut, as far as this level can see. */
static const char *shut_gate(u64 mdscr, u64 oslsr)
{
	if (oslsr & OSLSR_LOCKED)
		return "the OS lock cannot be opened";
	if (!(mdscr & MDSCR_MDE))
		return "MDSCR_EL1.MDE stays 0";
	if (!(mdscr & MDSCR_KDE))
		return "MDSCR_EL1.KDE stays 0";
	if (!probe.struck[BP_EXEC] || !probe.struck[BP_DATA])
		return "enabled, debug exceptions are not taken: a higher level has them "
		       "(MDCR_EL2.TDE), or the Secure state forbids them (MDCR_EL3.SDD)";
	if (!probe.stepped)
		return "steps are not taken";
	return NULL;
}

static void probe_debug(void)
{
	struct arm_breakpoints *b = &arm_breakpoints;
	u64 dfr0 = sysreg_read(ID_AA64DFR0_EL1), mdscr = sysreg_read(MDSCR_EL1);
	u64 oslsr = sysreg_read(OSLSR_EL1);

	b->step_slot = DFR0_BREAKPOINTS(dfr0) - 1;
	b->slots[BP_EXEC] = b->step_slot;
	b->slots[BP_DATA] = DFR0_WATCHPOINTS(dfr0);
	bp_strike_once(&this_cpu()->arch.debug.probing);
	printk("debug: version %llu, %u breakpoints, one of them for steps, and %u watchpoints\n",
	       DFR0_VERSION(dfr0), b->slots[BP_EXEC] + 1, b->slots[BP_DATA]);
	printk("debug: OS lock %s, MDE %u, KDE %u; in the kernel breakpoints %s, watchpoints %s\n",
	       oslsr & OSLSR_LOCKED ? "shut" : "open", !!(mdscr & MDSCR_MDE), !!(mdscr & MDSCR_KDE),
	       probe.struck[BP_EXEC] ? "strike" : "do not strike",
	       probe.struck[BP_DATA] ? "strike" : "do not strike");
	b->why = shut_gate(mdscr, oslsr);
	if (!b->why)
		return;
	b->slots[BP_EXEC] = b->slots[BP_DATA] = 0;
	printk("debug: no breakpoints: %s\n", b->why);
}
INITCALL(0, probe_debug);
