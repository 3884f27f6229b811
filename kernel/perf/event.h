/* SPDX-License-Identifier: MIT */
/*
 * What is inside an event, and what the files of kernel/perf share.
 *
 * An event belongs to a context: a task's or a CPU's. A context is read by the sampling path on its
 * own CPU, with interrupts off and without a lock; so it changes only on that CPU with interrupts
 * off, or while its task runs nowhere: perf_context_change() sees to that. perf_mutex is held by
 * who asks for changes; so they come one after the other, a copy stays a copy, and a task with
 * events is not freed. perf_lock is held while they are made, and guards rings.
 *
 * What most programs do needs no perf_mutex: a task opens an event for itself, and closes it, that
 * has no copies, is in no group and writes to no ring. Nobody comes by such a private event but
 * through its file, and its context is current's own, which the change itself keeps from others.
 */
#pragma once

#include <hotregs/breakpoint.h>
#include <hotregs/list.h>
#include <hotregs/perf_event.h>
#include <hotregs/perf_pmu.h>
#include <hotregs/sched.h>
#include <hotregs/spinlock.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include <arch/regs.h>

/* Which strikes an event counts; each context keeps its enabled events by source. */
enum perf_source {
	PERF_SOURCE_SWITCH,
	PERF_SOURCE_SWITCH_COUNT, /* the same, and neither place nor mode matters */
	PERF_SOURCE_FAULT,
	PERF_SOURCE_CLOCK,
	PERF_SOURCE_MOVE,
	PERF_SOURCE_NONE, /* dummy, which never strikes, and what other units count */
	NR_PERF_SOURCES
};

/* perf_event.exclude; EXCLUDE_CHAIN_* trim the chain only. */
#define EXCLUDE_USER         BIT(0)
#define EXCLUDE_KERNEL       BIT(1)
#define EXCLUDE_IDLE         BIT(2)
#define EXCLUDE_CHAIN_KERNEL BIT(3)
#define EXCLUDE_CHAIN_USER   BIT(4)
#define CHAIN_CAPTURED       BIT(5) /* excludes nothing: the kernel chain is a perf_move's */
#define EXCLUDE_ALL          BIT(6) /* it is being disabled: nothing is a strike any more */
#define EXCLUDE_MODES        (EXCLUDE_USER | EXCLUDE_KERNEL | EXCLUDE_IDLE | EXCLUDE_ALL)

/* Bits of perf_active: why a switch of the task, or on the CPU, is watched. */
#define WATCH_COUNT  BIT(0) /* events of PERF_SOURCE_SWITCH_COUNT are enabled */
#define WATCH_TIME   BIT(1) /* a task's events are enabled, whose time stops with it */
#define WATCH_SWITCH BIT(2) /* events of PERF_SOURCE_SWITCH are enabled */
#define WATCH_RECORD BIT(3) /* somebody wants SWITCH records */
#define WATCH_CLOCK  BIT(4) /* a task's clocks that sample are enabled */
#define WATCH_MOVE   BIT(5) /* cpu-migrations events are enabled: a task's that count, a CPU's */
#define WATCH_PLACE  BIT(6) /* a task's that sample: who decides on a move is captured */
#define WATCH_GROUP  BIT(7) /* a task's groups are enabled that may lack room */
#define WATCH_IDLE   BIT(8) /* a CPU's clocks count without the idle task's time */
#define NR_WATCHES   9
#define WATCH_STOP   BIT(31)               /* there may be events with EXCLUDE_ALL; not counted */
#define WATCH_ANY    (~(u32)SWITCH_HOOKED) /* all but what is not about events */
_Static_assert(PERF_ACTIVE_COUNTS == (WATCH_COUNT | WATCH_TIME), "all who need no registers");

/* perf_event.records: what an event wants to be told of beside its samples. */
#define RECORD_TASK      BIT(0) /* FORK, EXIT */
#define RECORD_COMM      BIT(1)
#define RECORD_MMAP      BIT(2) /* areas with code */
#define RECORD_MMAP_DATA BIT(3) /* areas without */
#define RECORD_SWITCH    BIT(4)

