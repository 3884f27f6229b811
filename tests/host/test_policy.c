/* SPDX-License-Identifier: MIT */
/* The policy's truth table, every line of it, from the design's own words. */
#include "../../kernel/perf/event.h"
#include "host.h"

#include <arch/mmu.h>
#include <arch/regs.h>

enum task_kind { USER_TASK, FRESH_USER_TASK, KERNEL_THREAD, IDLE, NR_TASK_KINDS };
enum outcome { NOTHING, STRUCK_REGS, USER_FRAME };

static struct pt_regs user_frame, empty_frame;
static struct task tasks[NR_TASK_KINDS] = {
    [USER_TASK] = {.arch.user_regs = &user_frame},
    [FRESH_USER_TASK] = {.arch.user_regs = &empty_frame}, /* not yet returned to user mode */
    [KERNEL_THREAD] = {.flags = TASK_KTHREAD},
    [IDLE] = {.flags = TASK_KTHREAD | TASK_IDLE},
};

/* Struck in the kernel: task kind, exclude_kernel, exclude_user, and what each sort of event sees.
 */
static const struct {
	enum task_kind task;
	bool exclude_kernel, exclude_user;
	enum outcome sampling, counting;
} in_kernel[] = {
    {USER_TASK, 0, 0, STRUCK_REGS, STRUCK_REGS},
    {USER_TASK, 1, 0, USER_FRAME, NOTHING},
    {USER_TASK, 0, 1, STRUCK_REGS, STRUCK_REGS},
    {USER_TASK, 1, 1, NOTHING, NOTHING},
    {FRESH_USER_TASK, 0, 0, STRUCK_REGS, STRUCK_REGS},
    {FRESH_USER_TASK, 1, 0, NOTHING, NOTHING},
    {FRESH_USER_TASK, 0, 1, STRUCK_REGS, STRUCK_REGS},
    {FRESH_USER_TASK, 1, 1, NOTHING, NOTHING},
    {KERNEL_THREAD, 0, 0, STRUCK_REGS, STRUCK_REGS},
    {KERNEL_THREAD, 0, 1, STRUCK_REGS, STRUCK_REGS},
    {KERNEL_THREAD, 1, 0, NOTHING, NOTHING},
    {KERNEL_THREAD, 1, 1, NOTHING, NOTHING},
    {IDLE, 0, 0, STRUCK_REGS, STRUCK_REGS},
    {IDLE, 0, 1, STRUCK_REGS, STRUCK_REGS},
    {IDLE, 1, 0, NOTHING, NOTHING},
    {IDLE, 1, 1, NOTHING, NOTHING},
};

static u8 exclusion(bool kernel, bool user, bool idle)
{
	return (kernel ? EXCLUDE_KERNEL : 0) | (user ? EXCLUDE_USER : 0) |
	       (idle ? EXCLUDE_IDLE : 0);
}

static enum outcome outcome_of(const struct perf_event *event, const struct task *task,
			       struct pt_regs *regs, u64 *addr)
{
	struct pt_regs *seen = perf_policy(event, task, regs, addr);

	if (!seen)
		return NOTHING;
	if (seen == regs)
		return STRUCK_REGS;
	assert_ptr_equal(seen, &user_frame);
	return USER_FRAME;
}

static void struck_in_kernel(void **state)
{
	struct pt_regs regs = {.ip = 0xffff800000001000};

	assert_int_equal(ARRAY_SIZE(in_kernel), 4 * NR_TASK_KINDS);
	for (size_t i = 0; i < ARRAY_SIZE(in_kernel); i++)
		for (int n = 0; n < 4; n++) {
			bool sampling = n & 1, idle = n & 2;
			struct perf_event event = {.exclude =
						       exclusion(in_kernel[i].exclude_kernel,
								 in_kernel[i].exclude_user, idle),
						   .sampling = sampling};
			enum outcome expected =
			    sampling ? in_kernel[i].sampling : in_kernel[i].counting;
			u64 addr = 0x1000;

			if (idle && in_kernel[i].task == IDLE)
				expected = NOTHING;
			assert_int_equal(
			    outcome_of(&event, &tasks[in_kernel[i].task], &regs, &addr), expected);
			assert_int_equal(addr, 0x1000);
		}
}

static void struck_in_user_mode(void **state)
{
	struct pt_regs regs = {.ip = 0x1000, .user = 1};

	for (int n = 0; n < 16; n++) {
		bool kernel = n & 1, user = n & 2, sampling = n & 4, idle = n & 8;
		struct perf_event event = {.exclude = exclusion(kernel, user, idle),
					   .sampling = sampling};
		u64 addr = 0x1000;

		assert_int_equal(outcome_of(&event, &tasks[USER_TASK], &regs, &addr),
				 user ? NOTHING : STRUCK_REGS);
	}
}

/* What trims the chain decides nothing here. */
static void chain_bits_are_ignored(void **state)
{
	struct perf_event event = {.exclude = EXCLUDE_CHAIN_KERNEL | EXCLUDE_CHAIN_USER};
	struct pt_regs regs = {0};
	u64 addr = 0;

	assert_int_equal(outcome_of(&event, &tasks[USER_TASK], &regs, &addr), STRUCK_REGS);
}

static void no_kernel_address_without_kernel(void **state)
{
	struct pt_regs regs = {0};
	struct perf_event event = {.exclude = EXCLUDE_KERNEL, .sampling = true};
	u64 addr = USER_END;

	assert_int_equal(outcome_of(&event, &tasks[USER_TASK], &regs, &addr), USER_FRAME);
	assert_int_equal(addr, 0);
	addr = USER_END - 1;
	outcome_of(&event, &tasks[USER_TASK], &regs, &addr);
	assert_int_equal(addr, USER_END - 1);
	event.exclude = EXCLUDE_USER;
	addr = USER_END;
	outcome_of(&event, &tasks[USER_TASK], &regs, &addr);
	assert_int_equal(addr, USER_END);
}

/* Registers and stack of the user's go with the user's chain. */
static void user_registers_go_with_the_user_chain(void **state)
{
	struct pt_regs kernel = {.ip = 0xffff800000001000}, user = {.ip = 0x1000, .user = 1};

	for (int n = 0; n < 4; n++) {
		struct perf_event event = {.exclude = exclusion(n & 1, n & 2, false),
					   .sampling = true};
		bool shown = !(n & 2);

		assert_ptr_equal(perf_policy_user_regs(&event, &tasks[USER_TASK], &kernel),
				 shown ? &user_frame : NULL);
		assert_ptr_equal(perf_policy_user_regs(&event, &tasks[USER_TASK], &user),
				 shown ? &user : NULL);
		assert_null(perf_policy_user_regs(&event, &tasks[FRESH_USER_TASK], &kernel));
		assert_null(perf_policy_user_regs(&event, &tasks[KERNEL_THREAD], &kernel));
		assert_null(perf_policy_user_regs(&event, &tasks[IDLE], &kernel));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(struck_in_kernel),
	    cmocka_unit_test(struck_in_user_mode),
	    cmocka_unit_test(chain_bits_are_ignored),
	    cmocka_unit_test(no_kernel_address_without_kernel),
	    cmocka_unit_test(user_registers_go_with_the_user_chain),
	};

	user_frame.user = 1;
	return cmocka_run_group_tests_name("perf policy", tests, NULL, NULL);
}
