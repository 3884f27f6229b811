/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints of kernel code's own as x86_64 has them: where data and instructions strike, where a
 * handler goes on, and what else raises a debug exception.
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
#include "../strikes.h"

#define WINDOW 40 /* bytes, of which one in the middle is watched */
#define MIDDLE 16

static u8 window[WINDOW] __aligned(64);
static u8 told_byte; /* of the window's middle, as it was when that struck */

static void note_byte(struct breakpoint *bp, const struct bp_hit *hit)
{
	note_strike(bp, hit);
	told_byte = window[MIDDLE];
}

/* --- Data --- */

/* The access is done, and the next instruction has not begun. */
KTEST(x86_breakpoint_data_strike_behind_the_access)
{
	struct breakpoint bp = {.task = current, .cpu = -1, .hit = note_byte};
	unsigned long next;

	window[MIDDLE] = 1;
	if (!open_bp(&bp, HW_BREAKPOINT_W, (unsigned long)&window[MIDDLE], 1))
		return;
	__asm__ volatile("leaq 1f(%%rip), %0\n\tmovb $7, %1\n1:"
			 : "=&r"(next), "=m"(window[MIDDLE]));
	close_bp(&bp);
	EXPECT_EQ(told.ip, next);
	EXPECT_EQ(told_byte, 7);
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

static void skip_call(struct breakpoint *bp, const struct bp_hit *hit)
{
	struct pt_regs *regs = hit->regs;

	note_strike(bp, hit);
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

/* --- What is nobody's --- */

static noinline void store(void)
{
	__asm__ volatile("movb $1, %0" : "=m"(window[MIDDLE]));
}

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
	note_strike(bp, hit);
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
		bp.hit = note_strike;
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
