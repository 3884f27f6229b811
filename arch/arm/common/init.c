// SPDX-License-Identifier: MIT
/* The first processor's first steps in C, and what its boot leaves behind: ARMv7-A's and AArch64's.
 */
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/mm.h>
#include <hotregs/time.h>

#include <arch/init.h>
#include <asm/start.h>

static u8 boot_emergency_stack[EMERGENCY_STACK_SIZE] __aligned(16);

void arch_init_early(void)
{
	struct cpu *cpu = &cpus[0];

	arm_clock.base = kernel_entry_cycles; /* time begins */
	percpu_init(cpu);
	cpu->arch.emergency_stack = boot_emergency_stack;
	arch_cpu_init(cpu);
}

void arch_init(void)
{
	unsigned long guard = (unsigned long)boot_stack_guard;

	mmu_unmap(&kernel_mmu, guard);
	mmu_flush(guard, guard + PAGE_SIZE);
}
