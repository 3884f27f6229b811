/* SPDX-License-Identifier: MIT */
/* Events at work: counting, periods and frequencies, clocks, times, and who may write where. */
#include "perf_fixture.h"
#include <hotregs/sched.h>

#include <arch/unwind.h>

#define MS 1000000ULL

static struct record record;

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

/* --- Counting --- */

static void switches_of_a_task(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	struct perf_event *event = open_event(&attr, &user_task);

	for (int i = 0; i < 10; i++) {
		switch_to(&kernel_task);
		switch_to(&other_task);
		switch_to(&user_task);
	}
	/* Those away from it. */
	assert_int_equal(value_of(event), user_task.nr_switches);
	close_event(event);
	assert_int_equal(user_task.perf_active, 0);
}

/* Also those away from the idle loop. */
static void switches_of_a_cpu_are_the_schedulers(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	struct perf_event *event, *busy;
	u64 before;

	switch_to(&idle_task);
	before = test_cpu.nr_switches;
	event = open_event(&attr, NULL);
	attr.exclude_idle = 1;
	busy = open_event(&attr, NULL);
	for (int i = 0; i < 7; i++) {
		switch_to(&user_task);
		switch_to(&kernel_task);
		switch_to(&idle_task);
	}
	assert_int_equal(value_of(event), test_cpu.nr_switches - before);
	assert_int_equal(value_of(busy), 14);
	close_event(event);
	close_event(busy);
}

static void own_event_sees_the_very_next_switch(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	struct perf_event *event;

	attr.disabled = 1;
	event = open_event(&attr, &user_task);
	assert_int_equal(user_task.perf_active, 0);
	switch_to(&kernel_task);
	switch_to(&user_task);
	assert_int_equal(value_of(event), 0);
	perf_event_enable(event);
	perf_event_enable(event);
	assert_int_not_equal(user_task.perf_active, 0);
	switch_to(&kernel_task);
	assert_int_equal(value_of(event), 1);
	switch_to(&user_task);
	perf_event_disable(event);
	assert_int_equal(user_task.perf_active, 0);
	switch_to(&kernel_task);
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

static void faults_by_kind(void **state)
{
	static const u64 config[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
				     PERF_COUNT_SW_PAGE_FAULTS_MAJ};
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event[6];

	for (int i = 0; i < 6; i++) {
		struct perf_event_attr attr = attr_of(config[i % 3], 0);

		event[i] = open_event(&attr, i < 3 ? &user_task : NULL);
	}
	for (int i = 0; i < 5; i++)
		perf_page_fault(&regs, 0x1000, i < 2);
	host_run_as(&test_cpu, &other_task);
	perf_page_fault(&regs, 0x1000, true);
	for (int i = 0; i < 6; i++) {
		static const u64 expected[] = {5, 3, 2, 6, 3, 3};

		assert_int_equal(value_of(event[i]), expected[i]);
		close_event(event[i]);
	}
}

static void reset_clears_value_not_times(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 3);
	struct perf_event *event = open_event(&attr, &user_task);
	u64 enabled;

	for (int i = 0; i < 4; i++)
		fault();
	host_clock += 500;
	assert_int_equal(value_of(event), 4);
	perf_event_reset(event);
	assert_int_equal(perf_event_read(event, &enabled, NULL), 0);
	assert_int_equal(enabled, 500);
	fault();
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

static void read_words_follow_the_format(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);

	for (u64 format = 0; format < PERF_FORMAT_MAX; format++) {
		u64 words[PERF_READ_WORDS_MAX] = {0};
		struct perf_event *event;
		u32 n = 1;

		/* Of groups test_group.c tells. */
		if (format & PERF_FORMAT_GROUP)
			continue;
		attr.read_format = format;
		event = open_event(&attr, &user_task);
		host_clock += 100;
		perf_event_disable(event);
		host_clock += 50;
		assert_int_equal(perf_event_read_words(event, words),
				 1 + __builtin_popcountll(format));
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			assert_int_equal(words[n++], 100);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			assert_int_equal(words[n++], 100);
		if (format & PERF_FORMAT_ID)
			assert_int_equal(words[n++], perf_event_id(event));
		close_event(event);
	}
}

