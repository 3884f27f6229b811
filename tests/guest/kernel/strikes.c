/* SPDX-License-Identifier: MIT */
/* Opens and closes breakpoints for tests in the kernel. */
#include <hotregs/cpu.h>
#include <hotregs/task.h>
#include <uapi/perf_event.h>

#include "strikes.h"

volatile struct told told;

static u8 elsewhere[8] __aligned(8);

void note_strike(struct breakpoint *bp, const struct bp_hit *hit)
{
	told.n++;
	told.ip = regs_ip(hit->regs);
	told.before_access = hit->before_access;
}

static int parse(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	const char *why = "";

	return bp_parse(&attr, &bp->parts, &why) ?: breakpoint_check(&bp->parts, false, &why);
}

bool no_breakpoints(void)
{
	struct breakpoint bp;
	bool none = parse(&bp, HW_BREAKPOINT_W, (unsigned long)elsewhere, 1) == -EOPNOTSUPP;

	if (none)
		ktest_skip("this machine has no breakpoints");
	return none;
}

int try_bp(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len)
{
	int err = parse(bp, type, addr, len);

	if (!EXPECT_EQ(err, 0))
		return err;
	if (!bp->hit)
		bp->hit = note_strike;
	err = breakpoint_reserve(bp);
	if (!err)
		breakpoint_enable(bp);
	return err;
}

bool open_bp(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len)
{
	return EXPECT_EQ(try_bp(bp, type, addr, len), 0);
}

void close_bp(struct breakpoint *bp)
{
	breakpoint_disable(bp);
	breakpoint_release(bp);
}

/* Never executed. */
static noinline void nobody_calls(void)
{
	barrier();
}

void open_others(struct breakpoint others[], unsigned n, u32 type, struct task *task, s32 cpu)
{
	unsigned long addr =
	    (unsigned long)(type == HW_BREAKPOINT_X ? (void *)nobody_calls : elsewhere);

	for (unsigned i = 0; i < n; i++) {
		others[i] = (struct breakpoint){.task = task, .cpu = cpu};
		open_bp(&others[i], type, addr, 1);
	}
}

void close_others(struct breakpoint others[], unsigned n)
{
	while (n--)
		close_bp(&others[n]);
}

bool is_in_slot(const struct breakpoint *bp, unsigned nth)
{
	unsigned pool = bp_pool(&bp->parts.form[0]);

	if (bp->task)
		return bp->task->breakpoints.set.owner[pool][nth] == bp;
	return this_cpu()->breakpoints.own.owner[pool][bp_pool_size(pool) - 1 - nth] == bp;
}

unsigned slots_of(u32 type)
{
	struct breakpoint bp;

	EXPECT_EQ(parse(&bp, type, (unsigned long)nobody_calls, 1), 0);
	return bp_pool_size(bp_pool(&bp.parts.form[0]));
}
