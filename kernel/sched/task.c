/* SPDX-License-Identifier: MIT */
/* Tasks: making and freeing them, their numbers and their list; kernel threads. */
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include <arch/switch.h>

#define STACK_PAGES (KERNEL_STACK_SIZE / PAGE_SIZE)

struct spinlock task_list_lock = SPINLOCK_INIT;
struct list_head task_list = LIST_HEAD_INIT(task_list);
static u8 tid_used[(TID_MAX + 1) / 8]; /* by bit; under task_list_lock */
static pid_t last_tid;
static void *spare_stack; /* of the last task that was freed, for the next one; atomic */
static struct wait_queue kthread_gone = WAIT_QUEUE_INIT(kthread_gone);

/* What is on it, if it was another task's, is left there. */
static void *stack_alloc(void)
{
	void *stack = __atomic_exchange_n(&spare_stack, NULL, __ATOMIC_ACQUIRE);

	return stack ? stack : vmap_alloc(STACK_PAGES);
}

static void stack_free(void *stack)
{
	vmap_free(__atomic_exchange_n(&spare_stack, stack, __ATOMIC_ACQ_REL), STACK_PAGES);
}

void task_begin(void (*entry)(void *), void *arg)
{
	finish_switch();
	irq_enable();
	entry(arg);
	kthread_exit();
}

struct task *task_create(const char *comm, void (*entry)(void *arg), void *arg)
{
	struct task *task = kzalloc(sizeof(*task));

	if (!task)
		return ERR_PTR(-ENOMEM);
	task->stack = (unsigned long)stack_alloc();
	if (!task->stack) {
		kfree(task);
		return ERR_PTR(-ENOMEM);
	}
	/* Until sched_start() it does not sleep, whatever wakes it: a signal may come before. */
	task->state = TASK_RUNNING;
	task->priority = task->own_priority = PRIORITY_DEFAULT;
	task->affinity = READ_ONCE(current->affinity);
	strlcpy(task->comm, comm, sizeof(task->comm));
	list_init(&task->run_node);
	list_init(&task->thread_node);
	list_init(&task->all_node);
	arch_thread_init(task, entry, arg);
	return task;
}

struct task *task_find(pid_t tid)
{
	struct task *task;

	list_for_each (task, &task_list, all_node)
		if (task->tid == tid)
			return task;
	return NULL;
}

/* Numbers rise and come round, so that a dead task's is not soon another's. */
static pid_t take_tid(void)
{
	for (int i = 0; i < TID_MAX; i++) {
		last_tid = last_tid < TID_MAX ? last_tid + 1 : 2;
		if (!(tid_used[last_tid / 8] & BIT(last_tid % 8))) {
			tid_used[last_tid / 8] |= BIT(last_tid % 8);
			return last_tid;
		}
	}
	panic("no task number is left: fork and kthread_start() must refuse before");
}

void task_publish(struct task *task, pid_t pid)
{
	task->tid = take_tid();
	task->pid = pid ? pid : task->tid;
	list_add_tail(&task->all_node, &task_list);
}

void task_free(struct task *task)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	list_del(&task->all_node);
	tid_used[task->tid / 8] &= ~BIT(task->tid % 8);
	spin_unlock_irqrestore(&task_list_lock, flags);
	stack_free((void *)task->stack);
	kfree(task);
}

struct task *kthread_start(const char *comm, void (*entry)(void *arg), void *arg)
{
	struct task *task = task_create(comm, entry, arg);
	unsigned long flags;

	if (IS_ERR(task))
		return task;
	task->flags |= TASK_KTHREAD;
	flags = spin_lock_irqsave(&task_list_lock);
	task_publish(task, 0);
	spin_unlock_irqrestore(&task_list_lock, flags);
	sched_start(task);
	return task;
}

__sched void kthread_exit(void)
{
	check_no_locks();
	sched_exit();
	panic("a dead task was run");
}

__sched void kthread_join(struct task *task)
{
	might_sleep();
	/* The task cannot be killed out of this wait: kernel threads are not. */
	while (wait_event(&kthread_gone, __atomic_load_n(&task->gone, __ATOMIC_ACQUIRE)) < 0)
		yield();
	perf_task_free(task);
	task_free(task);
}

void task_gone(struct task *task)
{
	if (!(task->flags & TASK_KTHREAD)) {
		process_thread_gone(task);
		return;
	}
	perf_task_dead(task, 0);
	/* From here on it may be freed. */
	__atomic_store_n(&task->gone, true, __ATOMIC_RELEASE);
	wake_up(&kthread_gone);
}
