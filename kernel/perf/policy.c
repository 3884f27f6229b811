/* SPDX-License-Identifier: MIT */
/*
 * The policy (contracts C4, C5): what an event sees of a strike. All there is of exclude_user and
 * exclude_kernel but for the chain, which callchain.c trims.
 */
#include "event.h"

#include <arch/mmu.h>
#include <arch/regs.h>

/* The frame with which @task left user mode; NULL: a kernel thread, or it has not been there yet.
 */
static struct pt_regs *user_frame(const struct task *task)
{
	struct pt_regs *user = task_user_regs(task);

	/* Before its first return to user mode a task has no complete frame. */
	return user && user_mode(user) ? user : NULL;
}

/*
 * Struck in the kernel:
 *
 *   task     exclude_kernel exclude_user   sampling event              counting event
 *   user           0             0         kernel IP, both chains      counts
 *   user           1             0         user frame, user chain      counts nothing
 *   user           0             1         kernel IP, kernel chain     counts
 *   user           1             1         nothing                     nothing
 *   kernel         0            any        kernel IP, kernel chain     counts
 *   kernel         1            any        nothing                     nothing
 *
 * Struck in user mode: user frame and chain unless exclude_user. Registers, stack and chain of the
 * user's go together: a sample without the chain for exclude_user's sake has none of them.
 */
struct pt_regs *perf_policy(const struct perf_event *event, const struct task *task,
			    struct pt_regs *regs, u64 *addr)
{
	u8 exclude = event->exclude;
	struct pt_regs *user;

	if (exclude & EXCLUDE_ALL)
		return NULL;
	if ((exclude & EXCLUDE_IDLE) && (task->flags & TASK_IDLE))
		return NULL;
	if (user_mode(regs))
		return exclude & EXCLUDE_USER ? NULL : regs;
	if (!(exclude & EXCLUDE_KERNEL))
		return regs;
	if ((exclude & EXCLUDE_USER) || !event->sampling)
		return NULL;
	user = user_frame(task);
	if (!user)
		return NULL;
	if (addr && *addr >= USER_END)
		*addr = 0;
	return user;
}

const struct pt_regs *perf_policy_user_regs(const struct perf_event *event, const struct task *task,
					    const struct pt_regs *regs)
{
	if (event->exclude & EXCLUDE_USER)
		return NULL;
	return user_mode(regs) ? regs : user_frame(task);
}
