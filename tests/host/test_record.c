/* SPDX-License-Identifier: MIT */
/* What records look like: every combination of sample fields, trailers, and the side records. */
#include "perf_fixture.h"
#include <hotregs/sched.h>
#include <uapi/types.h>

#define FAULT_ADDR 0x7000ULL

static struct record record;

/* Takes field after field out of a record. */
struct cursor {
	const u64 *p;
};

static void expect_word(struct cursor *c, u64 word)
{
	assert_int_equal(*c->p, word);
	c->p++;
}

static void expect_pair(struct cursor *c, u32 first, u32 second)
{
	assert_int_equal(first_half(*c->p), first);
	assert_int_equal(second_half(*c->p), second);
	c->p++;
}

static void expect_trailer(struct cursor *c, const struct perf_event *event,
			   const struct task *task)
{
	u64 type = event->attr.sample_type;

	if (!event->attr.sample_id_all)
		return;
	if (type & PERF_SAMPLE_TID)
		expect_pair(c, task->pid, task->tid);
	if (type & PERF_SAMPLE_TIME)
		expect_word(c, host_clock);
	if (type & PERF_SAMPLE_ID)
		expect_word(c, perf_event_id(event));
	if (type & PERF_SAMPLE_STREAM_ID)
		expect_word(c, perf_event_id(event));
	if (type & PERF_SAMPLE_CPU)
		expect_pair(c, 0, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		expect_word(c, perf_event_id(event));
}

/* Nothing may be left of the record at @c. */
static void expect_end(const struct cursor *c)
{
	assert_ptr_equal(c->p, record.word + record.header.size / sizeof(u64) - 1);
}

static void expect_sample(struct perf_ring *ring, const struct perf_event *event)
{
	struct cursor c = {record.word};
	u64 type = event->attr.sample_type;

	assert_true(next_record(ring, &record));
	assert_int_equal(record.header.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_KERNEL);
	if (type & PERF_SAMPLE_IDENTIFIER)
		expect_word(&c, perf_event_id(event));
	if (type & PERF_SAMPLE_IP)
		expect_word(&c, KERNEL_IP);
	if (type & PERF_SAMPLE_TID)
		expect_pair(&c, user_task.pid, user_task.tid);
	if (type & PERF_SAMPLE_TIME)
		expect_word(&c, host_clock);
	if (type & PERF_SAMPLE_ADDR)
		expect_word(&c, FAULT_ADDR);
	if (type & PERF_SAMPLE_ID)
		expect_word(&c, perf_event_id(event));
	if (type & PERF_SAMPLE_STREAM_ID)
		expect_word(&c, perf_event_id(event));
	if (type & PERF_SAMPLE_CPU)
		expect_pair(&c, 0, 0);
	if (type & PERF_SAMPLE_PERIOD)
		expect_word(&c, 1);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		expect_word(&c, 2 + kernel_frames + user_frames);
		expect_word(&c, PERF_CONTEXT_KERNEL);
		for (unsigned i = 0; i < kernel_frames; i++)
			expect_word(&c, KERNEL_IP + i);
		expect_word(&c, PERF_CONTEXT_USER);
		for (unsigned i = 0; i < user_frames; i++)
			expect_word(&c, USER_IP + i);
	}
	expect_end(&c);
}

/* Samples and COMM records of one sample_type, twice around the ring. */
static void check_combination(u64 type, bool sample_id_all)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = type;
	attr.sample_id_all = sample_id_all;
	attr.comm = 1;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	while (ring->head < 2 * PAGE_SIZE) {
		struct cursor c = {record.word};

		host_clock += 17;
		kernel_frames = 1 + host_clock % 5;
		user_frames = 1 + host_clock % 7;
		perf_page_fault(&regs, FAULT_ADDR, false);
		perf_task_comm(user_task.tid);
		expect_sample(ring, event);
		assert_true(next_record(ring, &record));
		assert_int_equal(record.header.type, PERF_RECORD_COMM);
		expect_pair(&c, user_task.pid, user_task.tid);
		assert_string_equal((const char *)c.p, "user");
		c.p++;
		expect_trailer(&c, event, &user_task);
		expect_end(&c);
		expect_no_record(ring);
	}
	close_event(event);
}