/* --- Sampling --- */

static void period_is_respected(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 4);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_PERIOD;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	for (int i = 1; i <= 11; i++) {
		fault();
		/* Two samples of four, and what came since. */
		assert_int_equal(value_of(event), i);
	}
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	assert_int_equal(record.word[0], 4);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	expect_no_record(ring);
	close_event(event);
}

static void excluded_strikes_consume_no_period(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 2);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.exclude_user = 1;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	for (int i = 0; i < 4; i++) {
		perf_page_fault(&user_frame, 0x1000, false);
		assert_int_equal(value_of(event), i);
		fault();
		assert_int_equal(value_of(event), i + 1);
	}
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	close_event(event);
}

static void new_period_starts_at_once(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1000000);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring = map_event(event, 1);

	assert_int_equal(perf_event_set_period(event, 0), -EINVAL);
	assert_int_equal(perf_event_set_period(event, 1ULL << 63), -EINVAL);
	assert_int_equal(perf_event_set_period(event, 3), 0);
	for (int i = 0; i < 6; i++)
		fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	close_event(event);
	attr.sample_period = 0;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_event_set_period(event, 3), -EINVAL);
	close_event(event);
}

/* 100 Hz of a fault every ms: one in ten, standing for ten. */
static void frequency_is_kept(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event;
	struct perf_ring *ring;
	u64 sum = 0, samples = 0;

	attr.freq = 1;
	attr.sample_freq = 100;
	attr.sample_type = PERF_SAMPLE_PERIOD;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 4);
	for (int i = 0; i < 1000; i++) {
		host_clock += MS;
		fault();
	}
	/* A second of silence, and one strike: not a burst of samples. */
	host_clock += 1000 * MS;
	fault();
	while (next_record(ring, &record)) {
		samples++;
		sum += record.word[0];
	}
	assert_in_range(samples, 100, 102);
	assert_int_equal(sum, 1001);
	assert_int_equal(value_of(event), 1001);
	close_event(event);
}

static struct pt_regs seen_regs;
static struct perf_sample_data seen_data;
static unsigned handled;

static void note_sample(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	assert_ptr_equal(perf_event_context(event), &handled);
	assert_false(irqs_enabled());
	seen_regs = *regs;
	seen_data = *data;
	handled++;
}

/* The policy comes before handlers of one's own, too. */
static void handler_sees_what_the_policy_chose(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 2);
	struct perf_event *event;

	attr.exclude_kernel = 1;
	event = perf_event_create_kernel_counter(&attr, 0, NULL, note_sample, &handled);
	assert_false(IS_ERR(event));
	handled = 0;
	switch_to(&kernel_task);
	switch_to(&idle_task);
	switch_to(&user_task);
	assert_int_equal(handled, 0);
	switch_to(&kernel_task);
	assert_int_equal(handled, 1);
	assert_int_equal(seen_regs.ip, USER_IP);
	assert_int_equal(seen_data.ip, USER_IP);
	assert_int_equal(seen_data.period, 2);
	assert_int_equal(seen_data.time, host_clock);
	assert_int_equal(value_of(event), 2);
	perf_event_release(event);
}

static void strike_within(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	handled++;
	fault();
	host_irqs_off = 1;
}

