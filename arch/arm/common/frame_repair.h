/* SPDX-License-Identifier: MIT */
/*
 * Where unwind tables are not right yet, or not any more: they hold at calls, so also between a
 * function's prologue and its epilogue, but an interrupt strikes inside of those too. Pure, any
 * context, NMI-safe.
 */
#pragma once

#include "recipe.h"

/* What the code alone says of everybody who is interrupted at one place in it. */
struct repair_rule {
	bool known;
	struct recipe recipe; /* RECIPE_END: tables hold */
};

/*
 * Looks what the interrupted function of @frame, whose lr is live, does next, as far as @code can
 * be read. In an epilogue, at a function whose page is not there yet and that was called directly,
 * or before a prologue has saved anything, the caller is known without tables: true, and @frame is
 * the caller's. Else false; then tables hold for @frame, after it was moved to the end of the
 * prologue if it was inside. *@rule does the same for whoever comes there next, as long as the code
 * stays what it is.
 */
bool frame_repair(struct arm_frame *frame, struct arm_memory *code, struct arm_memory *stack,
		  struct repair_rule *rule);
