/* SPDX-License-Identifier: MIT */
/*
 * DBGBCR and DBGWCR, ARMv7-A's and AArch64's (ARM DDI 0406C, C11.11.2 and C11.11.44; ARM DDI 0487,
 * D17.3.2 and D17.3.11): what they have in common, and what not.
 */
#pragma once

#include <hotregs/types.h>

#define DBGCR_E        BIT(0)
#define DBGCR_MODES(c) ((c) >> 1 & 3)
#define DBGCR_KERNEL   (1U << 1) /* PL1, EL1 */
#define DBGCR_USER     (2U << 1) /* PL0, EL0 */
#define DBGCR_ALL      (3U << 1)
#define DBGBCR_BAS(c)  ((c) >> 5 & 0xf)
#define DBGWCR_BAS(c)  ((c) >> 5 & 0xff)
#define DBGCR_BAS_AT   5
#define DBGWCR_LSC(c)  ((c) >> 3 & 3)
#define DBGWCR_LSC_AT  3
#define LSC_LOAD       1U
#define LSC_STORE      2U
#define DBGCR_MASK(c)  ((c) >> 24 & 0x1f)
#define DBGCR_MASK_AT  24
