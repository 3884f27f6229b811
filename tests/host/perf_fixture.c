/* SPDX-License-Identifier: MIT */
/* See perf_fixture.h. */
#include "perf_fixture.h"
#include <hotregs/sched.h>

struct task user_task, other_task, kernel_task, idle_task;
struct pt_regs user_frame;
unsigned kernel_frames, user_frames;
void (*during_walk)(void);

const struct perf_user root = {.privileged = true};

static struct mm mm;
static struct pt_regs hot_regs;

static void walk(struct callchain *chain, const struct pt_regs *regs, unsigned frames)
{
	for (unsigned i = 0; i < frames; i++)
		if (!callchain_add(chain, regs_ip(regs) + i))
			return;
}

void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	void (*interrupt)(void) = during_walk;

	walk(chain, regs, kernel_frames / 2);
	during_walk = NULL;
	if (interrupt)
		interrupt();
	for (unsigned i = kernel_frames / 2; i < kernel_frames; i++)
		if (!callchain_add(chain, regs_ip(regs) + i))
			return;
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	walk(chain, regs, user_frames);
}

/* The fake registers are as wide as the host's, and there are four. */
const u64 perf_reg_mask = 0xf;
const u32 perf_reg_abi = PERF_SAMPLE_REGS_ABI_64;

u64 perf_reg_value(const struct pt_regs *regs, unsigned nr)
{
	return ((const unsigned long *)regs)[nr];
}

u8 user_memory[USER_MEMORY_SIZE];

size_t copy_from_user_nofault(void *dst, unsigned long src, size_t n)
{
	size_t offset = src - USER_MEMORY;

	if (src < USER_MEMORY || offset >= USER_MEMORY_SIZE)
		return 0;
	n = MIN(n, USER_MEMORY_SIZE - offset);
	memcpy(dst, user_memory + offset, n);
	return n;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	assert_ptr_equal(mmu, &mm.mmu);
	*pa = va + USER_MEMORY_PHYS;
	return va >= USER_MEMORY && va < USER_MEMORY + USER_MEMORY_SIZE;
}

static void make_task(struct task *task, const char *comm, pid_t tid, u32 flags)
{
	*task = (struct task){.pid = tid - tid % 10, .tid = tid, .flags = flags};
	strlcpy(task->comm, comm, sizeof(task->comm));
	list_init(&task->run_node);
	list_add_tail(&task->all_node, &task_list);
	if (flags & TASK_KTHREAD)
		return;
	task->mm = &mm;
	task->arch.user_regs = &user_frame;
}

int fixture_set_up(void **state)
{
	list_init(&task_list);
	make_task(&user_task, "user", 101, 0);
	make_task(&other_task, "other", 202, 0);
	make_task(&kernel_task, "kthread", 303, TASK_KTHREAD);
	make_task(&idle_task, "swapper", 0, TASK_KTHREAD | TASK_IDLE);
	user_frame = (struct pt_regs){.ip = USER_IP, .user = 1};
	for (u32 id = 0; id < FIXTURE_CPUS; id++) {
		cpus[id] = (struct cpu){.id = id, .loaded_mm = &mm, .running = &idle_task};
		perf_init_cpu(&cpus[id]);
	}
	nr_cpus = 1;
	host_run_as(&test_cpu, &user_task);
	kernel_frames = 3;
	user_frames = 2;
	host_clock = 1000000;
	return 0;
}

int fixture_tear_down(void **state)
{
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		if (task->perf)
			perf_task_dead(task, 0);
		perf_task_free(task);
		assert_int_equal(task->perf_active, 0);
	}
	host_run_irq_work();
	for (u32 id = 0; id < FIXTURE_CPUS; id++)
		assert_int_equal(cpus[id].perf_active, 0);
	assert_int_equal(host_irqs_off, 0);
	assert_int_equal(host_allocations, 0);
	return 0;
}

struct pt_regs kernel_regs(void)
{
	return (struct pt_regs){.ip = KERNEL_IP};
}

struct perf_event_attr attr_of(u64 config, u64 period)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = config,
					.sample_period = period,
					.sample_type = SAMPLE_WORDS & ~PERF_SAMPLE_CALLCHAIN};
}

struct perf_event *open_event(const struct perf_event_attr *attr, struct task *task)
{
	struct perf_event *event =
	    perf_event_create_kernel_counter(attr, task ? -1 : 0, task, NULL, NULL);

	assert_false(IS_ERR(event));
	return event;
}

struct perf_ring *map_event(struct perf_event *event, size_t pages)
{
	struct perf_ring *ring;

	assert_int_equal(perf_event_mmap(event, pages, false, &root, &ring), 0);
	return ring;
}

void close_event(struct perf_event *event)
{
	host_run_irq_work();
	while (event->mappings)
		perf_event_munmap(event);
	perf_event_release(event);
}

void switch_to(struct task *next)
{
	struct task *prev = host_current;
	u32 watchers = perf_switch_watchers(host_cpu, prev, next);

	if (watchers) {
		hot_regs = kernel_regs();
		host_irqs_off = 1;
		if (perf_switch_counted(watchers))
			perf_count_switch(host_cpu, prev, next, watchers);
		else
			perf_sched_switch(prev, next, &hot_regs);
		if (watchers & SWITCH_HOOKED)
			sched_switch_breakpoints(host_cpu, next);
		host_irqs_off = 0;
	}
	prev->nr_switches++;
	host_cpu->nr_switches++;
	host_run_as(host_cpu, next);
}

u32 run_on(u32 id)
{
	nr_cpus = FIXTURE_CPUS;
	host_run_as(&cpus[id], cpus[id].running);
	return id;
}

u64 value_of(struct perf_event *event)
{
	return perf_event_read(event, NULL, NULL);
}

bool next_record(struct perf_ring *ring, struct record *r)
{
	u64 tail = ring->page->data_tail;
	u32 words;

	if (tail == ring->page->data_head)
		return false;
	memcpy(&r->header, ring->data + (tail & (ring->size - 1)), sizeof(r->header));
	assert_true(r->header.size >= sizeof(r->header) && r->header.size % sizeof(u64) == 0);
	words = r->header.size / sizeof(u64) - 1;
	assert_true(words <= ARRAY_SIZE(r->word));
	for (u32 i = 0; i < words; i++)
		r->word[i] = *(u64 *)(ring->data + ((tail + (i + 1) * 8) & (ring->size - 1)));
	ring->page->data_tail = tail + r->header.size;
	assert_true((s64)(ring->page->data_head - ring->page->data_tail) >= 0);
	return true;
}

void expect_record(struct perf_ring *ring, struct record *r, u32 type, unsigned words)
{
	assert_true(next_record(ring, r));
	assert_int_equal(r->header.type, type);
	assert_int_equal(r->header.size, (words + 1) * sizeof(u64));
}

void expect_no_record(struct perf_ring *ring)
{
	struct record r;

	assert_false(next_record(ring, &r));
}

unsigned count_records(struct perf_ring *ring, u32 type)
{
	struct record r;
	unsigned n = 0;

	while (next_record(ring, &r))
		n += r.header.type == type;
	return n;
}