struct perf_context {
	struct list_head active[NR_PERF_SOURCES]; /* enabled events, by active_node */
	struct list_head events;                  /* all, by node */
	u32 nr_events;                            /* that many */
	u32 *watch;                               /* perf_active of the task or CPU */
	u32 nr_on;                                /* enabled events: the watchers of WATCH_TIME */
	u8 watchers[NR_WATCHES];                  /* those for which each other bit is set */
	struct task *task;                        /* NULL: a CPU's */
	struct cpu *cpu;                          /* that CPU */
	struct perf_moves *moves;      /* for captured places; NULL: nobody samples moves */
	u32 nr_moves;                  /* events that use them */
	bool running;                  /* the task is on a CPU, and is watched */
	u64 since;                     /* clock_cycles() when it went there */
	u64 time;                      /* cycles on CPUs before that, while watched */
	u32 nr_bound;                  /* events that are bound to one CPU */
	u64 time_on[MAX_CPUS];         /* time by CPU, while there are such */
	u64 idle_since, idle_time;     /* of a CPU's, with WATCH_IDLE: of its idle task */
	u64 clock_window, clock_spent; /* clock.c: since when, ns of samples since then */

	/* schedule.c: leaders of enabled groups that may lack room, by sched_node. */
	struct list_head pinned, flexible;
	struct timer turn; /* of the flexible ones */
	u64 turn_left;     /* ns until the next one, when the timer is armed */
	bool waiting;      /* one of the flexible ones has no counters */
	bool turning;      /* the timer is armed */

	/* swap.c; a task's. */
	u64 family;  /* the same: their events are equal, one by one; 0: no other's are */
	u64 serial;  /* of the task: perf_event.home is one */
	u32 nr_stay; /* events that keep it at its task, and who else wants that for a while */
	u32 nr_stat; /* events with inherit_stat */
};

/*
 * @bits of @ctx->watch are set, or all but them cleared. A strike in the kernel may come in
 * between, and sets WATCH_STOP. Where the context may be changed, and in a strike.
 */
static inline void perf_watch_set(struct perf_context *ctx, u32 bits)
{
	__atomic_fetch_or(ctx->watch, bits, __ATOMIC_RELAXED);
}

static inline void perf_watch_keep(struct perf_context *ctx, u32 bits)
{
	__atomic_fetch_and(ctx->watch, bits, __ATOMIC_RELAXED);
}

/*
 * So many events a context has when one more is refused: to those who are not privileged, to all.
 * Each costs time with interrupts off at every switch, and as clocks they are sorted by expiry, so
 * the most there can be is what the machine must live with. What is left between the two keeps a
 * user from shutting out the privileged one.
 */
#define PERF_EVENTS_MAX_USER 128
#define PERF_EVENTS_MAX      192

struct perf_task {
	struct perf_context ctx;
	bool exited; /* it has run for the last time */
};

#define CHAIN_MAX (PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK)

struct perf_cpu {
	struct perf_context ctx;
	struct perf_context *task_ctx; /* the running task's, if it has groups in schedule.c */
	bool busy[NR_CPU_CONTEXTS];    /* a sample is being taken in that context */
	u64 chain[NR_CPU_CONTEXTS][CHAIN_MAX];
};

/* What a task has counted; times in cycles. */
struct perf_share {
	u64 value, enabled, running;
};

struct perf_event {
	/* --- What a strike reads: set when it is opened, or when there is a use for it --- */

	struct list_head active_node; /* in ctx->active, while it is that */
	s32 cpu;                      /* -1: any */
	u8 exclude;                   /* EXCLUDE_* */
	u8 config;                    /* PERF_COUNT_SW_*, _MAX when another unit counts it */
	u8 source;                    /* enum perf_source */
	bool sampling;                /* has a period or a frequency */
	/* Each strike is a sample for the ring, and a usual one: see perf_event_prepare(). */
	bool each, plain;
	u64 period;   /* strikes (ns for clocks) a sample; U64_MAX: counting */
	u64 interval; /* ns between samples at the frequency asked for; 0: by period */
	perf_overflow_handler_t handler; /* NULL: a SAMPLE record of SAMPLE_WORDS is written */
	void *handler_context;
	struct perf_event *owner; /* the event that was opened; itself unless inherited */
	u64 id;
	u64 sample_header[2];       /* header of a sample without chain: kernel's, user mode's */
	u16 sample_size;            /* bytes of a sample without chain entries and SAMPLE_STATE */
	u16 max_stack;              /* frames */
	u32 wakeup_events;          /* 0: wake by watermark */
	u64 enabled_at, running_at; /* context's times when it was turned on, and added */
	u64 idle_at;                /* the same of the idle task, for exclude_idle */

