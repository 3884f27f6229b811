/* SPDX-License-Identifier: MIT */
/*
 * Address spaces on a fake MMU: random histories of processes against a model of their memory, with
 * allocations that fail at any point; and the rules that a history does not meet.
 */
#include "mm/fake_mmu.h"
#include <hotregs/address_space.h>
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>

static unsigned nr_fault_events, nr_closed, nr_file_puts;
static struct mm *event_mm;

void perf_page_fault(const struct pt_regs *regs, unsigned long addr, bool major)
{
	assert_false(major);
	assert_int_equal(event_mm->lock.owner, 0); /* it may fault itself */
	nr_fault_events++;
}

void file_put(struct file *f)
{
	nr_file_puts++;
}

/* What an instruction of @mm's task does to one byte: -errno of the fault that ended it, or 0. */
static int touch(struct mm *mm, unsigned long va, unsigned access, u8 **byte)
{
	event_mm = mm;
	mm_switch(mm);
	for (int faults = 0; !(*byte = translate(va, access)); faults++) {
		int err = mm_fault(mm, va, access, NULL);

		if (err)
			return err;
		assert_true(faults < 2);
	}
	return 0;
}

static int load(struct mm *mm, unsigned long va)
{
	u8 *byte;
	int err = touch(mm, va, MMU_READ, &byte);

	return err ? err : *byte;
}

static int store(struct mm *mm, unsigned long va, u8 value)
{
	u8 *byte;
	int err = touch(mm, va, MMU_WRITE, &byte);

	if (!err)
		*byte = value;
	return err;
}

/* --- Random histories --- */

#define BASE       0x400000UL
#define WINDOW     160 /* pages */
#define PROCESSES  5
#define RW         (MMU_READ | MMU_WRITE)
#define ADDRESS(p) (BASE + (unsigned long)(p)*PAGE_SIZE)
#define LAST(p)    (ADDRESS(p) + PAGE_SIZE - 1)

struct model_page {
	bool mapped, stack;
	unsigned prot;
	u8 first, last; /* bytes of the page */
};

static struct process {
	struct mm *mm;
	struct model_page page[WINDOW];
} processes[PROCESSES];

static u8 file_data[40 * PAGE_SIZE];
static struct exe *exe;

static unsigned replace_refused;

static unsigned below(unsigned n)
{
	return (unsigned)random() % n;
}

static bool can_add(const struct process *p, unsigned from, unsigned to, bool stack)
{
	for (unsigned i = from; i < to; i++)
		if (p->page[i].mapped)
			return false;
	if (to < WINDOW && p->page[to].stack)
		return false;
	return !(stack && from > 0 && p->page[from - 1].mapped);
}

static void add(struct process *p)
{
	static const unsigned prots[] = {MMU_READ, RW, RW, RW, MMU_READ | MMU_EXEC, 0, 7};
	unsigned from = below(WINDOW), n = 1 + below(24), to = MIN(from + n, WINDOW);
	bool stack = below(6) == 0;
	struct vma vma = {.start = ADDRESS(from),
			  .end = ADDRESS(to),
			  .prot = prots[below(ARRAY_SIZE(prots))],
			  .flags = stack ? VMA_STACK : 0};
	int err;

	if (below(2)) {
		vma.data = file_data + below(4 * PAGE_SIZE);
		vma.data_size = below((to - from) * PAGE_SIZE + 2);
		vma.file_offset = (u64)(vma.data - file_data);
		vma.exe = exe;
	}
	err = mm_add_vma(p->mm, &vma, NULL);
	if (vma.prot == 7 || vma.data_size > vma.end - vma.start) {
		assert_int_equal(err, -EINVAL);
		return;
	}
	if (err == -ENOMEM)
		return;
	assert_int_equal(err, can_add(p, from, to, stack) ? 0 : -EEXIST);
	if (err)
		return;
	exe_get(vma.exe);
	for (unsigned i = from; i < to; i++) {
		size_t offset = (i - from) * PAGE_SIZE, end = offset + PAGE_SIZE - 1;

		p->page[i] = (struct model_page){true, stack, vma.prot,
						 offset < vma.data_size ? vma.data[offset] : 0,
						 end < vma.data_size ? vma.data[end] : 0};
	}
}

