/* SPDX-License-Identifier: MIT */
/*
 * Events: opening, attaching to contexts, enabling, reading, releasing. What happens to them when
 * tasks fork, exec and end is in task.c.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>

#include "moves.h"
#include "swap.h"

#include <arch/irq.h>
#include <arch/words.h>

static u64 last_id;

/* --- Enabling --- */

void perf_clock_restart(struct perf_event *event)
{
	if (!event->clock)
		return;
	event->timer_left = event->period;
	event->put_off = 0;
	if (event->active && perf_clock_ticks(event))
		perf_clock_start(event, clock_ns());
}

void perf_event_start(void *arg)
{
	struct perf_event *event = arg;

	if (!event->ctx)
		return;
	if (unlikely(event->exclude & EXCLUDE_ALL))
		perf_event_stop(event); /* it is on the way */
	if (event->enabled && !event->failed)
		return;
	event->exclude &= ~EXCLUDE_ALL;
	event->enabled = true;
	event->failed = false;
	perf_event_prepare(event);
	perf_group_update(event, clock_cycles());
	if (unlikely(event->mappings))
		perf_output_update_page(event);
}

static inline void stop(struct perf_event *event)
{
	if (!event->enabled)
		return;
	event->enabled = false;
	event->failed = false;
	if (likely(event->on) && perf_event_is_single(event))
		perf_single_off(event, clock_cycles());
	else
		perf_group_update(event, clock_cycles());
	if (unlikely(event->mappings))
		perf_output_update_page(event);
}

void perf_event_stop(void *arg)
{
	struct perf_event *event = arg;

	if (event->ctx)
		stop(event);
}

void perf_event_change(struct perf_event *event, void (*func)(void *event))
{
	unsigned long flags;

	if (event->ctx) {
		perf_context_change(event->ctx, func, event);
		return;
	}
	flags = spin_lock_irqsave(&perf_lock);
	func(event);
	spin_unlock_irqrestore(&perf_lock, flags);
}

static void change_all(struct perf_event *event, void (*change)(void *event))
{
	struct perf_event *child;

	perf_event_change(event, change);
	list_for_each (child, &event->children, child_node)
		perf_event_change(child, change);
}

void perf_event_apply(struct perf_event *event, void (*change)(void *event), bool group)
{
	struct perf_event *first, *sibling;

	mutex_lock(&perf_mutex);
	first = group ? event->leader : event;
	change_all(first, change);
	if (group)
		list_for_each (sibling, &first->group, group)
			change_all(sibling, change);
	mutex_unlock(&perf_mutex);
}

void perf_event_enable(struct perf_event *event)
{
	perf_event_apply(event, perf_event_start, false);
}

void perf_event_disable(struct perf_event *event)
{
	perf_event_apply(event, perf_event_stop, false);
}

void perf_group_enable(struct perf_event *event)
{
	perf_event_apply(event, perf_event_start, true);
}

void perf_group_disable(struct perf_event *event)
{
	perf_event_apply(event, perf_event_stop, true);
}

/* --- What it is --- */

u64 perf_event_id(const struct perf_event *event)
{
	return event->id;
}

void *perf_event_context(const struct perf_event *event)
{
	return event->handler_context;
}

/* --- Opening and releasing --- */

struct perf_event *perf_event_new(size_t room, struct perf_event_attr **attr)
{
	const size_t from = offsetof(struct perf_event, pending),
		     to = offsetof(struct perf_event, records);
	struct perf_event *event = kmalloc(sizeof(*event) + room);

	if (!event)
		return NULL;
	clear_words((u64 *)((u8 *)event + from), (to - from) / sizeof(u64));
	*attr = &event->attr;
	return event;
}

void *perf_event_room(struct perf_event *event)
{
	return event + 1;
}

void perf_event_discard(struct perf_event *event)
{
	kfree(event);
}

/* @event, new with attributes that have been checked, becomes one that can be attached. */
static void set_up(struct perf_event *event, int cpu, perf_overflow_handler_t handler,
		   void *handler_context)
{
	event->cpu = cpu;
	event->handler = handler;
	event->handler_context = handler_context;
	event->owner = event;
	event->leader = event;
	event->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	list_init(&event->children);
	list_init(&event->group);
	list_init(&event->sched_node);
	list_init(&event->ring_node);
	wait_queue_init(&event->wait);
	perf_event_setup(event);
	if (event->clock)
		perf_clock_init(event);
}

struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
				    perf_overflow_handler_t handler, void *handler_context)
{
	struct perf_event_attr *own;
	struct perf_event *event = perf_event_new(0, &own);

	if (!event)
		return NULL;
	*own = *attr;
	set_up(event, cpu, handler, handler_context);
	return event;
}

