/* SPDX-License-Identifier: MIT */
/* Checks of lists, reference counts and tasks, before what they would make worse is done. */
#include <hotregs/list.h>
#include <hotregs/refcount.h>
#include <hotregs/task.h>

#include "check.h"

/* No object has so many users; it is on its way to wrap around. */
#define REFCOUNT_LIMIT (UINT32_MAX / 2)

bool check_list_insert(struct list_head *n, const struct list_head *prev,
		       const struct list_head *next)
{
	if (prev->next != next || next->prev != prev)
		return check_failed("list: %p and %p are no neighbours, but lead to %p and %p",
				    prev, next, prev->next, next->prev);
	if (n == prev || n == next)
		return check_failed("list: %p is inserted beside itself", n);
	return true;
}

bool check_list_delete(const struct list_head *n)
{
	if (n->next == LIST_POISON_NEXT || n->prev == LIST_POISON_PREV)
		return check_failed("list: %p is deleted twice", n);
	if (n->prev->next != n || n->next->prev != n)
		return check_failed("list: %p is no neighbour of its neighbours %p and %p", n,
				    n->prev, n->next);
	return true;
}

bool check_refcount_get(const struct refcount *r)
{
	u32 n = refcount_read(r);

	if (!n)
		return check_failed("refcount: %p is taken again after its end", r);
	if (n >= REFCOUNT_LIMIT)
		return check_failed("refcount: %p overflows: 0x%x", r, n);
	return true;
}

bool check_refcount_put(const struct refcount *r)
{
	u32 n = refcount_read(r);

	if (!n || n > REFCOUNT_LIMIT)
		return check_failed("refcount: %p is dropped more often than taken: 0x%x", r, n);
	return true;
}

void check_task_on(struct task *task)
{
	if (task->check.on_cpu)
		check_failed("%s (%d) runs on two processors, one of them %u", task->comm,
			     task->tid, task->cpu);
	task->check.on_cpu = true;
}

void check_task_off(struct task *task)
{
	task->check.on_cpu = false;
}