/* A part of a stack that has lost its lower end is no stack any more. */
static void cut_model(struct process *p, unsigned from, unsigned to)
{
	bool is_cut = p->page[to - 1].stack;

	memset(&p->page[from], 0, (to - from) * sizeof(p->page[0]));
	for (unsigned i = to; is_cut && i < WINDOW && p->page[i].stack; i++)
		p->page[i].stack = false;
}

static void unmap(struct process *p)
{
	unsigned from = below(WINDOW), n = 1 + below(30), to = MIN(from + n, WINDOW);
	int err = mm_unmap(p->mm, ADDRESS(from), ADDRESS(to));

	if (err == -ENOMEM)
		return;
	assert_int_equal(err, 0);
	cut_model(p, from, to);
}

/* The end of an area from @from on; most often one that takes the page below a stack. */
static unsigned end_at_stack(const struct process *p, unsigned from)
{
	unsigned n = 1 + below(24);

	for (unsigned i = from + 1; i < WINDOW && below(8); i++)
		if (p->page[i].stack)
			return i;
	return MIN(from + n, WINDOW);
}

static void replace(struct process *p)
{
	unsigned from = below(WINDOW), to = end_at_stack(p, from);
	struct vma vma = {.start = ADDRESS(from), .end = ADDRESS(to), .prot = RW}, *added;
	/* Is it the page below a stack, which is not itself cut, that it would take? */
	bool guard = to < WINDOW && p->page[to].stack && !p->page[to - 1].stack;
	int err = mm_replace_vma(p->mm, &vma, &added);

	if (guard)
		assert_int_equal(err, -ENOMEM);
	if (err) {
		assert_int_equal(err, -ENOMEM); /* the model stays as it is */
		replace_refused++;
		return;
	}
	assert_ptr_equal(mm_find_vma(p->mm, ADDRESS(from)), added);
	cut_model(p, from, to);
	for (unsigned i = from; i < to; i++)
		p->page[i] = (struct model_page){true, false, RW, 0, 0};
}

static void access_page(struct process *p)
{
	unsigned i = below(WINDOW), access = BIT(below(3));
	struct model_page *page = &p->page[i];
	u64 faults = p->mm->faults_min, events = nr_fault_events;
	u8 value = (u8)random(), *byte;
	int err = touch(p->mm, ADDRESS(i), access, &byte);

	if (err == -ENOMEM)
		return;
	assert_int_equal(err, page->mapped && page->prot & access ? 0 : -EFAULT);
	assert_int_equal(p->mm->faults_min - faults, nr_fault_events - events);
	if (err)
		return;
	assert_int_equal(*byte, page->first);
	assert_int_equal(byte[PAGE_SIZE - 1], page->last);
	if (access == MMU_WRITE) {
		*byte = page->first = value;
		byte[PAGE_SIZE - 1] = page->last = ~value;
	}
}

static void fork_process(struct process *p)
{
	struct process *child = &processes[below(PROCESSES)];
	struct mm *mm;

	if (child->mm)
		return;
	mm = mm_fork(p->mm);
	if (IS_ERR(mm)) {
		assert_int_equal(PTR_ERR(mm), -ENOMEM);
		return;
	}
	*child = *p;
	child->mm = mm;
}

