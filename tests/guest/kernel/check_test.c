/* SPDX-License-Identifier: MIT */
/* Each of the kernel's checks of itself sees what it is there for, and leaves it undone. */
#include <hotregs/cpu.h>
#include <hotregs/list.h>
#include <hotregs/mm.h>
#include <hotregs/refcount.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include <arch/uaccess.h>

#include "ktest.h"

KTEST(check_list_neighbours)
{
	struct list_head list = LIST_HEAD_INIT(list), other = LIST_HEAD_INIT(other), a, b;

	list_add_tail(&a, &list);
	list.next = &other;
	EXPECT_REPORT("are no neighbours", list_add(&b, &list));
	EXPECT_REPORT("is no neighbour of its neighbours", list_del(&a));
	list.next = &a;
	EXPECT_REPORT("is inserted beside itself", list_add(&a, &list));
	EXPECT(list.next == &a && list.prev == &a && a.next == &list && a.prev == &list);
	list_del(&a);
	EXPECT(list_empty(&list));
}

KTEST(check_list_deleted_twice)
{
	struct list_head list = LIST_HEAD_INIT(list), a, b;

	list_add_tail(&a, &list);
	list_add_tail(&b, &list);
	list_del(&a);
	EXPECT_REPORT("is deleted twice", list_del(&a));
	EXPECT_REPORT("is deleted twice", list_del_init(&a));
	list_del_init(&b);
	list_del_init(&b); /* harmless */
	EXPECT(list_empty(&list));
}

KTEST(check_refcount)
{
	struct refcount refs = REFCOUNT_INIT(1);

	refcount_get(&refs);
	EXPECT(!refcount_put(&refs));
	EXPECT(refcount_put(&refs));
	EXPECT_REPORT("dropped more often than taken", EXPECT(!refcount_put(&refs)));
	EXPECT_REPORT("taken again after its end", refcount_get(&refs));
	EXPECT_EQ(refcount_read(&refs), 0);
	refcount_set(&refs, UINT32_MAX / 2);
	EXPECT_REPORT("overflows", refcount_get(&refs));
	refcount_set(&refs, UINT32_MAX);
	EXPECT_REPORT("dropped more often than taken", refcount_put(&refs));
}

static struct spinlock outer = SPINLOCK_INIT;
static struct spinlock inner = SPINLOCK_INIT;
static struct spinlock third = SPINLOCK_INIT;

static noinline void take_pair(struct spinlock *first, struct spinlock *second)
{
	spin_lock(first);
	spin_lock(second);
	spin_unlock(second);
	spin_unlock(first);
}

/* The second of a pair is refused, and so are both of its calls. */
static noinline void take_wrong_pair(struct spinlock *first, struct spinlock *second)
{
	spin_lock(first);
	spin_lock(second);
	spin_unlock(first);
}

KTEST(check_spinlock_order)
{
	unsigned long flags = irq_save();

	take_pair(&outer, &inner);
	take_pair(&outer, &inner);
	take_pair(&inner, &third);
	EXPECT_REPORT("take_wrong_pair", take_wrong_pair(&inner, &outer));
	/* By way of another one; and both places are told. */
	EXPECT_REPORT("lock order: spinlock of tests/guest/kernel/check_test.c",
		      take_wrong_pair(&third, &outer));
	EXPECT_REPORT("take_pair", take_wrong_pair(&third, &inner));
	irq_restore(flags);
	EXPECT(!outer.held && !inner.held && !third.held);
}

KTEST(check_spinlock_of_the_same_class)
{
	struct spinlock lock[2];
	unsigned long flags = irq_save();

	for (int i = 0; i < 2; i++)
		spin_lock_init(&lock[i]);
	EXPECT_REPORT("taken in take_wrong_pair", take_wrong_pair(&lock[0], &lock[1]));
	irq_restore(flags);
}

KTEST(check_spinlock_of_its_own)
{
	unsigned long flags = spin_lock_irqsave(&outer);

	EXPECT_REPORT("waits for itself", spin_lock(&outer));
	spin_unlock(&outer);
	EXPECT_REPORT("by who does not hold it", spin_unlock(&outer));
	irq_restore(flags);
}

