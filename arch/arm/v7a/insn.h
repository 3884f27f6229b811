/* SPDX-License-Identifier: MIT */
/* What step.c and access.c have in common: fields of an instruction, and its operands. */
#pragma once

#include <asm/psr.h>

#include "step.h"

#define INSN_ALWAYS 14
#define INSN_PC     15

static inline u32 bits(u32 insn, unsigned high, unsigned low)
{
	return insn << (31 - high) >> (31 - high + low);
}

static inline u32 bit(u32 insn, unsigned n)
{
	return insn >> n & 1;
}

/* Register @n; as an operand the PC is two instructions ahead (ARM DDI 0406C, A2.3). */
static inline u32 reg(const struct step_cpu *cpu, unsigned n)
{
	u32 ahead = n != INSN_PC ? 0 : cpu->cpsr & CPSR_T ? 4 : 8;

	return (u32)cpu->r[n] + ahead;
}

/*
 * The common access: a word by a register and an immediate offset, not added afterwards (A8.8.63,
 * A8.8.204). ARM state.
 */
static inline bool insn_is_word_access(u32 insn)
{
	return (insn & 0x0f400000) == 0x05000000 && insn >> 28 != 15;
}

static inline u32 insn_word_address(const struct step_cpu *cpu, u32 insn)
{
	u32 rn = reg(cpu, bits(insn, 19, 16)), offset = bits(insn, 11, 0);

	return bit(insn, 23) ? rn + offset : rn - offset;
}

/* The second operand, a register that is shifted (A8.4). ARM state. */
u32 insn_shifted_register(const struct step_cpu *cpu, u32 insn);
