/* SPDX-License-Identifier: MIT */
/*
 * Registers, stack and physical address in samples: their layout in every combination, what of them
 * is shown of which task, and how much stack there is room for.
 */
#include "perf_fixture.h"
#include <hotregs/sched.h>

/* All that has no fixed size but for what PERF_SAMPLE_READ adds: see test_group.c. */
#define STATE (SAMPLE_STATE & ~PERF_SAMPLE_READ)

#define REGS_ALL   0xfULL
#define REGS_SOME  0x6ULL /* sp, fp */
#define STACK_SP   (USER_MEMORY + 0x108)
#define FAULT_ADDR (USER_MEMORY + 0x42)
#define RECORD_MAX 65528u
#define RING_PAGES 32 /* two of the longest records */

static u64 words[RECORD_MAX / 8]; /* of a record, header included */

static int set_up(void **state)
{
	int err = fixture_set_up(state);

	for (size_t i = 0; i < USER_MEMORY_SIZE; i++)
		user_memory[i] = 1 + i % 251;
	user_frame = (struct pt_regs){.ip = USER_IP, .sp = STACK_SP, .fp = 0x77, .user = 1};
	return err;
}

static struct perf_event_attr state_attr(u64 type)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);

	attr.sample_type = type;
	if (type & PERF_SAMPLE_REGS_USER)
		attr.sample_regs_user = REGS_ALL;
	if (type & PERF_SAMPLE_REGS_INTR)
		attr.sample_regs_intr = REGS_SOME;
	if (type & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = 64;
	return attr;
}

static struct pt_regs struck_regs(void)
{
	return (struct pt_regs){.ip = KERNEL_IP, .sp = KERNEL_IP + 8, .fp = KERNEL_IP + 16};
}

/* A page fault in the kernel. */
static void strike(u64 addr)
{
	const struct pt_regs regs = struck_regs();

	perf_page_fault(&regs, addr, false);
}

/* Takes the one record in @ring out into words; its size in bytes. */
static u32 take_record(struct perf_ring *ring)
{
	u64 tail = ring->page->data_tail;
	struct perf_event_header *h = (struct perf_event_header *)words;

	assert_true(ring->page->data_head > tail);
	words[0] = *(u64 *)(ring->data + (tail & ring->mask));
	for (u32 i = 1; i < h->size / 8u; i++)
		words[i] = *(u64 *)(ring->data + ((tail + i * 8) & ring->mask));
	ring->page->data_tail = tail + h->size;
	assert_int_equal(ring->page->data_tail, ring->page->data_head);
	assert_int_equal(h->type, PERF_RECORD_SAMPLE);
	return h->size;
}

static const u64 *expect_words(const u64 *p, const u64 *expected, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], expected[i]);
	return p + n;
}

static const u64 *expect_regs(const u64 *p, const struct pt_regs *regs, u64 mask)
{
	if (!regs) {
		assert_int_equal(*p, PERF_SAMPLE_REGS_ABI_NONE);
		return p + 1;
	}
	assert_int_equal(*p++, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned nr = 0; nr < 4; nr++)
		if (mask >> nr & 1)
			assert_int_equal(*p++, perf_reg_value(regs, nr));
	return p;
}

/* A stack field of @size bytes, of which @there are, from @sp on. */
static const u64 *expect_stack(const u64 *p, u64 sp, u32 size, u32 there)
{
	const u8 *data;

	assert_int_equal(*p++, size);
	if (!size)
		return p;
	data = (const u8 *)p;
	assert_memory_equal(data, user_memory + (sp - USER_MEMORY), there);
	for (u32 i = there; i < size; i++)
		assert_int_equal(data[i], 0);
	p += size / 8;
	assert_int_equal(*p++, there);
	return p;
}

/* The fields of @type as the ABI orders them, of a fault in the kernel of user_task. */
static void expect_sample(u64 type, u32 size)
{
	const struct pt_regs struck = struck_regs();
	const u64 chain[] = {7,
			     PERF_CONTEXT_KERNEL,
			     KERNEL_IP,
			     KERNEL_IP + 1,
			     KERNEL_IP + 2,
			     PERF_CONTEXT_USER,
			     USER_IP,
			     USER_IP + 1};
	const u64 *p = words + 1;

	if (type & PERF_SAMPLE_IP)
		assert_int_equal(*p++, KERNEL_IP);
	if (type & PERF_SAMPLE_ADDR)
		assert_int_equal(*p++, FAULT_ADDR);
	if (type & PERF_SAMPLE_PERIOD)
		assert_int_equal(*p++, 1);
	if (type & PERF_SAMPLE_CALLCHAIN)
		p = expect_words(p, chain, ARRAY_SIZE(chain));
	if (type & PERF_SAMPLE_REGS_USER)
		p = expect_regs(p, &user_frame, REGS_ALL);
	if (type & PERF_SAMPLE_STACK_USER)
		p = expect_stack(p, STACK_SP, 64, 64);
	if (type & PERF_SAMPLE_REGS_INTR)
		p = expect_regs(p, &struck, REGS_SOME);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		assert_int_equal(*p++, FAULT_ADDR + USER_MEMORY_PHYS);
	assert_ptr_equal(p, words + size / 8);
}

