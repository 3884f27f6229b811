// SPDX-License-Identifier: MIT
/*
 * Debug exceptions (ARM DDI 0406C, C3): whose slots have struck, and the step over the instruction
 * that did it. Both kinds strike before the instruction is executed, so that it has to be stepped
 * over: with the slots off that have struck, and breakpoints where it goes on, for one of which a
 * slot is held back. All registers are known, so that mostly this is one place. A mismatch
 * breakpoint would do for user mode only, and would break exclusive accesses.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/breakpoint.h>
#include <arch/irq.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/cache.h>
#include <asm/cp15.h>
#include <asm/debugreg.h>
#include <asm/start.h>
#include <asm/traps.h>

#include "step.h"

#define MASKS (CPSR_I | CPSR_F)

/* Sixteen, one after the other. */
static unsigned long *core_regs(const struct pt_regs *regs)
{
	return (unsigned long *)regs;
}
_Static_assert(offsetof(struct pt_regs, pc) == 15 * sizeof(long), "");

/* --- What has struck --- */

static struct bp_form form_in(const struct bp_bank *bank, unsigned pool, unsigned slot)
{
	return (struct bp_form){bank->value[pool][slot], bank->control[pool][slot], pool};
}

/* Those at the instruction's word, among them those that are its own. */
static u32 exec_slots(const struct bp_bank *bank, unsigned long pc, u32 *near)
{
	u32 own = 0;

	*near = 0;
	for (u32 on = bank->on[BP_EXEC]; on; on &= on - 1) {
		unsigned slot = __builtin_ctz(on);
		bool high = DBGBCR_BAS(bank->control[BP_EXEC][slot]) == BAS_THUMB_HIGH;

		if (bank->value[BP_EXEC][slot] != (pc & ~3UL))
			continue;
		*near |= BIT(slot);
		if (high == !!(pc & 2))
			own |= BIT(slot);
	}
	return own;
}

static noinline bool read_code(u32 addr, void *to, size_t n);
static noinline bool read_user(u32 addr, void *to, size_t n);

/* Those of @on that watch such accesses as the instruction makes. */
static noinline u32 of_its_kind(const struct bp_bank *bank, u32 on, const struct pt_regs *regs)
{
	const struct step_cpu cpu = {core_regs(regs), regs->cpsr,
				     user_mode(regs) ? read_user : read_code};
	unsigned accesses = step_accesses(&cpu);
	u32 kind = 0;

	for (; on; on &= on - 1)
		if (DBGWCR_LSC(bank->control[BP_DATA][__builtin_ctz(on)]) & accesses)
			kind |= on & -on;
	return kind;
}

/*
 * DFAR has the lowest address of the access, whose size nothing tells: of what is there or above,
 * the nearest. What ends below it has not been touched.
 */
static u32 data_slots(const struct bp_bank *bank, unsigned long addr, const struct pt_regs *regs)
{
	unsigned long least = -1UL;
	u32 on = bank->on[BP_DATA], own = 0;

	if (on & (on - 1))
		on = of_its_kind(bank, on, regs);
	for (; on; on &= on - 1) {
		struct bp_form form = form_in(bank, BP_DATA, __builtin_ctz(on));
		struct bp_range range = bp_range(&form);
		unsigned long distance = range.first > addr ? range.first - addr : 0;

		if (addr > range.last || distance > least)
			continue;
		if (distance < least)
			own = 0;
		least = distance;
		own |= on & -on;
	}
	return own;
}

/* --- Steps --- */

static noinline bool read_code(u32 addr, void *to, size_t n)
{
	/* The kernel's own: what it is about to execute, or to load. */
	memcpy(to, (const void *)addr, n);
	return true;
}

static noinline bool read_user(u32 addr, void *to, size_t n)
{
	return copy_from_user_nofault(to, addr, n) == n;
}

/* All slots as they were. */
static void end_step(struct arm_debug *debug)
{
	struct arm_step *step = &debug->step;
	const struct bp_bank *bank = &debug->loaded;

	for (u32 used = step->used; used; used &= used - 1)
		debugreg_write_control(BP_EXEC, __builtin_ctz(used), 0);
	for (unsigned pool = 0; pool < BP_POOLS; pool++) {
		for (u32 off = step->off[pool] & bank->on[pool]; off; off &= off - 1) {
			unsigned slot = __builtin_ctz(off);

			debugreg_write_value(pool, slot, bank->value[pool][slot]);
			debugreg_write_control(pool, slot, bank->control[pool][slot]);
		}
	}
	step->on = false;
	breakpoint_end_step(&this_cpu()->breakpoints);
}

void step_put_off(struct arm_debug *debug)
{
	struct arm_step *step = &debug->step;
	struct task *task = step->task ?: current;

	end_step(debug);
	if (!step->task || task_user_regs(task)->pc == step->pc)
		task->arch.exempt = step->pc | 1;
}

