/* SPDX-License-Identifier: MIT */
/* The AArch64 part of the hostile stacks: frame records by x29, and addresses of the kernel's. */
#include "../stacks.h"

const unsigned long kernel_addresses[] = {
    0xffffffff80000000, /* the image */
    0xffffffff80010000,
    0xffffffffbfe00000, /* devices */
    0xffff800000000000, /* all memory */
    0xffff800040200000, /* the image in it */
    0xffff800009000000, /* a device, as memory */
    0xffffc00000000000, /* stacks and rings */
    0xffffc00000004ff8,
    0x0000800000000000, /* no address at all: the first and the last that is in no half */
    0xfffefffffffffff8,
    0xffff000000000000, /* the first of the upper half */
    0x00007ffffffff000, /* the page that ends user space */
    0x00007ffffffffff8,
    0xfffffffffffffff0, /* where 16 bytes more are 0 */
    0xfffffffffffffff8,
};
const unsigned nr_kernel_addresses = ARRAY_LENGTH(kernel_addresses);

void put_record(unsigned long fp, unsigned long next, unsigned long ret)
{
	((volatile unsigned long *)fp)[0] = next;
	((volatile unsigned long *)fp)[1] = ret;
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
SAMPLED(loop);

const struct sampler samplers[] = {SAMPLERS(leaf), SAMPLERS(record), SAMPLERS(loop)};
const unsigned nr_samplers = ARRAY_LENGTH(samplers);

/* The virtual count of the generic timer, of 16 instructions a tick under QEMU. */
unsigned long instruction_count(void)
{
	unsigned long count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count)::"memory");
	return count * 16;
}
