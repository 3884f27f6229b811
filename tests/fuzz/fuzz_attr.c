/* SPDX-License-Identifier: MIT */
/*
 * kernel/perf/attr.c: whatever attributes a program passes, of what is accepted every bit is one
 * that is done, and the event made of it is one that can be sampled. Such an event then lives: with
 * another one like it in its group, a ring, strikes, a child and an end, which leave nothing
 * behind.
 */
#include "../host/breakpoint_machine.h"
#include "../host/perf_fixture.h"
#include "fuzz.h"

#include "../../kernel/perf/breakpoint_pmu.c"

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

static void add_breakpoints(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = sizeof(attr),
				       .bp_type = HW_BREAKPOINT_W,
				       .bp_addr = 0x601005,
				       .bp_len = 8,
				       .inherit = 1};

	fuzz_add_example(&attr, sizeof(attr));
	attr.bp_type = HW_BREAKPOINT_X;
	attr.sample_period = attr.exclude_kernel = attr.remove_on_exec = attr.sigtrap = 1;
	attr.sig_data = 1;
	fuzz_add_example(&attr, sizeof(attr));
	attr = (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					.size = PERF_ATTR_SIZE_VER5,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (unsigned long)host_debug_data - 4,
					.bp_len = 4,
					.sample_period = 2,
					.sample_type = PERF_SAMPLE_ADDR};
	fuzz_add_example(&attr, PERF_ATTR_SIZE_VER5);
	attr.bp_addr = -4UL;
	fuzz_add_example(&attr, PERF_ATTR_SIZE_VER5);
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
	attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER7,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID,
					.read_format = PERF_FORMAT_MAX - 1,
					.inherit = 1,
					.inherit_thread = 1,
					.inherit_stat = 1,
					.remove_on_exec = 1,
					.sample_id_all = 1};
	fuzz_add_example(&attr, sizeof(attr));
	attr.inherit_thread = attr.inherit = attr.inherit_stat = attr.remove_on_exec = 0;
	attr.write_backward = attr.pinned = attr.exclusive = attr.enable_on_exec = 1;
	attr.use_clockid = 1;
	attr.clockid = PERF_CLOCKID_MONOTONIC_RAW;
	fuzz_add_example(&attr, sizeof(attr));
	attr.write_backward = 0;
	attr.mmap = attr.comm = attr.task = attr.context_switch = 1;
	attr.config = PERF_COUNT_SW_CPU_MIGRATIONS;
	fuzz_add_example(&attr, PERF_ATTR_SIZE_VER5);
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = 1;
	fuzz_add_example(&attr, sizeof(attr));
	add_breakpoints();
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
	if (!event.sampling && !attr->sample_type)
		return; /* nothing is written that has a form */
	CHECK(event.max_stack && event.max_stack <= PERF_MAX_STACK_DEPTH);
	CHECK(event.sample_size % 8 == 0 && event.sample_size >= 8);
	CHECK(event.trailer_size % 8 == 0 && event.trailer_size <= 48);
	/* But for user stack, of which as much is written as there is room for. */
	largest = event.sample_size;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		largest += 8 * (PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK);
	CHECK(largest < 2048);
}

/* What comes with a bit, and only with it; and what excludes another one. */
static void check_fields(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	CHECK(attr->use_clockid || !attr->clockid);
	CHECK(attr->clockid != PERF_CLOCKID_TAI && attr->clockid <= PERF_CLOCKID_BOOTTIME);
	CHECK(!attr->inherit_thread || attr->inherit);
	CHECK(!attr->remove_on_exec || !attr->enable_on_exec);
	CHECK(!(type & PERF_SAMPLE_REGS_USER) == !attr->sample_regs_user);
	CHECK(!(type & PERF_SAMPLE_REGS_INTR) == !attr->sample_regs_intr);
	CHECK(!((attr->sample_regs_user | attr->sample_regs_intr) & ~perf_reg_mask));
	CHECK((type & PERF_SAMPLE_STACK_USER) || !attr->sample_stack_user);
	CHECK(attr->sample_stack_user % 8 == 0 && attr->sample_stack_user < UINT16_MAX);
	CHECK(!(type & PERF_SAMPLE_READ) || !attr->inherit || (type & PERF_SAMPLE_TID));
	CHECK(attr->sample_max_stack <= PERF_MAX_STACK_DEPTH);
	CHECK(attr->freq ? attr->sample_freq <= PERF_SAMPLE_RATE_MAX
			 : !(attr->sample_period >> 63));
}

