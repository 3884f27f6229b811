/* SPDX-License-Identifier: MIT */
/* kernel/time: timers, the clock event they program, and the tick. */
#include <stdlib.h>

#include "host.h"
#include <hotregs/sched.h>
#include <hotregs/time.h>

#define TICK_NS (1000000000UL / TICK_HZ)

static struct task task;
static u64 event; /* when the device will interrupt; UINT64_MAX: never */
static unsigned nr_set;

static void set(u64 delta_ns)
{
	assert_true(delta_ns > 0);
	nr_set++;
	event = delta_ns == UINT64_MAX ? UINT64_MAX : host_clock + delta_ns;
}

static const struct clock_event device = {.name = "test", .set = set};

/* Moves the clock to @until, interrupting as the device would. */
static void run_until(u64 until)
{
	while (event <= until) {
		host_clock = MAX(host_clock, event);
		event = UINT64_MAX;
		host_irqs_off = 1;
		time_interrupt(NULL);
		host_irqs_off = 0;
	}
	host_clock = until;
}

static struct probe {
	struct timer timer;
	u64 fired_at, period;
	unsigned fired;
	struct timer *cancels;
} probe[64];
static unsigned order[256], nr_fired;

static void fire(struct timer *timer, struct pt_regs *regs)
{
	struct probe *p = container_of(timer, struct probe, timer);

	assert_false(irqs_enabled());
	order[nr_fired++ % ARRAY_SIZE(order)] = p - probe;
	p->fired++;
	p->fired_at = host_clock;
	if (p->cancels)
		timer_cancel(p->cancels);
	if (p->period)
		timer_arm(timer, timer->expires + p->period);
}

static int setup(void **state)
{
	for (unsigned i = 0; i < ARRAY_SIZE(probe); i++) {
		probe[i] = (struct probe){0};
		timer_init(&probe[i].timer, fire);
	}
	nr_fired = 0;
	return 0;
}

/* Every test leaves the queue empty and interrupts on. */
static int teardown(void **state)
{
	for (unsigned i = 0; i < ARRAY_SIZE(probe); i++)
		timer_cancel(&probe[i].timer);
	run_until(host_clock + 1000);
	return !irqs_enabled() || !list_empty(&this_cpu()->timers.armed);
}

/* First, since a device is registered once. */
static void timers_wait_for_a_device(void **state)
{
	timer_arm(&probe[0].timer, 500);
	assert_int_equal(nr_set, 0);
	time_set_clock_event(&device);
	assert_int_equal(event, 500);
	run_until(499);
	assert_int_equal(probe[0].fired, 0);
	run_until(500);
	assert_int_equal(probe[0].fired, 1);
	run_until(5000);
	assert_int_equal(probe[0].fired, 1);
}

static void fire_in_order(void **state)
{
	static const u64 delay[] = {30, 10, 20, 10, 10};
	static const unsigned expected[] = {1, 3, 4, 2, 0};

	for (unsigned i = 0; i < ARRAY_SIZE(delay); i++)
		timer_arm(&probe[i].timer, host_clock + delay[i]);
	run_until(host_clock + 100);
	assert_int_equal(nr_fired, 5);
	assert_memory_equal(order, expected, sizeof(expected)); /* equals: as they were armed */
}

static void only_an_earlier_timer_programs(void **state)
{
	unsigned before = nr_set;

	timer_arm(&probe[0].timer, host_clock + 100);
	assert_int_equal(nr_set, before + 1);
	timer_arm(&probe[1].timer, host_clock + 200);
	assert_int_equal(nr_set, before + 1);
	timer_arm(&probe[2].timer, host_clock + 50);
	assert_int_equal(nr_set, before + 2);
	assert_int_equal(event, host_clock + 50);
}

static void past_fires_at_once(void **state)
{
	host_clock += 1000;
	timer_arm(&probe[0].timer, 1);
	assert_int_equal(event, host_clock + 1);
	run_until(host_clock + 1);
	assert_int_equal(probe[0].fired, 1);
}

static void arming_again_moves(void **state)
{
	u64 start = host_clock;

	timer_arm(&probe[0].timer, start + 10);
	timer_arm(&probe[0].timer, start + 50);
	run_until(start + 49);
	assert_int_equal(probe[0].fired, 0);
	timer_arm(&probe[0].timer, start + 90);
	timer_arm(&probe[0].timer, start + 60);
	run_until(start + 60);
	assert_int_equal(probe[0].fired, 1);
	run_until(start + 200);
	assert_int_equal(probe[0].fired, 1);
}

