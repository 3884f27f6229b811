/* SPDX-License-Identifier: MIT */
/*
 * The x86_64 stack walker's uncommon steps: where a walk starts, how it crosses a trap frame, and
 * what to do when the interrupted function had no frame at that instruction.
 */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>
#include <asm/frame.h>

bool unwind_stack_range(const struct task *task, unsigned long sp, unsigned long *low,
			unsigned long *high)
{
	const struct cpu *cpu = this_cpu();

	if (sp - task->stack < KERNEL_STACK_SIZE) {
		*low = task->stack;
		*high = task->stack + KERNEL_STACK_SIZE;
		return true;
	}
	for (int i = 0; i < NR_IST; i++) {
		unsigned long stack = (unsigned long)cpu->arch.ist_stack[i];

		if (stack && sp - stack < IST_STACK_SIZE) {
			*low = stack;
			*high = stack + IST_STACK_SIZE;
			return true;
		}
	}
	return false;
}

/* Goes to kernel-mode @regs: interrupted ones when @interrupted, else those of a call. */
static bool unwind_to_regs(struct unwind *u, const struct pt_regs *regs, bool interrupted)
{
	unsigned long low, high;
	long offset;
	u32 code;

	u->ip = regs->ip;
	u->sp = regs->sp;
	u->fp = regs->bp;
	u->bare_return = 0;
	if (!kernel_text_address(u->ip) || !unwind_stack_range(u->task, u->sp, &low, &high))
		return false;
	u->last = high - sizeof(struct frame_record);
	if (interrupted) {
		memcpy(&code, (const void *)u->ip, FRAME_CODE_SIZE);
		offset = frame_missing(code);
		if (offset >= 0)
			u->bare_return = u->sp + offset + 1;
	}
	return true;
}

bool unwind_start(struct unwind *u, const struct task *task, const struct pt_regs *regs)
{
	u->task = task;
	/* Hot regs carry no flags: they were stored in the middle of a function, frame complete. */
	return !user_mode(regs) && unwind_to_regs(u, regs, regs->flags);
}

bool unwind_next_special(struct unwind *u)
{
	const struct pt_regs *regs = (const struct pt_regs *)(u->fp - 1);
	unsigned long high = u->last + sizeof(struct frame_record), at = u->bare_return - 1;

	if (u->bare_return) {
		if (!unwind_frame_valid(at, sizeof(long), u->sp, high))
			return false;
		u->ip = *(const unsigned long *)at;
		u->sp = at + sizeof(long);
		u->bare_return = 0;
		return kernel_text_address(u->ip);
	}
	if (!unwind_frame_valid((unsigned long)regs, sizeof(*regs), u->sp, high))
		return false;
	return !user_mode(regs) && unwind_to_regs(u, regs, true);
}
