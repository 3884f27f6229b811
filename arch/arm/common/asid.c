// SPDX-License-Identifier: MIT
/*
 * Which ASID an address space has, and loading it with its tables. There are 255 (0 is nobody's).
 * When all are given the next generation begins, in which every address space needs a new one; but
 * what a CPU runs on at that moment keeps its number, since it goes on under it.
 *
 * A CPU's TLB may have entries of older generations as long as the CPU is in such a one itself: it
 * drops them all when it loads something of a newer one for the first time.
 */
#include <hotregs/cpu.h>

#include <arch/cache.h>
#include <arch/mmu.h>

#define ASID_MASK      0xffU           /* of those with 8 bits, which every processor has */
#define GENERATION_ONE (ASID_MASK + 1) /* so that 0 is of an older one */

static u32 generation = GENERATION_ONE;
static u32 last; /* number that was given */
/* For changes of these two, of any mmu->asid and of any cpu->arch.asid_kept. */
static struct spinlock lock = SPINLOCK_INIT;

static bool same_generation(u32 a, u32 b)
{
	return !((a ^ b) & ~ASID_MASK);
}

/*
 * Begins a generation. A CPU that has loaded something in the last one keeps that number; else it
 * has gone on with what it kept before. Which one a CPU has loaded cannot be changing unseen: see
 * load_current().
 */
static void begin_generation(void)
{
	u32 ended = generation;

	last = 0;
	WRITE_ONCE(generation, (ended + GENERATION_ONE) ?: GENERATION_ONE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (struct cpu *cpu = cpus; cpu < cpus + MAX_CPUS; cpu++) {
		u32 loaded = READ_ONCE(cpu->arch.asid);

		if (same_generation(loaded, ended))
			cpu->arch.asid_kept = loaded;
	}
}

/* Moves the number of @asid to this generation if a CPU keeps it; several may. */
static bool keep(u32 asid, u32 renewed)
{
	bool kept = false;

	for (struct cpu *cpu = cpus; cpu < cpus + MAX_CPUS; cpu++) {
		if (cpu->arch.asid_kept != asid)
			continue;
		cpu->arch.asid_kept = renewed;
		kept = true;
	}
	return kept;
}

static bool is_kept(u32 number)
{
	for (struct cpu *cpu = cpus; cpu < cpus + MAX_CPUS; cpu++)
		if ((cpu->arch.asid_kept & ASID_MASK) == number)
			return true;
	return false;
}

/* An ASID of this generation for @mmu, which has an older one or none. */
static u32 renew(struct mmu *mmu)
{
	u32 renewed = generation | (mmu->asid & ASID_MASK);

	if (mmu->asid && keep(mmu->asid, renewed))
		return renewed;
	do {
		if (++last > ASID_MASK) {
			begin_generation();
			last = 1;
		}
	} while (is_kept(last));
	return generation | last;
}

/*
 * Says that the calling CPU loads @asid, if that is of the generation that both the CPU and all are
 * in. The CPU says it first and looks then; who begins a generation, the other way round: so one of
 * the two sees the other.
 */
static bool load_current(struct cpu *cpu, u32 asid)
{
	if (unlikely(!same_generation(asid, cpu->arch.asid)))
		return false;
	WRITE_ONCE(cpu->arch.asid, asid);
	stores_before_walks();
	return likely(same_generation(asid, READ_ONCE(generation)));
}

/* Says so in any case; returns the ASID. No user tables are loaded then. */
static noinline u32 load_renewed(struct cpu *cpu, struct mmu *mmu)
{
	u32 asid;

	spin_lock(&lock);
	asid = mmu->asid;
	if (!same_generation(asid, generation))
		asid = renew(mmu);
	WRITE_ONCE(mmu->asid, asid);
	/* Or walks would refill the TLB under the ASID that is still set. */
	unload_user_tables(table_base(&kernel_mmu));
	if (!same_generation(cpu->arch.asid, asid))
		tlb_flush_local();
	WRITE_ONCE(cpu->arch.asid, asid);
	spin_unlock(&lock);
	stores_before_walks();
	return asid;
}

void asid_load(struct mmu *mmu)
{
	struct cpu *cpu = this_cpu();
	u32 asid = READ_ONCE(mmu->asid);

	if (!load_current(cpu, asid))
		asid = load_renewed(cpu, mmu);
	/* The lower half of the kernel's tables is empty. */
	load_user_tables(table_base(&kernel_mmu), table_base(mmu), asid & ASID_MASK);
}