static void every_combination_of_fields(void **state)
{
	unsigned combinations = 0;

	for (u64 type = 0; type <= SAMPLE_WORDS; type++) {
		if (type & ~(u64)SAMPLE_WORDS)
			continue;
		check_combination(type, false);
		check_combination(type, true);
		combinations++;
	}
	assert_int_equal(combinations, 1 << 10);
}

/* A fault that tells by its address how long its chains are. */
static u64 fault_addr(void)
{
	return 0x10000 | kernel_frames << 8 | user_frames;
}

static void sample_in_nmi(void)
{
	const struct pt_regs regs = kernel_regs();

	test_cpu.nmi_depth = 1;
	perf_page_fault(&regs, fault_addr(), false);
	test_cpu.nmi_depth = 0;
}

/* A chain of @kernel and @user frames, and perhaps markers that say nothing behind it. */
static bool is_chain(const u64 *p, unsigned kernel, unsigned user)
{
	u64 nr = *p++;

	if (nr < 2 + kernel + user || *p++ != PERF_CONTEXT_KERNEL)
		return false;
	for (unsigned i = 0; i < kernel; i++)
		if (*p++ != KERNEL_IP + i)
			return false;
	if (*p++ != PERF_CONTEXT_USER)
		return false;
	for (unsigned i = 0; i < user; i++)
		if (*p++ != USER_IP + i)
			return false;
	for (nr -= 2 + kernel + user; nr; nr--)
		if (*p++ != PERF_CONTEXT_USER)
			return false;
	return true;
}

/*
 * Samples with chains of all lengths, some of them interrupted by another one, around a ring whose
 * reader is often late. Every record is whole, and each strike is a sample or a loss.
 */
static void chains_survive_nested_samples(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	unsigned strikes = 0, samples = 0, lost = 0, padded = 0, read = 0;
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	srand(4);
	while (read++ < 20000) {
		kernel_frames = 1 + rand() % 60;
		user_frames = 1 + rand() % 60;
		for (int n = rand() % 4; n; n--, strikes++)
			if (rand() % 2) {
				strikes++;
				during_walk = sample_in_nmi;
				perf_page_fault(&regs, fault_addr(), false);
				assert_null(during_walk);
			} else {
				perf_page_fault(&regs, fault_addr(), false);
			}
		assert_int_equal(ring->nest, 0);
		while (rand() % 3 && next_record(ring, &record)) {
			if (record.header.type == PERF_RECORD_LOST) {
				lost += record.word[1];
				continue;
			}
			assert_int_equal(record.header.type, PERF_RECORD_SAMPLE);
			assert_true(is_chain(record.word + 1, record.word[0] >> 8 & 0xff,
					     record.word[0] & 0xff));
			assert_int_equal(record.header.size, 24 + 8 * record.word[1]);
			padded += record.word[1] == CHAIN_MAX;
			samples++;
		}
	}
	while (next_record(ring, &record)) {
		if (record.header.type == PERF_RECORD_LOST)
			lost += record.word[1];
		else
			samples++;
	}
	assert_int_equal(samples + lost + ring->lost, strikes);
	assert_int_equal(event->lost, ring->lost_total);
	assert_int_equal(value_of(event), samples);
	assert_true(padded > 100 && lost > 100 && samples > 1000);
	close_event(event);
}

/* What was too large for the room that is left is told before anything smaller that fits. */
static void a_gap_is_told_before_what_follows(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *large, *small;
	struct perf_ring *ring;
	unsigned n = 0;

	attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN;
	large = open_event(&attr, &user_task);
	ring = map_event(large, 1);
	attr.sample_type = PERF_SAMPLE_ADDR;
	small = open_event(&attr, &user_task);
	assert_int_equal(perf_event_set_output(small, large), 0);
	kernel_frames = user_frames = 58;
	while (!large->lost && n++ < 10)
		perf_page_fault(&regs, FAULT_ADDR, false);
	assert_int_equal(large->lost, 1);
	for (unsigned i = 1; i < n; i++) {
		expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + 1 + 2 + 58 + 58);
		expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	}
	expect_record(ring, &record, PERF_RECORD_LOST, 2);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	expect_no_record(ring);
	close_event(small);
	close_event(large);
}