/* Each goes around the ring, whose end falls into every field. */
static void every_combination(void **state)
{
	static const u64 fields[] = {
	    PERF_SAMPLE_IP,        PERF_SAMPLE_ADDR,      PERF_SAMPLE_PERIOD,
	    PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER,
	    PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_PHYS_ADDR,
	};

	for (unsigned n = 0; n < 1U << ARRAY_SIZE(fields); n++) {
		struct perf_event_attr attr;
		struct perf_event *event;
		struct perf_ring *ring;
		u64 type = 0;

		for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
			type |= n >> i & 1 ? fields[i] : 0;
		attr = state_attr(type);
		event = open_event(&attr, &user_task);
		ring = map_event(event, 1);
		memset(ring->data, 0xee, ring->size);
		while (ring->head < 2 * PAGE_SIZE) {
			strike(FAULT_ADDR);
			expect_sample(type, take_record(ring));
		}
		close_event(event);
	}
}

/* A sample of @task with all of STATE, for an event with these exclusions. */
static u32 sample_of(struct task *task, bool exclude_kernel, bool exclude_user, u64 addr)
{
	struct perf_event_attr attr = state_attr(STATE);
	struct perf_event *event;
	struct perf_ring *ring;
	u32 size;

	attr.exclude_kernel = exclude_kernel;
	attr.exclude_user = exclude_user;
	event = open_event(&attr, task);
	ring = map_event(event, 1);
	host_run_as(&test_cpu, task);
	strike(addr);
	size = take_record(ring);
	host_run_as(&test_cpu, &user_task);
	close_event(event);
	return size;
}

static void expect_state(u32 size, const struct pt_regs *user, u32 stack,
			 const struct pt_regs *intr, u64 phys)
{
	const u64 *p = expect_regs(words + 1, user, REGS_ALL);

	p = expect_stack(p, STACK_SP, stack, stack);
	p = expect_regs(p, intr, REGS_SOME);
	assert_int_equal(*p++, phys);
	assert_ptr_equal(p, words + size / 8);
}

static void excluded_parts_are_empty(void **state)
{
	const u64 phys = FAULT_ADDR + USER_MEMORY_PHYS;
	const struct pt_regs struck = struck_regs();
	u32 size;

	size = sample_of(&user_task, false, false, FAULT_ADDR);
	expect_state(size, &user_frame, 64, &struck, phys);
	size = sample_of(&user_task, true, false, FAULT_ADDR);
	expect_state(size, &user_frame, 64, &user_frame, phys);
	size = sample_of(&user_task, false, true, FAULT_ADDR);
	expect_state(size, NULL, 0, &struck, phys);
	/* A kernel thread has neither; and no address of the kernel's has a page of the task's. */
	size = sample_of(&kernel_task, false, false, KERNEL_IP);
	expect_state(size, NULL, 0, &struck, 0);
	size = sample_of(&user_task, false, false, USER_MEMORY + USER_MEMORY_SIZE);
	expect_state(size, &user_frame, 64, &struck, 0);
}

/* Registers are on the kernel's stack; memory is read only where it is the task's. */
static void memory_of_another_is_not_read(void **state)
{
	const struct pt_regs struck = struck_regs();
	struct mm *mm = test_cpu.loaded_mm;

	test_cpu.loaded_mm = NULL;
	expect_state(sample_of(&user_task, false, false, FAULT_ADDR), &user_frame, 0, &struck, 0);
	test_cpu.loaded_mm = mm;
}

/* A sample with @asked bytes of stack alone, from @sp on. */
static u32 stack_of(u64 sp, u32 asked)
{
	struct perf_event_attr attr = state_attr(PERF_SAMPLE_STACK_USER);
	struct perf_event *event;
	struct perf_ring *ring;
	u32 size;

	attr.sample_stack_user = asked;
	user_frame.sp = sp;
	event = open_event(&attr, &user_task);
	ring = map_event(event, RING_PAGES);
	memset(ring->data, 0xee, ring->size);
	strike(FAULT_ADDR);
	size = take_record(ring);
	close_event(event);
	return size;
}

