/* SPDX-License-Identifier: MIT */
/* Making recipes out of unwind opcodes, and the step that takes one. See recipe.h. */
#include "recipe.h"

struct recipe_entry recipe_cache[1 << RECIPE_ENTRIES_LOG2];

#define NOT_SAVED INT32_MIN

/* The opcodes carried out on paper: everything as an offset, in bytes, from one register. */
struct draft {
	u32 base;
	s32 vsp;
	s32 at[16]; /* where each register was popped from */
	bool popped;
};

static bool draft_pop(struct draft *draft, u32 mask)
{
	for (u32 i = 0; i < 16; i++) {
		if (!(mask >> i & 1))
			continue;
		if (draft->at[i] != NOT_SAVED)
			return false;
		draft->at[i] = draft->vsp;
		draft->vsp += 4;
	}
	draft->popped = true;
	return !(mask >> ARM_SP & 1);
}

static bool draft_op(struct draft *draft, const struct ehabi_op *op)
{
	switch (op->kind) {
	case EHABI_REFUSE:
		return false;
	case EHABI_SET: /* to what the function has there, not to what it had popped */
		draft->base = op->first;
		draft->vsp = 0;
		return !draft->popped && op->first >= 4 && op->first <= ARM_FP;
	case EHABI_POP:
		return draft_pop(draft, op->mask);
	default:
		draft->vsp += op->amount;
	}
	return draft->vsp >= INT16_MIN && draft->vsp <= INT16_MAX;
}

/* Puts a finished draft into the form of a recipe, if it has that form. */
static bool draft_finish(const struct draft *draft, struct recipe *recipe)
{
	s32 pc = draft->at[ARM_PC] != NOT_SAVED ? draft->at[ARM_PC] : draft->at[ARM_LR];
	s32 start = pc, at, size;
	u32 mask = 0;

	if (pc == NOT_SAVED)
		return false;
	for (int i = 4; i <= ARM_FP; i++)
		if (draft->at[i] != NOT_SAVED)
			start = MIN(start, draft->at[i]);
	at = start;
	for (int i = 4; i < ARM_FP; i++) {
		if (draft->at[i] == NOT_SAVED)
			continue;
		if (draft->at[i] != at)
			return false;
		mask |= 1 << (i - 4);
		at += 4;
	}
	size = draft->vsp - start;
	recipe->place = (u32)size << 16 | (start & 0xffff);
	recipe->saved = (u32)(pc - start) / 4 << 24 | mask << 8 | draft->base;
	at = draft->at[ARM_FP];
	if (at != NOT_SAVED)
		recipe->saved |= (u32)(at - start) / 4 << 16 | 1 << 15;
	if (draft->base == ARM_FP && at == -4 && pc == 0 && draft->vsp == 4)
		recipe->saved |= RECIPE_RECORD;
	/* Nothing is saved at or above what the caller calls the end of its stack. */
	for (int i = 4; i < 16; i++)
		if (draft->at[i] != NOT_SAVED && draft->at[i] - start >= MIN(size, 4 * 256))
			return false;
	return size <= UINT16_MAX && start >= INT16_MIN && start <= INT16_MAX;
}

bool recipe_make(struct ehabi_code code, struct recipe *recipe)
{
	struct draft draft = {.base = ARM_SP};
	struct ehabi_op op;

	for (int i = 0; i < 16; i++)
		draft.at[i] = NOT_SAVED;
	for (int i = 0; i < EHABI_MAX_OPS; i++) {
		if (!ehabi_next_op(&code, &op))
			return false;
		if (op.kind == EHABI_FINISH)
			return draft_finish(&draft, recipe);
		if (!draft_op(&draft, &op))
			return false;
	}
	return false;
}

bool recipe_apply(struct recipe recipe, struct arm_frame *frame, struct arm_memory *stack)
{
	struct arm_frame caller = *frame;
	u32 first = frame->r[recipe_base(recipe)] + recipe_start(recipe), at = first, pc;

	if (at < frame->r[ARM_SP] || at > stack->high || recipe_size(recipe) > stack->high - at)
		return false;
	for (u32 mask = recipe_mask(recipe), i = 4; mask >> (i - 4); i++) {
		if (!(mask >> (i - 4) & 1))
			continue;
		if (!arm_memory_word(stack, at, &caller.r[i]))
			return false;
		at += 4;
	}
	if (recipe_has_fp(recipe) &&
	    !arm_memory_word(stack, first + 4 * recipe_fp(recipe), &caller.r[ARM_FP]))
		return false;
	pc = frame->r[ARM_LR];
	if ((!(recipe.saved & RECIPE_LR) &&
	     !arm_memory_word(stack, first + 4 * recipe_pc(recipe), &pc)) ||
	    !arm_frame_return(&caller, pc, first + recipe_size(recipe), stack->high))
		return false;
	*frame = caller;
	return true;
}
