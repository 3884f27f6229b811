/* SPDX-License-Identifier: MIT */
/* What user_copy.S, uaccess.c and the trap code share beside extable_fixup() of asm/traps.h. */
#pragma once

/* USER_START and USER_END as assembly can read them; uaccess.c asserts that they agree. */
#define UACCESS_START 0x10000
#define UACCESS_END   0x00007ffffffff000

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

struct pt_regs;

/* May the instruction at @regs touch user memory, that is, has it a fixup? Any context. */
bool extable_covers(const struct pt_regs *regs);
#endif
