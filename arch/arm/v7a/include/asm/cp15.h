/* SPDX-License-Identifier: MIT */
/*
 * System registers: cp_read(CPACR), cp_write(CPACR, value). Encodings: ARM DDI 0406C, B3.17 (CP15),
 * B4 and C11 (CP14). A write is seen by what follows only after synchronize_context() of
 * asm/cache.h.
 */
#pragma once

#include <hotregs/types.h>

#define cp_read(encoding)                                     \
	({                                                    \
		u32 _v;                                       \
		__asm__ volatile("mrc " encoding : "=r"(_v)); \
		_v;                                           \
	})
#define cp_write(encoding, value) __asm__ volatile("mcr " encoding ::"r"((u32)(value)) : "memory")

#define MIDR       "p15, 0, %0, c0, c0, 0"
#define CTR        "p15, 0, %0, c0, c0, 1"
#define MPIDR      "p15, 0, %0, c0, c0, 5"
#define ID_PFR0    "p15, 0, %0, c0, c1, 0"
#define ID_MMFR0   "p15, 0, %0, c0, c1, 4"
#define ID_MMFR3   "p15, 0, %0, c0, c1, 7"
#define CPACR      "p15, 0, %0, c1, c0, 2"
#define TTBR0      "p15, 0, %0, c2, c0, 0"
#define TTBR1      "p15, 0, %0, c2, c0, 1"
#define DFSR       "p15, 0, %0, c5, c0, 0"
#define IFSR       "p15, 0, %0, c5, c0, 1"
#define DFAR       "p15, 0, %0, c6, c0, 0"
#define IFAR       "p15, 0, %0, c6, c0, 2"
#define PMCR       "p15, 0, %0, c9, c12, 0"
#define PMCNTENCLR "p15, 0, %0, c9, c12, 2"
#define PMOVSR     "p15, 0, %0, c9, c12, 3"
#define PMUSERENR  "p15, 0, %0, c9, c14, 0"
#define PMINTENCLR "p15, 0, %0, c9, c14, 2"
#define VBAR       "p15, 0, %0, c12, c0, 0"
#define CONTEXTIDR "p15, 0, %0, c13, c0, 1"
#define TPIDRURW   "p15, 0, %0, c13, c0, 2"
#define TPIDRURO   "p15, 0, %0, c13, c0, 3"
#define TPIDRPRW   "p15, 0, %0, c13, c0, 4"
#define CNTKCTL    "p15, 0, %0, c14, c1, 0"

#define TEECR "p14, 6, %0, c0, c0, 0"

#define DBGDIDR       "p14, 0, %0, c0, c0, 0"
#define DBGDSCREXT    "p14, 0, %0, c0, c2, 2"
#define DBGAUTHSTATUS "p14, 0, %0, c7, c14, 6"
#define DBGOSLSR      "p14, 0, %0, c1, c1, 4"
#define DBGVCR        "p14, 0, %0, c0, c7, 0"
#define DBGOSLAR      "p14, 0, %0, c1, c0, 4"
#define DBGOSDLR      "p14, 0, %0, c1, c3, 4"
