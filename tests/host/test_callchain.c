/* SPDX-License-Identifier: MIT */
/* What an event sees of the two chains, in which order and how much of them. */
#include "../../kernel/perf/event.h"
#include "host.h"
#include <hotregs/address_space.h>
#include <hotregs/string.h>

#include <arch/regs.h>

#define KERNEL_IP 0xffff800000000000ULL
#define USER_IP   0x400000ULL

/* The architecture: chains of so many frames, counting up from the registers' own. */
static unsigned kernel_frames, user_frames;
static const struct pt_regs *walked_kernel, *walked_user;

void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	walked_kernel = regs;
	for (unsigned i = 0; i < kernel_frames; i++)
		if (!callchain_add(chain, regs_ip(regs) + i))
			return;
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	walked_user = regs;
	for (unsigned i = 0; i < user_frames; i++)
		if (!callchain_add(chain, regs_ip(regs) + i))
			return;
}

static struct mm mm, other_mm;
static struct cpu cpu;
static struct task task;
static struct pt_regs kernel_regs = {.ip = KERNEL_IP};
static struct pt_regs user_regs = {.ip = USER_IP, .user = 1};
static struct perf_event event;
static u64 ips[CHAIN_MAX + 1];
static struct callchain chain;

static int set_up(void **state)
{
	task = (struct task){.mm = &mm, .arch.user_regs = &user_regs};
	cpu = (struct cpu){.loaded_mm = &mm};
	event = (struct perf_event){.max_stack = PERF_MAX_STACK_DEPTH};
	host_run_as(&cpu, &task);
	kernel_frames = 3;
	user_frames = 2;
	walked_kernel = walked_user = NULL;
	return 0;
}

/* The chain behind @regs must be @kernel kernel frames and @user user frames, and their markers. */
static void expect_chain(const struct pt_regs *regs, unsigned kernel, unsigned user)
{
	u32 n = 0;

	memset(ips, 0xee, sizeof(ips));
	chain = (struct callchain){.ip = ips, .max = CHAIN_MAX};
	perf_callchain(&event, regs, &chain);
	if (kernel)
		assert_int_equal(ips[n++], PERF_CONTEXT_KERNEL);
	for (unsigned i = 0; i < kernel; i++)
		assert_int_equal(ips[n++], KERNEL_IP + i);
	if (user)
		assert_int_equal(ips[n++], PERF_CONTEXT_USER);
	for (unsigned i = 0; i < user; i++)
		assert_int_equal(ips[n++], USER_IP + i);
	assert_int_equal(chain.nr, n);
	assert_int_equal(chain.max, CHAIN_MAX);
	assert_int_equal(ips[CHAIN_MAX], 0xeeeeeeeeeeeeeeeeULL);
}

static void kernel_chain_then_user_chain(void **state)
{
	expect_chain(&kernel_regs, 3, 2);
	assert_ptr_equal(walked_kernel, &kernel_regs);
	assert_ptr_equal(walked_user, &user_regs);
}

static void struck_in_user_mode(void **state)
{
	struct pt_regs here = {.ip = USER_IP, .user = 1};

	expect_chain(&here, 0, 2);
	assert_null(walked_kernel);
	/* These registers, not those of the last entry. */
	assert_ptr_equal(walked_user, &here);
}

static void kernel_thread_has_no_user_chain(void **state)
{
	task.flags = TASK_KTHREAD;
	expect_chain(&kernel_regs, 3, 0);
	/* Not even when an address space is borrowed. */
	task.mm = NULL;
	cpu.loaded_mm = NULL;
	expect_chain(&kernel_regs, 3, 0);
	assert_null(walked_user);
}

/* Nor has a task whose program is gone, whatever is loaded. */
static void task_without_memory_has_no_user_chain(void **state)
{
	task.mm = NULL;
	cpu.loaded_mm = NULL;
	expect_chain(&kernel_regs, 3, 0);
	expect_chain(&user_regs, 0, 0);
	assert_null(walked_user);
}