	/* --- Cleared when it is opened --- */

	u64 pending;            /* strikes since the last sample; all, of a counting event */
	u64 count;              /* the periods of delivered samples */
	u64 last_sample;        /* clock_ns(), for interval */
	u64 lost;               /* of the owner: samples that found no room, or were not taken */
	struct perf_ring *ring; /* of the owner; NULL: none */
	u32 sample_type;        /* PERF_SAMPLE_* */
	u16 trailer_size;       /* bytes of the sample_id that ends other records */
	bool sample_usual;      /* sample_type is SAMPLE_USUAL, with or without SAMPLE_ENDS */
	bool realtime;          /* times in records are by CLOCK_REALTIME */

	struct perf_context *ctx; /* NULL: its task has been freed */
	bool enabled;             /* as it was asked for */
	bool on;                  /* and its leader is: its time passes */
	bool active;              /* and it counts */
	bool failed;              /* a pinned leader's group had no room */
	bool scheduled;           /* a leader's group has room */
	bool trap;                /* it has sigtrap, and its task is yet to be told of a sample */
	bool private;             /* see above; once it is not, it never is again */
	u16 watch;                /* WATCH_* while it is on, but for WATCH_GROUP */
	u32 nr_siblings;          /* a leader's */
	struct perf_pmu *limited; /* of a leader's group: where it may lack room; NULL: nowhere */
	struct perf_counter counter;
	u64 enabled_time, running_time, idle_time;  /* cycles before it was turned on, and added */
	u64 base;                                   /* value at the last reset */
	u64 gone_value, gone_enabled, gone_running; /* of copies whose task has been freed */
	u64 home; /* of the owner: serial of the context, so of the task, that it was opened on */
	struct perf_share elsewhere; /* its task's beside its own, see swap.c */
	u32 nr_live;  /* of the owner: itself and copies, whose tasks have not ended; perf_lock */
	u32 mappings; /* output.c: areas made through this event */
	u64 put_off;  /* clock.c: ns for which samples were due */

	/* kernel/perf/limit.c */
	u32 limit;                               /* samples until it is disabled; 0: any number */
	u32 stops_pending;                       /* since stop_work was queued; atomic */
	perf_overflow_handler_t limited_handler; /* what takes them; NULL: it never had a limit */
	struct irq_work stop_work;
	bool throttled; /* clock.c: THROTTLE has been written */

	/* --- The rest is set when it is opened --- */

	u8 records __aligned(8); /* RECORD_*; up to here it is cleared by words */
	bool clock;              /* config is one of the clocks */
	bool enable_on_exec;
	struct list_head group;      /* a leader's siblings, which are in it by the same member */
	struct list_head sched_node; /* in pinned or flexible of ctx */
	struct list_head children;   /* of the owner: inherited copies, by child_node */
	struct list_head ring_node;  /* in ring->events */
	struct wait_queue wait;      /* pollers */
	struct perf_event *leader;   /* of its group; itself: it is that, maybe of a group of one */
	struct perf_pmu *pmu;        /* what counts it */
	struct perf_event_attr attr;

	/* --- or when there is a use for it --- */

	struct list_head node; /* in ctx->events */
	struct list_head child_node;
	u32 slot;                /* in what is read of a group; perf_mutex */
	u64 start;               /* of cpu-migrations: which of perf_watchers.starts turned it on */
	struct perf_event *copy; /* the one made last; perf_mutex */
	struct perf_event *next_released;
	union {
		/* clock.c's */
		struct {
			struct timer timer; /* a sampling clock's */
			u64 timer_left;     /* ns to go when its task left the CPU */
			u64 window;         /* the beat that its samples are counted from */
			u32 window_samples; /* that many */
		};
		struct breakpoint breakpoint; /* breakpoint_pmu.c's */
	};
};

