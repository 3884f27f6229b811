/* SPDX-License-Identifier: MIT */
/*
 * The kernel around the code of a host test. Everything is weak: a test, or the kernel file it
 * compiles, that defines the real one wins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include <arch/regs.h>
#include <arch/uaccess.h>
#include <arch/unwind.h>

#define WEAK __attribute__((weak))

/* --- CPU, task, clock --- */

static struct task boot_task;
WEAK struct cpu cpus[MAX_CPUS];
WEAK u32 nr_cpus = 1;
struct cpu *host_cpu = cpus;
struct task *host_current = &boot_task;
unsigned long host_irqs_off;
u64 host_clock;

void host_run_as(struct cpu *cpu, struct task *task)
{
	host_cpu = cpu;
	host_current = task;
	cpu->self = cpu;
	cpu->running = task;
}

WEAK u64 clock_realtime_at(u64 ns)
{
	return HOST_EPOCH + ns;
}

WEAK enum memory_claim process_claim(void)
{
	return CLAIM_SYSTEM;
}

unsigned long host_stack_high = -1UL;

WEAK struct spinlock task_list_lock;
WEAK struct list_head task_list = LIST_HEAD_INIT(task_list);

const char host_sched_text[64];
__asm__(".globl __sched_text_start, __sched_text_end\n"
	".set __sched_text_start, host_sched_text\n"
	".set __sched_text_end, host_sched_text + 64\n");

WEAK struct task *task_find(pid_t tid)
{
	struct task *task;

	list_for_each (task, &task_list, all_node)
		if (task->tid == tid)
			return task;
	return NULL;
}

WEAK void schedule(void)
{
	fail_msg("schedule() called");
}

WEAK struct cpu *task_rq_lock(struct task *task, unsigned long *flags)
{
	*flags = irq_save();
	spin_lock(&cpus[task->cpu].rq.lock);
	return &cpus[task->cpu];
}

WEAK void task_rq_unlock(struct cpu *cpu, unsigned long flags)
{
	spin_unlock_irqrestore(&cpu->rq.lock, flags);
}

unsigned host_smp_calls;

WEAK void smp_call(u32 mask, void (*func)(void *arg), void *arg)
{
	struct cpu *here = host_cpu;
	unsigned long flags = host_irqs_off;

	host_irqs_off = 1;
	assert_int_equal(mask & ~cpus_online(), 0);
	host_smp_calls++;
	for (u32 id = 0; id < MAX_CPUS; id++) {
		if (!(mask & CPU_MASK(id)))
			continue;
		host_cpu = &cpus[id];
		func(arg);
	}
	host_cpu = here;
	host_irqs_off = flags;
}

/* --- Messages. A panic fails the test, or satisfies expect_assert_failure(). --- */

WEAK void printk(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

WEAK void panic_regs(const struct pt_regs *regs, const char *fmt, ...)
{
	static char message[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	mock_assert(0, message, "panic", 0);
	abort();
}

/* --- Memory --- */

unsigned host_fail_alloc;
long host_allocations;

static void *allocate(size_t align, size_t size, int fill)
{
	void *p;

	if (host_fail_alloc && !--host_fail_alloc)
		return NULL;
	p = aligned_alloc(align, ALIGN_UP(size ? size : 1, align));
	if (!p)
		abort();
	memset(p, fill, size);
	host_allocations++;
	return p;
}

static void release(void *p)
{
	if (p)
		host_allocations--;
	free(p);
}

/* What is not asked to be zero is poison. */
WEAK void *kmalloc(size_t size)
{
	return allocate(16, size, 0xa5);
}

WEAK void *kzalloc(size_t size)
{
	return allocate(16, size, 0);
}

WEAK void kfree(void *p)
{
	release(p);
}

WEAK void *page_alloc(unsigned order)
{
	return allocate(PAGE_SIZE, PAGE_SIZE << order, 0xa5);
}

WEAK void *page_alloc_zeroed(unsigned order)
{
	return allocate(PAGE_SIZE, PAGE_SIZE << order, 0);
}

WEAK void page_free(void *va, unsigned order)
{
	release(va);
}

WEAK size_t page_nr_total(void)
{
	return 1 << 16;
}

WEAK void *vmap_alloc(size_t pages)
{
	return allocate(PAGE_SIZE, pages * PAGE_SIZE, 0);
}

WEAK void vmap_free(void *va, size_t pages)
{
	release(va);
}

WEAK phys_addr_t vmap_phys(const void *va)
{
	return (phys_addr_t)(uintptr_t)va;
}

/* --- User memory is the test's own memory --- */

size_t host_user_limit = SIZE_MAX;

static int copy_user(void *dst, const void *src, size_t n)
{
	if (n > host_user_limit)
		return -EFAULT;
	host_user_limit -= n;
	memcpy(dst, src, n);
	return 0;
}

WEAK int copy_from_user(void *dst, const void __user *src, size_t n)
{
	return copy_user(dst, src, n);
}

WEAK int copy_to_user(void __user *dst, const void *src, size_t n)
{
	return copy_user(dst, src, n);
}

/* --- Signals: any work is one that ends the task --- */

WEAK u64 signal_deadline(u64 ns)
{
	return host_clock + ns;
}

/* --- Wait queues, irq_work, timers --- */

unsigned host_wakeups;

WEAK void wake_up(struct wait_queue *q)
{
	host_wakeups++;
}

WEAK void mutex_lock(struct mutex *m)
{
	assert_int_equal(m->owner, 0);
	m->owner = (unsigned long)current;
}

WEAK void mutex_unlock(struct mutex *m)
{
	assert_int_equal(m->owner, (unsigned long)current);
	m->owner = 0;
}

static struct irq_work *irq_works;

WEAK void irq_work_queue(struct irq_work *work)
{
	if (work->pending)
		return;
	work->pending = 1;
	work->next = irq_works;
	irq_works = work;
}

void host_relax(void)
{
	if (!host_irqs_off)
		host_run_irq_work();
}

unsigned host_run_irq_work(void)
{
	unsigned n = 0;

	while (irq_works) {
		struct irq_work *work = irq_works;

		irq_works = work->next;
		work->pending = 0;
		work->func(work);
		n++;
	}
	return n;
}

static struct list_head timers = LIST_HEAD_INIT(timers);

WEAK void timer_init(struct timer *timer, void (*func)(struct timer *, struct pt_regs *))
{
	memset(timer, 0, sizeof(*timer));
	list_init(&timer->node);
	timer->func = func;
}

WEAK void timer_arm(struct timer *timer, u64 expires)
{
	struct timer *pos;

	list_del_init(&timer->node);
	timer->expires = expires;
	list_for_each (pos, &timers, node)
		if (pos->expires > expires)
			break;
	list_add_tail(&timer->node, list_node(pos, node));
}

WEAK void timer_cancel(struct timer *timer)
{
	list_del_init(&timer->node);
}

void host_run_timers(u64 until, struct pt_regs *regs)
{
	while (!list_empty(&timers)) {
		struct timer *timer = list_first(&timers, struct timer, node);

		if (timer->expires > until)
			break;
		host_clock = MAX(host_clock, timer->expires);
		list_del_init(&timer->node);
		timer->func(timer, regs);
	}
	host_clock = until;
}

/* --- The kernel's string functions that the C library has not --- */

WEAK size_t hotregs_strlcpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src);

	if (size) {
		size_t n = MIN(len, size - 1);

		memcpy(dst, src, n);
		dst[n] = '\0';
	}
	return len;
}
