/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints of kernel code's own, in the processor's slots: each slot, type, length and alignment
 * against each access; instructions; and what else raises a debug exception.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/task.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/mmu.h>
#include <asm/debugreg.h>
#include <asm/traps.h>

#include "../ktest.h"

#define WINDOW 40 /* bytes, of which those in the middle are watched */
#define MIDDLE 16

static u8 window[WINDOW] __aligned(64);
static u8 elsewhere[8] __aligned(8);

/* What the handlers were told, in the middle of anything. */
static volatile struct {
	u32 n;
	unsigned long ip;
	bool before_access;
	u8 byte; /* of the window's middle, as it was then */
} told;

static void note(struct breakpoint *bp, const struct bp_hit *hit)
{
	told.n++;
	told.ip = regs_ip(hit->regs);
	told.before_access = hit->before_access;
	told.byte = window[MIDDLE];
}

static bool open_bp(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	const char *why = "";

	bp->hit = note;
	if (!EXPECT_EQ(bp_parse(&attr, &bp->parts, &why), 0) ||
	    !EXPECT_EQ(breakpoint_check(&bp->parts, false, &why), 0) ||
	    !EXPECT_EQ(breakpoint_reserve(bp), 0))
		return false;
	breakpoint_enable(bp);
	return true;
}

static void close_bp(struct breakpoint *bp)
{
	breakpoint_disable(bp);
	breakpoint_release(bp);
}

/* --- Data: each slot, type and length against each access --- */

static noinline void access(u8 *at, unsigned size, bool write)
{
	switch (size + write) {
	case 1:
		__asm__ volatile("movb %0, %%al" ::"m"(*at) : "rax");
		break;
	case 2:
		if (write)
			__asm__ volatile("movb $5, %0" : "=m"(*at));
		else
			__asm__ volatile("movw %0, %%ax" ::"m"(*(u16 *)at) : "rax");
		break;
	case 3:
		__asm__ volatile("movw $5, %0" : "=m"(*(u16 *)at));
		break;
	case 4:
		__asm__ volatile("movl %0, %%eax" ::"m"(*(u32 *)at) : "rax");
		break;
	case 5:
		__asm__ volatile("movl $5, %0" : "=m"(*(u32 *)at));
		break;
	case 8:
		__asm__ volatile("movq %0, %%rax" ::"m"(*(u64 *)at) : "rax");
		break;
	case 9:
		__asm__ volatile("movq $5, %0" : "=m"(*(u64 *)at));
		break;
	}
}

static bool touches(const struct bp_parts *parts, const u8 *at, unsigned size)
{
	for (unsigned i = 0; i < parts->nr; i++) {
		struct bp_range range = bp_range(&parts->form[i]);

		if ((unsigned long)at <= range.last && (unsigned long)at + size > range.first)
			return true;
	}
	return false;
}

/* Accesses of every size, aligned as programs' are, all over the window. */
static bool try_accesses(const struct breakpoint *bp, bool reads_too)
{
	bool ok = true;

	for (unsigned size = 1; size <= 8; size *= 2) {
		for (u8 *at = window; at < window + WINDOW; at += size) {
			for (int write = 0; write < 2; write++) {
				bool hits = (write || reads_too) && touches(&bp->parts, at, size);

				told.n = 0;
				access(at, size, write);
				ok &= EXPECT_EQ(told.n, hits);
			}
		}
	}
	return ok;
}

/* Others before it, so that it comes into a slot that is not the first. */
static void open_others(struct breakpoint others[], unsigned n, struct task *task, s32 cpu)
{
	for (unsigned i = 0; i < n; i++) {
		others[i] = (struct breakpoint){.task = task, .cpu = cpu};
		open_bp(&others[i], HW_BREAKPOINT_W, (unsigned long)&elsewhere[i], 1);
	}
}

static void close_others(struct breakpoint others[], unsigned n)
{
	while (n--)
		close_bp(&others[n]);
}

