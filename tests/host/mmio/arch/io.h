/* SPDX-License-Identifier: MIT */
/* Device registers for tests of drivers: each access is the test's model of the device to answer.
 */
#pragma once

#include <hotregs/types.h>

u32 mmio_read32(const volatile void *reg);
void mmio_write16(volatile void *reg, u16 value);
void mmio_write32(volatile void *reg, u32 value);
void outb(u16 port, u8 value);