static void sample_within_a_sample_is_lost(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	u64 words[PERF_READ_WORDS_MAX];
	struct perf_event *event;

	attr.read_format = PERF_FORMAT_LOST;
	event = perf_event_create_kernel_counter(&attr, -1, &user_task, strike_within, NULL);
	handled = 0;
	fault();
	fault();
	assert_int_equal(handled, 2);
	perf_event_read_words(event, words);
	assert_int_equal(words[0], 2);
	assert_int_equal(words[1], 2);
	/* Another context of the CPU may interrupt one. */
	test_cpu.perf->busy[CTX_TASK] = true;
	test_cpu.irq_depth = 1;
	fault();
	assert_int_equal(handled, 3);
	test_cpu.irq_depth = 0;
	test_cpu.perf->busy[CTX_TASK] = false;
	perf_event_release(event);
}

/* A clock strikes in an interrupt, and so within whatever sample it has interrupted. */
static void clock_strikes_within_a_sample(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 100000);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, 0, NULL, note_sample, &handled);
	unsigned before = handled;

	test_cpu.perf->busy[CTX_TASK] = true;
	test_cpu.irq_depth = 1;
	host_irqs_off = 1;
	host_run_timers(host_clock + MS, &regs);
	host_irqs_off = 0;
	test_cpu.irq_depth = 0;
	test_cpu.perf->busy[CTX_TASK] = false;
	assert_int_equal(handled - before, 10);
	assert_int_equal(event->lost, 0);
	perf_event_release(event);
}

/* C1: the sample is where the task slept, not in the scheduler's own frames. */
static void switch_sample_leaves_the_scheduler(void **state)
{
	unsigned long in_sched = (unsigned long)host_sched_text;
	struct frame_record stack[4] = {{(unsigned long)&stack[1], in_sched + 40},
					{(unsigned long)&stack[2], KERNEL_IP},
					{(unsigned long)&stack[3], KERNEL_IP + 0x100},
					{0, 0}};
	struct pt_regs regs = {
	    .ip = in_sched + 8, .sp = (unsigned long)stack, .fp = (unsigned long)&stack[0]};
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event *event, *noting;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	noting = perf_event_create_kernel_counter(&attr, 0, NULL, note_sample, &handled);
	host_irqs_off = 1;
	perf_sched_switch(&user_task, &kernel_task, &regs);
	host_irqs_off = 0;
	assert_true(next_record(ring, &record));
	assert_int_equal(record.word[0], KERNEL_IP);
	assert_int_equal(record.word[2], PERF_CONTEXT_KERNEL);
	assert_int_equal(record.word[3], KERNEL_IP);
	assert_int_equal(seen_regs.ip, KERNEL_IP);
	assert_int_equal(seen_regs.fp, (unsigned long)&stack[2]);
	assert_int_equal(seen_regs.sp, (unsigned long)&stack[2]);
	perf_event_release(noting);
	close_event(event);
}

/* --- Time --- */

static void times_are_those_of_the_context(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_TASK_CLOCK, 0);
	struct perf_event *task = open_event(&attr, &user_task);
	struct perf_event *cpu = open_event(&attr, NULL);
	u64 enabled, running;

	host_clock += 100;
	switch_to(&other_task);
	host_clock += 1000;
	switch_to(&user_task);
	host_clock += 30;
	assert_int_equal(perf_event_read(task, &enabled, &running), 130);
	assert_int_equal(enabled, 130);
	assert_int_equal(running, 130);
	assert_int_equal(perf_event_read(cpu, &enabled, &running), 1130);
	assert_int_equal(enabled, 1130);
	assert_int_equal(running, 1130);
	perf_event_disable(task);
	host_clock += 70;
	assert_int_equal(value_of(task), 130);
	perf_event_enable(task);
	host_clock += 5;
	assert_int_equal(value_of(task), 135);
	close_event(task);
	close_event(cpu);
}

static void task_event_of_one_cpu_runs_there_only(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	u64 enabled, running;

	host_clock += 40;
	fault();
	/* Away, to another CPU, and back. */
	switch_to(&other_task);
	user_task.cpu = run_on(1);
	switch_to(&user_task);
	host_clock += 500;
	fault();
	switch_to(&other_task);
	user_task.cpu = run_on(0);
	switch_to(&user_task);
	host_clock += 2;
	fault();
	assert_int_equal(perf_event_read(event, &enabled, &running), 2);
	assert_int_equal(enabled, 542);
	assert_int_equal(running, 42);
	close_event(event);
}