static void try_data(struct task *task, s32 cpu)
{
	static const u32 types[] = {HW_BREAKPOINT_W, HW_BREAKPOINT_RW};
	struct breakpoint bp, others[BP_SLOTS];

	for (unsigned slot = 0; slot < BP_SLOTS; slot++) {
		open_others(others, slot, task, cpu);
		for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
			for (unsigned len = 1; len <= 8; len *= 2) {
				bp = (struct breakpoint){.task = task, .cpu = cpu};
				if (!open_bp(&bp, types[t], (unsigned long)&window[MIDDLE], len))
					break;
				try_accesses(&bp, t);
				close_bp(&bp);
			}
		}
		close_others(others, slot);
	}
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

KTEST(x86_breakpoint_data_of_a_task)
{
	try_data(current, -1);
}

KTEST(x86_breakpoint_data_of_a_cpu)
{
	try_data(NULL, this_cpu()->id);
}

KTEST(x86_breakpoint_data_of_everybody)
{
	try_data(NULL, -1);
}

KTEST(x86_breakpoint_of_any_range)
{
	for (unsigned offset = 0; offset < 8; offset++) {
		for (unsigned len = 1; len <= 8; len++) {
			struct breakpoint bp = {.task = current, .cpu = -1};

			if (!open_bp(&bp, HW_BREAKPOINT_RW, (unsigned long)&window[MIDDLE + offset],
				     len))
				return;
			EXPECT(touches(&bp.parts, &window[MIDDLE + offset], 1));
			EXPECT(touches(&bp.parts, &window[MIDDLE + offset + len - 1], 1));
			try_accesses(&bp, true);
			close_bp(&bp);
		}
	}
}

/* The access is done, and the next instruction has not begun. */
KTEST(x86_breakpoint_data_strike_behind_the_access)
{
	struct breakpoint bp = {.task = current, .cpu = -1};
	unsigned long next;

	window[MIDDLE] = 1;
	if (!open_bp(&bp, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 1))
		return;
	__asm__ volatile("leaq 1f(%%rip), %0\n\tmovb $7, %1\n1:"
			 : "=&r"(next), "=m"(window[MIDDLE]));
	close_bp(&bp);
	EXPECT_EQ(told.ip, next);
	EXPECT_EQ(told.byte, 7);
	EXPECT(!told.before_access);
}

/* String instructions are one each time that they touch it, and go on. */
KTEST(x86_breakpoint_data_in_string_instructions)
{
	struct breakpoint bp = {.task = current, .cpu = -1};
	unsigned long to = (unsigned long)window, count = WINDOW;

	if (!open_bp(&bp, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 1))
		return;
	told.n = 0;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(9) : "memory");
	close_bp(&bp);
	EXPECT_EQ(told.n, 1);
	EXPECT_EQ(count, 0);
	EXPECT_EQ(to, (unsigned long)window + WINDOW);
	EXPECT_EQ(window[WINDOW - 1], 9);
}

/* --- Instructions --- */

static volatile u32 executed;

static noinline void execute(void)
{
	executed++;
}

static void call(u32 n)
{
	while (n--) {
		execute();
		barrier();
	}
}

#define MANY 100000

KTEST(x86_breakpoint_instruction_strikes_once_each_time)
{
	struct breakpoint bp, others[BP_SLOTS];

	for (unsigned slot = 0; slot < BP_SLOTS; slot++) {
		open_others(others, slot, current, -1);
		bp = (struct breakpoint){.task = current, .cpu = -1};
		if (!open_bp(&bp, HW_BREAKPOINT_X, (unsigned long)execute, sizeof(long)))
			return;
		told.n = executed = 0;
		call(slot ? 3 : MANY);
		EXPECT_EQ(told.n, executed);
		EXPECT_EQ(executed, slot ? 3 : MANY);
		EXPECT_EQ(told.ip, (unsigned long)execute);
		EXPECT(told.before_access);
		close_bp(&bp);
		call(1);
		EXPECT_EQ(told.n, executed - 1);
		close_others(others, slot);
	}
}

static void skip_call(struct breakpoint *bp, const struct bp_hit *hit)
{
	struct pt_regs *regs = hit->regs;

	note(bp, hit);
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(unsigned long);
}

KTEST(x86_breakpoint_handler_goes_on_elsewhere)
{
	struct breakpoint bp = {.task = current, .cpu = -1};

	if (!open_bp(&bp, HW_BREAKPOINT_X, (unsigned long)execute, 0))
		return;
	bp.hit = skip_call;
	told.n = executed = 0;
	call(5);
	close_bp(&bp);
	EXPECT_EQ(told.n, 5);
	EXPECT_EQ(executed, 0);
}

