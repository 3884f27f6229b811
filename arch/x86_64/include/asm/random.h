/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/random.h: RDRAND (Intel SDM vol. 1, 7.3.17). */
#pragma once

#include <asm/msr.h>

#define CPUID1_ECX_RDRAND BIT(30)

static inline bool arch_random(unsigned long *word)
{
	bool ready = false;

	if (!(cpuid(1).ecx & CPUID1_ECX_RDRAND))
		return false;
	/* Ten tries are what the manual asks for before the generator is given up. */
	for (int i = 0; i < 10 && !ready; i++)
		__asm__ volatile("rdrand %0" : "=r"(*word), "=@ccc"(ready));
	return ready;
}
