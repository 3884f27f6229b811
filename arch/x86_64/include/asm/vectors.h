/* SPDX-License-Identifier: MIT */
/* Which interrupt vector means what, and how an interrupt is acknowledged. */
#pragma once

#include <hotregs/types.h>

#define VECTOR_IRQ_BASE 32   /* + global system interrupt 0..NR_IRQS-1 */
#define VECTOR_8259     0xe0 /* 16 vectors nobody uses: the legacy controllers stay masked */
#define VECTOR_TIMER    0xf0
#define VECTOR_IRQ_WORK 0xf1
#define VECTOR_SPURIOUS 0xff /* not acknowledged (Intel SDM vol. 3, 10.9) */

/* Tells the local APIC that the interrupt being served is done with. Interrupts off. */
void lapic_eoi(void);
