/* SPDX-License-Identifier: MIT */
/*
 * kernel/perf/breakpoint_pmu.c on a machine with breakpoints: what strikes and what the policy
 * makes of it; that slots are given back on every way out, memory or none; and changes, of copies
 * too.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "breakpoint_machine.h"
#include "perf_fixture.h"
#include <hotregs/device.h>
#include <hotregs/hw_breakpoint.h>

#include "../../kernel/perf/breakpoint_pmu.c"

#define ADDR 0x601000UL

static int set_up_machine(void **state)
{
	memset(host_slots, 0, sizeof(host_slots));
	host_bp_slots[0] = host_bp_slots[1] = BP_SLOTS;
	if (!perf_pmu_find(PERF_TYPE_BREAKPOINT))
		breakpoints_init();
	return fixture_set_up(state);
}

static int tear_down_machine(void **state)
{
	int err = fixture_tear_down(state);

	for (u32 id = 0; id < FIXTURE_CPUS; id++)
		assert_int_equal(host_slots_on(id), 0);
	assert_int_equal(breakpoint_slots_used(), 0);
	return err;
}

static struct perf_event_attr watch(unsigned long addr)
{
	return (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(struct perf_event_attr),
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = addr,
					.bp_len = 4};
}

static struct perf_event *open_watch(unsigned long addr, struct task *task)
{
	const struct perf_event_attr attr = watch(addr);

	return open_event(&attr, task);
}

/* An access in user mode or in the kernel's. */
static void touch(unsigned long addr, bool user)
{
	struct pt_regs regs = user ? user_frame : kernel_regs();

	host_irqs_off = 1;
	host_strike(addr, false, &regs);
	host_irqs_off = 0;
}

/* --- Strikes --- */

static void it_counts_in_its_task_alone(void **state)
{
	struct perf_event *event = open_watch(ADDR, &user_task);

	touch(ADDR, true);
	touch(ADDR + 3, false);
	touch(ADDR + 4, true);
	switch_to(&other_task);
	touch(ADDR, true);
	assert_int_equal(host_slots_on(0), 0);
	switch_to(&user_task);
	touch(ADDR, true);
	assert_int_equal(value_of(event), 3);
	perf_event_disable(event);
	touch(ADDR, true);
	perf_event_enable(event);
	touch(ADDR, true);
	assert_int_equal(value_of(event), 4);
	close_event(event);
}

static void the_policy_decides(void **state)
{
	static const u8 expected[4] = {2, 1, 1, 0};

	for (unsigned exclude = 0; exclude < 4; exclude++) {
		struct perf_event_attr attr = watch(ADDR);
		struct perf_event *event;

		attr.exclude_user = exclude & 1;
		attr.exclude_kernel = exclude >> 1;
		event = open_event(&attr, &user_task);
		touch(ADDR, true);
		touch(ADDR, false);
		assert_int_equal(value_of(event), expected[exclude]);
		close_event(event);
	}
}

static void samples_have_the_address(void **state)
{
	struct perf_event_attr attr = watch(ADDR);
	struct perf_event *event;
	struct perf_ring *ring;
	struct record r;

	attr.sample_period = 2;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	for (int i = 0; i < 5; i++)
		touch(ADDR + i % 4, true);
	for (int i = 0; i < 2; i++) {
		expect_record(ring, &r, PERF_RECORD_SAMPLE, 3);
		assert_int_equal(r.word[0], USER_IP);
		assert_int_equal(r.word[1], ADDR);
		assert_int_equal(r.word[2], 2);
	}
	expect_no_record(ring);
	close_event(event);
}

/* What a sample reads of what is watched is nobody's access. */
static void sampling_strikes_nothing(void **state)
{
	struct perf_event *event = open_watch(ADDR, &user_task);

	for (unsigned context = 0; context < NR_CPU_CONTEXTS; context++) {
		test_cpu.perf->busy[context] = true;
		touch(ADDR, false);
		test_cpu.perf->busy[context] = false;
	}
	assert_int_equal(value_of(event), 0);
	close_event(event);
}

/* A task that kernel code watches has no events for that: its time is nobody's. */
static void switches_that_breakpoints_alone_hook(void **state)
{
	const struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event *of_cpu = open_event(&attr, NULL), *own = open_watch(ADDR, &user_task);
	u64 enabled;

	map_event(of_cpu, 1);
	perf_event_disable(own);
	sched_hook_switches(&other_task, true);
	sched_hook_switches(&user_task, true);
	host_clock += 1000;
	for (int i = 0; i < 2; i++) {
		switch_to(&other_task);
		switch_to(&user_task);
	}
	perf_event_read(own, &enabled, NULL);
	assert_int_equal(enabled, 0);
	assert_int_equal(user_task.perf->ctx.time, 0);
	sched_hook_switches(&other_task, false);
	sched_hook_switches(&user_task, false);
	close_event(own);
	close_event(of_cpu);
}

/* --- Slots --- */

static int open_errno(const struct perf_event_attr *attr, struct task *task, int cpu)
{
	struct perf_event *event = perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);

	return IS_ERR(event) ? PTR_ERR(event) : (close_event(event), 0);
}

