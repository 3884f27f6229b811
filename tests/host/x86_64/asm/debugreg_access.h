/* SPDX-License-Identifier: MIT */
/* Debug registers that a test models: see test_x86_breakpoint.c. */
#pragma once

unsigned long host_dr_read(unsigned n);
void host_dr_write(unsigned n, unsigned long value);

#define DR_ACCESSORS(n)                                       \
	static inline unsigned long dr##n##_read(void)        \
	{                                                     \
		return host_dr_read(n);                       \
	}                                                     \
	static inline void dr##n##_write(unsigned long value) \
	{                                                     \
		host_dr_write(n, value);                      \
	}

DR_ACCESSORS(0)
DR_ACCESSORS(1)
DR_ACCESSORS(2)
DR_ACCESSORS(3)
DR_ACCESSORS(6)
DR_ACCESSORS(7)