void perf_event_attach(struct perf_event *event, struct perf_context *ctx,
		       struct perf_moves **moves)
{
	event->ctx = ctx;
	event->watch = perf_event_watch(event);
	list_add_tail(&event->node, &ctx->events);
	ctx->nr_events++;
	ctx->nr_bound += event->cpu >= 0;
	perf_context_differs(ctx, event, 1);
	event->owner->nr_live++;
	if (unlikely(perf_moves_needed(event, ctx->task)))
		perf_moves_use(event, ctx, moves);
	if (unlikely(event->leader != event || event->pmu->limited))
		perf_group_join(event);
	if (event->attr.disabled)
		return;
	event->enabled = true;
	perf_event_prepare(event);
	if (perf_event_is_single(event))
		perf_single_on(event, clock_cycles());
	else
		perf_group_update(event, clock_cycles());
}

/* An event on its way off a context. */
struct exit {
	struct perf_event *event;
	struct perf_moves *moves; /* that nobody needs any more */
	bool keep_group;          /* it leaves its context alone */
};

static __always_inline struct perf_moves *take_off(struct perf_event *event, bool keep_group)
{
	struct perf_context *ctx = event->ctx;
	struct perf_moves *moves = NULL;

	/* The interrupt that is to see to it will not find it any more. */
	if (unlikely(event->exclude & EXCLUDE_ALL))
		perf_context_stop_excluded(ctx);
	stop(event);
	if (!keep_group && perf_event_has_group(event))
		perf_group_leave(event);
	list_del(&event->node);
	ctx->nr_events--;
	ctx->nr_bound -= event->cpu >= 0;
	perf_context_differs(ctx, event, -1);
	if (unlikely(perf_moves_needed(event, ctx->task)))
		moves = perf_moves_unuse(event, ctx);
	if (!ctx->task || !container_of(ctx, struct perf_task, ctx)->exited)
		event->owner->nr_live--;
	event->ctx = NULL;
	return moves;
}

struct perf_moves *perf_event_take_off(struct perf_event *event, bool keep_group)
{
	return take_off(event, keep_group);
}

static inline void leave(void *arg)
{
	struct exit *p = arg;

	p->moves = take_off(p->event, p->keep_group);
}

/* What its unit wants, for one that is to be @task's, or a CPU's (NULL); and when it is no longer.
 */
static inline int unit_init(struct perf_event *event, struct task *task)
{
	return unlikely(event->pmu->init) ? event->pmu->init(event, task) : 0;
}

static inline void unit_destroy(struct perf_event *event)
{
	if (unlikely(event->pmu->destroy))
		event->pmu->destroy(event);
}

void perf_event_detach(struct perf_event *event, bool keep_group)
{
	struct exit p = {event, NULL, keep_group};

	perf_context_change(event->ctx, leave, &p);
	unit_destroy(event);
	if (unlikely(p.moves))
		perf_moves_free(p.moves);
}

/* An event on its way to a context. */
struct entry {
	struct perf_event *event;
	struct perf_event *leader; /* of the group that it is to be in; NULL: of its own */
	struct perf_context *ctx;
	struct task *task;        /* whose that is to be */
	struct perf_moves *moves; /* for it */
	u32 max;
	int err;
	bool missed; /* the task has got another one meanwhile */
};

/* Attaches unless the context has max events: -ENOSPC; or its task has ended: -ESRCH. */
static inline void enter(void *arg)
{
	struct entry *p = arg;
	struct perf_context *ctx = p->ctx;

	p->missed = ctx->task != p->task;
	if (unlikely(p->missed))
		return;
	if (ctx->task && container_of(ctx, struct perf_task, ctx)->exited)
		p->err = -ESRCH;
	else if (ctx->nr_events >= p->max)
		p->err = -ENOSPC;
	else if (p->leader)
		p->err = perf_group_check(p->leader, p->event, ctx);
	if (p->err)
		return;
	if (p->leader)
		p->event->leader = p->leader;
	p->event->home = ctx->serial;
	perf_event_attach(p->event, ctx, &p->moves);
}

static inline int check_target(const struct perf_event_attr *attr, bool has_task, int cpu)
{
	if (cpu < -1 || cpu >= MAX_CPUS || (cpu == -1 && !has_task))
		return -EINVAL;
	if (cpu >= (int)nr_cpus)
		return -ENODEV;
	/* A CPU executes nothing. */
	if (!has_task && (attr->enable_on_exec || attr->remove_on_exec || attr->sigtrap))
		return -EINVAL;
	return 0;
}