extern struct mutex perf_mutex;
extern struct spinlock perf_lock;

/* --- attr.c --- */
/* Fills what the hot paths read from @event's attributes, which have been checked. */
void perf_event_setup(struct perf_event *event);
/* What a sample of @event depends on may have changed. Where its context may be changed. */
void perf_event_prepare(struct perf_event *event);

/* --- context.c --- */
/* Makes the zeroed @part @task's, with no events. */
void perf_task_install(struct task *task, struct perf_task *part);
/*
 * Calls func(arg) where @ctx may be changed: on the CPU that it runs on, or while it runs nowhere;
 * perf_lock and that run queue's lock held, so func neither sleeps nor wakes. perf_mutex held, but
 * for current's own context, for which any context but NMI and sampling will do.
 */
void perf_context_change(struct perf_context *ctx, void (*func)(void *arg), void *arg);
/* What it does to current's own context, around func(arg). */
static inline unsigned long perf_context_lock_own(void);
static inline void perf_context_unlock_own(unsigned long flags);
/*
 * For functions that it calls: cycles that @ctx has run until clock_cycles() @at, on CPU @cpu or
 * (-1) anywhere. Times are kept in cycles until somebody asks for them, as to convert is dear, and
 * what sums of them come to is exact.
 */
static inline u64 perf_context_time(const struct perf_context *ctx, s32 cpu, u64 at);
/*
 * As perf_event_change(), from any context but NMI and sampling. False: its task runs on another
 * CPU, and func has not been called.
 */
bool perf_event_try_change(struct perf_event *event, void (*func)(void *event));
/* For them: cycles that @ctx's CPU has been idle, from some time before WATCH_IDLE was set. */
u64 perf_context_idle(const struct perf_context *ctx, u64 at);
/* This CPU goes over from @prev to @next. */
void perf_context_switch_idle(struct perf_context *ctx, const struct task *prev,
			      const struct task *next, u64 at);
/* The task comes onto this CPU, or leaves it. Interrupts off. */
static inline void perf_context_in(struct perf_context *ctx, u64 at);
static inline void perf_context_out(struct perf_context *ctx, const struct cpu *cpu, u64 at);

/* --- core.c --- */
struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
				    perf_overflow_handler_t handler, void *handler_context);
/* Calls func(@event) where its context may be changed, if it has one. perf_mutex held. */
void perf_event_change(struct perf_event *event, void (*func)(void *event));
/* The same for it, or all of its @group, and all inherited copies. Takes perf_mutex. */
void perf_event_apply(struct perf_event *event, void (*func)(void *event), bool group);
/* The rest is for functions that perf_context_change() calls, and contexts that nobody sees yet. */
/* Asks for no limit: a task inherits no more than its parent has. *@moves as perf_moves_use() */
void perf_event_attach(struct perf_event *event, struct perf_context *ctx,
		       struct perf_moves **moves);
void perf_event_start(void *event); /* enables this one */
void perf_event_stop(void *event);  /* disables this one */
/* A sampling clock has a new period, which begins now. */
void perf_clock_restart(struct perf_event *event);
/* Frees one that has been taken off, once nobody refers to it. Interrupts on. */
void perf_event_free(struct perf_event *event);
/* Takes @event off its context, and off its group unless @keep_group; what it no longer needs. */
struct perf_moves *perf_event_take_off(struct perf_event *event, bool keep_group);
/* The same, for good, from anywhere. perf_mutex held. */
void perf_event_detach(struct perf_event *event, bool keep_group);

/* --- task.c; perf_mutex held --- */
/* A copy of @event, counting from zero, in no context yet; NULL: out of memory. */
struct perf_event *perf_event_copy(struct perf_event *event);
/* The counts of a copy that is in no context become its owner's, and it goes. */
void perf_event_fold(struct perf_event *copy);

