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
#include <hotregs/unwind.h>
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
#include <asm/uaccess.h>

#include "../common/breakpoint.h"
#include "insn.h"

#define MASKS (CPSR_I | CPSR_F)

/* Sixteen, one after the other. */
static unsigned long *core_regs(const struct pt_regs *regs)
{
	return (unsigned long *)regs;
}
_Static_assert(offsetof(struct pt_regs, pc) == 15 * sizeof(long), "");

/* --- What has struck --- */

/* Those at the instruction's word, among them those that are its own. */
static inline u32 exec_slots(const struct bp_bank *bank, unsigned long pc, u32 *near)
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

/* Bytes that the slot watches. */
static inline void data_range(const struct bp_bank *bank, unsigned slot, u32 *first, u32 *last)
{
	u32 control = bank->control[BP_DATA][slot], bas = DBGWCR_BAS(control);

	*first = *last = bank->value[BP_DATA][slot];
	if (likely(!DBGCR_MASK(control))) {
		*first += __builtin_ctz(bas);
		*last += 31 - __builtin_clz(bas);
	} else {
		*last += BIT(DBGCR_MASK(control)) - 1;
	}
}

/* Those that watch something of what is accessed, all of them, and such accesses. */
static inline u32 touched_slots(const struct bp_bank *bank, struct step_access access)
{
	u32 own = 0, first, last;

	for (u32 on = bank->on[BP_DATA]; on; on &= on - 1) {
		unsigned slot = __builtin_ctz(on);

		data_range(bank, slot, &first, &last);
		if (first <= access.last && last >= access.first &&
		    DBGWCR_LSC(bank->control[BP_DATA][slot]) & access.kinds)
			own |= on & -on;
	}
	return own;
}

/*
 * Of an instruction that does not tell. DFAR has the lowest address of the access, whose size
 * nothing tells: of what is there or above, the nearest. What ends below it has not been touched.
 */
static noinline u32 nearest_slots(const struct bp_bank *bank, u32 addr)
{
	u32 least = -1U, own = 0, first, last, distance;

	for (u32 on = bank->on[BP_DATA]; on; on &= on - 1) {
		data_range(bank, __builtin_ctz(on), &first, &last);
		distance = first > addr ? first - addr : 0;
		if (addr > last || distance > least)
			continue;
		if (distance < least)
			own = 0;
		least = distance;
		own |= on & -on;
	}
	return own;
}

static noinline u32 decoded_slots(const struct bp_bank *bank, const struct step_cpu *cpu, u32 addr)
{
	struct step_access access;

	return step_access(cpu, &access) ? touched_slots(bank, access) : nearest_slots(bank, addr);
}

static inline u32 data_slots(const struct bp_bank *bank, const struct step_cpu *cpu, u32 addr)
{
	struct step_access word;

	if (unlikely(!cpu->size || cpu->cpsr & CPSR_T || !insn_is_word_access(cpu->insn)))
		return decoded_slots(bank, cpu, addr);
	word.first = insn_word_address(cpu, cpu->insn);
	word.last = word.first + 3;
	word.kinds = bit(cpu->insn, 20) ? STEP_LOADS : STEP_STORES;
	return touched_slots(bank, word);
}

/* --- Steps --- */

static bool read_code(u32 addr, void *to, size_t n)
{
	/* The kernel's own: what it is about to execute, or to load. */
	memcpy(to, (const void *)addr, n);
	return true;
}

/* What may not be mapped: only text is. */
static bool read_text(u32 addr, void *to, size_t n)
{
	return kernel_text_address(addr) && read_code(addr, to, n);
}

/* An instruction is read as its program reads, a word of a table or a stack may not be there. */
static bool read_user(u32 addr, void *to, size_t n)
{
	if (likely(n == sizeof(u32) && !(addr & 3) && user_range_ok(addr, n)))
		return arch_user_word(to, (const u32 __user *)addr);
	return copy_from_user_nofault(to, addr, n) == n;
}

static bool store_user(u32 addr, u32 value)
{
	return user_range_ok(addr, sizeof(value)) && arm_user_store((u32 __user *)addr, value);
}