/* Features that there are not. */
static void check_refused(const struct perf_event_attr *attr)
{
	CHECK(!attr->precise_ip && !attr->exclude_host);
	CHECK(!attr->namespaces && !attr->ksymbol && !attr->bpf_event && !attr->cgroup);
	CHECK(!attr->aux_output && !attr->text_poke && !attr->aux_watermark &&
	      !attr->aux_sample_size);
	CHECK(!attr->config3 && !attr->branch_sample_type);
}

/* What is a breakpoint's alone, and what there is of a breakpoint before its slots are asked for.
 */
static void check_type(const struct perf_event_attr *attr)
{
	CHECK(attr->sigtrap || !attr->sig_data);
	if (attr->type == PERF_TYPE_SOFTWARE) {
		CHECK(attr->config < PERF_COUNT_SW_MAX && !attr->sigtrap);
		CHECK(!attr->bp_type && !attr->bp_addr && !attr->bp_len);
		return;
	}
	CHECK(attr->type == PERF_TYPE_BREAKPOINT && !attr->config);
	CHECK(attr->bp_addr < USER_END || !attr->exclude_kernel);
	CHECK(!attr->sigtrap ||
	      (attr->sample_period && attr->exclude_kernel && attr->remove_on_exec));
}

/* --- Breakpoints, as docs/abi.md has them, on a machine without reads and accesses --- */

static bool overlaps_bytes(u64 first, u64 last, const void *start, size_t n)
{
	return first < (unsigned long)start + n && last >= (unsigned long)start;
}

static bool can_be_watched(const struct perf_event_attr *attr)
{
	bool data = attr->bp_type != HW_BREAKPOINT_X;
	u64 first = attr->bp_addr, last = data ? first + attr->bp_len - 1 : first;

	if (data && (attr->bp_type != HW_BREAKPOINT_W || !attr->bp_len || attr->bp_len > 8))
		return false;
	if (last < first)
		return false;
	if (first < USER_END)
		return true;
	return !overlaps_bytes(first, last, host_noinstr, sizeof(host_noinstr)) &&
	       (!data || (!overlaps_bytes(first, last, host_debug_data, sizeof(host_debug_data)) &&
			  !overlaps_bytes(first, last, (void *)VMAP_START, VMAP_END - VMAP_START)));
}

/* An access, or the instruction, in the program. */
static void strike_breakpoint(const struct perf_event_attr *attr)
{
	host_irqs_off = 1;
	host_strike(attr->bp_addr, attr->bp_type == HW_BREAKPOINT_X, &user_frame);
	host_irqs_off = 0;
}

/* --- An event's life --- */

/* Another one that differs from @attr in one thing that matters in a group, or in none. */
static struct perf_event_attr sibling_of(struct perf_event_attr attr, u32 choice)
{
	attr.pinned = attr.exclusive = 0;
	switch (choice % 8) {
	case 0:
		attr.inherit ^= 1;
		break;
	case 1:
		attr.inherit_thread ^= 1;
		break;
	case 2:
		attr.remove_on_exec ^= 1;
		break;
	case 3:
		attr.clockid ^= 1;
		break;
	case 4:
		attr.pinned = 1;
		break;
	case 5:
		attr.write_backward ^= 1;
		break;
	default:
		attr.config = choice / 8 % PERF_COUNT_SW_MAX;
	}
	return attr;
}

static bool may_be_together(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->inherit == b->inherit && a->inherit_thread == b->inherit_thread &&
	       a->remove_on_exec == b->remove_on_exec && a->clockid == b->clockid && !b->pinned;
}

static struct perf_event *open_sibling(const struct perf_event_attr *first,
				       struct perf_event *leader, int cpu, u32 choice)
{
	struct perf_event_attr attr = sibling_of(*first, choice);
	struct perf_event *event;

	if (perf_attr_check(&attr))
		return NULL;
	event = perf_event_open_group(&attr, 0, cpu, leader, &root);
	CHECK(may_be_together(first, &attr) ? !IS_ERR(event) : event == ERR_PTR(-EINVAL));
	return IS_ERR(event) ? NULL : event;
}

/* A few of each kind, in the task and in its child. */
static void strike_all(const struct perf_event_attr *attr)
{
	struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
	perf_page_fault(&user_frame, USER_MEMORY, true);
	if (attr->type == PERF_TYPE_BREAKPOINT)
		strike_breakpoint(attr);
	host_clock += 1000;
	host_run_timers(host_clock + 100000, &regs);
	switch_to(&other_task);
	perf_page_fault(&regs, 0x2000, false);
	switch_to(&user_task);
}