/* What holds between any two operations. */
static void check_invariants(void)
{
	u32 uses[MAX_PAGES] = {0}, exe_uses = 1;

	for (struct process *p = processes; p < processes + PROCESSES; p++) {
		unsigned long end = 0;
		struct tables *t;
		struct vma *vma;

		if (!p->mm)
			continue;
		assert_int_equal(p->mm->lock.owner, 0);
		list_for_each (vma, &p->mm->vmas, node) {
			assert_true(vma->start >= end && vma->start < vma->end);
			end = vma->end;
			exe_uses += vma->exe != NULL;
			assert_true(vma->data_size <= vma->end - vma->start);
			if (vma->data_size)
				assert_ptr_equal(vma->data, file_data + vma->file_offset);
		}
		t = tables_of(&p->mm->mmu);
		assert_int_equal(mm_resident_pages(p->mm), t->nr);
		for (size_t i = 0; i < t->nr; i++)
			uses[page_slot((void *)t->pte[i].pa)]++;
	}
	for (size_t i = 0; i < MAX_PAGES; i++)
		if (pages[i].va)
			assert_int_equal(uses[i], pages[i].refs);
	assert_int_equal(exe->refs.n, exe_uses);
}

static void exit_process(struct process *p)
{
	mm_put(p->mm);
	p->mm = NULL;
}

static void use_cpus(u32 n)
{
	for (u32 id = 0; id < n; id++)
		cpus[id].id = id;
	nr_cpus = n;
	host_run_as(&cpus[0], current);
	host_smp_calls = 0;
}

static void history(unsigned seed, bool failures)
{
	srandom(seed);
	for (int turn = 0; turn < 4000; turn++) {
		struct process *p = &processes[below(PROCESSES)];
		unsigned what = below(100);

		if (!p->mm) {
			if (p != processes)
				continue;
			memset(p, 0, sizeof(*p));
			p->mm = mm_create();
			assert_false(IS_ERR(p->mm));
		}
		if (nr_cpus > 1)
			host_run_as(&cpus[below(nr_cpus)], current);
		if (failures && below(3) == 0)
			host_fail_alloc = 1 + below(6);
		if (what < 10)
			add(p);
		else if (what < 16)
			unmap(p);
		else if (what < 18)
			replace(p);
		else if (what < 20)
			fork_process(p);
		else if (what < 22)
			exit_process(p);
		else
			access_page(p);
		host_fail_alloc = 0;
		if (turn % 16 == 0)
			check_invariants();
	}
	check_invariants();
	for (struct process *p = processes; p < processes + PROCESSES; p++)
		if (p->mm)
			exit_process(p);
	assert_int_equal(exe->refs.n, 1);
	assert_int_equal(held, 0);
	assert_int_equal(host_allocations, 1); /* exe */
}

static void random_histories(void **state)
{
	replace_refused = 0;
	for (unsigned seed = 1; seed <= 8; seed++)
		history(seed, false);
	assert_true(replace_refused > 0);
}

/* Each step on another CPU, while others have old translations of the same memory. */
static void random_histories_on_several_cpus(void **state)
{
	use_cpus(4);
	for (unsigned seed = 9; seed <= 16; seed++)
		history(seed, false);
	assert_true(host_smp_calls > 0);
	use_cpus(1);
}

static void random_histories_without_memory(void **state)
{
	for (unsigned seed = 1; seed <= 8; seed++)
		history(seed, true);
}

/* --- Single rules --- */

static struct mm *new_mm(void)
{
	struct mm *mm = mm_create();

	assert_false(IS_ERR(mm));
	return mm;
}

static void put_all(struct mm *mm)
{
	mm_put(mm);
	assert_int_equal(held, 0);
	assert_int_equal(host_allocations, 1);
}

static struct vma area(unsigned from, unsigned to, unsigned prot)
{
	return (struct vma){.start = ADDRESS(from), .end = ADDRESS(to), .prot = prot};
}

static void bad_ranges_are_refused(void **state)
{
	static const unsigned long bad[][2] = {
	    {0, PAGE_SIZE},
	    {USER_START - PAGE_SIZE, USER_START + PAGE_SIZE},
	    {BASE, BASE},
	    {BASE + PAGE_SIZE, BASE},
	    {BASE + 1, BASE + PAGE_SIZE},
	    {BASE, BASE + PAGE_SIZE + 8},
	    {USER_END - PAGE_SIZE, USER_END + PAGE_SIZE},
	    {BASE, DIRECT_MAP_BASE - PAGE_SIZE},
	    {0x0000800000000000, 0x0000800000001000},
	    {VMAP_START, VMAP_START + PAGE_SIZE},
	};
	struct mm *mm = new_mm();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vma vma = {.start = bad[i][0], .end = bad[i][1], .prot = MMU_READ};

		assert_int_equal(mm_add_vma(mm, &vma, NULL), -EINVAL);
		assert_int_equal(mm_unmap(mm, vma.start, vma.end), -EINVAL);
	}
	assert_int_equal(mm_fault(mm, VMAP_START, MMU_READ, NULL), -EFAULT);
	assert_int_equal(mm_fault(mm, 0, MMU_READ, NULL), -EFAULT);
	put_all(mm);
}

