/* SPDX-License-Identifier: MIT */
/*
 * The ARMv7-A stack walker's uncommon steps: how it crosses a trap frame, and an interrupted
 * function.
 */
#include <hotregs/cpu.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "../common/frame_repair.h"

bool unwind_stack_range(const struct task *task, unsigned long sp, unsigned long *low,
			unsigned long *high)
{
	/* The other modes' stacks hold nothing but what an entry moves to the task's at once. */
	*low = task->stack;
	*high = task->stack + KERNEL_STACK_SIZE;
	return sp >= *low && sp <= *high;
}

/* Entry code calls C with SP at the trap frame. */
static bool cross_trap_frame(struct unwind *u)
{
	const struct pt_regs *regs = (const struct pt_regs *)u->sp;

	if (!unwind_frame_valid(u->sp, sizeof(*regs), u->sp, u->high) || user_mode(regs))
		return false;
	/* What was interrupted had its stack above. */
	return regs->sp >= (unsigned long)(regs + 1) && unwind_to_regs(u, regs);
}

/* The ranges below lie in the kernel: stacks, text. */
static bool kernel_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	*word = *(const u32 *)addr;
	return true;
}

static struct ehabi_tables kernel_tables(void)
{
	extern const u8 __extab_start[], __exidx_start[], __exidx_end[];

	return (struct ehabi_tables){
	    .data = __extab_start,
	    .start = (u32)__extab_start,
	    .size = __exidx_end - __extab_start,
	    .index = (u32)__exidx_start,
	    .nr = (__exidx_end - __exidx_start) / 8,
	};
}

/* One step from @frame by table. */
static bool step_by_table(struct arm_frame *frame, struct arm_memory *stack)
{
	const struct ehabi_tables tables = kernel_tables();
	bool called = !frame->r[ARM_LR];
	u32 pc = frame->r[ARM_PC];
	struct ehabi_code code;

	return ehabi_find(&tables, pc - called, &code) == EHABI_OK &&
	       ehabi_execute(&code, frame, stack);
}

/* To the caller by decoder, or by what an interrupted function does next. */
static noinline bool step(struct unwind *u)
{
	extern const char _stext[], _etext[];
	struct arm_memory stack = {.word = kernel_word}, code = {.word = kernel_word};
	/* Registers that are not known are 0, from where no table gets anywhere. */
	struct arm_frame frame = {
	    .r = {[ARM_FP] = u->fp, [ARM_SP] = u->sp, [ARM_LR] = u->lr, [ARM_PC] = u->ip},
	    .thumb = u->thumb,
	};
	struct repair_rule rule;
	unsigned long low, high;

	if (!unwind_stack_range(u->task, u->sp, &low, &high))
		return false;
	stack.low = low;
	stack.high = high;
	code.low = (u32)_stext;
	code.high = (u32)_etext;
	if (!(u->lr && frame_repair(&frame, &code, &stack, &rule)) &&
	    !step_by_table(&frame, &stack))
		return false;
	u->fp = frame.r[ARM_FP];
	u->ip = frame.r[ARM_PC];
	u->lr = 0;
	/* Inside a prologue the frame began lower than where it was interrupted. */
	if (frame.r[ARM_SP] < u->sp)
		return false;
	u->sp = frame.r[ARM_SP];
	return kernel_text_address(u->ip);
}

bool unwind_next_uncommon(struct unwind *u)
{
	/* Entry code that is interrupted itself has no frame that could be known. */
	if (is_entry_text(u->ip))
		return !u->lr && cross_trap_frame(u);
	return step(u);
}
