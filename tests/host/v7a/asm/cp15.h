/* SPDX-License-Identifier: MIT */
/* System registers that a test models: see test_v7a_breakpoint.c. */
#pragma once

#include <hotregs/types.h>

enum host_cp { DBGDIDR, DBGDSCREXT, DBGVCR, DBGOSLAR, DBGOSDLR, HOST_CP };

u32 cp_read(enum host_cp reg);
void cp_write(enum host_cp reg, u32 value);
