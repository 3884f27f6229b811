/* SPDX-License-Identifier: MIT */
/*
 * What is checked of every lock: that nobody waits for himself, that orders are never inverted,
 * that spinlocks are held with interrupts off and across nothing that sleeps. Spinlocks belong to a
 * CPU, since the run queue's is taken by one task and released by the next; mutexes to a task.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/wait.h>

#include "check.h"
#include "lock_order.h"

#define CALLER ((unsigned long)__builtin_return_address(0))

static struct held_locks spinning[MAX_CPUS];
static bool started;

/* All classes' orders, and the path of an inversion. A lock that no check sees guards them. */
static struct {
	u32 busy;
	struct lock_order order;
	u16 path[LOCK_CLASSES];
} graph;

static unsigned long graph_lock(void)
{
	unsigned long flags = irq_save();

	while (__atomic_exchange_n(&graph.busy, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
	return flags;
}

static void graph_unlock(unsigned long flags)
{
	__atomic_store_n(&graph.busy, 0, __ATOMIC_RELEASE);
	irq_restore(flags);
}

/* Before its structure is set up, nothing of a CPU's may be read. */
static struct held_locks *this_spinning(void)
{
	return &spinning[nr_cpus ? this_cpu()->id : 0];
}

static int find_held(const struct held_locks *held, const struct lock_check *lock)
{
	for (u32 i = held->nr; i--;)
		if (held->at[i].lock == lock)
			return i;
	return -ENOENT;
}

/* The class of @lock, which is looked up once. */
static int class_of(struct lock_check *lock)
{
	unsigned long flags;
	int class;

	if (likely(lock->class))
		return lock->class - 1;
	flags = graph_lock();
	class = lock_order_class(&graph.order, lock->name);
	graph_unlock(flags);
	if (class >= 0)
		lock->class = class + 1;
	return class;
}

/* How it was before, and what is wrong now: the places of each pair of locks. */
static bool report_inversion(const struct held_lock *outer, const struct lock_check *inner,
			     unsigned long place, unsigned length)
{
	char way[768];
	size_t n = 0;

	way[0] = '\0';
	for (unsigned i = 0; i < length && n < sizeof(way); i++) {
		const struct lock_edge *e = &graph.order.edge[graph.path[i]];

		n += snprintf(way + n, sizeof(way) - n, "\n  %s (%s), then %s (%s)",
			      graph.order.name[e->outer], place_name(e->outer_place).s,
			      graph.order.name[e->inner], place_name(e->inner_place).s);
	}
	return check_failed("lock order: %s (%s), then %s (%s); seen before:%s", outer->lock->name,
			    place_name(outer->place).s, inner->name, place_name(place).s, way);
}

/* Notes that @lock is taken at @place inside @outer. */
static bool check_order(const struct held_lock *outer, const struct lock_check *lock,
			unsigned long place)
{
	struct lock_edge edge = {
	    .outer = outer->lock->class - 1,
	    .inner = lock->class - 1,
	    .outer_place = outer->place,
	    .inner_place = place,
	};
	unsigned length = 0;
	unsigned long flags = graph_lock();
	enum lock_verdict verdict = lock_order_add(&graph.order, &edge, graph.path, &length);
	bool held = true;

	graph_unlock(flags);
	if (verdict == LOCK_ORDER_SAME)
		held = check_failed("lock order: %s taken in %s and, inside, in %s", lock->name,
				    place_name(outer->place).s, place_name(place).s);
	else if (verdict == LOCK_ORDER_INVERTED)
		held = report_inversion(outer, lock, place, length);
	else if (verdict == LOCK_ORDER_FULL)
		held = check_failed("lock order: more orders than LOCK_EDGES");
	return held;
}

/* @lock is about to be taken by who holds @held. */
static bool take(struct held_locks *held, struct lock_check *lock, unsigned long place)
{
	int own = find_held(held, lock);

	if (!lock->name)
		return check_failed("a lock was never set up (spin_lock_init(), mutex_init())");
	if (own >= 0)
		return check_failed("%s: waits for itself: taken in %s, and in %s", lock->name,
				    place_name(held->at[own].place).s, place_name(place).s);
	if (class_of(lock) < 0)
		return check_failed("more classes of locks than LOCK_CLASSES");
	if (held->nr == HELD_LOCKS_MAX)
		return check_failed("more than %u locks are held", HELD_LOCKS_MAX);
	for (u32 i = 0; i < held->nr; i++)
		if (!check_order(&held->at[i], lock, place))
			return false;
	held->at[held->nr++] = (struct held_lock){lock, place};
	return true;
}

/* @lock is about to be released. */
static bool drop(struct held_locks *held, const struct lock_check *lock, unsigned long place)
{
	int i = find_held(held, lock);

	if (i < 0)
		return check_failed("%s: released in %s by who does not hold it", lock->name,
				    place_name(place).s);
	for (held->nr--; (u32)i < held->nr; i++)
		held->at[i] = held->at[i + 1];
	return true;
}

static bool check_context(const struct lock_check *lock, unsigned long place)
{
	if (irqs_enabled())
		return check_failed("%s: interrupts are on in %s", lock->name, place_name(place).s);
	if (nr_cpus && in_nmi())
		return check_failed("%s: used in an NMI in %s", lock->name, place_name(place).s);
	return true;
}

bool check_spin_lock(struct spinlock *lock)
{
	return check_stopped() ||
	       (check_context(&lock->check, CALLER) && take(this_spinning(), &lock->check, CALLER));
}

bool check_spin_unlock(const struct spinlock *lock)
{
	return check_stopped() ||
	       (check_context(&lock->check, CALLER) && drop(this_spinning(), &lock->check, CALLER));
}

/* The last lock of @held, which must be none here. */
static bool check_none(const struct held_locks *held, const char *what, unsigned long place)
{
	const struct held_lock *last;

	if (!held->nr || check_stopped())
		return true;
	last = &held->at[held->nr - 1];
	return check_failed("%s in %s, holding %s (%s)", what, place_name(place).s,
			    last->lock->name, place_name(last->place).s);
}

static bool check_none_spinning(const char *what, unsigned long place)
{
	unsigned long flags = irq_save();
	bool none = check_none(this_spinning(), what, place);

	irq_restore(flags);
	return none;
}

void check_start(void)
{
	started = true;
}

static void check_sleep(unsigned long place)
{
	if (!started || check_stopped() || !check_none_spinning("may sleep", place))
		return;
	if (!irqs_enabled())
		check_failed("may sleep in %s, with interrupts off", place_name(place).s);
}

void might_sleep(void)
{
	check_sleep(CALLER);
}

bool check_mutex_lock(struct mutex *m, const void *caller)
{
	check_sleep((unsigned long)caller);
	return check_stopped() || take(&current->held, &m->check, (unsigned long)caller);
}

bool check_mutex_unlock(const struct mutex *m, const void *caller)
{
	return check_stopped() || drop(&current->held, &m->check, (unsigned long)caller);
}

bool check_no_spinlocks(void)
{
	return check_none_spinning("leaves the CPU", CALLER);
}

void check_no_locks(void)
{
	if (check_none_spinning("leaves the kernel", CALLER))
		check_none(&current->held, "leaves the kernel", CALLER);
}
