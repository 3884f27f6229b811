/* SPDX-License-Identifier: MIT */
/* x86_64's first C code: enough for faults to be reported, then the portable start. */
#include <hotregs/boot_info.h>
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include <arch/init.h>
#include <asm/start.h>
#include <asm/traps.h>

static struct task boot_idle;

void x86_64_start(const void *start_info, u64 entry_cycles)
{
	struct cpu *cpu = &cpus[0];

	kernel_entry_cycles = entry_cycles;
	arch_init_early();
	nr_cpus = 1;
	time_init_cpu(cpu);
	sched_init_cpu(cpu, &boot_idle, (unsigned long)boot_stack);
	if (boot_parse_pvh(start_info))
		panic("the boot loader's PVH structure is malformed");
	start_kernel();
}