/* So are switches: those away from it on another CPU are not its. */
static void switches_on_one_cpu_only(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);

	switch_to(&other_task);
	assert_int_equal(value_of(event), 1);
	user_task.cpu = run_on(1);
	switch_to(&user_task);
	switch_to(&other_task);
	assert_int_equal(value_of(event), 1);
	user_task.cpu = run_on(0);
	switch_to(&user_task);
	switch_to(&other_task);
	assert_int_equal(value_of(event), 2);
	switch_to(&user_task);
	close_event(event);
}

static void clock_samples_by_timer(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 100000);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	event = open_event(&attr, NULL);
	ring = map_event(event, 1);
	host_run_timers(host_clock + 350000, &regs);
	for (int i = 1; i <= 3; i++) {
		expect_record(ring, &record, PERF_RECORD_SAMPLE, 2);
		assert_int_equal(record.word[0], 1000000 + i * 100000);
		assert_int_equal(record.word[1], 100000);
	}
	expect_no_record(ring);
	assert_int_equal(value_of(event), 300000);
	perf_event_disable(event);
	host_run_timers(host_clock + MS, &regs);
	expect_no_record(ring);
	close_event(event);
}

static void task_clock_stops_with_the_task(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_TASK_CLOCK, 100000);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring = map_event(event, 1);

	host_run_timers(host_clock + 60000, &regs);
	switch_to(&other_task);
	host_run_timers(host_clock + 10 * MS, &regs);
	expect_no_record(ring);
	switch_to(&user_task);
	/* 40 us were left. */
	host_run_timers(host_clock + 39999, &regs);
	expect_no_record(ring);
	host_run_timers(host_clock + 1, &regs);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	close_event(event);
}

static void clock_by_frequency_and_new_period(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 0);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.freq = 1;
	attr.sample_freq = 1000;
	event = open_event(&attr, NULL);
	ring = map_event(event, 1);
	host_run_timers(host_clock + 10 * MS, &regs);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 10);
	assert_int_equal(perf_event_set_period(event, 10000), 0);
	host_run_timers(host_clock + MS, &regs);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 10);
	assert_int_equal(perf_event_set_period(event, 100001), -EINVAL);
	close_event(event);
}

#define COST \
	700000ULL /* ns that a sample takes: no whole number of them is a quarter of a window */

static u64 nr_slow, stood_for;

static void slow_handler(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	host_clock += COST;
	nr_slow++;
	stood_for += data->period;
}

/*
 * Clocks that want more than all of the time get a quarter of each window of 10 ms. A window ends
 * with the sample that uses it up, and what that exceeds its quarter the next one lacks, so over
 * all windows there is one sample too much. Windows begin at a beat: each lasts a period more at
 * most.
 */
static void clocks_spend_a_quarter_of_the_time(void **state)
{
	const u64 all = 1000 * MS, window = 10 * MS, spend = window / 4, period = 10000;
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, period);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event[3];

	nr_slow = stood_for = 0;
	for (int i = 0; i < 3; i++)
		event[i] = perf_event_create_kernel_counter(&attr, 0, NULL, slow_handler, NULL);
	host_run_timers(host_clock + all, &regs);
	assert_true(nr_slow * COST <= (all / window + 1) * spend + COST);
	assert_true(nr_slow * COST + COST >= (all / (window + period) - 1) * spend);
	/* Nothing of the time is lost: what was put off the next sample stands for. */
	assert_true(stood_for <= 3 * all);
	assert_true(stood_for >= 3 * (all - window - period - COST));
	for (int i = 0; i < 3; i++)
		close_event(event[i]);
}

