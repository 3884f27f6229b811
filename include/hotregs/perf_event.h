/* SPDX-License-Identifier: MIT */
/*
 * Performance events as the rest of the kernel sees them: the hooks that feed them, and how kernel
 * code opens one with a handler of its own. What is inside is kernel/perf's.
 */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/perf_ring.h>
#include <hotregs/types.h>
#include <uapi/perf_event.h>

#include <arch/perf.h>

struct mm;
struct perf_event;
struct vma;
struct wait_queue;

/* What a sample says beside its registers; the core fills it before a handler runs. */
struct perf_sample_data {
	u64 ip;
	u64 addr;   /* page faults: the address; else 0 */
	u64 period; /* events this sample stands for */
	u64 time;   /* clock_ns() */
};

/*
 * Called for every overflow that the policy lets through, with @regs already those the policy
 * chose (the user trap frame when the kernel is excluded). Interrupts off, may be NMI, may hold the
 * run-queue lock: it may not sleep, allocate, lock or wake; irq_work is the way out.
 */
typedef void (*perf_overflow_handler_t)(struct perf_event *event, struct perf_sample_data *data,
					struct pt_regs *regs);

/*
 * Opens an event for kernel code, disabled or not as @attr says: on @task (NULL: all tasks of
 * @cpu), on @cpu (-1: wherever the task runs). @handler NULL is the default one, which writes to
 * the ring. ERR_PTR(-errno) as perf_event_open(2). @task is held by the caller. May sleep.
 */
struct perf_event *perf_event_create_kernel_counter(const struct perf_event_attr *attr, int cpu,
						    struct task *task,
						    perf_overflow_handler_t handler, void *context);
void *perf_event_context(const struct perf_event *event); /* the @context above. Any context */
/* Both apply to the inherited copies too. May sleep. */
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
/*
 * Current value, inherited copies included; *enabled and *running (may be NULL) in ns. May sleep.
 *
 * The value of a counting event is its strikes, or nanoseconds for the clocks. That of a sampling
 * event is the periods of its delivered samples added up, so that a lost sample is not in it, plus
 * the strikes since the last sample; the clocks have no such remainder, as nobody knows in which
 * mode it was spent. Without a ring a sample has nowhere to get lost and counts as delivered.
 */
u64 perf_event_read(struct perf_event *event, u64 *enabled, u64 *running);
/* Detaches and frees; its inherited copies go with it. May sleep. */
void perf_event_release(struct perf_event *event);
/*
 * For the handler of @event, but in an NMI: disables it, of inherited ones this copy alone. From
 * there on the handler is not called; the event is off its context before its task next leaves the
 * CPU, and on the CPU as soon as that may be interrupted. It may be enabled again.
 */
void perf_event_disable_self(struct perf_event *event);
/*
 * The same, and @event is released: nobody may use it once its handler has returned. Its memory is
 * given back when a task that had events is freed or the next event is opened. -EINVAL: copies of
 * it may be struck elsewhere, as it is inherited.
 */
int perf_event_release_self(struct perf_event *event);

/*
 * Appends what the policy allows @event to see of the chain behind @regs, with context markers: the
 * kernel chain, then the user chain of the same task. Call from an overflow handler. NMI-safe.
 */
void perf_callchain(const struct perf_event *event, const struct pt_regs *regs,
		    struct callchain *chain);

/* --- Who may profile what (kernel/perf/permission.c) --- */

#define PERF_SAMPLE_RATE_MAX 100000 /* Hz: more often no event is sampled, whatever the limit */

/* What may be set in /proc/sys/kernel, by perf_event_NAME, the last one by perf_NAME. */
struct perf_limits {
	int paranoid;        /* -1 to 3 */
	int mlock_kb;        /* of rings for each CPU, for all of a user who is not privileged */
	int max_sample_rate; /* Hz */
	int cpu_time_max_percent; /* for samples of clocks; 0 and 100: all of the time */
};
extern struct perf_limits perf_limits;

/* Who asks. */
struct perf_user {
	uid_t uid;
	bool privileged;
	/* May this user look at @task? 0 or -errno. task_list_lock is held. NULL: at all */
	int (*may_access)(const struct task *task);
};

/*
 * May an event of @attr be opened on a task that its opener may look at, or, @whole_cpu, on all
 * tasks of a CPU? 0 or -EACCES; -EPERM: a breakpoint on the kernel. Any context.
 */
int perf_permission(const struct perf_event_attr *attr, bool whole_cpu, bool privileged);

/* --- Hooks --- */

/* Sets up @cpu's part; before its first switch. */
void perf_init_cpu(struct cpu *cpu);

