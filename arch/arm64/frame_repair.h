/* SPDX-License-Identifier: MIT */
/*
 * Frame records hold at calls, and between a function's prologue and its epilogue; an interrupt
 * strikes elsewhere, too, and in leaves that have none. Then the caller is in x30. Pure, any
 * context, NMI-safe.
 */
#pragma once

#include <hotregs/types.h>

/* Code as far as it can be read. */
struct code_reader {
	/* The instruction at @addr, a multiple of four; false: it is not there. */
	bool (*insn)(struct code_reader *reader, unsigned long addr, u32 *insn);
};

/*
 * Is x30, which has @lr, the return address of the function that was interrupted at @pc? It looks
 * what that does next: what comes first of a return, a call, and saving and restoring x30, decides.
 */
bool caller_is_in_lr(struct code_reader *code, unsigned long pc, unsigned long lr);