static void clock_obeys_the_policy(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 100000);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.exclude_idle = attr.exclude_kernel = 1;
	event = open_event(&attr, NULL);
	ring = map_event(event, 1);
	switch_to(&idle_task);
	host_run_timers(host_clock + MS, &regs);
	switch_to(&kernel_task);
	host_run_timers(host_clock + MS, &regs);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 0);
	switch_to(&user_task);
	host_run_timers(host_clock + MS, &regs);
	assert_int_equal(value_of(event), MS);
	assert_true(next_record(ring, &record));
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_USER);
	close_event(event);
}

/* --- Opening --- */

static void targets_are_checked(void **state)
{
	static const struct {
		pid_t pid;
		int cpu, err;
	} cases[] = {{-1, -1, -EINVAL},      {0, -2, -EINVAL},  {-1, 1, -ENODEV}, {0, 1, -ENODEV},
		     {0, MAX_CPUS, -EINVAL}, {999, -1, -ESRCH}, {-2, -1, -ESRCH}, {-2, 0, -ESRCH}};
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *event;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		event = perf_event_open_pid(&attr, cases[i].pid, cases[i].cpu, &root);
		assert_int_equal(PTR_ERR(event), cases[i].err);
		assert_int_equal(host_allocations, 0);
	}
	attr.enable_on_exec = 1;
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, -1, 0, &root)), -EINVAL);
	attr.type = PERF_TYPE_HARDWARE;
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, 0, -1, &root)), -ENOENT);
}

static void pids_find_tasks(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *self = perf_event_open_pid(&attr, 0, -1, &root);
	struct perf_event *other = perf_event_open_pid(&attr, other_task.tid, -1, &root);
	struct perf_event *all = perf_event_open_pid(&attr, -1, 0, &root);

	fault();
	host_run_as(&test_cpu, &other_task);
	fault();
	fault();
	assert_int_equal(value_of(self), 1);
	assert_int_equal(value_of(other), 2);
	assert_int_equal(value_of(all), 3);
	close_event(self);
	close_event(other);
	close_event(all);
}

static void out_of_memory_leaves_nothing(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);

	for (int n = 0; n < 4; n++) {
		host_fail_alloc = 1 + n / 2;
		assert_int_equal(
		    PTR_ERR(perf_event_open_pid(&attr, n & 1 ? other_task.tid : 0, -1, &root)),
		    -ENOMEM);
		host_fail_alloc = 0;
		assert_int_equal(host_allocations, 0);
	}
}

/* --- Rings --- */

static void inherited_event_on_all_cpus_has_no_ring(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *any, *one;
	struct perf_ring *ring;

	attr.inherit = 1;
	any = open_event(&attr, &user_task);
	assert_int_equal(perf_event_mmap(any, 1, false, &root, &ring), -EINVAL);
	close_event(any);
	one = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	map_event(one, 1);
	close_event(one);
}

static void second_mapping_shares_the_ring(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring = map_event(event, 2), *same;

	assert_int_equal(perf_event_mmap(event, 4, false, &root, &same), -EINVAL);
	assert_int_equal(perf_event_mmap(event, 3, false, &root, &same), -EINVAL);
	/* For which no memory is needed. */
	host_fail_alloc = 1;
	assert_int_equal(perf_event_mmap(event, 2, true, &root, &same), 0);
	host_fail_alloc = 0;
	assert_ptr_equal(ring, same);
	perf_event_munmap(event);
	fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	perf_event_munmap(event);
	fault();
	assert_int_equal(value_of(event), 2);
	close_event(event);
}