/*
 * The outgoing task is about to leave the CPU; @regs are hot, taken in schedule(). Interrupts off,
 * run-queue lock held, @prev's address space loaded. Call only when there are
 * perf_switch_watchers().
 */
void perf_sched_switch(struct task *prev, struct task *next, struct pt_regs *regs);

/* The same for those who only count, for whom no registers are needed. */
void perf_count_switch(struct cpu *cpu, struct task *prev, struct task *next, u32 watchers);

/* Who watches this switch; 0: nobody. Three loads and one branch: all a switch pays without
 * listener. */
static inline u32 perf_switch_watchers(const struct cpu *cpu, const struct task *prev,
				       const struct task *next)
{
	return cpu->perf_active | prev->perf_active | next->perf_active;
}

/* Does nobody but counting events? */
#define PERF_ACTIVE_COUNTS (BIT(0) | BIT(1))
static inline bool perf_switch_counted(u32 watchers)
{
	return !(watchers & ~(PERF_ACTIVE_COUNTS | SWITCH_HOOKED));
}

/*
 * It has been decided that @task goes to CPU @to; @regs are hot, taken in the function that
 * decided. @foreign: that runs on another task's stack, or in an interrupt. The task may run still
 * where it is, be runnable or sleep; it may be sent elsewhere again before it runs. Interrupts off,
 * its run-queue lock held. Call only when perf_migration_watched(), once for each move.
 */
void perf_sched_migrate(struct task *task, u32 to, struct pt_regs *regs, bool foreign);

/* Does anybody want to know that @task moves to CPU @to, or has anybody of moves before? */
static inline bool perf_migration_watched(const struct task *task, u32 to)
{
	return unlikely((task->perf_active | READ_ONCE(cpus[to].perf_active)) || task->moves);
}

/*
 * In the kernel chain of a sample of cpu-migrations the caller of a place that decided on the move
 * of somebody else. It is never called.
 */
void migrated_by_other_context(void);

/* @child of current is about to be published: inherits events. 0 or -ENOMEM. May sleep. */
int perf_task_fork(struct task *child);
/* @child has been published: the FORK record. May sleep. */
void perf_task_forked(struct task *child);
/* A task that never ran is being undone. May sleep. */
void perf_task_discard(struct task *child);
/* current will become another program, for certain: events that are to be removed then go. May
 * sleep. */
void perf_task_before_exec(void);
/* current has become another program; its areas follow through perf_record_mmap(). Any context but
 * NMI and sampling. */
void perf_task_exec(void);
/* Task @tid, of current's process, has changed its name without exec. May sleep. */
void perf_task_comm(pid_t tid);
/*
 * @task has switched away for the last time, on this CPU: EXIT record after its last sample, and
 * who waits for its end is told. @parent: the number of its process's parent, 0: none. Interrupts
 * off, no lock held.
 */
void perf_task_dead(struct task *task, pid_t parent);
/* Last: counts are folded into its parent events, and its own part is freed. May sleep. */
void perf_task_free(struct task *task);
/* current mapped @vma. Records MMAP/MMAP2. Any context but NMI and sampling. */
void perf_record_mmap(const struct vma *vma);
/* A page fault of the current task was resolved. @regs: the faulting registers. May sleep. */
void perf_page_fault(const struct pt_regs *regs, unsigned long addr, bool major);

/* --- System call and file side (kernel/proc/sys_perf.c uses these) --- */

/*
 * Gets current to call perf_traps_take() before it executes anything else in user mode: an event
 * with sigtrap has taken a sample. Set once. Called where it struck, in user mode; interrupts off.
 */
extern void (*perf_trap)(void);

/*
 * Calls tell() for those of current's events of whose samples it is to be told, in the order in
 * which they were opened, with interrupts off. Any context but NMI and sampling.
 */
void perf_traps_take(void (*tell)(const struct perf_event_attr *attr));

/*
 * Copies an attribute structure of any size the ABI has had from the current task. -EFAULT;
 * -E2BIG: no size of ours, or bits set beyond what we know; our size is then written to it.
 * May sleep.
 */
int perf_attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr);
/* Is every bit of @attr one that is done? 0, or the errno that docs/abi.md gives. Pure. */
int perf_attr_check(const struct perf_event_attr *attr);

/*
 * An event to be opened, with @room bytes behind it that are its opener's; NULL: out of memory. Its
 * attributes, *@attr, are to be filled in, and then it is opened or discarded. May sleep.
 */
