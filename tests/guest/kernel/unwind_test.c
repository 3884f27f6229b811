/* SPDX-License-Identifier: MIT */
/* The kernel walker over frames as they should be, and the symbols it shows. */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "ktest.h"

static struct pt_regs hot;

static noinline void take_regs(void)
{
	arch_hot_regs(&hot);
	barrier();
}

KTEST(unwind_own_chain)
{
	struct unwind u;

	take_regs();
	/* take_regs() has returned: go on from this frame, which its record named. */
	if (!EXPECT(unwind_start(&u, current, &hot)))
		return;
	EXPECT_STR(kallsyms_lookup(u.ip, NULL, NULL), "take_regs");
}

KTEST(kallsyms_knows_functions)
{
	unsigned long offset, size;

	EXPECT_STR(kallsyms_lookup((unsigned long)take_regs + 1, &offset, &size), "take_regs");
	EXPECT_EQ(offset, 1);
	EXPECT(size > 1);
	EXPECT(!kallsyms_lookup(0x400000, NULL, NULL));
	EXPECT_EQ(kallsyms_address("take_regs"), (unsigned long)take_regs);
	EXPECT_EQ(kallsyms_address("no such function"), 0);
}