static void output_goes_to_one_writer_only(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *cpu = open_event(&attr, NULL), *cpu2 = open_event(&attr, NULL);
	struct perf_event *task = open_event(&attr, &user_task);
	struct perf_event *task2 = open_event(&attr, &user_task);
	struct perf_event *other = open_event(&attr, &other_task);
	struct perf_ring *ring;

	assert_int_equal(perf_event_set_output(cpu2, cpu), -EINVAL); /* it has no ring */
	ring = map_event(cpu, 1);
	assert_int_equal(perf_event_set_output(cpu, cpu), -EINVAL);
	assert_int_equal(perf_event_set_output(task, cpu), -EINVAL);
	assert_int_equal(perf_event_set_output(cpu2, cpu), 0);
	fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	assert_int_equal(perf_event_set_output(cpu2, NULL), 0);
	fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	assert_int_equal(perf_event_set_output(cpu, NULL), -EINVAL); /* it is mapped */

	map_event(task, 1);
	assert_int_equal(perf_event_set_output(other, task), -EINVAL);
	assert_int_equal(perf_event_set_output(task2, task), 0);
	/* The ring goes with its last mapping, also from those redirected to it. */
	perf_event_munmap(task);
	assert_null(task2->ring);
	fault();
	close_event(cpu);
	close_event(cpu2);
	close_event(task);
	close_event(task2);
	close_event(other);
}

static void readers_are_woken(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event, *second;
	struct perf_ring *ring;

	attr.wakeup_events = 3;
	event = open_event(&attr, &user_task);
	assert_true(perf_event_hung_up(event)); /* no ring */
	ring = map_event(event, 1);
	second = open_event(&attr, &user_task);
	perf_event_disable(second);
	assert_int_equal(perf_event_set_output(second, event), 0);
	assert_false(perf_event_hung_up(event));
	host_wakeups = 0;
	for (int i = 1; i <= 7; i++) {
		fault();
		assert_int_equal(host_run_irq_work(), i % 3 == 0);
	}
	/* Twice, and whoever polls either event. */
	assert_int_equal(host_wakeups, 4);
	assert_true(perf_event_readable(event));
	assert_true(perf_event_readable(second));
	count_records(ring, PERF_RECORD_SAMPLE);
	assert_false(perf_event_readable(event));
	close_event(second);
	close_event(event);
}

static void control_page_shows_times(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring = map_event(event, 0);
	u32 lock = ring->page->lock;

	fault();
	host_clock += 77;
	perf_event_disable(event);
	assert_int_equal(ring->page->offset, 1);
	assert_int_equal(ring->page->time_enabled, 77);
	assert_int_equal(ring->page->time_running, 77);
	assert_int_equal(ring->page->lock, lock + 2);
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(switches_of_a_task),
	    TEST(switches_of_a_cpu_are_the_schedulers),
	    TEST(own_event_sees_the_very_next_switch),
	    TEST(faults_by_kind),
	    TEST(reset_clears_value_not_times),
	    TEST(read_words_follow_the_format),
	    TEST(period_is_respected),
	    TEST(excluded_strikes_consume_no_period),
	    TEST(new_period_starts_at_once),
	    TEST(frequency_is_kept),
	    TEST(handler_sees_what_the_policy_chose),
	    TEST(sample_within_a_sample_is_lost),
	    TEST(clock_strikes_within_a_sample),
	    TEST(switch_sample_leaves_the_scheduler),
	    TEST(times_are_those_of_the_context),
	    TEST(task_event_of_one_cpu_runs_there_only),
	    TEST(switches_on_one_cpu_only),
	    TEST(clock_samples_by_timer),
	    TEST(task_clock_stops_with_the_task),
	    TEST(clock_by_frequency_and_new_period),
	    TEST(clocks_spend_a_quarter_of_the_time),
	    TEST(clock_obeys_the_policy),
	    TEST(targets_are_checked),
	    TEST(pids_find_tasks),
	    TEST(out_of_memory_leaves_nothing),
	    TEST(inherited_event_on_all_cpus_has_no_ring),
	    TEST(second_mapping_shares_the_ring),
	    TEST(output_goes_to_one_writer_only),
	    TEST(readers_are_woken),
	    TEST(control_page_shows_times),
	};

	return cmocka_run_group_tests_name("perf events", tests, NULL, NULL);
}
