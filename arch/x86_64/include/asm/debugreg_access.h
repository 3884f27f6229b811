/* SPDX-License-Identifier: MIT */
/* Reading and writing the debug registers: nothing else does. Privileged (Intel SDM vol. 2, MOV).
 */
#pragma once

#include <hotregs/types.h>

#define DR_ACCESSORS(n)                                                       \
	static __always_inline unsigned long dr##n##_read(void)               \
	{                                                                     \
		unsigned long value;                                          \
                                                                              \
		__asm__ volatile("movq %%db" #n ", %0" : "=r"(value));        \
		return value;                                                 \
	}                                                                     \
	static __always_inline void dr##n##_write(unsigned long value)        \
	{                                                                     \
		__asm__ volatile("movq %0, %%db" #n ::"r"(value) : "memory"); \
	}

DR_ACCESSORS(0)
DR_ACCESSORS(1)
DR_ACCESSORS(2)
DR_ACCESSORS(3)
DR_ACCESSORS(6)
DR_ACCESSORS(7)
