/* SPDX-License-Identifier: MIT */
/* The stand-ins of stubs.c themselves: what the other tests rely on. */
#include "host.h"
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/perf.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <arch/unwind.h>

static void panic_can_be_expected(void **state)
{
	int zero = 0;

	expect_assert_failure(ASSERT(zero));
	ASSERT(!zero);
}

static void allocation_fails_when_told(void **state)
{
	char *a, *b;

	host_fail_alloc = 2;
	a = kzalloc(8);
	assert_non_null(a);
	assert_int_equal(a[7], 0);
	assert_null(kmalloc(8));
	b = page_alloc(0);
	assert_non_null(b);
	assert_int_equal((unsigned long)b & (PAGE_SIZE - 1), 0);
	assert_int_equal(host_allocations, 2);
	kfree(a);
	page_free(b, 0);
	assert_int_equal(host_allocations, 0);
}

static unsigned fired[3], nr_fired;

static void timer_fired(struct timer *timer, struct pt_regs *regs)
{
	fired[nr_fired++] = (unsigned)host_clock;
}

static void timers_fire_in_order(void **state)
{
	struct timer a, b;

	timer_init(&a, timer_fired);
	timer_init(&b, timer_fired);
	timer_arm(&a, 30);
	timer_arm(&b, 20);
	host_run_timers(10, NULL);
	assert_int_equal(nr_fired, 0);
	host_run_timers(40, NULL);
	assert_int_equal(nr_fired, 2);
	assert_int_equal(fired[0], 20);
	assert_int_equal(fired[1], 30);
	assert_int_equal(host_clock, 40);
}

static void work_runs_once(struct irq_work *work)
{
	nr_fired++;
}

static void irq_work_is_queued_once(void **state)
{
	struct irq_work work = {.func = work_runs_once};

	nr_fired = 0;
	irq_work_queue(&work);
	irq_work_queue(&work);
	assert_int_equal(host_run_irq_work(), 1);
	assert_int_equal(nr_fired, 1);
}

static void sched_text_has_bounds(void **state)
{
	assert_true(in_sched_text((unsigned long)host_sched_text));
	assert_true(in_sched_text((unsigned long)host_sched_text + 63));
	assert_false(in_sched_text((unsigned long)host_sched_text + 64));
}

static void interrupts_are_a_variable(void **state)
{
	struct spinlock lock = SPINLOCK_INIT;
	unsigned long flags = spin_lock_irqsave(&lock);

	assert_false(irqs_enabled());
	spin_unlock_irqrestore(&lock, flags);
	assert_true(irqs_enabled());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(panic_can_be_expected), cmocka_unit_test(allocation_fails_when_told),
	    cmocka_unit_test(timers_fire_in_order),  cmocka_unit_test(irq_work_is_queued_once),
	    cmocka_unit_test(sched_text_has_bounds), cmocka_unit_test(interrupts_are_a_variable),
	};

	return cmocka_run_group_tests_name("framework", tests, NULL, NULL);
}