static void go_to_store(struct breakpoint *bp, const struct bp_hit *hit)
{
	extern const char x86_breakpoint_elsewhere[];

	note(bp, hit);
	regs_set_ip(hit->regs, (unsigned long)x86_breakpoint_elsewhere);
}

/* Where a handler has sent it, the next one strikes: it is another instruction. */
KTEST(x86_breakpoint_strikes_where_a_handler_has_sent_it)
{
	extern const char x86_breakpoint_here[], x86_breakpoint_elsewhere[];
	struct breakpoint first = {.task = current, .cpu = -1}, second = first;
	unsigned long way = 0;

	if (!open_bp(&first, HW_BREAKPOINT_X, (unsigned long)x86_breakpoint_here, 0) ||
	    !open_bp(&second, HW_BREAKPOINT_X, (unsigned long)x86_breakpoint_elsewhere, 0))
		return;
	first.hit = go_to_store;
	told.n = 0;
	__asm__ volatile("x86_breakpoint_here:\n\t"
			 "orq $1, %0\n"
			 "x86_breakpoint_elsewhere:\n\t"
			 "orq $2, %0"
			 : "+r"(way)
			 :
			 : "cc", "memory");
	EXPECT_EQ(told.n, 2);
	EXPECT_EQ(told.ip, (unsigned long)x86_breakpoint_elsewhere);
	EXPECT_EQ(way, 2);
	close_bp(&first);
	close_bp(&second);
}

/* --- Several at once --- */

static noinline void store(void)
{
	__asm__ volatile("movb $1, %0" : "=m"(window[MIDDLE]));
}

/* Three owners of the same bytes, whom an emulator reports as one; and of one instruction. */
KTEST(x86_breakpoint_equal_ones_all_strike)
{
	struct breakpoint a = {.task = current, .cpu = -1}, b = {.cpu = (s32)this_cpu()->id},
			  c = {.cpu = -1};

	if (!open_bp(&a, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 4) ||
	    !open_bp(&b, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 4) ||
	    !open_bp(&c, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 4))
		return;
	told.n = 0;
	store();
	EXPECT_EQ(told.n, 3);
	close_bp(&b);
	store();
	EXPECT_EQ(told.n, 5);
	close_bp(&a);
	close_bp(&c);
	store();
	EXPECT_EQ(told.n, 5);
}

/* An instruction that is watched stores to data that are. */
KTEST(x86_breakpoint_before_and_behind_one_instruction)
{
	struct breakpoint x = {.task = current, .cpu = -1}, w = {.task = current, .cpu = -1};
	const u8 *movb = (const u8 *)store;

	while (*movb != 0xc6) /* MOV of an immediate byte to memory (Intel SDM vol. 2) */
		movb++;
	if (!open_bp(&x, HW_BREAKPOINT_X, (unsigned long)movb, 0) ||
	    !open_bp(&w, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 1))
		return;
	told.n = 0;
	for (int i = 0; i < 10; i++)
		store();
	EXPECT_EQ(told.n, 20);
	EXPECT(!told.before_access);
	close_bp(&x);
	close_bp(&w);
}

/* --- What is nobody's --- */

KTEST(x86_breakpoint_strays_are_counted)
{
	unsigned long flags = irq_save();
	u32 before = breakpoint_strays();

	/* A slot that nobody has asked for, and an exception without any. */
	dr2_write((unsigned long)&window[MIDDLE]);
	dr7_write(DR7_IDLE | DR7_ON(2) | (unsigned long)DR7_WRITE << DR7_CONTROL(2));
	told.n = 0;
	store();
	EXPECT_EQ(told.n, 0);
	EXPECT_EQ(breakpoint_strays(), before + 1);
	/* It is off now, as it should have been. */
	EXPECT_EQ(dr7_read(), DR7_IDLE);
	__asm__ volatile("int $1");
	EXPECT_EQ(breakpoint_strays(), before + 2);
	dr2_write(0);
	irq_restore(flags);
	EXPECT_EQ(dr6_read(), DR6_IDLE);
}

