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
};

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
 * What the instruction does to memory, if that can be told from it; else both. The processor does
 * not say which of them a watchpoint saw before version 8 of the architecture.
 */
#define STEP_LOADS  1U
#define STEP_STORES 2U
unsigned step_accesses(const struct step_cpu *cpu);

/*
 * An instruction that looks at, or changes, what interrupts are masked does not see those that a
 * step masks: it is carried out here. ARM state, PL1. False: it is none; else *cpsr and r[0..14]
 * have what it leaves, and it goes on behind.
 */
bool step_carry_out(const struct step_cpu *cpu, unsigned long *r, unsigned long *cpsr);