static void slots_are_reserved_when_opened(void **state)
{
	struct perf_event_attr attr = watch(ADDR);
	struct perf_event *event[BP_SLOTS];

	attr.disabled = 1;
	for (unsigned i = 0; i < BP_SLOTS; i++)
		event[i] = open_event(&attr, &user_task);
	assert_int_equal(open_errno(&attr, &user_task, -1), -ENOSPC);
	assert_int_equal(open_errno(&attr, NULL, 0), -ENOSPC);
	assert_int_equal(open_errno(&attr, &other_task, -1), 0);
	close_event(event[0]);
	assert_int_equal(open_errno(&attr, NULL, 0), 0);
	for (unsigned i = 1; i < BP_SLOTS; i++)
		close_event(event[i]);
}

/* Whatever fails on the way, nothing stays. */
static void failed_openings_leave_nothing(void **state)
{
	struct perf_event_attr attr = watch(ADDR);
	struct task *tasks[] = {&user_task, &other_task, NULL};

	for (unsigned t = 0; t < ARRAY_SIZE(tasks); t++) {
		for (unsigned n = 1;; n++) {
			int err;

			host_fail_alloc = n;
			err = open_errno(&attr, tasks[t], tasks[t] ? -1 : 0);
			if (!err)
				break;
			assert_int_equal(err, -ENOMEM);
			assert_int_equal(breakpoint_slots_used(), 0);
		}
		host_fail_alloc = 0;
	}
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	other_task.state = TASK_DEAD;
	assert_int_equal(open_errno(&attr, &other_task, -1), -ESRCH);
	other_task.state = TASK_RUNNING;
}

/* The task's end gives them back, though the event is open still. */
static void slots_of_a_task_that_ends(void **state)
{
	struct perf_event *event = open_watch(ADDR, &other_task);

	assert_int_equal(breakpoint_slots_used(), 1);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	assert_int_equal(breakpoint_slots_used(), 0);
	assert_int_equal(value_of(event), 0);
	close_event(event);
}

static void exec_removes_them(void **state)
{
	struct perf_event_attr attr = watch(ADDR);
	struct perf_event *event;

	attr.remove_on_exec = 1;
	event = open_event(&attr, &user_task);
	touch(ADDR, true);
	perf_task_before_exec();
	assert_int_equal(breakpoint_slots_used(), 0);
	assert_int_equal(host_slots_on(0), 0);
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

/* --- Copies and changes --- */

static void copies_have_slots_of_their_own(void **state)
{
	struct perf_event_attr attr = watch(ADDR), other = watch(ADDR + 8);
	struct perf_event *event;

	attr.inherit = other.inherit = 1;
	event = open_event(&attr, &user_task);
	for (unsigned n = 1;; n++) {
		int err;

		host_fail_alloc = n;
		err = perf_task_fork(&other_task);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(breakpoint_slots_used(), 1);
	}
	host_fail_alloc = 0;
	assert_int_equal(breakpoint_slots_used(), 2);
	touch(ADDR, true);
	switch_to(&other_task);
	touch(ADDR, true);
	assert_int_equal(perf_event_modify(event, &other, true), 0);
	touch(ADDR, true);
	touch(ADDR + 8, true);
	switch_to(&user_task);
	touch(ADDR, true);
	touch(ADDR + 8, true);
	assert_int_equal(value_of(event), 4);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	assert_int_equal(value_of(event), 4);
	assert_int_equal(breakpoint_slots_used(), 1);
	close_event(event);
}

/* One copy has no room: none changes. */
static void all_copies_change_or_none(void **state)
{
	struct perf_event_attr attr = watch(ADDR), two = watch(ADDR + 6);
	struct perf_event *event, *rest[BP_SLOTS - 1];

	attr.inherit = two.inherit = 1;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_task_fork(&other_task), 0);
	for (unsigned i = 0; i < BP_SLOTS - 1; i++)
		rest[i] = open_watch(ADDR + 64 + 8 * i, &other_task);
	assert_int_equal(perf_event_modify(event, &two, true), -ENOSPC);
	assert_int_equal(breakpoint_slots_used(), 2 + BP_SLOTS - 1);
	assert_int_equal(event->attr.bp_addr, ADDR);
	touch(ADDR, true);
	switch_to(&other_task);
	touch(ADDR, true);
	switch_to(&user_task);
	assert_int_equal(value_of(event), 2);
	close_event(rest[0]);
	assert_int_equal(perf_event_modify(event, &two, true), 0);
	assert_int_equal(breakpoint_slots_used(), 4 + BP_SLOTS - 2);
	for (unsigned i = 1; i < BP_SLOTS - 1; i++)
		close_event(rest[i]);
	close_event(event);
}