struct perf_event *perf_event_new(size_t room, struct perf_event_attr **attr);
void *perf_event_room(struct perf_event *event);
void perf_event_discard(struct perf_event *event);
/*
 * perf_event_open(2) without the descriptor, for @user: @pid 0 is the caller, -1 all tasks of @cpu;
 * @cpu -1: wherever the task runs. @leader: of the group that it is to be in; NULL: it leads one of
 * its own. -EINVAL, -EACCES, -ESRCH, -ENODEV, -ENOSPC, -ENOMEM, or perf_attr_check()'s: then @event
 * is no more. May sleep.
 */
int perf_event_open(struct perf_event *event, pid_t pid, int cpu, struct perf_event *leader,
		    const struct perf_user *user);
/* The same with attributes that have come another way: the event, or ERR_PTR(). */
static inline struct perf_event *perf_event_open_group(const struct perf_event_attr *attr,
						       pid_t pid, int cpu,
						       struct perf_event *leader,
						       const struct perf_user *user)
{
	struct perf_event_attr *own;
	struct perf_event *event = perf_event_new(0, &own);
	int err;

	if (!event)
		return ERR_PTR(-ENOMEM);
	*own = *attr;
	err = perf_event_open(event, pid, cpu, leader, user);
	return err ? ERR_PTR(err) : event;
}
static inline struct perf_event *perf_event_open_pid(const struct perf_event_attr *attr, pid_t pid,
						     int cpu, const struct perf_user *user)
{
	return perf_event_open_group(attr, pid, cpu, NULL, user);
}

#define PERF_READ_WORDS_MAX 5
/* What read(2) returns of this event by its read_format but for PERF_FORMAT_GROUP; returns the
 * number of words. May sleep. */
u32 perf_event_read_words(struct perf_event *event, u64 words[PERF_READ_WORDS_MAX]);
/* The same with PERF_FORMAT_GROUP; *words is to be freed by kfree(). Or -ENOMEM. May sleep. */
int perf_event_read_group(struct perf_event *event, u64 **words);
/* Is it pinned, and has its group had no room? Then it counts no more until it is enabled again. */
bool perf_event_failed(const struct perf_event *event);
u64 perf_event_id(const struct perf_event *event);
void perf_event_reset(struct perf_event *event);
/* The same, and perf_event_enable() and perf_event_disable(), for all of @event's group. May sleep.
 */
void perf_group_reset(struct perf_event *event);
void perf_group_enable(struct perf_event *event);
void perf_group_disable(struct perf_event *event);
/*
 * What breakpoint @event watches is to be as @attr says, for one who may not look at the kernel
 * (@user): see modify_user_hw_breakpoint(). -EOPNOTSUPP: it is none. May sleep.
 */
int perf_event_modify(struct perf_event *event, const struct perf_event_attr *attr, bool user);
/* A new period, or frequency for an event opened with one; starts at once. -EINVAL. */
int perf_event_set_period(struct perf_event *event, u64 period);
/*
 * Enables @event for @samples more samples, after which it is disabled; 0: without such a limit
 * unless there is one. -EINVAL: it does not sample, is inherited, or they are 2^31 or more.
 * May sleep.
 */
int perf_event_refresh(struct perf_event *event, unsigned long samples);

/*
 * Sends @event's records to @target's ring; NULL: to none. -EINVAL: @event is mapped, @target has
 * no ring, or another CPU would write there, or with
 * times of another clock, or the other way round. May sleep.
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *target);
/*
 * Whoever writes to @event's ring loses it all until the pause ends. -EINVAL: it has none, or one
 * without data pages. May sleep.
 */
int perf_event_pause_output(struct perf_event *event, bool pause);
/*
 * Makes a ring of @pages data pages for @event, which counts as @user's, or, mapped before, takes
 * the one there is; sets *ring, whose pages begin at ring->page. -EINVAL, -ENOMEM, -EPERM. Each
 * success is undone by perf_event_munmap(); the last one of a ring takes it away from all its
 * writers. May sleep.
 */
int perf_event_mmap(struct perf_event *event, size_t pages, bool overwrite,
		    const struct perf_user *user, struct perf_ring **ring);
void perf_event_munmap(struct perf_event *event);

/* Has the reader been woken for records that it has not read? */
bool perf_event_readable(struct perf_event *event);
/* Will nothing come any more: no ring to fill, all its tasks or its samples have come to an end? */
bool perf_event_hung_up(struct perf_event *event);
/* Woken when either may have changed. */
struct wait_queue *perf_event_waiters(struct perf_event *event);

/* Prints the calling CPU's and current's events, for panic. Any context. */
void perf_print_state(void);