/*
 * The context of @task, for which the zeroed *@part is used, and then NULL, when it has none.
 * ERR_PTR(-EAGAIN): it has none and there is no part; -ESRCH: it has ended. Keeps the task from
 * being freed while perf_mutex is held. Whoever calls keeps it until then.
 */
static struct perf_context *task_context(struct task *task, struct perf_task **part)
{
	struct perf_context *ctx;
	unsigned long flags;

	/* Nobody takes the running task's away. */
	if (likely(task == current && task->perf))
		return &task->perf->ctx;
	flags = spin_lock_irqsave(&perf_lock);
	/* Who ends looks for its part, under this lock, when it is dead. */
	if (!task->perf && READ_ONCE(task->state) == TASK_DEAD) {
		ctx = ERR_PTR(-ESRCH);
	} else if (!task->perf && !*part) {
		ctx = ERR_PTR(-EAGAIN);
	} else {
		if (!task->perf) {
			perf_task_install(task, *part);
			*part = NULL;
		}
		ctx = &task->perf->ctx;
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	return ctx;
}

/* Whom an event is opened for. */
struct target {
	struct task *task; /* held by the caller; NULL: @pid, or with -1 the CPU */
	pid_t pid;
	int cpu;
	struct perf_event *leader;    /* NULL: it leads a group of its own */
	const struct perf_user *user; /* NULL: the kernel */
};

static bool target_is_cpu(const struct target *t)
{
	return !t->task && t->pid == -1;
}

/*
 * The context of @t, as task_context(); or ERR_PTR(-EACCES). *@whose: its task. perf_mutex held,
 * which keeps both.
 */
static struct perf_context *find_context(const struct target *t, struct task **whose,
					 struct perf_task **part)
{
	struct perf_context *ctx;
	struct task *task;
	unsigned long flags;

	*whose = t->task;
	if (target_is_cpu(t))
		return &cpus[t->cpu].perf->ctx;
	if (t->task)
		return task_context(t->task, part);
	flags = spin_lock_irqsave(&task_list_lock);
	*whose = task = task_find(t->pid);
	if (task && !t->user->privileged && t->user->may_access(task))
		ctx = ERR_PTR(-EACCES);
	else
		ctx = task ? task_context(task, part) : ERR_PTR(-ESRCH);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return ctx;
}

/* The same with a part made for a task that has none, or ERR_PTR(-ENOMEM). */
static struct perf_context *make_context(const struct target *t, struct task **whose)
{
	struct perf_task *part = kzalloc(sizeof(*part));
	struct perf_context *ctx = part ? find_context(t, whose, &part) : ERR_PTR(-ENOMEM);

