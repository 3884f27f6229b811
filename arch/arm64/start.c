// SPDX-License-Identifier: MIT
/* AArch64's first C code: enough for faults to be reported, then the portable start. */
#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include <arch/init.h>
#include <arch/mmu.h>
#include <asm/start.h>

u64 boot_entry_level; /* boot/head.S */

static struct task boot_idle;

void arm64_start(unsigned long params, u64 entry_cycles)
{
	struct cpu *cpu = &cpus[0];
	u64 lost;

	kernel_entry_cycles = entry_cycles;
	mmu_boot_init();
	arch_init_early();
	nr_cpus = 1;
	time_init_cpu(cpu);
	sched_init_cpu(cpu, &boot_idle, (unsigned long)boot_stack);
	arch_set_current(&boot_idle);
	printk("cpu: entered at EL%llu, runs at EL1\n", boot_entry_level);
	if (boot_parse_arm(0, params, mmu_boot_window))
		panic("cannot start without a description of this machine");
	lost = mmu_boot_map();
	if (lost)
		printk("memory: %llu KiB of RAM are out of reach and not used\n", lost >> 10);
	start_kernel();
}
