// SPDX-License-Identifier: MIT
/*
 * The end of the machine: by the emulator or debugger, if one listens, for it takes an exit status;
 * else by the firmware's PSCI (ARM DEN 0022, 5.9); else the CPU sleeps for good.
 */
#include <hotregs/board.h>
#include <hotregs/device.h>

#include <arch/irq.h>
#include <arch/power.h>
#include <asm/semihosting.h>

#define PSCI_SYSTEM_OFF 0x84000008

/* Returns only if the firmware refuses. */
static void psci_off(void)
{
	register u32 r0 __asm__("r0") = PSCI_SYSTEM_OFF;

	if (boot_psci == BOOT_PSCI_HVC)
		__asm__ volatile(".arch_extension virt\n\thvc #0"
				 : "+r"(r0)::"r1", "r2", "r3", "r12", "memory");
	else if (boot_psci == BOOT_PSCI_SMC)
		__asm__ volatile(".arch_extension sec\n\tsmc #0"
				 : "+r"(r0)::"r1", "r2", "r3", "r12", "memory");
}

void arch_power_off(int code)
{
	irq_disable();
	console_drain();
	semihosting_exit(code);
	psci_off();
	for (;;) {
		complete_accesses();
		__asm__ volatile("wfi");
	}
}
