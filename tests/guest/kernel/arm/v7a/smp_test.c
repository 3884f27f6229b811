/* SPDX-License-Identifier: MIT */
/* What a started processor has of its own is as the boot processor's; and interrupts reach it. */
#include <hotregs/cpu.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/irq.h>
#include <arch/perf.h>
#include <asm/cp15.h>
#include <asm/traps.h>

#include "../../ktest.h"

#define SCTLR "p15, 0, %0, c1, c0, 0"
#define ACTLR "p15, 0, %0, c1, c0, 1"
#define TTBCR "p15, 0, %0, c2, c0, 2"
#define DACR  "p15, 0, %0, c3, c0, 0"

static struct state {
	u32 cpsr, sctlr, actlr, cpacr, ttbr1, ttbcr, dacr, vbar, cntkctl, pmcr, dbgvcr, dscr;
} states[MAX_CPUS];
static u32 affinities[MAX_CPUS];

/* QEMU's DBGVCR leaves the register that it is read into as it was. */
static u32 read_dbgvcr(void)
{
	u32 value = 0;

	__asm__ volatile("mrc " DBGVCR : "+r"(value));
	return value;
}

static void note_state(void *arg)
{
	u32 id = this_cpu()->id;

	affinities[id] = cp_read(MPIDR) & MPIDR_AFFINITY;
	states[id] = (struct state){
	    .cpsr = irq_flags() & (CPSR_MODE | CPSR_F | CPSR_A),
	    .sctlr = cp_read(SCTLR),
	    .actlr = cp_read(ACTLR),
	    .cpacr = cp_read(CPACR),
	    .ttbr1 = cp_read(TTBR1),
	    .ttbcr = cp_read(TTBCR),
	    .dacr = cp_read(DACR),
	    .vbar = cp_read(VBAR),
	    .cntkctl = cp_read(CNTKCTL),
	    .pmcr = cp_read(PMCR),
	    .dbgvcr = read_dbgvcr(),
	    /* but for what has struck last */
	    .dscr = cp_read(DBGDSCREXT) & ~DBGDSCR_MOE_MASK,
	};
}

KTEST(arm_processors_are_set_up_alike)
{
	const u32 *first = (const u32 *)&states[0];

	if (cpus_online() == 1)
		return ktest_skip("one processor runs");
	smp_call(cpus_online(), note_state, NULL);
	EXPECT_EQ(states[0].vbar, (u32)exception_vectors);
	for_each_cpu (cpu) {
		const u32 *state = (const u32 *)&states[cpu->id];

		for (unsigned i = 0; i < sizeof(struct state) / sizeof(u32); i++)
			ktest_expect(state[i] == first[i], __FILE__, __LINE__,
				     "CPU %u, register %u: %#x, on CPU 0 %#x", cpu->id, i, state[i],
				     first[i]);
		EXPECT_EQ(affinities[cpu->id], cpu->arch.mpidr);
		for (u32 other = 0; other < cpu->id; other++)
			EXPECT(affinities[other] != affinities[cpu->id]);
	}
}

static void fault(void)
{
	/* An undefined instruction, which the handler steps over. */
	__asm__ volatile("udf #1");
}

static void take_exception(void *arg)
{
	*(bool *)arg = !cpu_try(fault);
}

KTEST(arm_processors_take_exceptions_of_their_own)
{
	for_each_cpu (cpu) {
		bool taken = false;

		smp_call(CPU_MASK(cpu->id), take_exception, &taken);
		EXPECT(taken);
		EXPECT(cpu->arch.emergency_stack != cpus[!cpu->id].arch.emergency_stack);
	}
}

static struct {
	u64 ip[64];
	u32 nr;
} walk;

static noinline void note_chain(void *arg)
{
	struct callchain chain = {walk.ip, 0, ARRAY_SIZE(walk.ip)};
	struct pt_regs regs = {0};

	arch_hot_regs(&regs);
	perf_callchain_kernel(&chain, &regs);
	walk.nr = chain.nr;
}

/* A started processor that idles: from the interrupt's handler to its first frame, and no further.
 */
KTEST(arm_chains_end_where_a_processor_began)
{
	for_each_cpu (cpu) {
		const char *const symbols[] = {"sched_idle", "smp_begin", "boot_high_secondary"};

		if (cpu->id == 0)
			continue;
		smp_call(CPU_MASK(cpu->id), note_chain, NULL);
		if (!EXPECT(walk.nr > ARRAY_SIZE(symbols)) || !EXPECT(walk.nr < 20))
			continue;
		EXPECT_STR(kallsyms_lookup(walk.ip[0], NULL, NULL), "note_chain");
		for (u32 i = 0; i < ARRAY_SIZE(symbols); i++)
			EXPECT_STR(
			    kallsyms_lookup(walk.ip[walk.nr - ARRAY_SIZE(symbols) + i], NULL, NULL),
			    symbols[i]);
	}
	if (cpus_online() == 1)
		ktest_skip("one processor runs");
}

/* Where @pc is once its task was moved. */
static unsigned long after_move(const u32 *pc)
{
	struct pt_regs regs = {.pc = (unsigned long)pc};

	percpu_reread(&regs);
	return regs.pc;
}

/* Wherever the kernel asks which task runs: interrupted half-way, it asks once more. */
KTEST(arm_current_is_asked_for_again)
{
	extern const u32 __image_start[], _start_rodata[];
	unsigned places = 0;

	for (const u32 *pc = __image_start; pc + 2 < _start_rodata; pc++) {
		u32 rx = pc[0] >> 12 & 15;

		if (pc[0] != (0xee1d0f90 | rx << 12) || pc[1] != (0xe5900004 | rx << 16 | rx << 12))
			continue;
		places++;
		EXPECT_EQ(after_move(pc), (unsigned long)pc);
		EXPECT_EQ(after_move(pc + 1), (unsigned long)pc);
		EXPECT_EQ(after_move(pc + 2), (unsigned long)(pc + 2));
	}
	EXPECT(places > 50);
}
