/* SPDX-License-Identifier: MIT */
/* Samples with the registers and the memory at the stack pointer of a hostile stack. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "stacks.h"

#define RING_PAGES 16
#define DUMP_SIZE  1024

#if defined(__x86_64__)
#define REG_SP 7 /* as asm/perf_regs.h of Linux numbers them */
#define ABI    PERF_SAMPLE_REGS_ABI_64
#elif defined(__aarch64__)
#define REG_SP 31
#define ABI    PERF_SAMPLE_REGS_ABI_64
#else
#define REG_SP 13
#define ABI    PERF_SAMPLE_REGS_ABI_32
#endif

static struct recorder recorders[NR_SAMPLE_KINDS];
static struct record record;

bool dumps_open(enum sample_kind kind, struct perf_event_attr attr)
{
	attr.size = sizeof(attr);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = 1ull << REG_SP;
	attr.sample_stack_user = DUMP_SIZE;
	return EXPECT(recorder_open(&recorders[kind], &attr, 0, -1, RING_PAGES));
}

void dumps_enable(enum sample_kind kind, bool on)
{
	ioctl(recorders[kind].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void dumps_close(enum sample_kind kind)
{
	recorder_close(&recorders[kind]);
}

/* How much of [@sp, @sp + DUMP_SIZE) is user space at all. */
static uint64_t largest(uint64_t sp)
{
	if (sp < USER_START || sp >= USER_END)
		return 0;
	return USER_END - sp < DUMP_SIZE ? (USER_END - sp + 7) & -8ull : DUMP_SIZE;
}

/* { u64 ip; u64 abi, sp; u64 size; u8 data[size]; u64 dyn_size } */
static const char *check_dump(const struct stack *stack)
{
	const uint64_t *w = (const uint64_t *)record.body, sp = w[2], size = w[3];
	uint64_t there;

	if (w[1] != ABI)
		return "registers that are none";
	/* Before or after it had the hostile ones. */
	if (sp != stack->regs.sp)
		return NULL;
	if (size != largest(sp))
		return "a stack of another size";
	if (record.header.size != 8 + 4 * 8 + size + (size ? 8 : 0))
		return "a record of another size";
	there = size ? w[4 + size / 8] : 0;
	if (there > size)
		return "more than there is";
	for (uint64_t i = there; i < size; i++)
		if (record.body[32 + i])
			return "something where nothing is";
	/* What was there to be read is there still. */
	if (!stack->of_others && memcmp(record.body + 32, (void *)(uintptr_t)sp, there))
		return "memory that is not the program's";
	return NULL;
}

const char *dumps_check(enum sample_kind kind, const struct stack *stack)
{
	const char *wrong = NULL;
	unsigned n = 0;

	while (recorder_next(&recorders[kind], &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		wrong = wrong ? wrong : check_dump(stack);
	}
	/* Its clock is not in step with the other one. */
	return n || kind == SAMPLE_CLOCK ? wrong : "no sample with a stack";
}
