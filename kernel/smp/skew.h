/* SPDX-License-Identifier: MIT */
/* Clocks of processors that start, against those of others. */
#pragma once

#include <hotregs/types.h>

/*
 * On a new processor, before it uses its clock, while another is in skew_answer(): measures how far
 * its clock is off, and corrects it where that is certain and the processor can.
 */
void skew_correct(void);

/* Answers that of processor @cpu, and prints the result. Interrupts on: they lengthen a round. */
void skew_answer(u32 cpu);