static void sole_owner_writes_without_a_copy(void **state)
{
	struct vma vma = area(0, 2, RW);
	struct mm *mm = new_mm(), *child;
	phys_addr_t before, after;
	unsigned prot;

	assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
	assert_int_equal(store(mm, ADDRESS(0), 1), 0);
	mmu_lookup(&mm->mmu, ADDRESS(0), &before, &prot);
	child = mm_fork(mm);
	assert_int_equal(load(child, ADDRESS(0)), 1);
	mm_put(child);
	assert_int_equal(store(mm, ADDRESS(0), 2), 0);
	mmu_lookup(&mm->mmu, ADDRESS(0), &after, &prot);
	assert_int_equal(before, after);
	/* The page that nobody touched does not exist. */
	assert_int_equal(mm_resident_pages(mm), 1);
	put_all(mm);
}

static void fork_flushes_the_parents_rights(void **state)
{
	struct vma vma = area(0, 1, RW);
	struct mm *mm = new_mm(), *child;

	assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
	assert_int_equal(store(mm, ADDRESS(0), 1), 0); /* the TLB knows it as writable */
	child = mm_fork(mm);
	assert_int_equal(load(mm, ADDRESS(0)), 1); /* and now as read-only */
	assert_int_equal(store(mm, ADDRESS(0), 2), 0);
	assert_int_equal(load(child, ADDRESS(0)), 1);
	assert_int_equal(load(mm, ADDRESS(0)), 2);
	mm_put(child);
	put_all(mm);
}

static void closed(struct vma *vma)
{
	struct tables *t = loaded;

	for (size_t i = 0; i < t->nr; i++)
		assert_false(t->pte[i].va >= vma->start && t->pte[i].va < vma->end);
	nr_closed++;
}

static void shared_areas(void **state)
{
	struct mm *mm = new_mm(), *child;
	u8 *device = aligned_alloc(PAGE_SIZE, 4 * PAGE_SIZE);
	struct vma vma = area(1, 5, RW), *added, more = area(5, 9, RW);

	memset(device, 0, 4 * PAGE_SIZE);
	vma.flags = VMA_SHARED;
	vma.pages = device;
	vma.file = (struct file *)device;
	vma.close = closed;
	nr_closed = nr_file_puts = 0;
	assert_int_equal(mm_add_vma(mm, &vma, &added), 0);
	assert_ptr_equal(mm_find_vma(mm, LAST(4)), added);
	assert_null(mm_find_vma(mm, ADDRESS(5)));
	assert_int_equal(mm_add_vma(mm, &more, NULL), 0);

	device[2 * PAGE_SIZE + 7] = 42;
	assert_int_equal(load(mm, ADDRESS(3) + 7), 42);
	assert_int_equal(store(mm, ADDRESS(4), 43), 0);
	assert_int_equal(device[3 * PAGE_SIZE], 43);
	assert_int_equal(mm_resident_pages(mm), 0); /* they are not its own */

	child = mm_fork(mm);
	assert_int_equal(load(child, ADDRESS(3)), -EFAULT);
	assert_int_equal(load(child, ADDRESS(6)), 0);
	mm_put(child);
	assert_int_equal(nr_closed, 0);

	mm_switch(mm);
	assert_int_equal(mm_unmap(mm, ADDRESS(2), ADDRESS(9)), -EINVAL);
	assert_int_equal(mm_unmap(mm, ADDRESS(0), ADDRESS(4)), -EINVAL);
	assert_ptr_equal(mm_find_vma(mm, ADDRESS(6))->node.prev, &added->node);
	assert_int_equal(load(mm, ADDRESS(3) + 7), 42);
	assert_int_equal(mm_unmap(mm, ADDRESS(0), ADDRESS(6)), 0);
	assert_int_equal(nr_closed, 1);
	assert_int_equal(nr_file_puts, 1);
	assert_int_equal(load(mm, ADDRESS(3) + 7), -EFAULT);

	/* The end of the address space ends the mapping too. */
	assert_int_equal(mm_unmap(mm, ADDRESS(0), ADDRESS(9)), 0);
	assert_int_equal(mm_add_vma(mm, &vma, &added), 0);
	assert_int_equal(load(mm, ADDRESS(3) + 7), 42);
	put_all(mm);
	assert_int_equal(nr_closed, 2);
	assert_int_equal(nr_file_puts, 2);
	free(device);
}