static void nested_sample_pads_the_outer(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 2);
	/* The first one asks for room; the next ones, which know of it, are built in the ring. */
	perf_page_fault(&regs, FAULT_ADDR, false);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + 2 + 3 + 2);
	during_walk = sample_in_nmi;
	perf_page_fault(&regs, FAULT_ADDR, false);
	perf_page_fault(&regs, FAULT_ADDR, false);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + CHAIN_MAX);
	assert_true(is_chain(record.word, kernel_frames, user_frames));
	for (int i = 0; i < 2; i++) {
		expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + 2 + 3 + 2);
		assert_true(is_chain(record.word, kernel_frames, user_frames));
	}
	expect_no_record(ring);
	close_event(event);
}

/* What a chain could need but does not is given back, also in a ring that is overwritten. */
static void unused_room_is_given_back(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	for (int overwrite = 0; overwrite < 2; overwrite++) {
		event = open_event(&attr, &user_task);
		assert_int_equal(perf_event_mmap(event, 1, overwrite, &root, &ring), 0);
		memset(ring->data, 0xee, ring->size);
		for (unsigned i = 1; i <= 20; i++) {
			perf_page_fault(&regs, FAULT_ADDR, false);
			assert_int_equal(ring->page->data_head, i * 8 * 9);
		}
		/* Nothing has been written beyond. */
		for (u64 i = ring->head; i < ring->size; i++)
			assert_int_equal(ring->data[i], 0xee);
		close_event(event);
	}
}

static void user_mode_sample_says_so(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	perf_page_fault(&user_frame, FAULT_ADDR, false);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 5);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_USER);
	assert_int_equal(record.word[0], USER_IP);
	assert_int_equal(record.word[2], PERF_CONTEXT_USER);
	close_event(event);
}

/* With the kernel excluded not one word of the sample is a kernel address. */
static void no_kernel_address_without_kernel(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = SAMPLE_DONE;
	attr.sample_regs_user = attr.sample_regs_intr = perf_reg_mask;
	attr.sample_stack_user = 256;
	attr.exclude_kernel = 1;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	perf_page_fault(&regs, KERNEL_IP, false);
	assert_true(next_record(ring, &record));
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_USER);
	for (int i = 0; i < record.header.size / 8 - 1; i++)
		assert_true(record.word[i] < USER_END || record.word[i] == PERF_CONTEXT_USER);
	close_event(event);
}

static void lost_records_tell_how_many(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct pt_regs regs = kernel_regs();
	struct cursor c = {record.word};
	u64 words[PERF_READ_WORDS_MAX];
	struct perf_event *event;
	struct perf_ring *ring;

	attr.read_format = PERF_FORMAT_LOST;
	attr.sample_id_all = 1;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	/* 51 samples of 80 bytes fit into 4096. */
	for (int i = 0; i < 61; i++)
		perf_page_fault(&regs, FAULT_ADDR, false);
	assert_int_equal(ring->lost, 10);
	/* Room for a sample, but not for LOST before it: the gap must be told first. */
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	perf_page_fault(&regs, FAULT_ADDR, false);
	assert_int_equal(ring->lost, 11);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	perf_page_fault(&regs, FAULT_ADDR, false);
	assert_int_equal(ring->lost, 0);
	for (int i = 0; i < 49; i++)
		expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	expect_record(ring, &record, PERF_RECORD_LOST, 2 + 6);
	expect_word(&c, perf_event_id(event));
	expect_word(&c, 11);
	expect_trailer(&c, event, &user_task);
	expect_end(&c);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	expect_no_record(ring);
	/* The value is what was delivered, the rest is in LOST. */
	assert_int_equal(perf_event_read_words(event, words), 2);
	assert_int_equal(words[0], 52);
	assert_int_equal(words[1], 11);
	assert_int_equal(ring->lost_total, 11);
	close_event(event);
}

/* --- Side records --- */

static struct perf_event *open_side_event(struct task *task, struct perf_ring **ring)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *event;

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = attr.comm = attr.task = attr.mmap = attr.mmap_data = 1;
	attr.mmap2 = attr.context_switch = attr.build_id = attr.comm_exec = 1;
	event = open_event(&attr, task);
	*ring = map_event(event, 4);
	return event;
}