/* --- read.c --- */
/* Value and times of @event alone, since its last reset, where its context may be changed, or
 * in a strike. */
u64 perf_event_own(struct perf_event *event, u64 *enabled, u64 *running);
/* Its task's value and times, as of inherit_stat; and those of two copies go over to each other. */
struct perf_share perf_event_share(struct perf_event *event, u64 at);
void perf_event_swap_shares(struct perf_event *a, struct perf_event *b, u64 at);
/* What PERF_SAMPLE_READ asks for, in a strike of @event: its size in bytes, which is @size then. */
u32 perf_sample_read_size(const struct perf_event *event);
void perf_sample_write_read(struct perf_output *out, struct perf_event *event, u32 size);

/* --- group.c, where a context may be changed, at clock_cycles() @at --- */
/* For which reasons a switch is watched as long as the time of @event passes: event->watch. */
u16 perf_event_watch(const struct perf_event *event);
/* May @event be a sibling of @leader in @ctx? 0 or -EINVAL. */
int perf_group_check(const struct perf_event *leader, const struct perf_event *event,
		     const struct perf_context *ctx);
/*
 * @event, which is not enabled, enters the group of its leader, if it has another one, or comes to
 * be one that may lack room; or leaves its group, if there are others in it.
 */
void perf_group_join(struct perf_event *event);
void perf_group_leave(struct perf_event *event);
static inline bool perf_event_has_group(const struct perf_event *event)
{
	return unlikely(event->leader != event || event->nr_siblings);
}
/* Is @event in a group of one, for which there always is room? */
static inline bool perf_event_is_single(const struct perf_event *event)
{
	return likely(!perf_event_has_group(event) && !event->limited);
}
/* Turns on or off such an event, that is not so already. */
void perf_single_on(struct perf_event *event, u64 at);
void perf_single_off(struct perf_event *event, u64 at);
/* @event has been enabled or disabled: so may be its siblings. */
void perf_group_update(struct perf_event *event, u64 at);
/* The same while its group has no counters, without asking for some. */
void perf_group_apply(struct perf_event *event, u64 at);
/* @event counts from now on: 0, or perf_pmu.add()'s; or no longer, if it did. */
int perf_event_add(struct perf_event *event, u64 at);
void perf_event_del(struct perf_event *event, u64 at);

/* --- schedule.c, of groups that may lack room, where a context may be changed, @at as above --- */
void perf_schedule_init(struct perf_context *ctx);
/* Takes from @leader's group what it has; gives it what it needs if there is any. */
void perf_schedule_remove(struct perf_event *leader, u64 at);
void perf_schedule_insert(struct perf_event *leader, u64 at);
/*
 * The task whose groups are here leaves @cpu: true, if it has pinned ones. Then that of @ctx (NULL:
 * one without such groups) comes.
 */
bool perf_schedule_out(const struct cpu *cpu, u64 at);
void perf_schedule_in(const struct cpu *cpu, struct perf_context *ctx, bool had_pinned, u64 at);

/* --- pmu.c, software.c --- */
extern struct perf_pmu perf_software;

/* --- policy.c --- */
/*
 * Decides, before anything is counted and before any handler runs, what @event may see of a strike
 * with @regs in the current task @task: the registers that the sample shows, or NULL when it has
 * not struck as far as this event is concerned. *addr (@addr may be NULL) becomes 0 when it may not
 * be shown. NMI-safe.
 */
struct pt_regs *perf_policy(const struct perf_event *event, const struct task *task,
			    struct pt_regs *regs, u64 *addr);

/*
 * The user-mode registers of @task, the current one, that @event may show, and with them the stack,
 * in a sample of @regs, which the policy has let through. NULL: none. NMI-safe.
 */
const struct pt_regs *perf_policy_user_regs(const struct perf_event *event, const struct task *task,
					    const struct pt_regs *regs);

/*
 * Asks the policy, unless the event excludes nothing and so sees every strike as it is. False: it
 * has not struck; else *regs are what it sees.
 */
static inline bool perf_sees(const struct perf_event *event, struct pt_regs **regs, u64 *addr)
{
	if (likely(!(event->exclude & EXCLUDE_MODES)))
		return true;
	*regs = perf_policy(event, current, *regs, addr);
	return *regs;
}

