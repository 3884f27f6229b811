/* SPDX-License-Identifier: MIT */
/* The ARMv7-A part of the hostile stacks: frame records of both kinds, and addresses of the
 * kernel's. */
#include "../../stacks.h"

const unsigned long kernel_addresses[] = {
    0x80000000,                         /* all memory */
    0x80008000, 0xbffffff8, 0xc0000000, /* nothing */
    0xd0000000,                         /* stacks and rings */
    0xd0004ff8, 0xf0000000,             /* the image */
    0xf0010000, 0xff000000,             /* devices */
    0xffff0000,                         /* where vectors may be */
    0xfffffff0,                         /* where 16 bytes more are 0 */
    0xfffffffc,
};
const unsigned nr_kernel_addresses = ARRAY_LENGTH(kernel_addresses);

/* Some are as GCC makes them, r11 at the return address, others as AAPCS32 has them. */
void put_record(unsigned long fp, unsigned long next, unsigned long ret)
{
	volatile unsigned long *record = (volatile unsigned long *)fp;

	if (ret & 4) {
		record[0] = next;
		record[1] = ret;
	} else {
		record[-1] = next;
		record[0] = ret;
	}
}

#define SAMPLED(suffix)                                                                     \
	void sampled_switch_##suffix(const struct stack_regs *regs, volatile void *memory); \
	void sampled_fault_##suffix(const struct stack_regs *regs, volatile void *memory);  \
	void sampled_clock_##suffix(const struct stack_regs *regs, volatile void *memory)
#define SAMPLERS(suffix)                                                    \
	{"switch, " #suffix, SAMPLE_SWITCH, sampled_switch_##suffix},       \
	    {"page fault, " #suffix, SAMPLE_FAULT, sampled_fault_##suffix}, \
	{                                                                   \
		"clock, " #suffix, SAMPLE_CLOCK, sampled_clock_##suffix     \
	}

SAMPLED(leaf);
SAMPLED(record);
SAMPLED(saved);
SAMPLED(pieces);
SAMPLED(nobody);
SAMPLED(thumb_leaf);
SAMPLED(thumb_record);
SAMPLED(thumb_pieces);
SAMPLED(big_endian);

const struct sampler samplers[] = {
    SAMPLERS(leaf),         SAMPLERS(record),       SAMPLERS(saved),
    SAMPLERS(pieces),       SAMPLERS(nobody),       SAMPLERS(thumb_leaf),
    SAMPLERS(thumb_record), SAMPLERS(thumb_pieces), SAMPLERS(big_endian),
};
const unsigned nr_samplers = ARRAY_LENGTH(samplers);

/* The virtual count of the generic timer (ARM DDI 0406C, B8.1.3), of 16 instructions a tick under
 * QEMU. */
unsigned long instruction_count(void)
{
	unsigned long low, high;

	__asm__ volatile("isb\n\tmrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high)::"memory");
	return low * 16;
}
