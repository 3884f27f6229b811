/* SPDX-License-Identifier: MIT */
/* The firmware's power functions (ARM DEN 0022, 5), called as the device tree says. */
#pragma once

#include <hotregs/board.h>

#define PSCI_CPU_ON     0x84000003
#define PSCI_SYSTEM_OFF 0x84000008

/* 5.2.2 */
enum psci_result {
	PSCI_SUCCESS = 0,
	PSCI_NOT_SUPPORTED = -1,
	PSCI_INVALID_PARAMETERS = -2,
	PSCI_DENIED = -3,
	PSCI_ALREADY_ON = -4,
	PSCI_ON_PENDING = -5,
	PSCI_INTERNAL_FAILURE = -6,
	PSCI_NOT_PRESENT = -7,
	PSCI_DISABLED = -8,
};

/* Returns what the firmware does, one of the above or another negative number. Any context. */
static inline int psci_call(u32 function, u32 arg0, u32 arg1, u32 arg2)
{
	register u32 r0 __asm__("r0") = function;
	register u32 r1 __asm__("r1") = arg0;
	register u32 r2 __asm__("r2") = arg1;
	register u32 r3 __asm__("r3") = arg2;

	if (boot_psci == BOOT_PSCI_HVC)
		__asm__ volatile(".arch_extension virt\n\thvc #0"
				 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"r12", "memory");
	else if (boot_psci == BOOT_PSCI_SMC)
		__asm__ volatile(".arch_extension sec\n\tsmc #0"
				 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"r12", "memory");
	else
		return PSCI_NOT_SUPPORTED;
	return r0;
}
