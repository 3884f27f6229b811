/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/common/asid.c on a model of processors whose TLBs keep whatever they could have walked:
 * what is loaded never meets entries of another address space under its ASID. Other processors go
 * on in the middle of a load, where they could.
 */
#include "host.h"

#include "../../arch/arm/common/asid.c"

enum { NR = 3, SPACES = 40, ROOT = 0x4000 };

struct mmu kernel_mmu = {.root = ROOT};

static struct processor {
	u32 root, asid; /* TTBR0's, and the ASID; the kernel's root shows nothing */
	const struct mmu *loading;
	u32 tlb[256]; /* by ASID, whose entries there are, by root; 0: none */
} processors[NR];

static struct mmu spaces[SPACES];
static u32 next_root, loads, flushes, nested;
static unsigned depth;

static struct processor *self(void)
{
	return &processors[host_cpu - cpus];
}

/* Every processor walks what it has loaded. */
static void walk(void)
{
	for (struct processor *p = processors; p < processors + NR; p++) {
		if (p->root == ROOT)
			continue;
		assert_true(!p->tlb[p->asid] || p->tlb[p->asid] == p->root);
		p->tlb[p->asid] = p->root;
	}
}

/* TLB maintenance by ASID reaches a set of tables wherever it is loaded. */
static void one_asid_each(void)
{
	for (struct processor *p = processors; p < processors + NR; p++)
		for (struct processor *q = processors; q < p; q++)
			if (p->root != ROOT && p->root == q->root && !p->loading && !q->loading)
				assert_int_equal(p->asid, q->asid);
}

void tlb_flush_local(void)
{
	assert_int_equal(self()->root, ROOT);
	memset(self()->tlb, 0, sizeof(self()->tlb));
	flushes++;
}

void unload_user_tables(u32 empty)
{
	walk();
	self()->root = empty & ~0xfffU;
}

static void others_go_on(void);

void stores_before_walks(void)
{
	others_go_on();
}

void load_user_tables(u32 empty, u32 ttbr0, u32 asid)
{
	others_go_on();
	unload_user_tables(empty);
	assert_in_range(asid, 1, 255);
	self()->asid = asid;
	self()->root = ttbr0 & ~0xfffU;
	walk();
}

/* An address space that is loaded nowhere ends, another one begins. */
static void replace_any(void)
{
	struct mmu *mmu = &spaces[rand() % SPACES];

	for (struct processor *p = processors; p < processors + NR; p++)
		if (p->loading == mmu || p->root == mmu->root)
			return;
	*mmu = (struct mmu){.root = next_root += ROOT};
}

static void load_any(void)
{
	struct mmu *mmu = &spaces[rand() % SPACES];

	self()->loading = mmu;
	asid_load(mmu);
	self()->loading = NULL;
	loads++;
	assert_int_equal(self()->root, mmu->root);
	walk();
	one_asid_each();
}

static void others_go_on(void)
{
	struct cpu *cpu = host_cpu;

	if (depth || lock.held)
		return;
	depth++;
	for (unsigned n = rand() % 4 ? 0 : rand() % 600; n; n--) {
		do
			host_cpu = &cpus[rand() % NR];
		while (host_cpu == cpu);
		if (rand() % 4)
			replace_any();
		load_any();
		nested++;
	}
	host_cpu = cpu;
	depth--;
}

static void begin(void)
{
	memset(processors, 0, sizeof(processors));
	memset(cpus, 0, sizeof(struct cpu[MAX_CPUS]));
	for (struct processor *p = processors; p < processors + NR; p++)
		p->root = ROOT;
	next_root = ROOT;
	for (u32 i = 0; i < SPACES; i++)
		spaces[i] = (struct mmu){.root = next_root += ROOT};
	generation = GENERATION_ONE;
	last = loads = flushes = nested = 0;
	srand(1);
}

static void processors_that_take_turns(void **state)
{
	begin();
	depth = 1;
	for (unsigned i = 0; i < 100000; i++) {
		host_cpu = &cpus[rand() % NR];
		replace_any();
		load_any();
	}
	depth = 0;
	assert_true(generation > 100 * GENERATION_ONE);
	/* No more of them than there is need for: one a processor and generation. */
	assert_true(flushes <= NR * (generation / GENERATION_ONE));
}

static void processors_that_overtake_each_other(void **state)
{
	begin();
	for (unsigned i = 0; i < 3000; i++) {
		host_cpu = &cpus[rand() % NR];
		load_any();
	}
	assert_true(nested > 10 * 3000);
	assert_true(generation > 100 * GENERATION_ONE);
}

/* One that does not switch keeps its number however many generations pass, on others too. */
static void who_stays_loaded_keeps_its_number(void **state)
{
	u32 number;

	begin();
	depth = 1;
	host_cpu = &cpus[0];
	asid_load(&spaces[0]);
	number = processors[0].asid;
	for (unsigned i = 0; i < 2000; i++) {
		host_cpu = &cpus[1];
		spaces[1] = (struct mmu){.root = next_root += ROOT};
		asid_load(&spaces[1]);
		assert_int_not_equal(processors[1].asid, number);
		if (i % 700)
			continue;
		host_cpu = &cpus[2];
		asid_load(&spaces[0]);
		assert_int_equal(processors[2].asid, number);
		asid_load(&spaces[2]);
	}
	depth = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(processors_that_take_turns),
	    cmocka_unit_test(processors_that_overtake_each_other),
	    cmocka_unit_test(who_stays_loaded_keeps_its_number),
	};

	return cmocka_run_group_tests_name("asid", tests, NULL, NULL);
}
