/* SPDX-License-Identifier: MIT */
/* AArch64 part of asm/psci.h. */
#pragma once

#define PSCI_CPU_ON 0xc4000003

static inline int psci_call(u32 function, unsigned long arg0, unsigned long arg1,
			    unsigned long arg2)
{
	register unsigned long x0 __asm__("x0") = function;
	register unsigned long x1 __asm__("x1") = arg0;
	register unsigned long x2 __asm__("x2") = arg1;
	register unsigned long x3 __asm__("x3") = arg2;

	/* What it may change beside the result: SMC Calling Convention (ARM DEN 0028), 2.6. */
	if (boot_psci == BOOT_PSCI_HVC)
		__asm__ volatile("hvc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	else if (boot_psci == BOOT_PSCI_SMC)
		__asm__ volatile("smc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	else
		return PSCI_NOT_SUPPORTED;
	return x0;
}