/* All slots as they were. */
static inline void end_step(struct arm_debug *debug)
{
	struct arm_step *step = &debug->step;
	const struct bp_bank *bank = &debug->loaded;
	u32 used = step->used, back = step->off[BP_EXEC] & bank->on[BP_EXEC];

	for (; used; used &= used - 1)
		debugreg_write_control(BP_EXEC, __builtin_ctz(used), 0);
	for (; back; back &= back - 1) {
		unsigned slot = __builtin_ctz(back);

		if (unlikely(step->used & BIT(slot)))
			debugreg_write_value(BP_EXEC, slot, bank->value[BP_EXEC][slot]);
		debugreg_write_control(BP_EXEC, slot, bank->control[BP_EXEC][slot]);
	}
	for (back = step->off[BP_DATA] & bank->on[BP_DATA]; back; back &= back - 1) {
		unsigned slot = __builtin_ctz(back);

		debugreg_write_control(BP_DATA, slot, bank->control[BP_DATA][slot]);
	}
	step->on = false;
	breakpoint_end_step(&this_cpu()->breakpoints);
}

void step_put_off(struct arm_debug *debug)
{
	struct arm_step *step = &debug->step;
	struct task *task = step->task ?: current;

	end_step(debug);
	step->off[BP_EXEC] = step->off[BP_DATA] = 0;
	if (!step->task || task_user_regs(task)->pc == step->pc)
		task->arch.exempt = step->pc | 1;
}

static inline void set_place(struct arm_step *step, unsigned slot, u32 pc, bool thumb, bool user)
{
	u32 bas = likely(!thumb) ? BAS_ARM : pc & 2 ? BAS_THUMB_HIGH : BAS_THUMB_LOW;

	debugreg_write_value(BP_EXEC, slot, pc & ~3U);
	debugreg_write_control(BP_EXEC, slot,
			       bas << DBGCR_BAS_AT | (user ? DBGCR_USER : DBGCR_KERNEL) | DBGCR_E);
	step->used |= BIT(slot);
}

/* Breakpoints where the step ends, in slots that are not on, or are off. */
static noinline void set_places(struct arm_debug *debug, const struct step_next *next, bool user)
{
	struct arm_step *step = &debug->step;
	u32 free = BIT(arm_breakpoints.step_slot + 1) - 1;

	free &= ~(u32)(debug->loaded.on[BP_EXEC] & ~step->off[BP_EXEC]);
	for (unsigned i = 0; i < next->nr && free; i++) {
		unsigned slot = 31 - __builtin_clz(free);

		set_place(step, slot, next->at[i].pc, next->at[i].thumb, user);
		free &= ~BIT(slot);
	}
}

static noinline void set_next_places(struct arm_debug *debug, const struct step_cpu *insn,
				     bool user)
{
	struct step_next next;

	step_next(insn, &next);
	set_places(debug, &next, user);
}

static inline void turn_off(const struct arm_step *step)
{
	for (u32 slots = step->off[BP_EXEC]; slots; slots &= slots - 1)
		debugreg_write_control(BP_EXEC, __builtin_ctz(slots), 0);
	for (u32 slots = step->off[BP_DATA]; slots; slots &= slots - 1)
		debugreg_write_control(BP_DATA, __builtin_ctz(slots), 0);
}

/*
 * Done is done, if nothing else can strike: who watches what the instruction accesses has been told
 * if that is what has struck.
 */
static inline bool carry_out(const struct arm_debug *debug, struct pt_regs *regs, bool user,
			     const struct step_cpu *insn)
{
	if (likely(user))
		return (debug->step.off[BP_DATA] || !debug->loaded.on[BP_DATA]) &&
		       step_carry_out_words(insn, core_regs(regs), store_user);
	return step_carry_out_masks(insn, core_regs(regs), &regs->cpsr);
}

/*
 * What is to be off, in step->off, stays so until the step ends. The kernel's have interrupts
 * masked, as others would pass it.
 */
