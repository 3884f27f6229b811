/* SPDX-License-Identifier: MIT */
/* Debug registers that a test models: see test_v7a_breakpoint.c. */
#pragma once

#include <asm/cp15.h>

void dbgbvr_write(unsigned n, u32 value);
void dbgbcr_write(unsigned n, u32 value);
void dbgwvr_write(unsigned n, u32 value);
void dbgwcr_write(unsigned n, u32 value);
u32 dbgwcr0_read(void);
