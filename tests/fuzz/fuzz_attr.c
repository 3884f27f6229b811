/* SPDX-License-Identifier: MIT */
/*
 * kernel/perf/attr.c: whatever attributes a program passes, of what is accepted every bit is one
 * that is done, and the event made of it is one that can be sampled.
 */
#include "../../kernel/perf/event.h"
#include "fuzz.h"

#include <arch/uaccess.h>

#define ATTR_ADDRESS 0x10000UL /* the program's; nothing else of its memory is there */

static u8 *user;
static size_t user_size;

int copy_from_user(void *dst, const void __user *src, size_t n)
{
	size_t at = (unsigned long)src - ATTR_ADDRESS;

	if (at > user_size || n > user_size - at)
		return -EFAULT;
	memcpy(dst, user + at, n);
	return 0;
}

int copy_to_user(void __user *dst, const void *src, size_t n)
{
	size_t at = (unsigned long)dst - ATTR_ADDRESS;

	if (at > user_size || n > user_size - at)
		return -EFAULT;
	memcpy(user + at, src, n);
	return 0;
}

void fuzz_examples(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				       .sample_period = 1,
				       .sample_type = PERF_SAMPLE_IP};
	u8 large[200] = {};

	fuzz_add_example(&attr, sizeof(attr));
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.freq = 1;
	attr.sample_type = SAMPLE_DONE;
	attr.sample_regs_user = attr.sample_regs_intr = 1;
	attr.sample_stack_user = 64;
	attr.size = sizeof(large);
	memcpy(large, &attr, sizeof(attr));
	fuzz_add_example(large, sizeof(large));
}

static void check_event(const struct perf_event_attr *attr)
{
	static struct perf_event event;
	u64 largest;

	memset(&event, 0, sizeof(event));
	event.attr = *attr;
	perf_event_setup(&event);
	CHECK(event.sampling == !!attr->sample_period && event.period);
	CHECK(event.period == UINT64_MAX || !event.clock || event.period >= 10000);
	CHECK(event.interval ? event.period == 1 && attr->freq : true);
	if (!attr->sample_type && !event.sampling)
		return;
	CHECK(event.max_stack && event.max_stack <= PERF_MAX_STACK_DEPTH);
	CHECK(event.sample_size % 8 == 0 && event.sample_size >= 8);
	CHECK(event.trailer_size % 8 == 0 && event.trailer_size <= 48);
	largest = event.sample_size + attr->sample_stack_user;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		largest += 8 * (PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK);
	CHECK(largest < UINT16_MAX + 1024);
}

static void check_accepted(const struct perf_event_attr *attr)
{
	CHECK(attr->type == PERF_TYPE_SOFTWARE && attr->config < PERF_COUNT_SW_MAX);
	CHECK(!(attr->sample_type & ~(u64)SAMPLE_DONE));
	CHECK(!(attr->read_format & ~(u64)(PERF_FORMAT_MAX - 1)));
	CHECK(!attr->__reserved_1 && !attr->__reserved_2 && !attr->__reserved_3);
	check_event(attr);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct perf_event_attr attr;
	u32 wanted;
	int err;

	user = fuzz_copy(data, size);
	user_size = size;
	err = perf_attr_copy(&attr, (struct perf_event_attr *)ATTR_ADDRESS);
	CHECK(!err || err == -EFAULT || err == -E2BIG);
	if (err == -E2BIG) {
		memcpy(&wanted, user + offsetof(struct perf_event_attr, size), sizeof(wanted));
		CHECK(wanted == sizeof(attr));
	}
	if (!err && !perf_attr_check(&attr))
		check_accepted(&attr);
	fuzz_free_copies();
	return 0;
}
