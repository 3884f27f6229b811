/* SPDX-License-Identifier: MIT */
/*
 * Spin locks. Every one is held with interrupts disabled, and the kernel is preemptible exactly
 * where interrupts are enabled; so holding a lock also means not being preempted, and no counter is
 * needed for either. NMI code takes none.
 *
 * Lock order, outermost first; every test build checks it (kernel/debug/check/locks.c). Mutexes:
 * a file's position; the file tree; an inode, a pipe, a stream; an address space. Spinlocks, inside
 * any of them: all tasks; a process's signals; a futex bucket, a terminal, perf; a wait queue, the
 * lines for mutexes; a run queue (two in the order of CPUs); a CPU's timers; objects of a size;
 * pages. Whoever waits for other CPUs (smp_call()) holds mutexes at most.
 */
#pragma once

#include <arch/irq.h>
#include <hotregs/check.h>
#include <hotregs/types.h>

struct spinlock {
	u32 held;
	struct lock_check check;
};

/* Locks set up in one place are of one class: the order in which classes are taken is checked. */
#define SPINLOCK_INIT                                \
	{                                            \
		.check = LOCK_CHECK_INIT("spinlock") \
	}
#define spin_lock_init(lock) ((void)(*(lock) = (struct spinlock)SPINLOCK_INIT))

/* Takes @lock with interrupts already disabled. */
static inline void spin_lock(struct spinlock *lock)
{
	if (!check_spin_lock(lock))
		return;
	while (unlikely(__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE)))
		while (READ_ONCE(lock->held))
			cpu_relax();
}

static inline void spin_unlock(struct spinlock *lock)
{
	if (!check_spin_unlock(lock))
		return;
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* Disables interrupts and takes @lock; the result goes to spin_unlock_irqrestore(). */
static inline unsigned long spin_lock_irqsave(struct spinlock *lock)
{
	unsigned long flags = irq_save();

	spin_lock(lock);
	return flags;
}

static inline void spin_unlock_irqrestore(struct spinlock *lock, unsigned long flags)
{
	spin_unlock(lock);
	irq_restore(flags);
}
