/* SPDX-License-Identifier: MIT */
/*
 * kernel/breakpoint: whatever is opened, closed, turned on and off, changed and switched, the slots
 * of each CPU hold what is to strike there and nothing else, and who is struck is told once.
 */
#include <stdlib.h>
#include <string.h>

#include "breakpoint_machine.h"
#include <hotregs/sched.h>
#include <hotregs/smp.h>

#include <arch/mmu.h>
#include <arch/regs.h>

#define NR_CPUS  2
#define NR_TASKS 3
#define NR_BPS   10

static struct task tasks[NR_TASKS], idle[NR_CPUS];
static struct breakpoint bps[NR_BPS];
static bool reserved[NR_BPS];
static unsigned told[NR_BPS];

static int set_up(void **state)
{
	memset(tasks, 0, sizeof(tasks));
	memset(idle, 0, sizeof(idle));
	memset(host_slots, 0, sizeof(host_slots));
	memset(reserved, 0, sizeof(reserved));
	memset(told, 0, sizeof(told));
	nr_cpus = NR_CPUS;
	for (u32 id = 0; id < NR_CPUS; id++) {
		cpus[id] = (struct cpu){.id = id};
		idle[id].cpu = id;
		host_run_as(&cpus[id], &idle[id]);
	}
	host_run_as(&cpus[0], &idle[0]);
	host_bp_slots[0] = host_bp_slots[1] = BP_SLOTS;
	return 0;
}

static int tear_down(void **state)
{
	for (unsigned i = 0; i < NR_BPS; i++) {
		if (!reserved[i])
			continue;
		breakpoint_disable(&bps[i]);
		breakpoint_release(&bps[i]);
	}
	for (u32 id = 0; id < NR_CPUS; id++)
		assert_int_equal(host_slots_on(id), 0);
	for (unsigned t = 0; t < NR_TASKS; t++)
		assert_int_equal(tasks[t].perf_active, 0);
	assert_int_equal(breakpoint_slots_used(), 0);
	assert_int_equal(breakpoint_strays(), 0);
	assert_int_equal(host_irqs_off, 0);
	return 0;
}

static void hit(struct breakpoint *bp, const struct bp_hit *h)
{
	told[bp - bps]++;
}

/* As the scheduler does it. */
static void switch_to(u32 id, struct task *next)
{
	struct cpu *cpu = &cpus[id];

	next->cpu = id;
	host_cpu = cpu;
	sched_switch_breakpoints(cpu, next);
	host_run_as(cpu, next);
	host_run_as(&cpus[0], cpus[0].running);
}

/* --- Against what there should be --- */

static bool strikes_on(const struct breakpoint *bp, u32 cpu)
{
	return bp->on && (bp->cpu < 0 || (u32)bp->cpu == cpu) &&
	       (!bp->task || bp->task == cpus[cpu].running);
}

static void check_slots(void)
{
	for (u32 cpu = 0; cpu < NR_CPUS; cpu++) {
		unsigned n = 0;

		for (unsigned i = 0; i < NR_BPS; i++) {
			if (!reserved[i] || !strikes_on(&bps[i], cpu))
				continue;
			n += bps[i].parts.nr;
			for (unsigned p = 0; p < bps[i].parts.nr; p++)
				assert_int_equal(host_slots_with(cpu, &bps[i].parts.form[p]), 1);
		}
		assert_int_equal(host_slots_on(cpu), n);
	}
}

static void check_strikes(u32 cpu)
{
	struct pt_regs regs = {};

	for (unsigned i = 0; i < NR_BPS; i++) {
		bool expected = reserved[i] && strikes_on(&bps[i], cpu);
		const struct bp_form *last;

		if (!reserved[i])
			continue;
		last = &bps[i].parts.form[bps[i].parts.nr - 1];
		memset(told, 0, sizeof(told));
		host_cpu = &cpus[cpu];
		host_strike(last->addr, !last->len, &regs);
		host_cpu = &cpus[0];
		for (unsigned j = 0; j < NR_BPS; j++)
			assert_int_equal(told[j], j == i && expected);
	}
}

static unsigned seed;

static unsigned any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Each one's addresses are its own. */
static struct bp_parts any_parts(unsigned i)
{
	unsigned long addr = 0x1000 + 0x100 * i + 0x10 * any(4);

	if (!any(3))
		return (struct bp_parts){{host_exec(addr)}, 1};
	return (struct bp_parts){{host_data(addr, 1 + any(4)), host_data(addr + 8, 4)}, 1 + any(2)};
}

