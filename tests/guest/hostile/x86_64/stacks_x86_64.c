/* SPDX-License-Identifier: MIT */
/* The x86_64 part of the hostile stacks: frame records by RBP, and addresses of the kernel's. */
#include "../stacks.h"

const unsigned long kernel_addresses[] = {
    0xffffffff80000000, /* the image */
    0xffffffff80100000,
    0xffff800000000000, /* all memory */
    0xffff800000100000,
    0xffff8000fee00000, /* the local APIC, as memory */
    0xffffc00000000000, /* stacks and rings */
    0xffffc00000004ff8,
    0x0000800000000000, /* no address at all: the first and the last that is not canonical */
    0xffff7ffffffffff8,
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

void sampled_switch(const struct stack_regs *regs, volatile void *memory);
void sampled_switch_frameless(const struct stack_regs *regs, volatile void *memory);
void sampled_fault(const struct stack_regs *regs, volatile void *memory);
void sampled_clock(const struct stack_regs *regs, volatile void *memory);
void sampled_clock_frameless(const struct stack_regs *regs, volatile void *memory);

const struct sampler samplers[] = {
    {"switch", SAMPLE_SWITCH, sampled_switch},
    {"switch, no frame", SAMPLE_SWITCH, sampled_switch_frameless},
    {"page fault", SAMPLE_FAULT, sampled_fault},
    {"clock", SAMPLE_CLOCK, sampled_clock},
    {"clock, no frame", SAMPLE_CLOCK, sampled_clock_frameless},
};
const unsigned nr_samplers = ARRAY_LENGTH(samplers);

unsigned long instruction_count(void)
{
	return __builtin_ia32_rdtsc();
}
