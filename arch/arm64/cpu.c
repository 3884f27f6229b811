// SPDX-License-Identifier: MIT
/*
 * A processor's own set-up: vectors, control registers; and a clean slate in the debug and
 * performance registers.
 */
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <arch/breakpoint.h>
#include <arch/init.h>
#include <arch/irq.h>
#include <asm/start.h>
#include <asm/traps.h>

/* Arm ARM DDI 0487, D17.2 and D17.5: fields of the ID registers, and what they tell of. */
#define PFR0_FP_SHIFT   16 /* ID_AA64PFR0_EL1; 15: none */
#define PFR0_SIMD_SHIFT 20
#define PFR0_NONE       0xf
#define DFR0_PMU_SHIFT  8 /* ID_AA64DFR0_EL1; 0: none, 15: another kind */
#define MMFR1_PAN_SHIFT 20
#define FIELD(reg, at)  ((reg) >> (at)&0xf)

#define CPACR_FPEN       (3UL << 20) /* FP and SIMD are anybody's; SVE and SME nobody's */
#define CNTKCTL_EL0VCTEN BIT(1)      /* programs may read the virtual count */
#define SCTLR_SPAN       BIT(23)     /* an entry leaves PSTATE.PAN alone */

/* PMCR_EL0: E clear; P and C zero the counters. */
#define PMCR_RESET 6

void percpu_init(struct cpu *cpu)
{
	cpu->self = cpu;
	sysreg_write(TPIDR_EL1, (unsigned long)cpu);
	sysreg_write(TPIDR_EL0, 0);
	sysreg_write(TPIDRRO_EL0, 0); /* entry.S's, and 0 for programs */
	arch_set_current(cpu->running);
}

static void enable_fpsimd(void)
{
	u64 pfr0 = sysreg_read(ID_AA64PFR0_EL1);

	if (FIELD(pfr0, PFR0_FP_SHIFT) == PFR0_NONE || FIELD(pfr0, PFR0_SIMD_SHIFT) == PFR0_NONE)
		panic("this processor has no floating point or no SIMD (ID_AA64PFR0_EL1 %llx)",
		      pfr0);
	sysreg_write(CPACR_EL1, CPACR_FPEN);
	synchronize_context();
}

/*
 * Lets debug exceptions in, and SErrors. An access that firmware got wrong may have left one, which
 * is then taken here and now.
 */
static void unmask_exceptions(struct arch_cpu *arch)
{
	arch->serror_expected = true;
	complete_accesses();
	__asm__ volatile("msr daifclr, #12" ::: "memory");
	synchronize_context();
	arch->serror_expected = false;
}

/* Privileged access never (D8.4.3): the kernel touches programs' pages by unprivileged loads and
 * stores alone. */
static void forbid_user_access(void)
{
	if (!FIELD(sysreg_read(ID_AA64MMFR1_EL1), MMFR1_PAN_SHIFT))
		return;
	sysreg_write(SCTLR_EL1, sysreg_read(SCTLR_EL1) & ~SCTLR_SPAN);
	__asm__ volatile(".arch_extension pan\n\tmsr pan, #1" ::: "memory");
	synchronize_context();
}

void arch_cpu_init(struct cpu *cpu)
{
	cpu->arch.mpidr = sysreg_read(MPIDR_EL1) & MPIDR_AFFINITY;
	cpu->arch.emergency_sp = (unsigned long)cpu->arch.emergency_stack + EMERGENCY_STACK_SIZE;
	sysreg_write(VBAR_EL1, (unsigned long)exception_vectors);
	synchronize_context();
	arch_clear_debug_state();
	unmask_exceptions(&cpu->arch);
	enable_fpsimd();
	forbid_user_access();
	sysreg_write(CNTKCTL_EL1, CNTKCTL_EL0VCTEN);
	synchronize_context();
}

static void clear_pmu(void)
{
	unsigned version = FIELD(sysreg_read(ID_AA64DFR0_EL1), DFR0_PMU_SHIFT);

	if (!version || version == 0xf)
		return;
	sysreg_write(PMCR_EL0, PMCR_RESET);
	sysreg_write(PMCNTENCLR_EL0, UINT32_MAX);
	sysreg_write(PMINTENCLR_EL1, UINT32_MAX);
	sysreg_write(PMOVSCLR_EL0, UINT32_MAX);
	sysreg_write(PMUSERENR_EL0, 0);
	synchronize_context();
}

void arch_clear_debug_state(void)
{
	bp_reset_cpu();
	clear_pmu();
}
