/* SPDX-License-Identifier: MIT */
/* System registers that a test models: see test_arm64_breakpoint.c. */
#pragma once

#include <hotregs/types.h>

enum host_sysreg { ID_AA64DFR0_EL1, MDSCR_EL1, OSLAR_EL1, OSDLR_EL1, NR_HOST_SYSREGS };

u64 sysreg_read(enum host_sysreg reg);
void sysreg_write(enum host_sysreg reg, u64 value);
