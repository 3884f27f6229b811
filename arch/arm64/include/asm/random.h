/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/random.h: RNDR (Arm ARM DDI 0487, D17.8.4), where the processor has it. */
#pragma once

#include <asm/sysreg.h>

#define ISAR0_RNDR_SHIFT 60

static inline bool arch_random(unsigned long *word)
{
	bool ready;

	if (!(sysreg_read(ID_AA64ISAR0_EL1) >> ISAR0_RNDR_SHIFT))
		return false;
	/* Z: there was none ready. */
	__asm__ volatile("mrs %0, s3_3_c2_c4_0\n\tcset %w1, ne" : "=r"(*word), "=r"(ready)::"cc");
	return ready;
}