static inline void start_step(struct arm_debug *debug, struct pt_regs *regs, bool user)
{
	struct arm_step *step = &debug->step;

	turn_off(step);
	step->pc = regs->pc;
	step->used = 0;
	step->on = true;
	if (likely(user)) {
		step->task = current;
		breakpoint_begin_step(&this_cpu()->breakpoints);
	} else {
		step->task = NULL;
		step->unmasked = ~regs->cpsr & MASKS;
		regs->cpsr |= MASKS;
	}
}

/* Within a sequence of exclusive accesses, until that has been left; false: it is in none. */
static noinline bool step_out(struct arm_debug *debug, struct pt_regs *regs,
			      const struct step_cpu *insn)
{
	struct step_cpu code = *insn;
	struct step_next next;

	if (!user_mode(regs))
		code.read = read_text;
	if (!step_leave_sequence(&code, &next)) {
		current->arch.alone = insn->size ? regs->pc : 0;
		return false;
	}
	start_step(debug, regs, user_mode(regs));
	set_places(debug, &next, user_mode(regs));
	return true;
}

/* An instruction that can not be read faults, or strikes again. */
static inline void begin_step(struct arm_debug *debug, struct pt_regs *regs, bool user,
			      struct task *task, const struct step_cpu *insn)
{
	struct arm_step *step = &debug->step;

	if (unlikely(task->arch.alone != regs->pc) && step_out(debug, regs, insn))
		return;
	if (carry_out(debug, regs, user, insn)) {
		step->off[BP_EXEC] = step->off[BP_DATA] = 0;
		return;
	}
	start_step(debug, regs, user);
	if (likely(insn->size && !(insn->cpsr & CPSR_T) && step_falls_through(insn->insn)))
		set_place(step, arm_breakpoints.step_slot, regs->pc + 4, false, user);
	else
		set_next_places(debug, insn, user);
}