static void stack_ends_where_memory_does(void **state)
{
	const u64 end = USER_MEMORY + USER_MEMORY_SIZE;
	u32 size;

	size = stack_of(end - 24, 64);
	assert_ptr_equal(expect_stack(words + 1, end - 24, 64, 24), words + size / 8);
	/* Misaligned. */
	size = stack_of(end - 27, 64);
	assert_ptr_equal(expect_stack(words + 1, end - 27, 64, 27), words + size / 8);
	/* Nothing is there. */
	size = stack_of(end + 8, 64);
	assert_ptr_equal(expect_stack(words + 1, USER_MEMORY, 64, 0), words + size / 8);
	/* The end of user space, where less than what was asked for can be. */
	size = stack_of(USER_END - 20, 64);
	assert_ptr_equal(expect_stack(words + 1, USER_MEMORY, 24, 0), words + size / 8);
	/* No stack at all. */
	assert_int_equal(stack_of(0, 64), 16);
	assert_int_equal(stack_of(USER_START - 1, 64), 16);
	assert_int_equal(stack_of(USER_END, 64), 16);
	assert_int_equal(stack_of(KERNEL_IP, 64), 16);
	assert_int_equal(stack_of(-8UL, 64), 16);
	/* None was asked for. */
	assert_int_equal(stack_of(STACK_SP, 0), 16);
}

/* The longest stack is cut so that header.size can say how long the record is. */
static void record_fits_its_size_field(void **state)
{
	struct perf_event_attr attr = state_attr(STATE | PERF_SAMPLE_CALLCHAIN);
	struct perf_event *event;
	struct perf_ring *ring;

	assert_int_equal(stack_of(USER_MEMORY, 65528), RECORD_MAX);
	expect_stack(words + 1, USER_MEMORY, RECORD_MAX - 24, USER_MEMORY_SIZE);
	user_frame.sp = USER_MEMORY;
	attr.sample_stack_user = 65528;
	kernel_frames = user_frames = PERF_MAX_STACK_DEPTH;
	event = open_event(&attr, &user_task);
	ring = map_event(event, RING_PAGES);
	strike(FAULT_ADDR);
	assert_int_equal(take_record(ring), RECORD_MAX);
	close_event(event);
}

/* A record longer than its ring never fits: it is lost, and counted. */
static void what_does_not_fit_is_lost(void **state)
{
	struct perf_event_attr attr = state_attr(PERF_SAMPLE_STACK_USER);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_stack_user = PAGE_SIZE;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	strike(FAULT_ADDR);
	strike(FAULT_ADDR);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 0);
	assert_int_equal(event->lost, 2);
	close_event(event);
}

static unsigned handled;

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	handled++;
}

/* A handler of its own is not replaced; a copy writes as its original does. */
static void handlers_stay(void **state)
{
	struct perf_event_attr attr = state_attr(STATE);
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, -1, &user_task, handler, NULL);
	struct perf_ring *ring;

	handled = 0;
	strike(FAULT_ADDR);
	assert_int_equal(handled, 1);
	perf_event_release(event);

	attr.inherit = 1;
	event = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	ring = map_event(event, 1);
	assert_int_equal(perf_task_fork(&other_task), 0);
	switch_to(&other_task);
	strike(FAULT_ADDR);
	assert_int_equal(take_record(ring), 8 + 40 + 80 + 24 + 8);
	switch_to(&user_task);
	perf_task_discard(&other_task);
	close_event(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_combination, set_up, fixture_tear_down),
	    cmocka_unit_test_setup_teardown(excluded_parts_are_empty, set_up, fixture_tear_down),
	    cmocka_unit_test_setup_teardown(memory_of_another_is_not_read, set_up,
					    fixture_tear_down),
	    cmocka_unit_test_setup_teardown(stack_ends_where_memory_does, set_up,
					    fixture_tear_down),
	    cmocka_unit_test_setup_teardown(record_fits_its_size_field, set_up, fixture_tear_down),
	    cmocka_unit_test_setup_teardown(what_does_not_fit_is_lost, set_up, fixture_tear_down),
	    cmocka_unit_test_setup_teardown(handlers_stay, set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests_name("perf sample state", tests, NULL, NULL);
}