static void set_place(unsigned slot, const struct step_place *place, bool user)
{
	u32 bas = !place->thumb ? BAS_ARM : place->pc & 2 ? BAS_THUMB_HIGH : BAS_THUMB_LOW;

	/* It may be one that is on, and has struck. */
	debugreg_write_control(BP_EXEC, slot, 0);
	debugreg_write_value(BP_EXEC, slot, place->pc & ~3U);
	debugreg_write_control(BP_EXEC, slot,
			       bas << DBGCR_BAS_AT | (user ? DBGCR_PL0 : DBGCR_PL1) | DBGCR_E);
}

/*
 * The kernel's steps have interrupts masked, as others would pass what is off. An instruction that
 * can not be read faults, or strikes again.
 */
static void begin_step(struct arm_debug *debug, struct pt_regs *regs, const u32 off[BP_POOLS])
{
	bool user = user_mode(regs);
	const struct step_cpu cpu = {core_regs(regs), regs->cpsr, user ? read_user : read_code};
	u32 free = (2U << arm_breakpoints.step_slot) - 1;
	struct arm_step *step = &debug->step;
	struct step_next next;

	if (!user && step_carry_out(&cpu, core_regs(regs), &regs->cpsr)) {
		regs->pc += 4;
		return;
	}
	step_next(&cpu, &next);
	*step = (struct arm_step){.on = next.nr,
				  .off = {off[BP_EXEC], off[BP_DATA]},
				  .pc = regs->pc,
				  .task = user ? current : NULL};
	for (unsigned pool = 0; pool < BP_POOLS && next.nr; pool++)
		for (u32 slots = off[pool]; slots; slots &= slots - 1)
			debugreg_write_control(pool, __builtin_ctz(slots), 0);
	free &= ~(debug->loaded.on[BP_EXEC] & ~off[BP_EXEC]);
	for (unsigned i = 0; i < next.nr && free; i++) {
		unsigned slot = 31 - __builtin_clz(free);

		set_place(slot, &next.at[i], user);
		step->used |= BIT(slot);
		free &= ~BIT(slot);
	}
	if (!user) {
		step->unmasked = ~regs->cpsr & MASKS;
		regs->cpsr |= MASKS;
	} else {
		breakpoint_begin_step();
	}
}

/* Something has struck while a step is on. True: its instruction has been executed. */
static bool take_over(struct arm_debug *debug, struct pt_regs *regs, unsigned pool,
		      u32 off[BP_POOLS])
{
	struct arm_step *step = &debug->step;
	bool over = pool == BP_EXEC || regs->pc != step->pc;

	if (user_mode(regs) != !!step->task) {
		step_put_off(debug);
		return false;
	}
	end_step(debug);
	if (!step->task)
		regs->cpsr &= ~(unsigned long)step->unmasked;
	if (over)
		return true;
	off[BP_EXEC] = step->off[BP_EXEC];
	off[BP_DATA] = step->off[BP_DATA];
	return false;
}

/* A fault of the kernel's stepped instruction, which is handled as any: see data_abort(). */
void step_faulted(struct pt_regs *regs)
{
	struct arm_debug *debug = &this_cpu()->arch.debug;

	if (debug->step.task)
		return;
	step_put_off(debug);
	regs->cpsr &= ~(unsigned long)debug->step.unmasked;
}

/* --- The exception --- */

/* While it is looked at what this processor has. */
static struct {
	bool on;
	bool struck[BP_POOLS];
} probe;

static void tell(struct pt_regs *regs, unsigned pool, u32 slots)
{
	const struct bp_hit hit = {.regs = regs, .before_access = true};
	struct cpu *cpu = this_cpu();
	bool user = user_mode(regs);
	unsigned long pc = regs->pc;

	/* What it interrupts in the kernel may be anything. */
	cpu->nmi_depth += !user;
	if (unlikely(breakpoint_strike(pool, slots, &hit)))
		breakpoint_stray(pc);
	cpu->nmi_depth -= !user;
}

/* Slots are off, all of them: what is called may do as it likes. */
static noinline void handle(struct pt_regs *regs, unsigned pool, unsigned long addr)
{
	struct arm_debug *debug = &this_cpu()->arch.debug;
	unsigned long pc = regs->pc, cpsr = regs->cpsr;
	u32 off[BP_POOLS] = {}, own, near, exempt = current->arch.exempt;
	bool stepped = debug->step.on && take_over(debug, regs, pool, off);

	if (pool == BP_EXEC) {
		own = exec_slots(&debug->loaded, pc, &near);
		if (!near && stepped)
			return;
	} else {
		own = near = data_slots(&debug->loaded, addr, regs);
	}
	if (unlikely(probe.on))
		probe.struck[pool] = true;
	else if (unlikely(!near))
		breakpoint_stray(pc);
	/* Whatever it was, it must not be so again. */
	off[pool] |= near ?: debug->loaded.on[pool];
	if (user_mode(regs) || exempt == (pc | 1))
		current->arch.exempt = 0;
	if (exempt != (pc | 1) && !probe.on)
		tell(regs, pool, own);
	if (regs->pc == pc && !((regs->cpsr ^ cpsr) & CPSR_T))
		begin_step(debug, regs, off);
}

