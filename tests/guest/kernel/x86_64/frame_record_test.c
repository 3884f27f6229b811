/* SPDX-License-Identifier: MIT */
/* The walker over frame records that are not as they should be. */
#include <hotregs/cpu.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "../ktest.h"

static struct pt_regs hot;

static noinline void take_hot_regs(void)
{
	arch_hot_regs(&hot);
	barrier();
}

/* Frames seen from hot regs in which the frame pointer was replaced. */
static int depth_with_fp(unsigned long fp)
{
	struct pt_regs regs = hot;
	struct unwind u;
	int depth = 0;

	regs.bp = fp;
	if (!unwind_start(&u, current, &regs))
		return 0;
	while (++depth < 1000 && unwind_next(&u))
		;
	return depth;
}

KTEST(unwind_bad_frames_end_the_walk)
{
	unsigned long end = current->stack + KERNEL_STACK_SIZE;
	static struct pt_regs elsewhere; /* a trap frame that lies on no stack */
	unsigned long self[2];

	take_hot_regs();
	elsewhere = hot;
	elsewhere.cs = KERNEL_CS;
	elsewhere.flags = X86_EFLAGS_IF;
	self[0] = (unsigned long)self; /* a record that names itself */
	self[1] = hot.ip;
	hot.sp = (unsigned long)self;
	EXPECT_EQ(depth_with_fp(0), 1);
	EXPECT_EQ(depth_with_fp(hot.sp + 1 + 2), 1);       /* odd, no trap frame there */
	EXPECT_EQ(depth_with_fp(hot.sp + 4), 1);           /* misaligned */
	EXPECT_EQ(depth_with_fp(hot.sp - 16), 1);          /* below the stack pointer */
	EXPECT_EQ(depth_with_fp(end - 8), 1);              /* half outside */
	EXPECT_EQ(depth_with_fp(end), 1);                  /* outside */
	EXPECT_EQ(depth_with_fp(-16UL), 1);                /* would wrap */
	EXPECT_EQ(depth_with_fp(0x400000), 1);             /* user space */
	EXPECT_EQ(depth_with_fp(0x8000000000000000UL), 1); /* not canonical */
	EXPECT_EQ(depth_with_fp((unsigned long)&elsewhere + 1), 1);
	EXPECT_EQ(depth_with_fp((unsigned long)self), 2); /* a cycle: one step, no more */
	self[1] = (unsigned long)self;
	EXPECT_EQ(depth_with_fp((unsigned long)self), 1); /* no code */
}

KTEST(unwind_stray_stack_pointer)
{
	struct unwind u;

	take_hot_regs();
	hot.sp = 0x1000;
	EXPECT(!unwind_start(&u, current, &hot));
}
