/* SPDX-License-Identifier: MIT */
/*
 * The perf ring buffer against a model: wrapping, full, overwriting, readers that lie, wake-ups,
 * and writers nested at every instruction of another.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/perf_ring.h>
#include <hotregs/string.h>

#define HEADER 8

static unsigned wakes;

static void count_wake(struct perf_ring *ring)
{
	wakes++;
}

static struct perf_ring *new_ring(size_t pages, bool overwrite, u64 watermark)
{
	struct perf_ring *ring = perf_ring_create(pages, overwrite, watermark, count_wake);

	assert_false(IS_ERR(ring));
	wakes = 0;
	return ring;
}

static void free_ring(struct perf_ring *ring)
{
	host_run_irq_work();
	perf_ring_free(ring);
	assert_int_equal(host_allocations, 0);
}

/* Word @i of the record that began at stream position @pos. */
static u64 pattern(u64 pos, u32 i)
{
	return (pos + 1) * 0x9e3779b97f4a7c15ULL + i;
}

/* Writes a record of @size bytes: its size, then its pattern, by words and in one piece in turns.
 */
static int write_record(struct perf_ring *ring, u32 size)
{
	struct perf_output out;
	u64 body[520], pos;
	u32 n = size / 8 - 1;
	int err = perf_output_begin(&out, ring, size);

	if (err)
		return err;
	pos = out.pos;
	perf_output_u64(&out, size);
	for (u32 i = 0; i < n; i++)
		body[i] = pattern(pos, i);
	if (n & 1)
		perf_output_words(&out, body, n);
	else
		for (u32 i = 0; i < n; i++)
			perf_output_u64(&out, body[i]);
	assert_int_equal(out.pos, pos + size);
	perf_output_end(&out);
	return 0;
}

/* The same as samples do it, who look for room and claim it in one piece; falls back like them. */
static int write_claimed(struct perf_ring *ring, u32 size)
{
	unsigned long head = READ_ONCE(ring->head);
	struct perf_output out;
	u64 *p;

	if (!perf_ring_has_room(ring, head, size) || !perf_output_claim(&out, ring, head, size))
		return write_record(ring, size);
	p = (u64 *)(ring->data + (head & ring->mask));
	*p++ = size;
	for (u32 i = 0; i < size / 8 - 1; i++)
		*p++ = pattern(head, i);
	perf_output_end(&out);
	return 0;
}

static u64 ring_word(const struct perf_ring *ring, u64 pos)
{
	return *(const u64 *)(ring->data + (pos & (ring->size - 1)));
}

/* Checks the record at stream position @pos; returns its size. */
static u32 check_record(const struct perf_ring *ring, u64 pos)
{
	u32 size = ring_word(ring, pos);

	assert_true(size >= HEADER && size % 8 == 0 && size <= ring->size);
	for (u32 i = 0; i < size / 8 - 1; i++)
		assert_int_equal(ring_word(ring, pos + HEADER + i * 8), pattern(pos, i));
	return size;
}

/* Everything published from @pos on is whole records; returns how many. */
static unsigned check_published(const struct perf_ring *ring, u64 pos)
{
	u64 head = ring->page->data_head;
	unsigned n = 0;

	for (; pos != head; n++)
		pos += check_record(ring, pos);
	return n;
}

static void sizes_are_checked(void **state)
{
	assert_int_equal(PTR_ERR(perf_ring_create(3, false, 0, count_wake)), -EINVAL);
	for (unsigned fail = 1; fail <= 2; fail++) {
		host_fail_alloc = fail;
		assert_int_equal(PTR_ERR(perf_ring_create(1, false, 0, count_wake)), -ENOMEM);
		assert_int_equal(host_allocations, 0);
	}
	host_fail_alloc = 0;
}

size_t page_nr_total(void)
{
	return 64;
}