/* Before DSCR is written, and after, it may strike; so this may not be watched. */
__noinstr bool debug_exception(struct pt_regs *regs, unsigned pool, unsigned long addr)
{
	u32 dscr = cp_read(DBGDSCREXT);

	if (DBGDSCR_MOE(dscr) == MOE_BKPT)
		return false;
	cp_write(DBGDSCREXT, dscr & ~DBGDSCR_MDBGEN);
	synchronize_context();
	handle(regs, pool, addr);
	cp_write(DBGDSCREXT, dscr);
	return true;
}

/* --- What there is --- */

static struct {
	u32 didr, dscr, oslsr, authstatus;
} found;

static void look_for_slots(void)
{
	found.didr = cp_read(DBGDIDR);
	if (DBGDIDR_VERSION(found.didr) != DEBUG_V7_MEMORY)
		found.dscr = cp_read(DBGDSCREXT);
}

static void look_for_lock(void)
{
	found.oslsr = cp_read(DBGOSLSR);
}

static void look_for_authentication(void)
{
	found.authstatus = cp_read(DBGAUTHSTATUS);
}

/* BAS has four bits where the others do not keep what is written. */
static void look_for_width(void)
{
	dbgwcr_write(0, 0xffU << DBGCR_BAS_AT);
	synchronize_context();
	arm_breakpoints.width = DBGWCR_BAS(dbgwcr0_read()) == 0xff ? 8 : 4;
	dbgwcr_write(0, 0);
}

static noinline void probe_call(u32 *data)
{
	WRITE_ONCE(*data, 1);
}

/* One of each kind, on the kernel itself. */
static void strike_once(void)
{
	const struct perf_event_attr x = {.bp_type = HW_BREAKPOINT_X,
					  .bp_addr = (unsigned long)probe_call,
					  .bp_len = sizeof(long)};
	static u32 data;
	const struct perf_event_attr w = {
	    .bp_type = HW_BREAKPOINT_W, .bp_addr = (unsigned long)&data, .bp_len = sizeof(data)};
	struct bp_bank bank = {};
	struct bp_parts parts;
	unsigned long flags;
	const char *why;

	if (bp_parse(&x, &parts, &why))
		return;
	bp_install(&bank, BP_EXEC, 0, &parts.form[0]);
	if (bp_parse(&w, &parts, &why))
		return;
	bp_install(&bank, BP_DATA, 0, &parts.form[0]);
	flags = irq_save();
	probe.on = true;
	bp_exchange(NULL, &bank);
	probe_call(&data);
	bp_exchange(&bank, NULL);
	probe.on = false;
	irq_restore(flags);
}

static const char *shut_gate(bool defined)
{
	if (!defined)
		return "the debug registers are locked away (undefined instruction)";
	if (DBGDIDR_VERSION(found.didr) == DEBUG_V7_MEMORY)
		return "only memory has the debug registers";
	if (!(found.dscr & DBGDSCR_MDBGEN))
		return "DBGDSCR.MDBGen stays 0: debug is disabled by a signal or a debugger";
	return NULL;
}

static void print_found(bool lock, bool authentication)
{
	struct arm_breakpoints *b = &arm_breakpoints;

	printk("debug: version %u, %u breakpoints, one of them for steps, and %u watchpoints of %u "
	       "bytes\n",
	       DBGDIDR_VERSION(found.didr), b->slots[BP_EXEC] + 1, b->slots[BP_DATA], b->width);
	printk("debug: OS lock %s; DBGAUTHSTATUS ", !lock                           ? "undefined"
						    : found.oslsr & DBGOSLSR_LOCKED ? "shut"
										    : "open");
	if (authentication)
		printk("%02x", found.authstatus);
	else
		printk("undefined");
	printk("; in the kernel breakpoints %s, watchpoints %s\n",
	       probe.struck[BP_EXEC] ? "strike" : "do not strike",
	       probe.struck[BP_DATA] ? "strike" : "do not strike");
}

static void probe_debug(void)
{
	struct arm_breakpoints *b = &arm_breakpoints;
	unsigned long flags = irq_save();
	bool defined = cpu_try(look_for_slots), lock = cpu_try(look_for_lock);
	bool authentication = cpu_try(look_for_authentication);

	b->why = shut_gate(defined);
	if (!b->why)
		cpu_try(look_for_width);
	irq_restore(flags);
	if (b->why) {
		printk("debug: no breakpoints: %s\n", b->why);
		return;
	}
	b->step_slot = MIN(DBGDIDR_BREAKPOINTS(found.didr), BP_SLOTS) - 1;
	b->slots[BP_EXEC] = b->step_slot;
	b->slots[BP_DATA] = MIN(DBGDIDR_WATCHPOINTS(found.didr), BP_SLOTS);
	b->kernel = true;
	strike_once();
	b->kernel = probe.struck[BP_EXEC] && probe.struck[BP_DATA];
	print_found(lock, authentication);
	if (b->kernel || boot_is_secure)
		return;
	b->slots[BP_EXEC] = b->slots[BP_DATA] = 0;
	b->why = "debug exceptions are enabled, but are not taken";
	printk("debug: no breakpoints: %s\n", b->why);
}
INITCALL(0, probe_debug);
