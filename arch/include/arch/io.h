/* SPDX-License-Identifier: MIT */
/* Architecture contract: device registers. In memory everywhere; x86 adds I/O ports (asm/io.h). */
#pragma once

#include <hotregs/types.h>

/* One access of exactly this width to a register mapped by ioremap(). Any context. */
static inline u8 mmio_read8(const volatile void *reg)
{
	return *(const volatile u8 *)reg;
}

static inline u16 mmio_read16(const volatile void *reg)
{
	return *(const volatile u16 *)reg;
}

static inline u32 mmio_read32(const volatile void *reg)
{
	return *(const volatile u32 *)reg;
}

static inline void mmio_write8(volatile void *reg, u8 value)
{
	*(volatile u8 *)reg = value;
}

static inline void mmio_write16(volatile void *reg, u16 value)
{
	*(volatile u16 *)reg = value;
}

static inline void mmio_write32(volatile void *reg, u32 value)
{
	*(volatile u32 *)reg = value;
}

#include <asm/io.h>
