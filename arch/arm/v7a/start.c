// SPDX-License-Identifier: MIT
/* ARMv7-A's first C code: enough for faults to be reported, then the portable start. */
#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include <arch/init.h>
#include <arch/mmu.h>
#include <asm/start.h>

u32 boot_entry_state, boot_is_secure; /* boot/head.S */

static struct task boot_idle;

/* Which state this is matters to whoever wants to profile or to set breakpoints. */
static void print_state(void)
{
	static const char *const entered[] = {
	    [BOOT_ENTRY_SVC] = "Supervisor mode",
	    [BOOT_ENTRY_SECURE] = "Secure state",
	    [BOOT_ENTRY_HYP] = "Hyp mode",
	};

	printk("cpu: entered in %s, runs in %s Supervisor mode\n", entered[boot_entry_state],
	       boot_is_secure ? "Secure" : "Non-secure");
	if (boot_is_secure)
		printk(
		    "cpu: in Secure state no breakpoint or watchpoint strikes in the kernel, and "
		    "the PMU counts nothing but cycles\n");
}

void arm_start(u32 params, u32 machine, u64 entry_cycles)
{
	struct cpu *cpu = &cpus[0];
	u64 lost;

	kernel_entry_cycles = entry_cycles;
	mmu_boot_init();
	arch_init_early();
	nr_cpus = 1;
	time_init_cpu(cpu);
	sched_init_cpu(cpu, &boot_idle, (unsigned long)boot_stack);
	print_state();
	if (boot_parse_arm(machine, params, mmu_boot_window))
		panic("cannot start without a description of this machine");
	lost = mmu_boot_map();
	if (lost)
		printk("memory: %llu KiB of RAM are out of reach and not used\n", lost >> 10);
	start_kernel();
}