static void the_break(void **state)
{
	struct vma after = area(20, 21, RW), stack = area(40, 50, RW);
	struct mm *mm = new_mm();

	mm->brk_start = mm->brk = ADDRESS(0) + 100;
	stack.flags = VMA_STACK;
	assert_int_equal(mm_add_vma(mm, &after, NULL), 0);
	assert_int_equal(mm_add_vma(mm, &stack, NULL), 0);
	assert_int_equal(mm_brk(mm, 0), ADDRESS(0) + 100);
	assert_int_equal(mm_brk(mm, ADDRESS(0) + 99), ADDRESS(0) + 100);
	assert_int_equal(mm_brk(mm, ADDRESS(3) + 5), ADDRESS(3) + 5);
	assert_int_equal(store(mm, ADDRESS(3) + 9, 7), 0); /* whole pages */
	assert_int_equal(load(mm, ADDRESS(4)), -EFAULT);
	assert_int_equal(mm_brk(mm, ADDRESS(20)), ADDRESS(20));
	assert_int_equal(mm_find_vma(mm, ADDRESS(1))->end, ADDRESS(20)); /* one area, grown */
	assert_int_equal(mm_brk(mm, ADDRESS(20) + 1), ADDRESS(20));
	assert_int_equal(store(mm, LAST(19), 9), 0);
	assert_int_equal(mm_brk(mm, ADDRESS(2)), ADDRESS(2));
	assert_int_equal(load(mm, ADDRESS(3) + 9), -EFAULT);
	assert_int_equal(mm_brk(mm, ADDRESS(4)), ADDRESS(4));
	assert_int_equal(load(mm, ADDRESS(3) + 9), 0); /* fresh memory */
	assert_int_equal(mm_resident_pages(mm), 1);

	/* Never into the page below a stack, nor out of user space. */
	assert_int_equal(mm_unmap(mm, ADDRESS(20), ADDRESS(21)), 0);
	assert_int_equal(mm_brk(mm, ADDRESS(40)), ADDRESS(4));
	assert_int_equal(mm_brk(mm, ADDRESS(39)), ADDRESS(39));
	assert_int_equal(mm_brk(mm, -1UL), ADDRESS(39));
	assert_int_equal(mm_brk(mm, -PAGE_SIZE), ADDRESS(39));
	put_all(mm);
}

static void more_than_there_is_is_refused(void **state)
{
	struct vma vma = area(0, 101, RW), stack = area(0, 101, RW);
	struct mm *mm = new_mm();

	pages_limit = 100;
	mm->brk_start = mm->brk = ADDRESS(0);
	assert_int_equal(mm_add_vma(mm, &vma, NULL), -ENOMEM);
	assert_int_equal(mm_brk(mm, ADDRESS(101)), ADDRESS(0));
	assert_int_equal(mm_brk(mm, ADDRESS(1)), ADDRESS(1));
	assert_int_equal(mm_brk(mm, ADDRESS(102)), ADDRESS(1));
	assert_int_equal(mm_brk(mm, ADDRESS(100)), ADDRESS(100));
	assert_int_equal(mm_brk(mm, ADDRESS(0)), ADDRESS(0));
	vma.end -= PAGE_SIZE;
	assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
	assert_int_equal(mm_unmap(mm, vma.start, vma.end), 0);
	/* A stack is reserved larger than it will be, and code is not written. */
	stack.flags = VMA_STACK;
	assert_int_equal(mm_add_vma(mm, &stack, NULL), 0);
	pages_limit = MAX_PAGES;
	put_all(mm);
}