static void changes_are_checked(void **state)
{
	struct perf_event_attr attr = watch(ADDR);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_event_attr clock = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *software = open_event(&clock, &user_task);

	assert_int_equal(perf_event_modify(software, &clock, false), -EOPNOTSUPP);
	assert_int_equal(perf_event_modify(software, &attr, false), -EINVAL);
	assert_int_equal(perf_event_modify(event, &clock, false), -EINVAL);
	attr.exclude_user = 1;
	assert_int_equal(perf_event_modify(event, &attr, false), -EINVAL);
	attr = watch(USER_END);
	assert_int_equal(perf_event_modify(event, &attr, true), -EPERM);
	attr.bp_len = 9;
	assert_int_equal(perf_event_modify(event, &attr, false), -EINVAL);
	attr = watch(ADDR + 16);
	attr.disabled = 1;
	assert_int_equal(perf_event_modify(event, &attr, true), 0);
	touch(ADDR + 16, true);
	assert_int_equal(value_of(event), 0);
	close_event(event);
	close_event(software);
}

/* --- Kernel code's own --- */

static void by_linux_names(void **state)
{
	struct perf_event_attr attr = watch(ADDR), kernels = watch(USER_END);
	struct perf_event *event, **wide;

	assert_int_equal(PTR_ERR(register_user_hw_breakpoint(&kernels, NULL, NULL, &user_task)),
			 -EPERM);
	event = register_user_hw_breakpoint(&attr, NULL, NULL, &user_task);
	assert_false(IS_ERR(event));
	attr.bp_addr += 8;
	assert_int_equal(modify_user_hw_breakpoint(event, &attr), 0);
	touch(ADDR + 8, true);
	assert_int_equal(value_of(event), 1);
	run_on(0);
	wide = register_wide_hw_breakpoint(&kernels, NULL, NULL);
	assert_false(IS_ERR(wide));
	assert_int_equal(host_slots_on(0), 2);
	assert_int_equal(host_slots_on(1), 1);
	unregister_wide_hw_breakpoint(wide);
	/* All or none. */
	for (unsigned n = 1; n <= 3; n++) {
		host_fail_alloc = n;
		assert_int_equal(PTR_ERR(register_wide_hw_breakpoint(&kernels, NULL, NULL)),
				 -ENOMEM);
		assert_int_equal(breakpoint_slots_used(), 1);
	}
	host_fail_alloc = 0;
	unregister_hw_breakpoint(event);
}

/* --- In between --- */

#ifdef __x86_64__
#define TRAP_FLAG 0x100

static struct {
	struct perf_event *event;
	unsigned steps, at;
} strike_after;

/* As the handler of a strike in the kernel, which may be anywhere. */
static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	if (strike_after.steps++ < strike_after.at)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	perf_event_disable_self(strike_after.event);
}

static inline void step(bool on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	else
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void watch_more(void)
{
	perf_watch_set(&user_task.perf->ctx, WATCH_COUNT);
}

static void watch_less(void)
{
	perf_watch_keep(&user_task.perf->ctx, (u32)~WATCH_COUNT);
}

static void hook(void)
{
	sched_hook_switches(&user_task, true);
}

static void unhook(void)
{
	sched_hook_switches(&user_task, false);
}

/* One that strikes during @change; false: that is over before instruction @at. */
static bool stops_during(void (*change)(void), unsigned at)
{
	struct perf_event *event = open_watch(ADDR, &user_task);
	bool struck;

	strike_after.event = event;
	strike_after.steps = 0;
	strike_after.at = at;
	step(true);
	change();
	step(false);
	struck = strike_after.steps > at;
	assert_int_equal(!!(user_task.perf_active & WATCH_STOP), struck);
	watch_less();
	hook(); /* as it is while there are breakpoints */
	if (struck) {
		/* Should the task have gone on elsewhere before the interrupt came. */
		switch_to(&other_task);
		switch_to(&user_task);
		assert_false(event->enabled);
		assert_int_equal(user_task.perf_active & WATCH_STOP, 0);
	}
	close_event(event);
	return struck;
}

/* Whatever the kernel is just changing of what is watched, the end is not lost. */
static void an_event_may_end_at_every_instruction(void **state)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, old;
	static void (*const change[])(void) = {watch_more, watch_less, hook, unhook};

	close_event(open_watch(ADDR, &user_task)); /* from now on it has a context */
	sigaction(SIGTRAP, &action, &old);
	for (unsigned i = 0; i < ARRAY_SIZE(change); i++) {
		unsigned at = 0;

		/* Undone before. */
		do
			change[i ^ 1]();
		while (stops_during(change[i], at++));
		assert_true(at > 2);
	}
	sigaction(SIGTRAP, &old, NULL);
	unhook();
}
#endif

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_machine, tear_down_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(it_counts_in_its_task_alone),
	    TEST(the_policy_decides),
	    TEST(samples_have_the_address),
	    TEST(sampling_strikes_nothing),
	    TEST(switches_that_breakpoints_alone_hook),
	    TEST(slots_are_reserved_when_opened),
	    TEST(failed_openings_leave_nothing),
	    TEST(slots_of_a_task_that_ends),
	    TEST(exec_removes_them),
	    TEST(copies_have_slots_of_their_own),
	    TEST(all_copies_change_or_none),
	    TEST(changes_are_checked),
	    TEST(by_linux_names),
#ifdef __x86_64__
	    TEST(an_event_may_end_at_every_instruction),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
