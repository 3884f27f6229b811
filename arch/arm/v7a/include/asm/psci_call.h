/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of asm/psci.h. */
#pragma once

#define PSCI_CPU_ON 0x84000003

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
