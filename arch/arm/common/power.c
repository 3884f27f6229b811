// SPDX-License-Identifier: MIT
/*
 * The end of the machine: by the emulator or debugger, if one listens, for it takes an exit status;
 * else by the firmware's PSCI (ARM DEN 0022, 5.9); else the CPU sleeps for good.
 */
#include <hotregs/device.h>

#include <arch/irq.h>
#include <arch/power.h>
#include <asm/psci.h>
#include <asm/semihosting.h>

void arch_power_off(int code)
{
	irq_disable();
	console_drain();
	semihosting_exit(code);
	psci_call(PSCI_SYSTEM_OFF, 0, 0, 0);
	for (;;) {
		complete_accesses();
		__asm__ volatile("wfi");
	}
}
