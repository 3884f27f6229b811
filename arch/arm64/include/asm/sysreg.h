/* SPDX-License-Identifier: MIT */
/*
 * System registers by name: sysreg_read(ESR_EL1), sysreg_write(TPIDR_EL1, value). Arm ARM DDI 0487,
 * D17. A write is seen by what follows only after synchronize_context() of asm/cache.h.
 */
#pragma once

#include <hotregs/types.h>

#define sysreg_read(reg)                                      \
	({                                                    \
		u64 _v;                                       \
		__asm__ volatile("mrs %0, " #reg : "=r"(_v)); \
		_v;                                           \
	})
#define sysreg_write(reg, value) \
	__asm__ volatile("msr " #reg ", %x0" ::"rZ"((u64)(value)) : "memory")
