/* SPDX-License-Identifier: MIT */
/* ARM's part of struct cpu, as far as what is tested here knows it: see asm/mmu.h here. */
#pragma once

#include <hotregs/types.h>

struct arch_cpu {
	u32 mpidr, asid, asid_kept;
};
