// SPDX-License-Identifier: MIT
/*
 * A processor's own set-up: vectors, exception stacks, control registers; and a clean slate in the
 * debug and performance registers.
 */
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <arch/breakpoint.h>
#include <arch/init.h>
#include <arch/irq.h>
#include <asm/cp15.h>
#include <asm/start.h>
#include <asm/traps.h>

/* ARM DDI 0406C: CPACR B4.1.40, FPEXC B4.1.57, MVFR0 B4.1.108, CNTKCTL B4.1.26. */
#define ID_PFR0_THUMBEE (0xf << 12)
#define TEECR_XED       BIT(0)

#define CPACR_VFP       0x00f00000 /* coprocessors 10 and 11 are anybody's */
#define CPACR_NO_D32    BIT(30)
#define CPACR_NO_SIMD   BIT(31)
#define FPEXC_EN        BIT(30)
#define MVFR0_REGISTERS 0xf
#define MVFR0_D32       2
#define CNTKCTL_PL0VCT  BIT(1) /* programs may read the virtual count */

/* PMU (B4.1.117): E clear; P and C zero the counters. */
#define PMCR_RESET 6

void percpu_init(struct cpu *cpu)
{
	cpu->self = cpu;
	cp_write(TPIDRPRW, cpu);
	cp_write(TPIDRURO, 0);
	cp_write(TPIDRURW, 0);
}

/* Abort mode's stack pointer: see vector_data_abort in entry.S. The other modes need none. */
static void set_abort_stack(struct arch_cpu *arch)
{
	arch->emergency_sp = (unsigned long)arch->emergency_stack + EMERGENCY_STACK_SIZE;
	__asm__ volatile("cps #0x17\n\t"
			 "mov sp, %0\n\t"
			 "cps #0x13" ::"r"(arch->abort_record)
			 : "memory");
}

static void enable_vfp(void)
{
	u32 access, mvfr0;

	cp_write(CPACR, CPACR_VFP);
	synchronize_context();
	access = cp_read(CPACR);
	if ((access & CPACR_VFP) != CPACR_VFP || access & (CPACR_NO_D32 | CPACR_NO_SIMD))
		panic("this processor has no VFP and Advanced SIMD, or forbids them (CPACR %08x)",
		      access);
	__asm__ volatile(".fpu neon-vfpv4\n\tvmsr fpexc, %0" ::"r"(FPEXC_EN));
	synchronize_context();
	__asm__(".fpu neon-vfpv4\n\tvmrs %0, mvfr0" : "=r"(mvfr0));
	if ((mvfr0 & MVFR0_REGISTERS) != MVFR0_D32)
		panic("this processor has less than 32 VFP registers (MVFR0 %08x)", mvfr0);
}

/*
 * Lets asynchronous aborts and FIQ in. An access that firmware got wrong may have left one of the
 * former, which is then taken here and now.
 */
static void unmask_aborts(struct arch_cpu *arch)
{
	arch->async_abort_expected = true;
	complete_accesses();
	__asm__ volatile("cpsie af" ::: "memory");
	synchronize_context();
	arch->async_abort_expected = false;
}

/*
 * ThumbEE's base register is a program's to write, and no task's own here: where there is one it is
 * closed to programs (ARM DDI 0406C, TEECR.XED), or it would tell one task of another.
 */
static void close_thumbee(void)
{
	if (cp_read(ID_PFR0) & ID_PFR0_THUMBEE)
		cp_write(TEECR, TEECR_XED);
}

void arch_cpu_init(struct cpu *cpu)
{
	cpu->arch.mpidr = cp_read(MPIDR) & MPIDR_AFFINITY;
	cp_write(VBAR, exception_vectors);
	set_abort_stack(&cpu->arch);
	synchronize_context();
	arch_clear_debug_state();
	unmask_aborts(&cpu->arch);
	enable_vfp();
	close_thumbee();
	cp_write(CNTKCTL, CNTKCTL_PL0VCT);
	synchronize_context();
}

bool cpu_try(void (*fn)(void))
{
	struct arch_cpu *arch = &this_cpu()->arch;

	arch->met_undefined = false;
	arch->skip_undefined = true;
	barrier();
	fn();
	barrier();
	arch->skip_undefined = false;
	return !arch->met_undefined;
}

static void clear_pmu(void)
{
	cp_write(PMCR, PMCR_RESET);
	cp_write(PMCNTENCLR, 0xffffffff);
	cp_write(PMINTENCLR, 0xffffffff);
	cp_write(PMOVSR, 0xffffffff); /* ones clear */
	cp_write(PMUSERENR, 0);
	synchronize_context();
}

/* Without a PMU, or with its registers locked away, nothing is armed. */
void arch_clear_debug_state(void)
{
	bp_reset_cpu();
	cpu_try(clear_pmu);
}