static bool is(struct mm *mm, unsigned page, unsigned from, unsigned to, unsigned flags)
{
	const struct vma *vma = mm_find_vma(mm, ADDRESS(page));

	return vma && vma->start == ADDRESS(from) && vma->end == ADDRESS(to) && vma->flags == flags;
}

static void replacing_is_all_or_nothing(void **state)
{
	struct vma stack = area(20, 40, RW), low = area(10, 19, RW), vma, *added;
	struct mm *mm = new_mm();

	stack.flags = VMA_STACK;
	assert_int_equal(mm_add_vma(mm, &stack, NULL), 0);
	assert_int_equal(mm_add_vma(mm, &low, NULL), 0);
	assert_int_equal(store(mm, ADDRESS(15), 15), 0);
	assert_int_equal(store(mm, ADDRESS(25), 25), 0);

	/* The page below the stack stays unmapped. */
	vma = area(12, 20, RW);
	assert_int_equal(mm_replace_vma(mm, &vma, &added), -ENOMEM);
	/* Nor does anything go for an area that can not be, or for want of memory. */
	vma = area(12, 19, RW | MMU_EXEC);
	assert_int_equal(mm_replace_vma(mm, &vma, &added), -EINVAL);
	vma = area(12, 18, RW);
	for (host_fail_alloc = 1; host_fail_alloc <= 2;) {
		unsigned fail = host_fail_alloc;

		assert_int_equal(mm_replace_vma(mm, &vma, &added), -ENOMEM);
		host_fail_alloc = fail + 1;
	}
	host_fail_alloc = 0;
	pages_limit = 5;
	assert_int_equal(mm_replace_vma(mm, &vma, &added), -ENOMEM);
	pages_limit = MAX_PAGES;
	assert_true(is(mm, 15, 10, 19, 0) && is(mm, 25, 20, 40, VMA_STACK));
	assert_int_equal(load(mm, ADDRESS(15)), 15);

	/* In the stack's middle: the lower part is the one that grows. */
	vma = area(24, 30, RW);
	assert_int_equal(mm_replace_vma(mm, &vma, &added), 0);
	assert_int_equal(load(mm, ADDRESS(25)), 0);
	assert_true(is(mm, 22, 20, 24, VMA_STACK) && is(mm, 35, 30, 40, 0));
	/* Over its lower end. */
	vma = area(16, 22, RW);
	assert_int_equal(mm_replace_vma(mm, &vma, &added), 0);
	assert_true(is(mm, 22, 22, 24, 0) && is(mm, 15, 10, 16, 0));
	assert_int_equal(load(mm, ADDRESS(15)), 15);
	put_all(mm);
}

static void offsets_are_those_of_files(void **state)
{
	struct vma anonymous = area(0, 10, RW), of_file = area(20, 30, MMU_READ);
	struct mm *mm = new_mm();

	of_file.exe = exe_get(exe);
	of_file.file_offset = 3 * PAGE_SIZE;
	assert_int_equal(mm_add_vma(mm, &anonymous, NULL), 0);
	assert_int_equal(mm_add_vma(mm, &of_file, NULL), 0);
	assert_int_equal(mm_unmap(mm, ADDRESS(4), ADDRESS(6)), 0);
	assert_int_equal(mm_unmap(mm, ADDRESS(20), ADDRESS(22)), 0);
	assert_int_equal(mm_find_vma(mm, ADDRESS(6))->file_offset, 0);
	assert_int_equal(mm_find_vma(mm, ADDRESS(22))->file_offset, 5 * PAGE_SIZE);
	put_all(mm);
}