static void all_together_are_limited(void **state)
{
	struct perf_ring *ring[2];

	assert_int_equal(PTR_ERR(perf_ring_create(32, false, 0, count_wake)), -EPERM);
	assert_int_equal(PTR_ERR(perf_ring_create(1UL << 40, false, 0, count_wake)), -EPERM);
	assert_int_equal(PTR_ERR(perf_ring_create(1UL << 63, false, 0, count_wake)), -EPERM);
	host_fail_alloc = 2;
	assert_int_equal(PTR_ERR(perf_ring_create(16, false, 0, count_wake)), -ENOMEM);
	host_fail_alloc = 0;
	/* 17 + 9 of 32 pages; what failed or has gone does not count. */
	for (int round = 0; round < 3; round++) {
		ring[0] = new_ring(16, false, 0);
		ring[1] = new_ring(8, false, 0);
		assert_int_equal(PTR_ERR(perf_ring_create(8, false, 0, count_wake)), -EPERM);
		perf_ring_free(ring[0]);
		free_ring(ring[1]);
	}
}

static void control_page_describes_the_ring(void **state)
{
	struct perf_ring *ring = new_ring(4, false, 0);

	assert_ptr_equal((u8 *)ring->page + ring->page->data_offset, ring->data);
	assert_int_equal(ring->page->data_offset, PAGE_SIZE);
	assert_int_equal(ring->page->data_size, 4 * PAGE_SIZE);
	assert_int_equal(ring->page->capabilities, 2);
	assert_int_equal(ring->page->index, 0);
	free_ring(ring);
}

#define MODEL_STEPS 5000

/*
 * A model of a ring: what was written, from stream position @start on, is what is read, for all
 * sizes.
 */
static void compare_with_model(unsigned long start)
{
	struct perf_ring *ring = new_ring(1, false, 0);
	u64 head = start, tail = start, lost = 0;
	unsigned refused = 0, wrapped = 0;

	ring->head = ring->limit = ring->published = ring->ready_at = start;
	ring->wakeup_at = start + ring->watermark;
	ring->page->data_head = ring->page->data_tail = start;
	srand(1);
	for (int step = 0; step < MODEL_STEPS; step++) {
		u32 size = 8 * (1 + rand() % 100);
		bool fits = head + size - tail <= ring->size;
		int err;

		assert_int_equal(perf_ring_fits(ring, ring->head, size), fits);
		err = write_record(ring, size);
		assert_int_equal(err, fits ? 0 : -ENOSPC);
		if (fits) {
			wrapped += (head & (ring->size - 1)) + size > ring->size;
			head += size;
		} else {
			refused++;
			lost++;
		}
		assert_int_equal(ring->page->data_head, head);
		assert_int_equal(ring->lost, lost);
		assert_int_equal(ring->nest, 0);
		for (int n = rand() % 3; n && tail != head; n--)
			tail += check_record(ring, tail);
		check_published(ring, tail);
		ring->page->data_tail = tail;
		/* All is told before it is too late. */
		assert_true(perf_ring_readable(ring) || ring->head - tail < 4096 - 800);
	}
	assert_true(refused > MODEL_STEPS / 50 && wrapped > MODEL_STEPS / 50);
	assert_int_equal(ring->lost_total, refused);
	free_ring(ring);
}

static void agrees_with_model(void **state)
{
	compare_with_model(0);
}

/* As after years of records. */
static void positions_wrap_around(void **state)
{
	for (unsigned i = 0; i < 64; i++)
		compare_with_model(-5 * PAGE_SIZE - 8 * i);
}

/* Known room is whole: what a caller may write to without looking at the ring's end. */
static void known_room_is_in_one_piece(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);
	u64 head = 0;

	srand(4);
	for (int step = 0; step < 10000; step++) {
		u32 size = 8 * (1 + rand() % 100);
		u64 lie = rand() % 3 ? 0 : (u64)rand() << (rand() % 40);

		ring->page->data_tail = head - rand() % 2000 / 8 * 8 + lie;
		for (u32 other = 8; other <= 4096; other += 8)
			if (perf_ring_has_room(ring, head, other))
				assert_true((head & 4095) + other <= 4096);
		if (!write_record(ring, size))
			head += size;
	}
	assert_true(head > 100 * PAGE_SIZE);
	free_ring(ring);
}