static void check_records(const struct perf_ring *ring)
{
	u64 head = ring->page->data_head, left = ring->size, at;
	struct perf_event_header header;

	/* What has been overwritten is not to be found in a ring that is written forward. */
	at = ring->backward ? head : 0;
	left = MIN(ring->backward ? -head : head, left);
	for (; left >= sizeof(header); left -= MIN(header.size, left), at += header.size) {
		memcpy(&header, ring->data + (at & ring->mask), sizeof(header));
		CHECK(header.size >= sizeof(header) && header.size % 8 == 0);
		CHECK(header.type && header.type < PERF_RECORD_MAX);
	}
}

static void read_events(struct perf_event *leader, struct perf_event *sibling)
{
	u64 words[PERF_READ_WORDS_MAX], *group;
	int nr = perf_event_read_group(leader, &group);

	CHECK(nr >= 2 && group[0] == (sibling ? 2 : 1));
	kfree(group);
	CHECK(perf_event_read_words(leader, words) <= PERF_READ_WORDS_MAX);
}

static void end_child(void)
{
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
}

static void live(const struct perf_event_attr *attr, u32 choice)
{
	int cpu = choice >> 16 & 1 ? 0 : -1;
	struct perf_event *leader, *sibling;
	struct perf_ring *ring = NULL;
	int err;

	fixture_set_up(NULL);
	leader = perf_event_open_group(attr, 0, cpu, NULL, &root);
	if (attr->type == PERF_TYPE_BREAKPOINT && !can_be_watched(attr)) {
		CHECK(leader == ERR_PTR(-EINVAL));
		CHECK(!breakpoint_slots_used());
		fixture_tear_down(NULL);
		return;
	}
	CHECK(!IS_ERR(leader));
	sibling = open_sibling(attr, leader, cpu, choice);
	err = perf_event_mmap(leader, 1 << (choice >> 17 & 3), false, &root, &ring);
	CHECK(err == (attr->inherit && cpu < 0 ? -EINVAL : 0));
	if (sibling && ring)
		CHECK(perf_event_set_output(sibling, leader) ==
		      (sibling->attr.write_backward == attr->write_backward ? 0 : -EINVAL));
	CHECK(!perf_task_fork(&other_task));
	perf_group_enable(leader);
	strike_all(attr);
	read_events(leader, sibling);
	if (choice >> 19 & 1)
		perf_event_refresh(leader, 2);
	strike_all(attr);
	perf_task_before_exec();
	perf_task_exec();
	strike_all(attr);
	/* The child or the leader may be the first to go. */
	if (choice >> 20 & 1)
		end_child();
	if (ring)
		check_records(ring);
	close_event(leader);
	strike_all(attr);
	if (sibling)
		close_event(sibling);
	fixture_tear_down(NULL);
	CHECK(!breakpoint_slots_used() && !host_slots_on(0));
}

static void check_accepted(const struct perf_event_attr *attr)
{
	CHECK(!(attr->sample_type & ~(u64)SAMPLE_DONE));
	CHECK(!(attr->read_format & ~(u64)(PERF_FORMAT_MAX - 1)));
	CHECK(!attr->__reserved_1 && !attr->__reserved_2 && !attr->__reserved_3);
	check_refused(attr);
	check_type(attr);
	check_fields(attr);
	check_event(attr);
}

/* Something that each bit of the input has a part in (FNV-1a). */
static u32 choice_by(const u8 *data, size_t size)
{
	u32 hash = 2166136261;

	while (size--)
		hash = (hash ^ *data++) * 16777619;
	return hash;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct perf_event_attr attr;
	u32 wanted;
	int err;

	if (!perf_pmu_find(PERF_TYPE_BREAKPOINT))
		breakpoints_init();
	user = fuzz_copy(data, size);
	user_size = size;
	err = perf_attr_copy(&attr, (struct perf_event_attr *)ATTR_ADDRESS);
	CHECK(!err || err == -EFAULT || err == -E2BIG);
	if (err == -E2BIG) {
		memcpy(&wanted, user + offsetof(struct perf_event_attr, size), sizeof(wanted));
		CHECK(wanted == sizeof(attr));
	}
	if (!err && !perf_attr_check(&attr)) {
		check_accepted(&attr);
		live(&attr, choice_by(data, size));
	}
	fuzz_free_copies();
	return 0;
}
