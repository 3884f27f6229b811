/* SPDX-License-Identifier: MIT */
/* What a started processor has of its own is as the boot processor's; and interrupts reach it. */
#include <hotregs/cpu.h>
#include <hotregs/smp.h>

#include <arch/irq.h>
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
	    .dbgvcr = cp_read(DBGVCR),
	    .dscr = cp_read(DBGDSCREXT),
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
