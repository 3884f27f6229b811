/* SPDX-License-Identifier: MIT */
/* The bits of the debug registers (Intel SDM vol. 3, 17.2). */
#pragma once

#include <hotregs/types.h>

#include <asm/debugreg_access.h>

/* DR6, why a debug exception was raised (17.2.3). Bits that nothing has set read so: */
#define DR6_IDLE  0xffff0ff0UL
#define DR6_SLOTS 0xfUL   /* a slot matched; may be set of one that is off */
#define DR6_BD    BIT(13) /* the registers were touched while DR7_GD was set */
#define DR6_BS    BIT(14) /* a single step */

/* DR7, control (17.2.4). For slot n: an enabling bit 2n+1; R/W and LEN from bit 16+4n on. */
#define DR7_IDLE       0x400UL /* nothing is on; bit 10 always reads as 1 */
#define DR7_ON(n)      (2UL << 2 * (n))
#define DR7_ALL_ON     0xaaUL
#define DR7_CONTROL(n) (16 + 4 * (n))
#define DR7_SLOT(n)    (3UL << 2 * (n) | 0xfUL << DR7_CONTROL(n))
#define DR7_GD         BIT(13)

/* R/W, the lower two bits of a slot's control, and LEN, the others (17.2.4, 17.2.5). */
#define DR7_EXEC       0U
#define DR7_WRITE      1U
#define DR7_IO         2U
#define DR7_READ_WRITE 3U
#define DR7_TYPE(c)    ((c)&3U)
#define DR7_LEN(c)     ((c) >> 2 & 3U)
