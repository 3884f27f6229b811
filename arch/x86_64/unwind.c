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

/* Goes to kernel-mode @regs; false when their IP or stack is none the kernel knows. */
static bool unwind_to_regs(struct unwind *u, const struct pt_regs *regs)
{
	unsigned long low, high;

	return unwind_stack_range(u->task, regs->sp, &low, &high) && unwind_to_stack(u, regs, high);
}

/* As unwind_to_regs() where @regs were interrupted, perhaps before or after a function's frame. */
static bool unwind_to_interrupted(struct unwind *u, const struct pt_regs *regs)
{
	long offset;
	u32 code;

	if (!unwind_to_regs(u, regs))
		return false;
	memcpy(&code, (const void *)u->ip, FRAME_CODE_SIZE);
	offset = frame_missing(code);
	if (offset >= 0) {
		u->bare = true;
		u->caller_fp = u->fp;
		u->fp = (u->sp + offset) | 1;
	}
	return true;
}

bool unwind_start_special(struct unwind *u, const struct pt_regs *regs)
{
	if (user_mode(regs))
		return false;
	return regs->flags ? unwind_to_interrupted(u, regs) : unwind_to_regs(u, regs);
}

bool unwind_next_special(struct unwind *u)
{
	unsigned long high = u->last + sizeof(struct frame_record), at = u->fp - 1;
	const struct pt_regs *regs = (const struct pt_regs *)at;

	if (u->bare) {
		if (!unwind_frame_valid(at, sizeof(long), u->sp, high))
			return false;
		u->ip = *(const unsigned long *)at;
		u->sp = at + sizeof(long);
		u->fp = u->caller_fp;
		u->bare = false;
		return kernel_text_address(u->ip);
	}
	if (!unwind_frame_valid(at, sizeof(*regs), u->sp, high))
		return false;
	return !user_mode(regs) && unwind_to_interrupted(u, regs);
}
