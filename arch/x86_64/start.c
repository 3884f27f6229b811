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

void x86_64_start(u32 magic, u32 start_info, u64 entry_cycles)
{
	struct cpu *cpu = &cpus[0];
	int err;

	kernel_entry_cycles = entry_cycles;
	arch_init_early();
	nr_cpus = 1;
	time_init_cpu(cpu);
	sched_init_cpu(cpu, &boot_idle, (unsigned long)boot_stack);
	err = boot_parse_pc(magic, start_info);
	if (err)
		panic("what the boot loader handed over cannot be used (%s, error %d)",
		      boot_info.protocol ? boot_info.protocol : "unknown protocol", -err);
	start_kernel();
}
