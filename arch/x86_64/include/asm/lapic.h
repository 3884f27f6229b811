/* SPDX-License-Identifier: MIT */
/* What x86_64 asks of the local APIC's driver. */
#pragma once

#include <hotregs/types.h>

/* Interrupt commands (Intel SDM vol. 3, 10.6.1): delivery mode, vector. */
#define LAPIC_ICR_FIXED   0x000
#define LAPIC_ICR_INIT    0x500
#define LAPIC_ICR_STARTUP 0x600 /* vector: number of the page to start at */

/* Tells the local APIC that the interrupt being served is done with. Interrupts off. */
void lapic_eoi(void);

/* Sends processor @apic_id, not the caller's, an interrupt @command. Any context. */
void lapic_send(u32 apic_id, u32 command);