/* What the tables are told to be free of is the gap between the areas that are left. */
static void tables_are_trimmed(void **state)
{
	struct vma vma[] = {area(0, 2, RW), area(4, 6, RW), area(6, 12, RW), area(20, 21, RW)};
	struct mm *mm = new_mm();

	for (size_t i = 0; i < ARRAY_SIZE(vma); i++) {
		assert_int_equal(mm_add_vma(mm, &vma[i], NULL), 0);
		assert_int_equal(store(mm, vma[i].start, 1), 0);
	}
	nr_trims = 0;
	assert_int_equal(mm_unmap(mm, ADDRESS(5), ADDRESS(7)), 0);
	assert_true(nr_trims == 1 && trim_low == ADDRESS(5) && trim_high == ADDRESS(7));
	assert_int_equal(mm_unmap(mm, ADDRESS(4), ADDRESS(10)), 0);
	assert_true(nr_trims == 2 && trim_low == ADDRESS(2) && trim_high == ADDRESS(10));
	assert_int_equal(mm_unmap(mm, ADDRESS(0), ADDRESS(1)), 0);
	assert_true(nr_trims == 3 && trim_low == 0 && trim_high == ADDRESS(1));
	assert_int_equal(mm_unmap(mm, ADDRESS(20), ADDRESS(21)), 0);
	assert_true(nr_trims == 4 && trim_low == ADDRESS(12) && trim_high == ~0UL);
	mm->brk_start = mm->brk = ADDRESS(12);
	assert_int_equal(mm_brk(mm, ADDRESS(16)), ADDRESS(16));
	assert_int_equal(mm_brk(mm, ADDRESS(13)), ADDRESS(13));
	assert_true(nr_trims == 5 && trim_low == ADDRESS(13) && trim_high == ~0UL);
	put_all(mm);
}

/* Another thread's fault on the same page was faster: that was its fault, not two. */
static void a_fault_that_changes_nothing_is_none(void **state)
{
	struct vma vma = area(0, 2, RW);
	struct mm *mm = new_mm();

	event_mm = mm;
	nr_fault_events = 0;
	assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(mm_fault(mm, ADDRESS(0), MMU_WRITE, NULL), 0);
		assert_int_equal(mm_fault(mm, ADDRESS(0), MMU_READ, NULL), 0);
		assert_int_equal(mm_fault(mm, 8, MMU_READ, NULL), -EFAULT);
	}
	assert_int_equal(mm->faults_min, 1);
	assert_int_equal(nr_fault_events, 1);
	put_all(mm);
}

static void gaps(void **state)
{
	struct mm *mm = new_mm();
	struct vma top = {.start = USER_END - 10 * PAGE_SIZE,
			  .end = USER_END - 4 * PAGE_SIZE,
			  .prot = RW,
			  .flags = VMA_STACK};

	assert_int_equal(mm_find_gap(mm, 1), USER_END - PAGE_SIZE);
	assert_int_equal(mm_add_vma(mm, &top, NULL), 0);
	assert_int_equal(mm_find_gap(mm, 4 * PAGE_SIZE), USER_END - 4 * PAGE_SIZE);
	assert_int_equal(mm_find_gap(mm, 5 * PAGE_SIZE), USER_END - 16 * PAGE_SIZE);
	assert_int_equal(mm_find_gap(mm, 0), 0);
	assert_int_equal(mm_find_gap(mm, USER_END), 0);
	assert_int_equal(mm_find_gap(mm, -1UL), 0);
	assert_int_equal(mm_find_gap(mm, top.start - PAGE_SIZE - USER_START), USER_START);
	assert_int_equal(mm_find_gap(mm, top.start - USER_START), 0);
	/* What it finds can be had. */
	for (int i = 0; i < 300; i++) {
		size_t size = (1 + below(5)) * PAGE_SIZE;
		unsigned long at = mm_find_gap(mm, size);
		struct vma vma = {.start = at, .end = at + size, .prot = MMU_READ};

		assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
		if (i % 3 == 0)
			assert_int_equal(mm_unmap(mm, at, at + PAGE_SIZE), 0);
	}
	put_all(mm);
}

