/* SPDX-License-Identifier: MIT */
/* The end of the machine: QEMU's exit device where there is one, else ACPI's soft-off state. */
#include <hotregs/acpi.h>
#include <hotregs/device.h>

#include <arch/io.h>
#include <arch/irq.h>
#include <arch/power.h>

#define DEBUG_EXIT_PORT 0xf4 /* QEMU isa-debug-exit: the status is the written value * 2 + 1 */

/*
 * PM1 control (ACPI 6.4, 4.8.3.2.1): sleep enable, with sleep type 0, which is what QEMU's machines
 * name as soft-off in the \_S5 object; reading that would need an interpreter of its language.
 */
#define PM1_SLP_EN BIT(13)

void arch_power_off(int code)
{
	irq_disable();
	console_drain();
	outl(DEBUG_EXIT_PORT, code);
	if (acpi_info.pm1a_control)
		outw(acpi_info.pm1a_control, PM1_SLP_EN);
	for (;;)
		__asm__ volatile("hlt");
}
