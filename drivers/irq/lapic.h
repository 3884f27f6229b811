/* SPDX-License-Identifier: MIT */
/* Registers of the local APIC (Intel SDM vol. 3, table 10-1), for the drivers of its parts. */
#pragma once

#include <arch/io.h>

#define LAPIC_ID            0x20
#define LAPIC_VERSION       0x30
#define LAPIC_TPR           0x80
#define LAPIC_EOI           0xb0
#define LAPIC_SVR           0xf0
#define LAPIC_ISR           0x100 /* eight registers, 16 bytes apart */
#define LAPIC_ESR           0x280
#define LAPIC_LVT_CMCI      0x2f0
#define LAPIC_ICR           0x300
#define LAPIC_ICR_HIGH      0x310
#define LAPIC_LVT_TIMER     0x320
#define LAPIC_LVT_THERMAL   0x330
#define LAPIC_LVT_PERF      0x340
#define LAPIC_LVT_LINT0     0x350
#define LAPIC_LVT_LINT1     0x360
#define LAPIC_LVT_ERROR     0x370
#define LAPIC_INITIAL_COUNT 0x380
#define LAPIC_CURRENT_COUNT 0x390
#define LAPIC_DIVIDE        0x3e0

#define LAPIC_LVT_MASKED  BIT(16)
#define LAPIC_DIVIDE_BY_1 0xb

/* The calling CPU's registers, at one address for all; NULL before its driver has run. */
extern volatile u8 *lapic_base;

/* irq_chip's: sets up the calling CPU's, not the first one's. Interrupts off. */
void lapic_start_cpu(void);

static inline u32 lapic_read(u32 reg)
{
	return mmio_read32(lapic_base + reg);
}

static inline void lapic_write(u32 reg, u32 value)
{
	mmio_write32(lapic_base + reg, value);
}