static void cancelled_is_silent(void **state)
{
	timer_arm(&probe[0].timer, host_clock + 10);
	timer_arm(&probe[1].timer, host_clock + 10);
	probe[1].cancels = &probe[2].timer;
	timer_arm(&probe[2].timer, host_clock + 10);
	timer_cancel(&probe[0].timer);
	timer_cancel(&probe[0].timer);
	run_until(host_clock + 100);
	assert_int_equal(probe[0].fired, 0);
	assert_int_equal(probe[1].fired, 1);
	assert_int_equal(probe[2].fired, 0); /* cancelled by the one before it */
}

static void function_cancels_its_own_timer(void **state)
{
	timer_arm(&probe[0].timer, host_clock + 10);
	probe[0].cancels = &probe[0].timer;
	run_until(host_clock + 100);
	assert_int_equal(probe[0].fired, 1);
}

static void period_is_exact(void **state)
{
	u64 start = host_clock;

	probe[0].period = 7;
	timer_arm(&probe[0].timer, start + 7);
	run_until(start + 700);
	assert_int_equal(probe[0].fired, 100);
	assert_int_equal(probe[0].fired_at, start + 700);
}

/* One that is always late may not hold the CPU in the interrupt for ever, nor keep others out. */
static void late_timer_lets_the_cpu_go(void **state)
{
	unsigned first;

	host_clock += 1000000;
	probe[0].period = 1;
	timer_arm(&probe[0].timer, 1);
	timer_arm(&probe[1].timer, 2000);
	event = UINT64_MAX;
	host_irqs_off = 1;
	time_interrupt(NULL);
	first = probe[0].fired;
	assert_in_range(first, 1, 100);
	assert_int_equal(event, host_clock + 1); /* and is not forgotten */
	for (int i = 0; i < 100; i++)
		time_interrupt(NULL);
	host_irqs_off = 0;
	assert_true(probe[0].fired > first);
	assert_int_equal(probe[1].fired, 1);
}

static void device_that_is_early_is_asked_again(void **state)
{
	u64 due = host_clock + 100;

	timer_arm(&probe[0].timer, due);
	host_clock += 60;
	event = UINT64_MAX;
	host_irqs_off = 1;
	time_interrupt(NULL);
	host_irqs_off = 0;
	assert_int_equal(probe[0].fired, 0);
	assert_int_equal(event, due);
}

static void never_is_never(void **state)
{
	unsigned before = nr_set;

	timer_arm(&probe[0].timer, UINT64_MAX);
	assert_int_equal(nr_set, before);
	run_until(host_clock + 1000000000000);
	assert_int_equal(probe[0].fired, 0);
}

static void cancel_reaches_another_cpu(void **state)
{
	struct cpu *other = &cpus[3];

	other->id = 3;
	time_init_cpu(other);
	host_run_as(other, &task);
	timer_arm(&probe[0].timer, host_clock + 10);
	timer_arm(&probe[1].timer, host_clock + 10);
	assert_int_equal(probe[0].timer.cpu, 3);
	event = UINT64_MAX;
	host_run_as(&cpus[0], &task);
	timer_cancel(&probe[0].timer);
	assert_ptr_equal(other->timers.armed.next, &probe[1].timer.node);
	timer_arm(&probe[1].timer, host_clock + 20); /* moves here */
	assert_true(list_empty(&other->timers.armed));
	assert_int_equal(probe[1].timer.cpu, 0);
	assert_int_equal(other->timers.lock.held, 0);
	run_until(host_clock + 30);
	assert_int_equal(probe[0].fired, 0);
	assert_int_equal(probe[1].fired, 1);
}