static void fills_to_the_last_byte(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);

	for (int i = 0; i < 8; i++)
		assert_int_equal(write_record(ring, 512), 0);
	assert_int_equal(write_record(ring, 8), -ENOSPC);
	ring->page->data_tail = 512;
	assert_int_equal(write_record(ring, 520), -ENOSPC);
	assert_int_equal(write_record(ring, 512), 0);
	assert_int_equal(ring->lost, 2);
	assert_int_equal(check_published(ring, 512), 8);
	free_ring(ring);
}

static void no_data_pages_take_no_records(void **state)
{
	struct perf_ring *ring = new_ring(0, false, 0);

	assert_int_equal(write_record(ring, 8), -ENOSPC);
	assert_int_equal(ring->page->data_head, 0);
	free_ring(ring);
}

static void reserve_does_not_count(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);
	struct perf_output out;

	assert_false(perf_output_reserve(&out, ring, 4104));
	assert_int_equal(ring->lost, 0);
	assert_int_equal(ring->nest, 0);
	free_ring(ring);
}

static void overwrite_keeps_the_newest(void **state)
{
	struct perf_ring *ring = new_ring(1, true, 0);
	u64 start[2000], head = 0;
	unsigned n = 0;

	srand(2);
	while (n < 2000) {
		u32 size = 8 * (1 + rand() % 100);

		start[n++] = head;
		assert_int_equal(write_record(ring, size), 0);
		head += size;
		assert_int_equal(ring->page->data_head, head);
	}
	assert_int_equal(write_record(ring, 4104), -ENOSPC);
	/* All that lies whole within the last ring->size bytes is intact. */
	for (n = 0; n < 2000; n++)
		if (start[n] + ring->size >= head)
			check_record(ring, start[n]);
	free_ring(ring);
}

/* Whatever the program writes to its control page: the kernel stays inside, and goes on. */
static void hostile_control_page(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);
	u64 head = 0;

	srand(3);
	for (int step = 0; step < 10000; step++) {
		u32 size = 8 * (1 + rand() % 600);
		u64 tail =
		    rand() % 4 == 0 ? (u64)rand() << 40 | rand() : head + rand() % 9000 - 4500;
		int err;

		memset(ring->page, rand(), offsetof(struct perf_event_mmap_page, data_head));
		ring->page->data_head = tail * 3;
		ring->page->data_tail = tail;
		ring->page->data_offset = tail;
		ring->page->data_size = ~0ULL;
		err = write_record(ring, MIN(size, 4096));
		if (!err)
			head += MIN(size, 4096);
		else
			assert_int_equal(err, -ENOSPC);
		/* The true head is published whatever was there. */
		assert_int_equal(ring->page->data_head, head);
		assert_int_equal(ring->nest, 0);
	}
	/* A reader that says it is far ahead makes no room for more than the ring is. */
	ring->page->data_tail = head + 100000;
	assert_int_equal(write_record(ring, 4104), -ENOSPC);
	ring->page->data_tail = head;
	assert_int_equal(write_record(ring, 64), 0);
	check_record(ring, head);
	free_ring(ring);
}

static void watermark_wakes(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 1024);

	for (int i = 0; i < 7; i++)
		write_record(ring, 128);
	assert_int_equal(host_run_irq_work(), 0);
	assert_false(perf_ring_readable(ring));
	write_record(ring, 128);
	assert_true(perf_ring_readable(ring));
	assert_int_equal(host_run_irq_work(), 1);
	assert_int_equal(wakes, 1);
	/* Readable until what it was woken for is consumed. */
	assert_true(perf_ring_readable(ring));
	ring->page->data_tail = 1024;
	assert_false(perf_ring_readable(ring));
	for (int i = 0; i < 8; i++)
		write_record(ring, 128);
	host_run_irq_work();
	assert_int_equal(wakes, 2);
	free_ring(ring);
}