/* --- software.c --- */
/*
 * @n events have passed since the last sample: calls the handler. @regs come from the policy.
 * Interrupts off, NMI-safe.
 */
void perf_overflow(struct perf_event *event, u64 n, struct pt_regs *regs, u64 addr, u64 now);
/*
 * @n strikes of @event at once in current, at *@addr if that is not NULL: asks the policy, and
 * takes a sample if one is due. Interrupts off, NMI-safe.
 */
void perf_strike(struct perf_event *event, const struct cpu *cpu, enum cpu_context context, u64 n,
		 struct pt_regs *regs, u64 *addr, u64 now);

/* --- breakpoint_pmu.c --- */
/* Is @attr, which has been checked, about what is the kernel's? */
bool perf_breakpoint_needs_privilege(const struct perf_event_attr *attr);

/* --- limit.c --- */
/* Waits until nothing refers to @event, which is no context's any more. Interrupts on. */
void perf_limit_wait(const struct perf_event *event);
/* Disables @event, of this CPU or its running task: it strikes no more. Interrupts off, no NMI. */
void perf_event_stop_soon(struct perf_event *event);
/* Events that are nobody's any more, by next_released; any CPU pushes. */
extern struct perf_event *perf_released;
/* Frees those that their handlers have released. May sleep. */
void perf_free_all_released(void);
static inline void perf_free_released(void)
{
	if (unlikely(READ_ONCE(perf_released)))
		perf_free_all_released();
}
/* Disables those that it has not come to. Where @ctx may be changed, or at a switch to its task. */
void perf_context_stop_excluded(struct perf_context *ctx);

/* --- clock.c --- */
void perf_clock_init(struct perf_event *event);
/* Is @event, which counts, one that samples by a timer, whose context runs on this CPU? */
static inline bool perf_clock_ticks(const struct perf_event *event);
/* Is it one of a CPU that leaves out the idle task's time? A task's has none of that. */
static inline bool perf_clock_skips_idle(const struct perf_event *event);
/* From now on, or no longer. Interrupts off. */
void perf_clock_start(struct perf_event *event, u64 now);
void perf_clock_stop(struct perf_event *event, u64 now);

/* --- sample_state.c --- */
/*
 * Writes a SAMPLE record with any of SAMPLE_STATE, or by another clock: the default handler of such
 * an event.
 */
void perf_sample_write_state(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs);