	kfree(part);
	return ctx;
}

/* Puts @p's event where @t says. -ESRCH, -EACCES, -ENOSPC; -ENOMEM. */
static int attach_locked(struct entry *p, const struct target *t)
{
	struct perf_task *none = NULL;
	bool ready = false;

	do {
		p->ctx = find_context(t, &p->task, &none);
		if (unlikely(p->ctx == ERR_PTR(-EAGAIN)))
			p->ctx = make_context(t, &p->task);
		if (IS_ERR(p->ctx))
			p->err = PTR_ERR(p->ctx);
		else if (t->leader && p->task)
			p->err = perf_group_come_home(t->leader, p->task);
		if (!p->err && !ready) {
			p->err = unit_init(p->event, p->task);
			ready = !p->err;
		}
		if (p->err)
			break;
		perf_context_change(p->ctx, enter, p);
	} while (unlikely(p->missed));
	if (p->err && ready)
		unit_destroy(p->event);
	return p->err;
}

static noinline int attach_shared(struct perf_event *event, const struct target *t, u32 max)
{
	struct entry p = {.event = event, .leader = t->leader, .max = max};
	int err = perf_moves_alloc(event, !target_is_cpu(t), &p.moves);

	if (err)
		return err;
	mutex_lock(&perf_mutex);
	err = attach_locked(&p, t);
	mutex_unlock(&perf_mutex);
	perf_moves_free(p.moves);
	return err;
}

/* Will @event be one that only its task comes by, and its file? */
static inline bool may_be_private(const struct perf_event *event, const struct target *t)
{
	return t->task == current && current->perf && !t->leader && !event->attr.inherit &&
	       !perf_moves_needed(event, true);
}

static inline int attach_private(struct perf_event *event, u32 max)
{
	int err = unit_init(event, current);
	struct perf_context *ctx;
	unsigned long flags;

	if (err)
		return err;
	event->private = true;
	flags = perf_context_lock_own();
	ctx = &current->perf->ctx;
	if (likely(ctx->nr_events < max))
		perf_event_attach(event, ctx, NULL);
	else
		err = -ENOSPC;
	perf_context_unlock_own(flags);
	if (err)
		unit_destroy(event);
	return err;
}

static int attach(struct perf_event *event, const struct target *t)
{
	u32 max = t->user && !t->user->privileged ? PERF_EVENTS_MAX_USER : PERF_EVENTS_MAX;

	return likely(may_be_private(event, t)) ? attach_private(event, max)
						: attach_shared(event, t, max);
}

static __always_inline void free_event(struct perf_event *event)
{
	if (unlikely(event->stops_pending))
		perf_limit_wait(event);
	kfree(event);
}

void perf_event_free(struct perf_event *event)
{
	free_event(event);
}

struct perf_event *perf_event_create_kernel_counter(const struct perf_event_attr *attr, int cpu,
						    struct task *task,
						    perf_overflow_handler_t handler, void *context)
{
	const struct target t = {.task = task, .pid = -1, .cpu = cpu};
	int err = perf_attr_check(attr) ?: check_target(attr, task, cpu);
	struct perf_event *event;

	if (err)
		return ERR_PTR(err);
	perf_free_released();
	event = perf_event_alloc(attr, cpu, handler, context);
	err = event ? attach(event, &t) : -ENOMEM;
	if (!err)
		return event;
	kfree(event);
	return ERR_PTR(err);
}

int perf_event_open(struct perf_event *event, pid_t pid, int cpu, struct perf_event *leader,
		    const struct perf_user *user)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct target t = {
	    .task = pid ? NULL : current, .pid = pid, .cpu = cpu, .leader = leader, .user = user};
	int err = perf_attr_check(attr) ?: perf_permission(attr, pid == -1, user->privileged);

	if (!err)
		err = check_target(attr, pid != -1, cpu);
	if (!err && pid < -1)
		err = -ESRCH;
	if (!err) {
		perf_free_released();
		set_up(event, cpu, NULL, NULL);
		err = attach(event, &t);
	}
	if (err)
		perf_event_discard(event);
	return err;
}

static inline void detach_private(struct perf_event *event)
{
	unsigned long flags = perf_context_lock_own();

	take_off(event, false); /* what uses moves is not private */
	perf_context_unlock_own(flags);
	unit_destroy(event);
}

/* Takes @event from wherever others may find it. */
static noinline void withdraw(struct perf_event *event)
{
	struct perf_event *child, *next;
	unsigned long flags;

	mutex_lock(&perf_mutex);
	list_for_each_safe (child, next, &event->children, child_node) {
		perf_event_detach(child, false);
		perf_event_free(child);
	}
	if (event->ctx)
		perf_event_detach(event, false);
	else if (perf_event_has_group(event))
		perf_group_leave(event);
	/* Others take the ring away, of which this is the last that they do; none gives it one. */
	if (unlikely(__atomic_load_n(&event->ring, __ATOMIC_ACQUIRE))) {
		flags = spin_lock_irqsave(&perf_lock);
		list_del(&event->ring_node);
		spin_unlock_irqrestore(&perf_lock, flags);
	}
	mutex_unlock(&perf_mutex);
}

void perf_event_release(struct perf_event *event)
{
	ASSERT(!event->mappings);
	if (likely(event->private && current->perf && event->ctx == &current->perf->ctx))
		detach_private(event);
	else
		withdraw(event);
	free_event(event);
}

/* --- For panic --- */

static const char *const event_names[PERF_COUNT_SW_MAX] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
    [PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
    [PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
    [PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
    [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
    [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
    [PERF_COUNT_SW_DUMMY] = "dummy",
};

static void print_context(const struct perf_context *ctx)
{
	struct perf_event *event;
	u64 enabled, running;

	list_for_each (event, &ctx->events, node)
		printk("perf: %s event %llu %s (%s): %llu, lost %llu\n",
		       ctx->task ? ctx->task->comm : "CPU", event->id,
		       event->config < PERF_COUNT_SW_MAX ? event_names[event->config]
							 : event->pmu->name,
		       event->enabled ? "enabled" : "disabled",
		       perf_event_own(event, &enabled, &running), event->owner->lost);
}

void perf_print_state(void)
{
	const struct cpu *cpu = this_cpu();

	if (cpu->perf)
		print_context(&cpu->perf->ctx);
	if (current->perf)
		print_context(&current->perf->ctx);
}