static void wake_and_write_elsewhere(struct perf_ring *ring)
{
	if (!wakes++)
		perf_ring_wake(ring);
}

/* A task's ring has its writer move on while the CPU that it left still wakes the readers. */
static void told_while_readers_are_woken(void **state)
{
	struct perf_ring *ring = perf_ring_create(1, false, 0, wake_and_write_elsewhere);

	wakes = 0;
	perf_ring_wake(ring);
	host_run_irq_work();
	assert_int_equal(wakes, 2);
	perf_ring_free(ring);
}

static void half_full_wakes_by_default(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);

	for (int i = 0; i < 15; i++)
		write_record(ring, 128);
	assert_int_equal(host_run_irq_work(), 0);
	write_record(ring, 128);
	assert_int_equal(host_run_irq_work(), 1);
	free_ring(ring);
}

/* A watermark that cannot be reached must not leave the reader asleep beside a full ring. */
static void full_ring_wakes_once(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 4096);

	write_record(ring, 4088);
	assert_int_equal(host_run_irq_work(), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(write_record(ring, 64), -ENOSPC);
	assert_int_equal(host_run_irq_work(), 1);
	assert_true(perf_ring_readable(ring));
	for (int i = 0; i < 5; i++)
		write_record(ring, 64);
	assert_int_equal(host_run_irq_work(), 0);
	free_ring(ring);
}

static void overwrite_reader_is_told_once(void **state)
{
	struct perf_ring *ring = new_ring(1, true, 256);

	write_record(ring, 256);
	assert_true(perf_ring_readable(ring));
	assert_false(perf_ring_readable(ring));
	write_record(ring, 256);
	assert_true(perf_ring_readable(ring));
	free_ring(ring);
}

static void inner_writer_leaves_publishing_to_outer(void **state)
{
	struct perf_ring *ring = new_ring(1, false, 0);
	struct perf_output outer, middle;

	assert_int_equal(perf_output_begin(&outer, ring, 16), 0);
	perf_output_u64(&outer, 16);
	assert_int_equal(perf_output_begin(&middle, ring, 16), 0);
	assert_int_equal(write_record(ring, 64), 0);
	perf_output_u64(&middle, 16);
	perf_output_u64(&middle, pattern(16, 0));
	perf_output_end(&middle);
	/* Nothing of it, as the first record is not complete. */
	assert_int_equal(ring->page->data_head, 0);
	perf_output_u64(&outer, pattern(0, 0));
	perf_output_end(&outer);
	assert_int_equal(check_published(ring, 0), 3);
	free_ring(ring);
}

/* --- A writer interrupted after each of its instructions, as by an NMI --- */

#ifdef __x86_64__
#define TRAP_FLAG 0x100

static struct perf_ring *stepped;
static unsigned steps, inject_at, injected;
static u32 inject_size;

static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned before;

	if (steps++ < inject_at)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	before = check_published(stepped, 0);
	injected = write_record(stepped, inject_size) == 0;
	/* Either it was published, or somebody still outside will. */
	assert_true(check_published(stepped, 0) <= before + 2);
}

