/* SPDX-License-Identifier: MIT */
/*
 * Where an instruction goes on: decoded from it and the registers, as they are before it, in ARM
 * and Thumb state (ARM DDI 0406C, A5, A6 and A8). Pure but for @read.
 */
#pragma once

#include <hotregs/types.h>

struct step_cpu {
	const unsigned long *r; /* 15: the instruction's own address is r[15] */
	u32 cpsr;
	/* Copies @n bytes from @addr of the interrupted code's memory; false: they are not there.
	 */
	bool (*read)(u32 addr, void *to, size_t n);
	/* By step_fetch(). */
	u32 insn; /* of 32 bits in Thumb state, the first half is above */
	u8 size;  /* in bytes; 0: it can not be read */
};

/* Reads the instruction, which the functions below are about. False: it can not be read. */
bool step_fetch(struct step_cpu *cpu);

struct step_place {
	u32 pc;
	bool thumb;
};

#define STEP_PLACES 4

/*
 * The places, one of which is executed next, or, from a load-exclusive on, next behind the
 * store-exclusive: an exception in between would have that fail, time and again. None: the
 * instruction can not be read.
 */
struct step_next {
	u8 nr;
	struct step_place at[STEP_PLACES];
};

void step_next(const struct step_cpu *cpu, struct step_next *next);

/*
 * Is the instruction in a sequence of exclusive accesses, behind the load? An exception there has
 * the store fail, and the sequence is done again; so what strikes there is to be off until the
 * sequence has been left, and these are the places for that.
 */
bool step_leave_sequence(const struct step_cpu *cpu, struct step_next *next);

/*
 * Does this instruction of ARM state go on behind itself, whatever there is in the registers, and
 * is it no load-exclusive? False: step_next() can tell.
 */
static inline bool step_falls_through(u32 insn)
{
	bool names_pc = (insn & 0xf000) == 0xf000;

	if (insn >> 28 == 15)
		return false;
	switch (insn >> 25 & 7) {
	case 4: /* LDM */
		return (insn & 0x108000) != 0x108000;
	case 5: /* B, BL */
		return false;
	case 6: /* coprocessors, SVC */
	case 7:
		return true;
	}
	return !names_pc && (insn & 0x0f9000f0) != 0x01900090;
}

/*
 * What of memory the instruction accesses, if it is executed. False: it can not be told, or it is
 * nothing.
 */
#define STEP_LOADS  1U
#define STEP_STORES 2U
struct step_access {
	u32 first, last; /* bytes */
	u8 kinds;        /* STEP_* */
};
bool step_access(const struct step_cpu *cpu, struct step_access *access);

/*
 * Words that a program loads or stores by one register and an offset, or by several, are carried
 * out here as well: that is most of what watchpoints see, and of what functions begin with, and
 * costs one exception less than a step. ARM state, always executed. @store: as @read, of a word.
 * False: it is none of these, or something is not there, and it is as it was but for memory that it
 * will store again.
 */
bool step_carry_out_words(const struct step_cpu *cpu, unsigned long *r,
			  bool (*store)(u32 addr, u32 value));

/*
 * An instruction that looks at, or changes, what interrupts are masked does not see those that a
 * step masks: it is carried out here. ARM state, PL1. False: it is none; else *cpsr and @r have
 * what it leaves.
 */
bool step_carry_out_masks(const struct step_cpu *cpu, unsigned long *r, unsigned long *cpsr);