/* Firmware's lock on the registers opens by itself as it traps; an emulator may have none. */
KTEST(x86_breakpoint_registers_that_are_locked)
{
	unsigned long flags = irq_save();
	u32 before = breakpoint_strays();

	dr7_write(DR7_IDLE | DR7_GD);
	(void)dr0_read();
	EXPECT(breakpoint_strays() - before <= 1);
	dr7_write(DR7_IDLE);
	EXPECT_EQ(dr7_read(), DR7_IDLE);
	EXPECT(breakpoint_strays() - before <= 1);
	EXPECT_EQ(dr6_read(), DR6_IDLE);
	irq_restore(flags);
}

/* --- NMIs --- */

static struct {
	u32 n;
	bool off, in_nmi;
} nmis;

static bool take_nmi(struct pt_regs *regs)
{
	nmis.n++;
	nmis.off = dr7_read() == DR7_IDLE;
	nmis.in_nmi = in_nmi();
	store();
	return true;
}

/* One that software raises, for which the processor blocks no others. */
static void raise_nmi(void)
{
	__asm__ volatile("int $2" ::: "memory");
}

static void nmi_meanwhile(struct breakpoint *bp, const struct bp_hit *hit)
{
	note(bp, hit);
	raise_nmi();
}

/* What an NMI does strikes nobody, in the middle of a strike or not; and what it has interrupted
 * goes on as it was. */
KTEST(x86_breakpoint_nothing_strikes_in_an_nmi)
{
	struct breakpoint bp = {.task = current, .cpu = -1};
	unsigned long flags;

	if (!open_bp(&bp, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 1))
		return;
	flags = irq_save();
	nmi_handler = take_nmi;
	for (u32 n = 1; n <= 3; n++) {
		unsigned long dr7 = dr7_read();

		told.n = nmis.n = 0;
		raise_nmi();
		EXPECT_EQ(told.n, 0);
		EXPECT_EQ(nmis.n, 1);
		EXPECT(nmis.off && nmis.in_nmi && !in_nmi());
		EXPECT_EQ(dr7_read(), dr7);
		bp.hit = nmi_meanwhile;
		store();
		EXPECT_EQ(told.n, 1);
		EXPECT_EQ(nmis.n, 2);
		EXPECT(nmis.off && nmis.in_nmi && !in_nmi());
		EXPECT_EQ(dr7_read(), dr7);
		bp.hit = note;
		store();
		EXPECT_EQ(told.n, 2);
	}
	nmi_handler = NULL;
	irq_restore(flags);
	close_bp(&bp);
}

static void expect_refused(const void *addr, u32 type, const char *reason)
{
	const struct perf_event_attr attr = {
	    .bp_type = type, .bp_addr = (unsigned long)addr, .bp_len = 1};
	struct bp_parts parts;
	const char *why = "";

	EXPECT_EQ(bp_parse(&attr, &parts, &why), 0);
	EXPECT_EQ(breakpoint_check(&parts, false, &why), -EINVAL);
	EXPECT(!strncmp(why, reason, strlen(reason)));
	EXPECT_EQ(breakpoint_check(&parts, true, &why), -EPERM);
}

KTEST(x86_breakpoint_entries_are_not_watched)
{
	extern const char syscall_entry[], boot_stack[];
	int local;

	expect_refused(syscall_entry, HW_BREAKPOINT_X, "code");
	expect_refused(trap_stubs, HW_BREAKPOINT_X, "code");
	expect_refused(ist_dispatch, HW_BREAKPOINT_X, "code");
	expect_refused(syscall_entry, HW_BREAKPOINT_RW, "code");
	expect_refused(&cpus[0].arch.user_sp, HW_BREAKPOINT_W, "data");
	expect_refused(&cpu_has_smap, HW_BREAKPOINT_RW, "data");
	expect_refused(boot_stack, HW_BREAKPOINT_W, "data");
	if ((unsigned long)&local - VMAP_START < VMAP_END - VMAP_START)
		expect_refused(&local, HW_BREAKPOINT_W, "kernel stacks");
	expect_refused((void *)current->stack, HW_BREAKPOINT_W,
		       current->stack >= KERNEL_IMAGE_BASE ? "data" : "kernel stacks");
}
