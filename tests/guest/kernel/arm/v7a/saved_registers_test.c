/* SPDX-License-Identifier: MIT */
/* The walker over saved registers that are not where, or not what, its tables say. */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/perf.h>
#include <arch/regs.h>

#include "../../ktest.h"

static struct pt_regs hot;

/* Saves FP and LR, and nothing else: a table that starts from FP. */
static noinline void take_hot_regs(void)
{
	arch_hot_regs(&hot);
	barrier();
}

/* Frames seen from hot regs in which the frame pointer was replaced; a sample's chain has as many.
 */
static int depth_with_fp(unsigned long fp)
{
	static u64 ip[1000];
	struct callchain chain = {ip, 0, ARRAY_SIZE(ip)};
	struct pt_regs regs = hot;
	struct unwind u;
	int depth = 0;

	regs.r[11] = fp;
	perf_callchain_kernel(&chain, &regs);
	if (unwind_start(&u, current, &regs))
		while (++depth < 1000 && unwind_next(&u))
			;
	EXPECT_EQ(chain.nr, depth);
	return depth;
}

KTEST(unwind_bad_frames_end_the_walk)
{
	unsigned long end = current->stack + KERNEL_STACK_SIZE;
	struct {
		unsigned long
		    self[2];   /* as a prologue leaves it: FP, LR; FP points at the latter */
		u16 skewed[8]; /* the same, but two bytes from where it could be */
	} stack;

	take_hot_regs();
	EXPECT(depth_with_fp(hot.r[11]) > 3);
	stack.self[0] = (unsigned long)&stack.self[1]; /* a frame that is its own caller */
	stack.self[1] = hot.pc;
	memcpy(&stack.skewed[1], stack.self, sizeof(stack.self));
	hot.sp = (unsigned long)&stack;
	EXPECT_EQ(depth_with_fp(0), 1);
	EXPECT_EQ(depth_with_fp(hot.sp + 5), 1); /* odd */
	EXPECT_EQ(depth_with_fp(hot.sp + 6), 1); /* misaligned */
	EXPECT_EQ(depth_with_fp(hot.sp), 1);     /* half below the stack pointer */
	EXPECT_EQ(depth_with_fp(end), 1);        /* half outside */
	EXPECT_EQ(depth_with_fp(end + 4), 1);    /* outside */
	EXPECT_EQ(depth_with_fp(-16UL), 1);      /* would wrap */
	EXPECT_EQ(depth_with_fp(0x400000), 1);   /* user space */
	EXPECT_EQ(depth_with_fp((unsigned long)&stack.skewed[3]), 1);
	EXPECT_EQ(depth_with_fp((unsigned long)&stack.self[1]), 2); /* a cycle: one step, no more */
	stack.self[1] = (unsigned long)&stack;
	EXPECT_EQ(depth_with_fp((unsigned long)&stack.self[1]), 1); /* no code */
}

/* Where a stack begins there is no frame pointer: the first record is the last. */
KTEST(unwind_end_has_no_frame)
{
	struct unwind u;

	arch_hot_regs(&hot);
	if (!EXPECT(unwind_start(&u, current, &hot)))
		return;
	while (unwind_next(&u))
		;
	EXPECT_EQ(u.fp, 0);
	EXPECT(leaves_record(u.ip));
}

KTEST(unwind_stray_stack_pointer)
{
	struct unwind u;

	take_hot_regs();
	hot.sp = 0x1000;
	EXPECT(!unwind_start(&u, current, &hot));
	EXPECT_EQ(depth_with_fp(hot.r[11]), 0);
}