/* The same of one with sigtrap, which then tells the program. */
void perf_sample_trap(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

/* --- record.c --- */
/*
 * Starts a record of @size bytes in @ring, a LOST record before it when some are due; false: no
 * room, and counted. @task is whom the trailer of the LOST record names.
 */
bool perf_record_begin(struct perf_output *out, const struct perf_event *event,
		       struct perf_ring *ring, const struct task *task, u32 size, u64 now);
/* Writes a whole record: header, @size bytes of @body (a multiple of 8), sample_id of @task. */
void perf_record_write(const struct perf_event *event, const struct task *task, u32 type, u32 misc,
		       const u64 *body, u32 size, u64 now);
/* Writes a READ record: what @event, a copy of @task's, has counted. On the ring's CPU. */
void perf_record_write_read(struct perf_event *event, const struct task *task, u64 now);
/* @n samples of @event, the last one @task's, are lost though its ring may have had room. */
void perf_samples_lost(const struct perf_event *event, const struct task *task, u64 n);
/* Bytes of a SAMPLE with these of SAMPLE_WORDS but for chain entries, and of a sample_id. */
u32 perf_sample_size(u32 sample_type);
u32 perf_trailer_size(u32 sample_type);
/* The fields of a SAMPLE and of a sample_id that are done: words, and what SAMPLE_STATE adds. */
#define SAMPLE_TRAILER                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define SAMPLE_WORDS                                                               \
	(SAMPLE_TRAILER | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)
#define SAMPLE_STATE                                                         \
	(PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR)
#define SAMPLE_DONE (SAMPLE_WORDS | SAMPLE_STATE)

/* What samples of a CPU usually have, which one test finds; and what may follow it. */
#define SAMPLE_USUAL (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define SAMPLE_ENDS  (PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* --- sideband.c: records for those of the current CPU's and a task's events that want them --- */
void perf_sideband_switch(struct task *prev, struct task *next, bool in, u64 now);
void perf_sideband_exit(struct task *task, pid_t parent);
void perf_sideband_exec(void);

/* --- permission.c --- */
/*
 * Counts @pages for rings as @user's. -EPERM: too many for one who is not privileged; -ENOMEM. Not
 * for NMIs and overflow handlers, nor is its reverse.
 */
int perf_quota_charge(const struct perf_user *user, size_t pages);
void perf_quota_uncharge(uid_t uid, size_t pages);

/* --- page.c --- */
/* ns = cycles * mult / 2^shift, as the control page has it; off by less than 1 ns a second. */
struct perf_time_scale {
	u32 mult;
	u32 shift; /* at most 32 */
};
struct perf_time_scale perf_time_scale(u64 ns_per_cycle);
u64 perf_scaled_time(struct perf_time_scale scale, u64 cycles);
/* Shows @event's value and times in the control page, if it is mapped. In its context. */
void perf_output_update_page(struct perf_event *event);

/* @now, a clock_ns(), as a record of @event has it. */
static inline u64 perf_event_time(const struct perf_event *event, u64 now)
{
	return unlikely(event->realtime) ? clock_realtime_at(now) : now;
}

/* Do their records have times of one clock? */
static inline bool perf_same_clock(const struct perf_event *a, const struct perf_event *b)
{
	return a->attr.use_clockid == b->attr.use_clockid && a->attr.clockid == b->attr.clockid;
}

/* The header of a record as one word. */
union perf_header_word {
	struct perf_event_header header;
	u64 word;
};

static inline u64 perf_header(u32 type, u32 misc, u32 size)
{
	union perf_header_word w = {{type, (u16)misc, (u16)size}};

	return w.word;
}

/* Two halves of a word in the order in which they lie in memory. */
static inline u64 perf_pair(u32 first, u32 second)
{
	union {
		u32 half[2];
		u64 word;
	} w = {{first, second}};

	return w.word;
}

static inline void perf_context_in(struct perf_context *ctx, u64 at)
{
	ctx->running = true;
	ctx->since = at;
}

static inline void perf_context_out(struct perf_context *ctx, const struct cpu *cpu, u64 at)
{
	u64 ran = at - ctx->since;

	ctx->running = false;
	ctx->time += ran;
	if (unlikely(ctx->nr_bound))
		ctx->time_on[cpu->id] += ran;
}

/* It runs here, as long as it can not be preempted. */
static inline unsigned long perf_context_lock_own(void)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);

	spin_lock(&this_cpu()->rq.lock);
	return flags;
}

static inline void perf_context_unlock_own(unsigned long flags)
{
	spin_unlock(&this_cpu()->rq.lock);
	spin_unlock_irqrestore(&perf_lock, flags);
}

/* A CPU's own context always runs. */
static inline u64 perf_context_time(const struct perf_context *ctx, s32 cpu, u64 at)
{
	u64 time;

	if (!ctx->task)
		return at;
	time = likely(cpu < 0) ? ctx->time : ctx->time_on[cpu];
	if (ctx->running && (cpu < 0 || (u32)cpu == ctx->task->cpu))
		time += at - ctx->since;
	return time;
}

/* Does @event strike on this CPU? Its context is known to. */
static inline bool perf_event_on(const struct perf_event *event, const struct cpu *cpu)
{
	return event->cpu < 0 || (u32)event->cpu == cpu->id;
}

static inline bool perf_clock_skips_idle(const struct perf_event *event)
{
	return event->clock && !event->sampling && !event->ctx->task &&
	       (event->exclude & EXCLUDE_IDLE);
}

static inline bool perf_clock_ticks(const struct perf_event *event)
{
	return event->clock && event->sampling && (!event->ctx->task || event->ctx->running) &&
	       perf_event_on(event, this_cpu());
}