static void open_any(unsigned i)
{
	bps[i] = (struct breakpoint){.parts = any_parts(i), .cpu = (int)any(3) - 1, .hit = hit};
	if (any(3))
		bps[i].task = &tasks[any(NR_TASKS)];
	reserved[i] = !breakpoint_reserve(&bps[i]);
}

static void do_any(void)
{
	unsigned i = any(NR_BPS), t;
	struct bp_parts parts;

	switch (any(8)) {
	case 0:
	case 1:
		t = any(NR_TASKS + 1);
		i = any(NR_CPUS);
		if (t == NR_TASKS)
			switch_to(i, &idle[i]);
		else if (cpus[!i].running != &tasks[t])
			switch_to(i, &tasks[t]);
		return;
	case 2:
		if (!reserved[i])
			open_any(i);
		else if (!bps[i].on)
			reserved[i] = (breakpoint_release(&bps[i]), false);
		return;
	case 3:
		if (!reserved[i])
			return;
		parts = any_parts(i);
		if (breakpoint_modify(&bps[i], &parts))
			assert_memory_not_equal(&parts, &bps[i].parts, sizeof(parts));
		return;
	case 4:
		if (reserved[i])
			breakpoint_disable(&bps[i]);
		return;
	default:
		if (reserved[i])
			breakpoint_enable(&bps[i]);
	}
}

static void slots_hold_what_is_to_strike(void **state)
{
	for (seed = 1; seed < 40; seed++) {
		unsigned first = seed;

		host_bp_slots[0] = 1 + first % 4;
		host_bp_slots[1] = 1 + first / 4 % 4;
		for (unsigned step = 0; step < 400; step++) {
			do_any();
			check_slots();
			if (step % 16 == 0)
				check_strikes(step / 16 % NR_CPUS);
		}
		tear_down(NULL);
		memset(reserved, 0, sizeof(reserved));
		seed = first;
	}
}

/* --- One thing at a time --- */

static struct breakpoint *open_on(struct task *task, s32 cpu, struct bp_form form)
{
	unsigned i = 0;

	while (reserved[i])
		i++;
	bps[i] = (struct breakpoint){.parts = {{form}, 1}, .task = task, .cpu = cpu, .hit = hit};
	assert_int_equal(breakpoint_reserve(&bps[i]), 0);
	reserved[i] = true;
	breakpoint_enable(&bps[i]);
	return &bps[i];
}

/* Two slots of one are one strike; the same bytes of two owners are one for each. */
static void an_instruction_is_told_once_to_each(void **state)
{
	const struct bp_form form = host_data(0x1000, 4);
	struct breakpoint *two = open_on(&idle[0], -1, form), *other = open_on(NULL, 0, form);
	const struct bp_parts parts = {{form, form}, 2};
	struct pt_regs regs = {};

	assert_int_equal(breakpoint_modify(two, &parts), 0);
	host_strike(0x1002, false, &regs);
	assert_int_equal(told[two - bps], 1);
	assert_int_equal(told[other - bps], 1);
	breakpoint_disable(other);
	host_strike(0x1002, false, &regs);
	assert_int_equal(told[two - bps], 2);
	assert_int_equal(told[other - bps], 1);
}

/* As a child inherits them: at a switch the owners change, and nothing is written. */
static void equal_sets_are_written_once(void **state)
{
	const struct bp_form form = host_data(0x1000, 4), other = host_data(0x2000, 4);
	const struct bp_parts parts = {{other}, 1};
	struct pt_regs regs = {};
	struct breakpoint *bp[3];
	unsigned before;

	switch_to(0, &tasks[0]);
	for (unsigned t = 0; t < 3; t++)
		bp[t] = open_on(&tasks[t], -1, t < 2 ? form : other);
	before = host_exchanges;
	for (unsigned t = 1; t < 4; t++) {
		switch_to(0, &tasks[t % 2]);
		host_strike(0x1000, false, &regs);
		assert_int_equal(told[bp[t % 2] - bps], (t + 1) / 2);
	}
	assert_int_equal(host_exchanges, before);
	switch_to(0, &tasks[2]);
	assert_int_equal(host_slots_with(0, &other), 1);
	assert_int_equal(breakpoint_modify(bp[1], &parts), 0);
	switch_to(0, &tasks[0]);
	switch_to(0, &tasks[1]);
	assert_int_equal(host_slots_with(0, &form), 0);
	assert_int_equal(host_slots_with(0, &other), 1);
	switch_to(0, &idle[0]);
	assert_int_equal(host_slots_on(0), 0);
}