/* Something has struck while a step is on. True: its instruction has been executed. */
static inline bool step_is_over(struct arm_debug *debug, struct pt_regs *regs, unsigned pool)
{
	struct arm_step *step = &debug->step;

	if (unlikely(user_mode(regs) != !!step->task)) {
		step_put_off(debug);
		return false;
	}
	end_step(debug);
	if (!step->task)
		regs->cpsr &= ~(unsigned long)step->unmasked;
	if (unlikely(pool == BP_DATA && regs->pc == step->pc))
		return false; /* what is off stays so for the next one */
	step->off[BP_EXEC] = step->off[BP_DATA] = 0;
	return true;
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

/* All that the processor has. */
static u32 all_slots(unsigned pool)
{
	return BIT(arm_breakpoints.slots[pool] + (pool == BP_EXEC)) - 1;
}

/* Which pools have struck while it was looked at what this processor has. */
static bool probe_struck[BP_POOLS];

/* Calls the owners of @slots, which are of one pool, and not none. */
static inline void tell_owners(struct pt_regs *regs, unsigned pool, u32 slots)
{
	const struct bp_hit hit = {.regs = regs, .before_access = true};
	unsigned long pc = regs->pc;
	bool owned;

	if (likely(!(slots & (slots - 1))))
		owned = breakpoint_strike_one(pool, __builtin_ctz(slots), &hit);
	else
		owned = !breakpoint_strike(pool, slots, &hit);
	if (unlikely(!owned))
		breakpoint_stray(pc);
}

/* What it interrupts in the kernel may be anything. */
static noinline void tell_in_kernel(struct pt_regs *regs, unsigned pool, u32 slots)
{
	const struct bp_hit hit = {.regs = regs, .before_access = true};
	unsigned long pc = regs->pc;
	struct cpu *cpu = this_cpu();

	cpu->nmi_depth++;
	if (breakpoint_strike(pool, slots, &hit))
		breakpoint_stray(pc);
	cpu->nmi_depth--;
}

static inline void tell(struct pt_regs *regs, bool user, unsigned pool, u32 slots)
{
	if (likely(user))
		tell_owners(regs, pool, slots);
	else
		tell_in_kernel(regs, pool, slots);
}

/*
 * The instruction @insn has struck slots @near, which have to be off while it is executed, and for
 * which owners of @own are to be told. All slots are off meanwhile: what is called may do as it
 * likes.
 */
static inline void strike(struct arm_debug *debug, struct pt_regs *regs, unsigned pool,
			  const struct step_cpu *insn, u32 near, u32 own)
{
	struct task *task = current;
	unsigned long pc = regs->pc, exempt = task->arch.exempt;
	bool user = user_mode(regs);

	if (unlikely(debug->probing)) {
		probe_struck[pool] = true;
		own = 0;
	} else if (unlikely(!near)) {
		breakpoint_stray(pc);
	}
	/* Whatever it was, it must not be so again: a slot, too, that nobody here has turned on. */
	debug->step.off[pool] |= near ?: all_slots(pool);
	if (unlikely(exempt)) {
		if (exempt == (pc | 1))
			own = 0;
		if (user || exempt == (pc | 1))
			task->arch.exempt = 0;
	}
	if (likely(own))
		tell(regs, user, pool, own);
	if (likely(regs->pc == pc && !((regs->cpsr ^ insn->cpsr) & CPSR_T)))
		begin_step(debug, regs, user, task, insn);
	else
		debug->step.off[BP_EXEC] = debug->step.off[BP_DATA] = 0;
}

static inline void fetch(struct step_cpu *insn, struct pt_regs *regs)
{
	insn->r = core_regs(regs);
	insn->cpsr = regs->cpsr;
	insn->read = user_mode(regs) ? read_user : read_code;
	insn->size = 4;
	if (unlikely(insn->read == read_code || insn->cpsr & CPSR_T ||
		     !arch_user_word(&insn->insn, (const u32 __user *)regs->pc)))
		step_fetch(insn);
}

static noinline void breakpoint_exception(struct pt_regs *regs)
{
	struct arm_debug *debug = &this_cpu()->arch.debug;
	bool over = debug->step.on && step_is_over(debug, regs, BP_EXEC);
	u32 own, near;
	struct step_cpu insn;

	own = exec_slots(&debug->loaded, regs->pc, &near);
	if (over && !near)
		return;
	fetch(&insn, regs);
	strike(debug, regs, BP_EXEC, &insn, near, own);
}

static noinline void watchpoint_exception(struct pt_regs *regs, unsigned long addr)
{
	struct arm_debug *debug = &this_cpu()->arch.debug;
	struct step_cpu insn;
	u32 own;

	if (unlikely(debug->step.on))
		step_is_over(debug, regs, BP_DATA);
	fetch(&insn, regs);
	own = data_slots(&debug->loaded, &insn, addr);
	strike(debug, regs, BP_DATA, &insn, own, own);
}

/* Before DSCR is written, and after, it may strike; so these may not be watched. */
__noinstr bool debug_prefetch_abort(struct pt_regs *regs)
{
	u32 dscr = cp_read(DBGDSCREXT);

	if (unlikely(DBGDSCR_MOE(dscr) == MOE_BKPT))
		return false;
	cp_write(DBGDSCREXT, dscr & ~DBGDSCR_MDBGEN);
	synchronize_context();
	breakpoint_exception(regs);
	cp_write(DBGDSCREXT, dscr);
	return true;
}

__noinstr void debug_data_abort(struct pt_regs *regs, unsigned long addr)
{
	u32 dscr = cp_read(DBGDSCREXT);

	cp_write(DBGDSCREXT, dscr & ~DBGDSCR_MDBGEN);
	synchronize_context();
	watchpoint_exception(regs, addr);
	cp_write(DBGDSCREXT, dscr);
}

/* As after any exception in user mode. */
void bp_exit_to_work(void)
{
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
	       probe_struck[BP_EXEC] ? "strike" : "do not strike",
	       probe_struck[BP_DATA] ? "strike" : "do not strike");
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
	bp_strike_once(&this_cpu()->arch.debug.probing);
	b->kernel = probe_struck[BP_EXEC] && probe_struck[BP_DATA];
	print_found(lock, authentication);
	if (b->kernel || boot_is_secure)
		return;
	b->slots[BP_EXEC] = b->slots[BP_DATA] = 0;
	b->why = "debug exceptions are enabled, but are not taken";
	printk("debug: no breakpoints: %s\n", b->why);
}
INITCALL(0, probe_debug);