static void switching(void **state)
{
	struct mm *a = new_mm(), *b = new_mm();
	unsigned loads = nr_loads;

	mm_switch(a);
	mm_switch(a);
	mm_switch(NULL); /* a kernel thread */
	mm_switch(a);
	assert_int_equal(nr_loads - loads, 1);
	mm_switch(b);
	mm_switch(NULL);
	assert_ptr_equal(loaded, tables_of(&b->mmu));
	mm_put(a);
	assert_ptr_equal(loaded, tables_of(&b->mmu));
	/* Its last task has gone, but the kernel thread still has its tables. */
	mm_put(b);
	assert_ptr_equal(loaded, &kernel_tables);
	assert_null(host_cpu->loaded_mm);
	assert_int_equal(held, 0);
}

/* A page is nobody's only when the other CPU cannot reach it any more; and only who has it is
 * asked. */
static void other_cpus_forget(void **state)
{
	struct vma vma = area(0, 2, RW);
	struct mm *mm = new_mm(), *other = new_mm();

	use_cpus(3);
	assert_int_equal(mm_add_vma(mm, &vma, NULL), 0);
	assert_int_equal(store(mm, ADDRESS(0), 1), 0);
	host_run_as(&cpus[1], current);
	assert_int_equal(store(mm, ADDRESS(0), 2), 0);
	assert_int_equal(host_smp_calls, 0);
	host_run_as(&cpus[2], current);
	mm_switch(other);
	host_run_as(&cpus[0], current);
	assert_int_equal(mm_unmap(mm, ADDRESS(0), ADDRESS(2)), 0);
	assert_int_equal(tlb_of[1].nr, 0);
	assert_int_equal(host_smp_calls, 2); /* for the page, and for the tables */
	host_run_as(&cpus[1], current);
	assert_int_equal(load(mm, ADDRESS(0)), -EFAULT);

	/* Between two, a CPU is in both. */
	cpus[1].left_mm = mm;
	cpus[1].loaded_mm = other;
	host_run_as(&cpus[0], current);
	mm_switch(NULL);
	host_smp_calls = 0;
	mm_flush(mm, ADDRESS(0), ADDRESS(1));
	assert_int_equal(host_smp_calls, 1);
	cpus[1].left_mm = NULL;
	cpus[1].loaded_mm = mm;

	/* Two idle CPUs still have it when its last task has gone. */
	mm_put(mm);
	assert_ptr_equal(loaded_by[0], &kernel_tables);
	assert_ptr_equal(loaded_by[1], &kernel_tables);
	assert_ptr_equal(cpus[2].loaded_mm, other);
	mm_put(other);
	assert_int_equal(held, 0);
	use_cpus(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_histories),
	    cmocka_unit_test(random_histories_on_several_cpus),
	    cmocka_unit_test(other_cpus_forget),
	    cmocka_unit_test(random_histories_without_memory),
	    cmocka_unit_test(bad_ranges_are_refused),
	    cmocka_unit_test(sole_owner_writes_without_a_copy),
	    cmocka_unit_test(fork_flushes_the_parents_rights),
	    cmocka_unit_test(shared_areas),
	    cmocka_unit_test(the_break),
	    cmocka_unit_test(more_than_there_is_is_refused),
	    cmocka_unit_test(replacing_is_all_or_nothing),
	    cmocka_unit_test(offsets_are_those_of_files),
	    cmocka_unit_test(tables_are_trimmed),
	    cmocka_unit_test(a_fault_that_changes_nothing_is_none),
	    cmocka_unit_test(gaps),
	    cmocka_unit_test(switching),
	};
	static struct task task;

	host_run_as(cpus, &task);
	for (size_t i = 0; i < sizeof(file_data); i++)
		file_data[i] = (u8)random();
	exe = kzalloc(sizeof(*exe));
	exe->refs.n = 1;
	return cmocka_run_group_tests_name("address_space", tests, NULL, NULL);
}
