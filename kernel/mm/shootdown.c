/* SPDX-License-Identifier: MIT */
/*
 * Changes of page tables and the processors that may still use what was there before: which of them
 * have a user address space loaded, and how they are made to forget.
 */
#include <hotregs/address_space.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>

struct range {
	unsigned long start, end;
};

/*
 * The CPUs that have @mm loaded. The fence stands between the caller's change of the tables and the
 * look at who has them; mm_load() has one, mmu_load()'s, between saying so and the first walk. So a
 * CPU that is not seen here to have them walks them as they are now. One that was about to leave
 * them is seen in one member or the other, which are read in the reverse of the order in which they
 * are written.
 */
static u32 loaded_on(const struct mm *mm)
{
	u32 mask = 0;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for_each_cpu (cpu)
		if (__atomic_load_n(&cpu->loaded_mm, __ATOMIC_ACQUIRE) == mm ||
		    __atomic_load_n(&cpu->left_mm, __ATOMIC_ACQUIRE) == mm)
			mask |= CPU_MASK(cpu->id);
	return mask;
}

static void flush_range(void *arg)
{
	const struct range *range = arg;

	mmu_flush(range->start, range->end);
}

static void come_by(void *arg)
{
}

/*
 * A processor that broadcasts its flushes is not enough, for the interrupt tells more: that no
 * sampler there is in the middle of a look, since those run with interrupts off. But it is this one
 * that has to broadcast, and before it may be left: here @mm is loaded for certain, and an
 * architecture may flush what is tagged as the loaded space's alone.
 */
static noinline void flush_on_all(struct mm *mm, struct range *range)
{
	unsigned long flags = irq_save();
	u32 here = CPU_MASK(this_cpu()->id), mask = loaded_on(mm);
	bool broadcast = MMU_FLUSH_BROADCASTS && mask & here;

	if (mask == here || broadcast)
		flush_range(range);
	irq_restore(flags);
	if (mask & ~here)
		smp_call(mask, broadcast ? come_by : flush_range, range);
}

void mm_flush(struct mm *mm, unsigned long start, unsigned long end)
{
	struct range range = {start, end};

	might_sleep();
	if (READ_ONCE(nr_cpus) > 1)
		flush_on_all(mm, &range);
	else if (this_cpu()->loaded_mm == mm)
		mmu_flush(start, end);
}

void kernel_flush(unsigned long start, unsigned long end)
{
	struct range range = {start, end};

	might_sleep();
	if (MMU_FLUSH_BROADCASTS || READ_ONCE(nr_cpus) == 1)
		flush_range(&range);
	else
		smp_call(cpus_online(), flush_range, &range);
}

static void leave(void *arg)
{
	struct cpu *cpu = this_cpu();

	if (cpu->loaded_mm == arg)
		mm_load(cpu, NULL, &kernel_mmu);
}

void mm_unload(struct mm *mm)
{
	u32 mask = loaded_on(mm);

	/* Idle loops and kernel threads keep what the last task before them had. */
	if (!mask)
		return;
	smp_call(mask, leave, mm);
	ASSERT(!loaded_on(mm));
}
