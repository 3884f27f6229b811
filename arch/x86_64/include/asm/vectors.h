/* SPDX-License-Identifier: MIT */
/* Which interrupt vector means what. */
#pragma once

#include <hotregs/types.h>

#define VECTOR_IRQ_BASE 32   /* + global system interrupt 0..NR_IRQS-1 */
#define VECTOR_8259     0xe0 /* 16 vectors nobody uses: the legacy controllers stay masked */
#define VECTOR_TIMER    0xf0
#define VECTOR_IRQ_WORK 0xf1
#define VECTOR_IPI      0xf2
#define VECTOR_SPURIOUS 0xff /* not acknowledged (Intel SDM vol. 3, 10.9) */