static void comm_tells_of_exec(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(&user_task, &ring);

	perf_task_exec();
	expect_record(ring, &record, PERF_RECORD_COMM, 2 + 3);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_COMM_EXEC);
	strlcpy(user_task.comm, "fifteen letters", sizeof(user_task.comm));
	perf_task_comm(user_task.tid);
	expect_record(ring, &record, PERF_RECORD_COMM, 3 + 3);
	assert_int_equal(record.header.misc, 0);
	assert_string_equal((const char *)&record.word[1], "fifteen letters");
	close_event(event);
}

static void fork_and_exit_name_parent_and_child(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(NULL, &ring);
	struct cursor c = {record.word};

	assert_int_equal(perf_task_fork(&other_task), 0);
	perf_task_forked(&other_task);
	expect_record(ring, &record, PERF_RECORD_FORK, 3 + 3);
	expect_pair(&c, other_task.pid, user_task.pid);
	expect_pair(&c, other_task.tid, user_task.tid);
	expect_word(&c, host_clock);
	expect_trailer(&c, event, &user_task);
	/* Another task runs when the end of one is told. */
	c.p = record.word;
	perf_task_dead(&other_task, 60);
	expect_record(ring, &record, PERF_RECORD_EXIT, 3 + 3);
	expect_pair(&c, other_task.pid, 60);
	expect_pair(&c, other_task.tid, 60);
	expect_word(&c, host_clock);
	expect_trailer(&c, event, &other_task);
	close_event(event);
}

static struct exe exe = {.path = "/bin/program", .ino = 77, .build_id_size = BUILD_ID_SIZE};

static void expect_area(struct cursor *c, const struct vma *vma, u64 offset)
{
	c->p = record.word;
	expect_pair(c, user_task.pid, user_task.tid);
	expect_word(c, vma->start);
	expect_word(c, vma->end - vma->start);
	expect_word(c, offset);
}

static void mmap2_has_build_id_and_rights(void **state)
{
	struct vma vma = {.start = 0x400000,
			  .end = 0x403000,
			  .prot = MMU_READ | MMU_EXEC,
			  .exe = &exe,
			  .file_offset = 0x1000};
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(&user_task, &ring);
	struct cursor c;

	for (int i = 0; i < BUILD_ID_SIZE; i++)
		exe.build_id[i] = i + 1;
	perf_record_mmap(&vma);
	expect_record(ring, &record, PERF_RECORD_MMAP2, 4 + 3 + 1 + 2 + 3);
	assert_int_equal(record.header.misc,
			 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	expect_area(&c, &vma, 0x1000);
	assert_int_equal(*(const u32 *)c.p, BUILD_ID_SIZE);
	assert_memory_equal((const u8 *)c.p + 4, exe.build_id, BUILD_ID_SIZE);
	c.p += 3;
	expect_pair(&c, UAPI_PROT_READ | UAPI_PROT_EXEC, UAPI_MAP_PRIVATE);
	assert_string_equal((const char *)c.p, "/bin/program");
	c.p += 2;
	expect_trailer(&c, event, &user_task);
	expect_end(&c);
	close_event(event);
}

static void mmap2_without_build_id_has_inode(void **state)
{
	struct vma vma = {.start = 0x400000, .end = 0x401000, .prot = MMU_READ, .exe = &exe};
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(&user_task, &ring);
	struct cursor c;

	exe.build_id_size = 0;
	perf_record_mmap(&vma);
	exe.build_id_size = BUILD_ID_SIZE;
	expect_record(ring, &record, PERF_RECORD_MMAP2, 4 + 3 + 1 + 2 + 3);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	expect_area(&c, &vma, 0);
	expect_word(&c, 0);
	expect_word(&c, 77);
	expect_word(&c, 0);
	close_event(event);
}

static void areas_without_file_have_names(void **state)
{
	static const struct {
		unsigned flags;
		const char *name;
	} areas[] = {{VMA_STACK, "[stack]"}, {VMA_HEAP, "[heap]"}, {VMA_SHARED, "//anon"}};
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(&user_task, &ring);

	for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
		struct vma vma = {.start = 0x1000,
				  .end = 0x2000,
				  .prot = MMU_READ | MMU_WRITE,
				  .flags = areas[i].flags};

		perf_record_mmap(&vma);
		assert_true(next_record(ring, &record));
		assert_string_equal((const char *)&record.word[8], areas[i].name);
		assert_int_equal(second_half(record.word[7]),
				 areas[i].flags == VMA_SHARED ? UAPI_MAP_SHARED : UAPI_MAP_PRIVATE);
	}
	close_event(event);
}