static void other_address_space_is_not_read(void **state)
{
	cpu.loaded_mm = &other_mm;
	expect_chain(&kernel_regs, 3, 0);
	expect_chain(&user_regs, 0, 0);
	assert_null(walked_user);
}

static void incomplete_frame_is_not_walked(void **state)
{
	struct pt_regs fresh = {0};

	task.arch.user_regs = &fresh;
	expect_chain(&kernel_regs, 3, 0);
	assert_null(walked_user);
}

static void exclusions_trim(void **state)
{
	event.exclude = EXCLUDE_USER;
	expect_chain(&kernel_regs, 3, 0);
	event.exclude = EXCLUDE_CHAIN_USER;
	expect_chain(&kernel_regs, 3, 0);
	expect_chain(&user_regs, 0, 0);
	event.exclude = EXCLUDE_CHAIN_KERNEL;
	expect_chain(&kernel_regs, 0, 2);
	expect_chain(&user_regs, 0, 2);
	event.exclude = EXCLUDE_CHAIN_KERNEL | EXCLUDE_CHAIN_USER;
	expect_chain(&kernel_regs, 0, 0);
	/* The policy has chosen the user frame. */
	event.exclude = EXCLUDE_KERNEL;
	walked_kernel = NULL;
	expect_chain(&user_regs, 0, 2);
	assert_null(walked_kernel);
}

static void max_stack_counts_frames_of_both(void **state)
{
	for (event.max_stack = 1; event.max_stack < 10; event.max_stack++) {
		unsigned kernel = MIN(event.max_stack, 3u);

		expect_chain(&kernel_regs, kernel, MIN(event.max_stack - kernel, 2u));
	}
}

static void deep_chains_are_cut(void **state)
{
	kernel_frames = user_frames = 1000;
	expect_chain(&kernel_regs, PERF_MAX_STACK_DEPTH, 0);
	kernel_frames = 100;
	expect_chain(&kernel_regs, 100, PERF_MAX_STACK_DEPTH - 100);
}

static void empty_walk_leaves_no_marker(void **state)
{
	kernel_frames = 0;
	expect_chain(&kernel_regs, 0, 2);
	user_frames = 0;
	expect_chain(&kernel_regs, 0, 0);
}

/* A handler of its own may bring a small buffer. */
static void small_buffers_are_respected(void **state)
{
	for (u32 max = 0; max < 10; max++) {
		u64 small[10] = {0};
		u32 kernel = max < 2 ? 0 : MIN(max - 1, 3u);

		chain = (struct callchain){.ip = small, .max = max};
		perf_callchain(&event, &kernel_regs, &chain);
		assert_true(chain.nr <= max);
		assert_int_equal(chain.nr, !kernel   ? 0
					   : max < 6 ? kernel + 1
						     : 4 + MIN(max - 4, 3u));
		for (u32 i = max; i < 10; i++)
			assert_int_equal(small[i], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(kernel_chain_then_user_chain, set_up),
	    cmocka_unit_test_setup(struck_in_user_mode, set_up),
	    cmocka_unit_test_setup(kernel_thread_has_no_user_chain, set_up),
	    cmocka_unit_test_setup(task_without_memory_has_no_user_chain, set_up),
	    cmocka_unit_test_setup(other_address_space_is_not_read, set_up),
	    cmocka_unit_test_setup(incomplete_frame_is_not_walked, set_up),
	    cmocka_unit_test_setup(exclusions_trim, set_up),
	    cmocka_unit_test_setup(max_stack_counts_frames_of_both, set_up),
	    cmocka_unit_test_setup(deep_chains_are_cut, set_up),
	    cmocka_unit_test_setup(empty_walk_leaves_no_marker, set_up),
	    cmocka_unit_test_setup(small_buffers_are_respected, set_up),
	};

	return cmocka_run_group_tests_name("perf callchain", tests, NULL, NULL);
}