static inline void set_trap_flag(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static inline void clear_trap_flag(void)
{
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

/* One record of @size, interrupted after instruction @at; false when it has no so many. */
static bool interrupt_write(u32 size, unsigned at, int *err)
{
	steps = injected = 0;
	inject_at = at;
	set_trap_flag();
	*err = write_record(stepped, size);
	clear_trap_flag();
	return steps > at;
}

static void nested_at_every_instruction(void **state)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, old;
	unsigned at = 0;
	bool more = true;

	sigaction(SIGTRAP, &action, &old);
	for (; more; at++) {
		int err;

		stepped = new_ring(1, false, 0);
		inject_size = 24 + 8 * (at % 5);
		more = interrupt_write(32 + 8 * (at % 3), at, &err);
		assert_int_equal(err, 0);
		assert_int_equal(injected, more);
		assert_int_equal(stepped->nest, 0);
		/* Both are there, whole, and published. */
		assert_int_equal(check_published(stepped, 0), more ? 2 : 1);
		assert_int_equal(stepped->page->data_head, stepped->head);
		free_ring(stepped);
	}
	sigaction(SIGTRAP, &old, NULL);
	assert_true(at > 100);
}

/* And one that claims the room which it has seen. */
static void nested_at_every_instruction_of_a_claim(void **state)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, old;
	unsigned at = 0;
	bool more = true;

	sigaction(SIGTRAP, &action, &old);
	for (; more; at++) {
		stepped = new_ring(1, false, 0);
		assert_int_equal(write_record(stepped, 32), 0); /* from now on room is known */
		inject_size = 24 + 8 * (at % 5);
		steps = injected = 0;
		inject_at = at;
		set_trap_flag();
		write_claimed(stepped, 32 + 8 * (at % 3));
		clear_trap_flag();
		more = steps > at;
		assert_int_equal(injected, more);
		assert_int_equal(stepped->nest, 0);
		assert_int_equal(check_published(stepped, 0), more ? 3 : 2);
		assert_int_equal(stepped->page->data_head, stepped->head);
		free_ring(stepped);
	}
	sigaction(SIGTRAP, &old, NULL);
	assert_true(at > 50);
}

/* The same when the interrupting record takes the room that the outer one counted on. */
static void nested_takes_the_last_room(void **state)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, old;
	unsigned outer_lost = 0, inner_lost = 0;
	bool more = true;

	sigaction(SIGTRAP, &action, &old);
	for (unsigned at = 0; more; at++) {
		int err;

		stepped = new_ring(1, false, 0);
		for (int i = 0; i < 8; i++)
			write_record(stepped, 504);
		inject_size = 64;
		more = interrupt_write(64, at, &err);
		/* 64 bytes were left: exactly one of the two fits. */
		if (more)
			assert_int_equal((err == 0) + injected, 1);
		outer_lost += err != 0;
		inner_lost += more && !injected;
		assert_int_equal(stepped->lost, more);
		assert_int_equal(check_published(stepped, 0), 9);
		free_ring(stepped);
	}
	sigaction(SIGTRAP, &old, NULL);
	assert_true(outer_lost > 5 && inner_lost > 5);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes_are_checked),
	    cmocka_unit_test(all_together_are_limited),
	    cmocka_unit_test(control_page_describes_the_ring),
	    cmocka_unit_test(agrees_with_model),
	    cmocka_unit_test(positions_wrap_around),
	    cmocka_unit_test(known_room_is_in_one_piece),
	    cmocka_unit_test(fills_to_the_last_byte),
	    cmocka_unit_test(no_data_pages_take_no_records),
	    cmocka_unit_test(reserve_does_not_count),
	    cmocka_unit_test(overwrite_keeps_the_newest),
	    cmocka_unit_test(hostile_control_page),
	    cmocka_unit_test(watermark_wakes),
	    cmocka_unit_test(told_while_readers_are_woken),
	    cmocka_unit_test(half_full_wakes_by_default),
	    cmocka_unit_test(full_ring_wakes_once),
	    cmocka_unit_test(overwrite_reader_is_told_once),
	    cmocka_unit_test(inner_writer_leaves_publishing_to_outer),
#ifdef __x86_64__
	    cmocka_unit_test(nested_at_every_instruction),
	    cmocka_unit_test(nested_at_every_instruction_of_a_claim),
	    cmocka_unit_test(nested_takes_the_last_room),
#endif
	};

	return cmocka_run_group_tests_name("perf ring", tests, NULL, NULL);
}
