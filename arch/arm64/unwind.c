// SPDX-License-Identifier: MIT
/*
 * The AArch64 stack walker's uncommon steps: how it crosses a trap frame, and where an interrupted
 * function has its caller.
 */
#include <hotregs/cpu.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "frame_repair.h"

bool unwind_stack_range(const struct task *task, unsigned long sp, unsigned long *low,
			unsigned long *high)
{
	*low = task->stack;
	*high = task->stack + KERNEL_STACK_SIZE;
	return sp >= *low && sp <= *high;
}

static bool kernel_insn(struct code_reader *reader, unsigned long addr, u32 *insn)
{
	if (!kernel_text_address(addr))
		return false;
	*insn = *(const u32 *)addr;
	return true;
}

/* Goes to kernel-mode @regs that were interrupted anywhere. */
static bool unwind_to_interrupted(struct unwind *u, const struct pt_regs *regs)
{
	struct code_reader code = {kernel_insn};

	if (!unwind_to_regs(u, regs))
		return false;
	if (caller_is_in_lr(&code, regs->pc, regs->x[ARM64_LR]))
		u->lr = regs->x[ARM64_LR];
	return true;
}

bool unwind_start_interrupted(struct unwind *u, const struct pt_regs *regs)
{
	return !user_mode(regs) && unwind_to_interrupted(u, regs);
}

/* Entry code lets x29 point at the record of the frame that it has stored. */
static bool cross_trap_frame(struct unwind *u)
{
	unsigned long at = u->fp - offsetof(struct pt_regs, record);
	const struct pt_regs *regs = (const struct pt_regs *)at;

	if (!unwind_frame_valid(at, sizeof(*regs), u->sp, u->high) || user_mode(regs))
		return false;
	/* What was interrupted had its stack above. */
	return regs->sp >= (unsigned long)(regs + 1) && unwind_to_interrupted(u, regs);
}

bool unwind_next_uncommon(struct unwind *u)
{
	extern const char __entry_text_start[], __entry_text_end[];

	if (u->lr) {
		u->ip = u->lr;
		u->lr = 0;
		return kernel_text_address(u->ip);
	}
	/* A return address is one past the call. */
	if (u->ip <= (unsigned long)__entry_text_start || u->ip > (unsigned long)__entry_text_end)
		return false;
	return cross_trap_frame(u);
}