static void a_slot_without_owner_is_a_stray(void **state)
{
	struct pt_regs regs = {};
	const struct bp_hit h = {.regs = &regs};

	open_on(NULL, -1, host_data(0x1000, 4));
	assert_int_equal(breakpoint_strike(0, 0xf, &h), 0x7);
	assert_int_equal(told[0], 1);
}

/* What does not fit changes nothing, and room for both is given back. */
static void a_change_is_all_or_nothing(void **state)
{
	struct breakpoint *bp = open_on(NULL, 0, host_data(0x1000, 4));
	const struct bp_parts two = {{host_data(0x2000, 4), host_data(0x2008, 4)}, 2};
	const struct bp_parts exec = {{host_exec(0x3000)}, 1};
	struct breakpoint *rest[BP_SLOTS];

	for (unsigned i = 1; i < BP_SLOTS; i++)
		rest[i] = open_on(&tasks[0], -1, host_data(0x1000 + 16 * i, 4));
	assert_int_equal(breakpoint_modify(bp, &two), -ENOSPC);
	assert_int_equal(bp->parts.form[0].addr, 0x1000);
	check_slots();
	assert_int_equal(breakpoint_slots_used(), BP_SLOTS);
	assert_int_equal(breakpoint_modify(bp, &exec), 0);
	check_slots();
	/* The slot that it left is there for others. */
	open_on(&tasks[0], -1, host_data(0x4000, 4));
	assert_int_equal(breakpoint_slots_used(), BP_SLOTS + 1);
	breakpoint_disable(rest[1]);
	breakpoint_release(rest[1]);
	reserved[rest[1] - bps] = false;
	assert_int_equal(breakpoint_modify(bp, &two), -ENOSPC);
}

/* A CPU that comes late has what is everybody's. */
static void everybodys_are_everywhere(void **state)
{
	struct breakpoint *bp;

	nr_cpus = 1;
	bp = open_on(NULL, -1, host_exec(0x1000));
	assert_int_equal(host_slots_on(1), 0);
	nr_cpus = NR_CPUS;
	host_cpu = &cpus[1];
	breakpoint_start_cpu();
	host_cpu = &cpus[0];
	check_slots();
	breakpoint_disable(bp);
	check_slots();
}

/* --- What may be watched --- */

static int check(struct bp_form form, bool user, const char **why)
{
	const struct bp_parts parts = {{host_data(0x1000, 1), form}, 2};

	return breakpoint_check(&parts, user, why);
}

static void what_entries_need_is_refused(void **state)
{
	const unsigned long code = (unsigned long)host_noinstr,
			    data = (unsigned long)host_debug_data;
	const char *why = "";

	for (unsigned long before = 0; before < 8; before++) {
		int overlaps = before < 4 ? -EINVAL : 0;

		assert_int_equal(check(host_data(data - before, 4), false, &why), overlaps);
		assert_int_equal(check(host_data(data + 64 - before, 4), false, &why),
				 before ? -EINVAL : 0);
		assert_int_equal(check(host_data(code - before, 4), false, &why), overlaps);
		assert_int_equal(check(host_exec(code + 64 - before), false, &why),
				 before ? -EINVAL : 0);
	}
	assert_int_equal(check(host_exec(data), false, &why), 0);
	assert_int_equal(check(host_exec(code), true, &why), -EINVAL);
	assert_non_null(strstr(why, "code by which the kernel is entered"));
	for (unsigned long i = 0; i < 8; i++)
		assert_int_equal(check(host_data(USER_END - 8, i), true, &why), 0);
	assert_int_equal(check(host_data(USER_END, 1), true, &why), -EPERM);
	assert_string_equal(why, "the kernel's addresses");
	assert_int_equal(check(host_exec(-1UL), true, &why), -EPERM);
	assert_int_equal(check(host_exec(-1UL), false, &why), 0);
	assert_int_equal(check(host_data(VMAP_START - 1, 1), false, &why), 0);
	assert_int_equal(check(host_data(VMAP_START - 1, 2), false, &why), -EINVAL);
	assert_string_equal(why, "kernel stacks are there");
	assert_int_equal(check(host_data(VMAP_END - 1, 8), false, &why), -EINVAL);
	assert_int_equal(check(host_data(VMAP_END, 8), false, &why), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(equal_sets_are_written_once),         CASE(slots_hold_what_is_to_strike),
	    CASE(an_instruction_is_told_once_to_each), CASE(a_slot_without_owner_is_a_stray),
	    CASE(a_change_is_all_or_nothing),          CASE(everybodys_are_everywhere),
	    CASE(what_entries_need_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