KTEST(check_spinlock_context)
{
	struct spinlock never_set_up = {0};
	unsigned long flags;

	EXPECT_REPORT("interrupts are on", spin_lock(&outer));
	flags = spin_lock_irqsave(&outer);
	irq_enable();
	EXPECT_REPORT("interrupts are on", spin_unlock(&outer));
	irq_disable();
	spin_unlock(&outer);
	EXPECT_REPORT("never set up", spin_lock(&never_set_up));
	this_cpu()->nmi_depth++;
	EXPECT_REPORT("in an NMI", spin_lock(&outer));
	this_cpu()->nmi_depth--;
	irq_restore(flags);
}

static struct mutex first_mutex = MUTEX_INIT(first_mutex);
static struct mutex second_mutex = MUTEX_INIT(second_mutex);

KTEST(check_mutex_order)
{
	mutex_lock(&first_mutex);
	mutex_lock(&second_mutex);
	mutex_unlock(&first_mutex); /* in any order */
	EXPECT_REPORT("lock order: mutex second_mutex of tests/guest/kernel/check_test.c",
		      mutex_lock(&first_mutex));
	EXPECT_REPORT("by who does not hold it", mutex_unlock(&first_mutex));
	EXPECT_REPORT("waits for itself", mutex_lock(&second_mutex));
	mutex_unlock(&second_mutex);
}

/* All that says it may sleep, where it may not. */
KTEST(check_sleeping_in_atomic)
{
	struct wait_queue queue;
	unsigned long flags;
	char byte = 0;

	wait_queue_init(&queue);
	flags = irq_save();
	EXPECT_REPORT("may sleep in check_sleeping_in_atomic", mutex_lock(&first_mutex));
	mutex_unlock(&first_mutex);
	EXPECT_REPORT("with interrupts off", EXPECT_EQ(wait_event(&queue, true), 0));
	EXPECT_REPORT("with interrupts off", copy_to_user((void *)USER_END, &byte, 1));
	EXPECT_REPORT("with interrupts off", copy_from_user(&byte, (void *)USER_END, 1));
	EXPECT_REPORT("with interrupts off", strncpy_from_user(&byte, (void *)USER_END, 1));
	irq_restore(flags);
	flags = spin_lock_irqsave(&outer);
	EXPECT_REPORT("holding spinlock of tests/guest/kernel/check_test.c", might_sleep());
	EXPECT_REPORT("leaves the CPU in schedule", schedule());
	EXPECT_REPORT("leaves the CPU in yield", yield());
	spin_unlock_irqrestore(&outer, flags);
}

KTEST(check_locks_at_the_kernels_end)
{
	unsigned long flags = spin_lock_irqsave(&outer);

	EXPECT_REPORT("leaves the kernel in", check_no_locks());
	spin_unlock_irqrestore(&outer, flags);
	mutex_lock(&first_mutex);
	EXPECT_REPORT("(check_locks_at_the_kernels_end+", check_no_locks());
	mutex_unlock(&first_mutex);
}

static void end_with_mutex(void *arg)
{
	mutex_lock(&first_mutex);
}

KTEST(check_locks_at_a_tasks_end)
{
	struct task *task;

	check_expect();
	task = kthread_start("holder", end_with_mutex, NULL);
	if (EXPECT(!IS_ERR(task)))
		kthread_join(task);
	ktest_expect_report(check_expected(), "leaves the kernel in kthread_exit", __FILE__,
			    __LINE__);
	mutex_init(&first_mutex); /* its owner has gone */
}

static unsigned long smashed_size = 64;

static noinline void smash(void)
{
	char array[16];
	char *volatile p = array;

	memset(p, 0, smashed_size);
}

static void smash_thread(void *arg)
{
	smash();
}

KTEST(check_stack_guard)
{
	extern unsigned long __stack_chk_guard;
	struct task *task;

	EXPECT(__stack_chk_guard != 0);
	EXPECT_EQ(__stack_chk_guard & 0xff, 0);
	check_expect();
	task = kthread_start("smasher", smash_thread, NULL);
	if (EXPECT(!IS_ERR(task)))
		kthread_join(task);
	ktest_expect_report(check_expected(), "the stack frame of smash", __FILE__, __LINE__);
}