/* mmap asks for code, mmap_data for the rest; without mmap2 the short form is written. */
static void only_the_areas_asked_for(void **state)
{
	struct vma code = {.start = 0x1000, .end = 0x2000, .prot = MMU_EXEC, .exe = &exe};
	struct vma data = {.start = 0x2000, .end = 0x3000, .prot = MMU_READ, .exe = &exe};
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);

	for (int n = 0; n < 4; n++) {
		struct perf_event *event;
		struct perf_ring *ring;

		attr.mmap = n & 1;
		attr.mmap_data = n >> 1;
		event = open_event(&attr, &user_task);
		ring = map_event(event, 1);
		perf_record_mmap(&code);
		perf_record_mmap(&data);
		if (n & 1)
			expect_record(ring, &record, PERF_RECORD_MMAP, 4 + 2);
		if (n & 2)
			expect_record(ring, &record, PERF_RECORD_MMAP, 4 + 2);
		expect_no_record(ring);
		close_event(event);
	}
}

static void switch_records_name_both(void **state)
{
	struct perf_ring *wide_ring, *task_ring;
	struct perf_event *wide = open_side_event(NULL, &wide_ring);
	struct perf_event *task = open_side_event(&user_task, &task_ring);

	switch_to(&kernel_task);
	expect_record(task_ring, &record, PERF_RECORD_SWITCH, 3);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_SWITCH_OUT);
	expect_no_record(task_ring);
	expect_record(wide_ring, &record, PERF_RECORD_SWITCH_CPU_WIDE, 1 + 3);
	assert_int_equal(record.header.misc, PERF_RECORD_MISC_SWITCH_OUT);
	assert_int_equal(first_half(record.word[0]), kernel_task.pid);
	assert_int_equal(second_half(record.word[0]), kernel_task.tid);
	assert_int_equal(second_half(record.word[1]), user_task.tid);
	expect_record(wide_ring, &record, PERF_RECORD_SWITCH_CPU_WIDE, 1 + 3);
	assert_int_equal(record.header.misc, 0);
	assert_int_equal(second_half(record.word[0]), user_task.tid);
	assert_int_equal(second_half(record.word[1]), kernel_task.tid);

	/* Who is still queued has been preempted. */
	kernel_task.on_rq = true;
	switch_to(&user_task);
	expect_record(wide_ring, &record, PERF_RECORD_SWITCH_CPU_WIDE, 1 + 3);
	assert_int_equal(record.header.misc,
			 PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	expect_record(task_ring, &record, PERF_RECORD_SWITCH, 3);
	assert_int_equal(record.header.misc, 0);
	close_event(wide);
	close_event(task);
}

static void disabled_events_hear_nothing(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_side_event(&user_task, &ring);

	perf_event_disable(event);
	perf_task_comm(user_task.tid);
	perf_task_forked(&other_task);
	switch_to(&kernel_task);
	expect_no_record(ring);
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(every_combination_of_fields),
	    TEST(chains_survive_nested_samples),
	    TEST(a_gap_is_told_before_what_follows),
	    TEST(nested_sample_pads_the_outer),
	    TEST(unused_room_is_given_back),
	    TEST(user_mode_sample_says_so),
	    TEST(no_kernel_address_without_kernel),
	    TEST(lost_records_tell_how_many),
	    TEST(comm_tells_of_exec),
	    TEST(fork_and_exit_name_parent_and_child),
	    TEST(mmap2_has_build_id_and_rights),
	    TEST(mmap2_without_build_id_has_inode),
	    TEST(areas_without_file_have_names),
	    TEST(only_the_areas_asked_for),
	    TEST(switch_records_name_both),
	    TEST(disabled_events_hear_nothing),
	};

	return cmocka_run_group_tests_name("perf records", tests, NULL, NULL);
}