/* Against a model: a timer fires exactly once each time it is armed, on time, and none is lost. */
static void random_use_loses_nothing(void **state)
{
	u64 due[ARRAY_SIZE(probe)] = {0}; /* 0: not armed */
	unsigned fired[ARRAY_SIZE(probe)] = {0};

	srand(3);
	host_clock++;
	for (int round = 0; round < 50000; round++) {
		unsigned i = rand() % ARRAY_SIZE(probe);
		u64 until = host_clock + rand() % 40, earliest = UINT64_MAX;

		switch (rand() % 4) {
		case 0:
		case 1:
			due[i] = host_clock + rand() % 1000;
			timer_arm(&probe[i].timer, due[i]);
			break;
		case 2:
			due[i] = 0;
			timer_cancel(&probe[i].timer);
			break;
		default:
			run_until(until);
		}
		for (i = 0; i < ARRAY_SIZE(probe); i++) {
			/* One due now is at once, which is the next nanosecond. */
			if (due[i] && probe[i].fired != fired[i]) {
				assert_int_equal(probe[i].fired, fired[i] + 1);
				assert_in_range(probe[i].fired_at, due[i], due[i] + 1);
				due[i] = 0;
			}
			fired[i] = probe[i].fired;
			if (due[i])
				earliest = MIN(earliest, due[i]);
		}
		assert_true(earliest == UINT64_MAX || event <= MAX(earliest, host_clock + 1));
	}
}

/* --- The tick --- */

static unsigned nr_ticks;
static bool busy;

void sched_tick(struct pt_regs *regs)
{
	nr_ticks++;
}

bool sched_needs_tick(const struct cpu *cpu)
{
	return busy;
}

/* Ticks of CPU 0 are at whole TICK_NS, the first more than one away: it begins just before one. */
static u64 begin_at_a_tick(void)
{
	host_clock += TICK_NS - host_clock % TICK_NS - 1;
	nr_ticks = 0;
	return host_clock + 1;
}

static void tick_runs_while_busy(void **state)
{
	u64 start = begin_at_a_tick();

	busy = true;
	time_tick_start();
	time_tick_start(); /* every wake-up from idle calls it */
	run_until(start + 10 * TICK_NS);
	assert_int_equal(nr_ticks, 10);
	busy = false;
	run_until(start + 30 * TICK_NS);
	assert_int_equal(nr_ticks, 11);
	assert_int_equal(event, UINT64_MAX); /* an idle CPU sleeps on */
	busy = true;
	time_tick_start();
	run_until(start + 33 * TICK_NS);
	assert_int_equal(nr_ticks, 13);
	busy = false;
	run_until(start + 40 * TICK_NS);
}

static void missed_ticks_do_not_pile_up(void **state)
{
	begin_at_a_tick();
	busy = true;
	time_tick_start();
	host_clock += 50 * TICK_NS; /* the host took the machine's processor away */
	run_until(host_clock + 2 * TICK_NS);
	assert_in_range(nr_ticks, 2, 3);
	busy = false;
	run_until(host_clock + 2 * TICK_NS);
}

/* Whenever they begin, after a moment or minutes of idleness, each ticks at its own times. */
static void processors_do_not_tick_together(void **state)
{
	u64 first;

	busy = false;
	for (unsigned i = 0; i < 64; i++) {
		struct cpu *cpu = &cpus[i % MAX_CPUS];

		if (i < MAX_CPUS) {
			*cpu = (struct cpu){.id = i};
			time_init_cpu(cpu);
		}
		host_run_as(cpu, &task);
		host_clock += i < 32 ? 1234567 * i : 1000000007 * (u64)i;
		time_tick_start();
		first = cpu->timers.tick.expires;
		assert_in_range(first - host_clock, TICK_NS, 2 * TICK_NS);
		assert_int_equal(first % TICK_NS, cpu->id * (TICK_NS / MAX_CPUS));
		run_until(first + TICK_NS);
		assert_true(list_empty(&cpu->timers.tick.node));
	}
	host_run_as(&cpus[0], &task);
}

static int group_setup(void **state)
{
	host_run_as(&cpus[0], &task);
	time_init_cpu(&cpus[0]);
	host_clock = 100;
	event = UINT64_MAX;
	return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(timers_wait_for_a_device),
	    TEST(fire_in_order),
	    TEST(only_an_earlier_timer_programs),
	    TEST(past_fires_at_once),
	    TEST(arming_again_moves),
	    TEST(cancelled_is_silent),
	    TEST(function_cancels_its_own_timer),
	    TEST(period_is_exact),
	    TEST(late_timer_lets_the_cpu_go),
	    TEST(device_that_is_early_is_asked_again),
	    TEST(never_is_never),
	    TEST(cancel_reaches_another_cpu),
	    TEST(random_use_loses_nothing),
	    TEST(tick_runs_while_busy),
	    TEST(missed_ticks_do_not_pile_up),
	    TEST(processors_do_not_tick_together),
	};

	return cmocka_run_group_tests_name("timer", tests, group_setup, NULL);
}
