/* SPDX-License-Identifier: MIT */
/*
 * Events: opening, attaching to contexts, enabling, reading, releasing. What happens to them when
 * tasks fork, exec and end is in task.c.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>

#include "event.h"

#include <arch/irq.h>

static u64 last_id;

/* --- Enabling --- */

/* For which reasons a switch is watched as long as @event is enabled. */
static u32 watch_of(const struct perf_event *event)
{
	bool of_task = event->ctx->task;
	u32 watch = of_task ? WATCH_TIME : 0;

	switch (event->source) {
	case PERF_SOURCE_SWITCH_COUNT:
		watch |= WATCH_COUNT;
		break;
	case PERF_SOURCE_SWITCH:
		watch |= WATCH_SWITCH;
		break;
	case PERF_SOURCE_CLOCK:
		watch |= of_task && event->sampling ? WATCH_CLOCK : 0;
		break;
	case PERF_SOURCE_MOVE:
		watch |= of_task && event->sampling ? WATCH_PLACE : WATCH_MOVE;
		break;
	default:
		break;
	}
	if (event->records & RECORD_SWITCH)
		watch |= WATCH_RECORD;
	return watch;
}

/* Tells the scheduler what to watch from the very next switch on; @event comes (1) or goes (-1). */
static void update_watch(const struct perf_event *event, int by)
{
	struct perf_context *ctx = event->ctx;
	u32 watch = *ctx->watch;

	for (u32 bits = watch_of(event); bits; bits &= bits - 1) {
		u32 bit = bits & -bits;
		u8 *watchers = &ctx->watchers[__builtin_ctz(bits)];

		*watchers += by;
		watch = *watchers ? watch | bit : watch & ~bit;
	}
	WRITE_ONCE(*ctx->watch, watch);
}

static bool clock_runs(const struct perf_event *event)
{
	const struct perf_context *ctx = event->ctx;

	return event->clock && event->sampling && event->enabled &&
	       (ctx->task ? ctx->running : true) && perf_event_on(event, this_cpu());
}

void perf_clock_restart(struct perf_event *event)
{
	u64 now = clock_ns();

	event->timer_left = event->period;
	event->put_off = 0;
	if (event->ctx && clock_runs(event))
		perf_clock_start(event, now);
}

void perf_event_start(void *arg)
{
	struct perf_event *event = arg;
	struct perf_context *ctx = event->ctx;
	u64 now = clock_ns();

	if (!ctx || event->enabled)
		return;
	/* The first one enabled: until now the task was not watched. */
	if (ctx->task == current && !ctx->running)
		perf_context_in(ctx, now);
	event->enabled = true;
	event->started = now;
	event->enabled_at = perf_context_time(ctx, -1, now);
	event->running_at =
	    event->cpu < 0 ? event->enabled_at : perf_context_time(ctx, event->cpu, now);
	list_add_tail(&event->active_node, &ctx->active[event->source]);
	update_watch(event, 1);
	if (clock_runs(event))
		perf_clock_start(event, now);
	perf_output_update_page(event);
}

void perf_event_stop(void *arg)
{
	struct perf_event *event = arg;
	struct perf_context *ctx = event->ctx;
	u64 now = clock_ns();

	if (!ctx || !event->enabled)
		return;
	if (clock_runs(event))
		perf_clock_stop(event, now);
	event->enabled_time += perf_context_time(ctx, -1, now) - event->enabled_at;
	event->running_time += perf_context_time(ctx, event->cpu, now) - event->running_at;
	event->enabled = false;
	list_del(&event->active_node);
	update_watch(event, -1);
	if (ctx->running && !*ctx->watch)
		perf_context_out(ctx, this_cpu(), now);
	perf_output_update_page(event);
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

/* Applies @change to @event and to its inherited copies. */
static void for_all(struct perf_event *event, void (*change)(void *event))
{
	struct perf_event *child;

	mutex_lock(&perf_mutex);
	perf_event_change(event, change);
	list_for_each (child, &event->children, child_node)
		perf_event_change(child, change);
	mutex_unlock(&perf_mutex);
}

void perf_event_enable(struct perf_event *event)
{
	for_all(event, perf_event_start);
}

void perf_event_disable(struct perf_event *event)
{
	for_all(event, perf_event_stop);
}

/* --- Reading --- */

/* As perf_event_own(), since the event was opened rather than since its last reset. */
static u64 raw_value(const struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 now = clock_ns();

	*enabled = event->enabled_time;
	*running = event->running_time;
	if (event->enabled) {
		*enabled += perf_context_time(event->ctx, -1, now) - event->enabled_at;
		*running += perf_context_time(event->ctx, event->cpu, now) - event->running_at;
	}
	if (event->clock && !event->sampling)
		return *running;
	return event->count + event->pending;
}

u64 perf_event_own(const struct perf_event *event, u64 *enabled, u64 *running)
{
	return raw_value(event, enabled, running) - event->base;
}

struct reading {
	struct perf_event *event;
	u64 value, enabled, running; /* sums */
};

static void read_one(void *arg)
{
	struct reading *r = arg;
	u64 enabled, running;

	r->value += perf_event_own(r->event, &enabled, &running);
	r->enabled += enabled;
	r->running += running;
}

static void add_value(struct reading *r, struct perf_event *event)
{
	r->event = event;
	if (event->ctx)
		perf_context_change(event->ctx, read_one, r);
	else
		read_one(r);
}

u64 perf_event_read(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct perf_event *child;
	struct reading r;

	mutex_lock(&perf_mutex);
	r.value = event->gone_value;
	r.enabled = event->gone_enabled;
	r.running = event->gone_running;
	add_value(&r, event);
	list_for_each (child, &event->children, child_node)
		add_value(&r, child);
	mutex_unlock(&perf_mutex);
	if (enabled)
		*enabled = r.enabled;
	if (running)
		*running = r.running;
	return r.value;
}

static void reset(void *arg)
{
	struct perf_event *event = arg;
	u64 enabled, running;

	event->base = raw_value(event, &enabled, &running);
	event->gone_value = 0;
	perf_output_update_page(event);
}

/* The value becomes 0; times and identity stay. */
void perf_event_reset(struct perf_event *event)
{
	for_all(event, reset);
}

u32 perf_event_read_words(struct perf_event *event, u64 words[PERF_READ_WORDS_MAX])
{
	u64 format = event->attr.read_format, enabled, running;
	u32 n = 0;

	words[n++] = perf_event_read(event, &enabled, &running);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = running;
	if (format & PERF_FORMAT_ID)
		words[n++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[n++] = __atomic_load_n(&event->lost, __ATOMIC_RELAXED);
	return n;
}

u64 perf_event_id(const struct perf_event *event)
{
	return event->id;
}

void *perf_event_context(const struct perf_event *event)
{
	return event->handler_context;
}

/* --- Opening and releasing --- */

struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
				    perf_overflow_handler_t handler, void *handler_context)
{
	struct perf_event *event = kmalloc(sizeof(*event));

	if (!event)
		return NULL;
	memset(event, 0, offsetof(struct perf_event, attr));
	event->cpu = cpu;
	event->handler = handler;
	event->handler_context = handler_context;
	event->owner = event;
	event->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	list_init(&event->active_node);
	list_init(&event->node);
	list_init(&event->children);
	list_init(&event->child_node);
	list_init(&event->ring_node);
	wait_queue_init(&event->wait);
	perf_event_setup(event, attr);
	perf_clock_init(event);
	return event;
}

void perf_event_attach(struct perf_event *event, struct perf_context *ctx,
		       struct perf_moves **moves)
{
	event->ctx = ctx;
	list_add_tail(&event->node, &ctx->events);
	ctx->nr_events++;
	ctx->nr_bound += ctx->task && event->cpu >= 0;
	event->owner->nr_live++;
	perf_moves_use(event, ctx, moves);
	if (!event->attr.disabled)
		perf_event_start(event);
}

/* An event on its way to a context, or off it. */
struct passage {
	struct perf_event *event;
	struct perf_context *ctx;
	struct perf_moves *moves; /* for it; what it leaves */
	u32 max;
	int err;
};

static void leave(void *arg)
{
	struct passage *p = arg;
	struct perf_context *ctx = p->ctx;

	perf_event_stop(p->event);
	list_del(&p->event->node);
	ctx->nr_events--;
	ctx->nr_bound -= ctx->task && p->event->cpu >= 0;
	p->moves = perf_moves_unuse(p->event, ctx);
	if (!ctx->task || !container_of(ctx, struct perf_task, ctx)->exited)
		p->event->owner->nr_live--;
	p->event->ctx = NULL;
}

void perf_event_detach(struct perf_event *event)
{
	struct passage p = {.event = event, .ctx = event->ctx};

	perf_context_change(p.ctx, leave, &p);
	if (unlikely(p.moves))
		perf_moves_free(p.moves);
}

/* Attaches unless the context has max events: -ENOSPC; or its task has ended: -ESRCH. */
static void enter(void *arg)
{
	struct passage *p = arg;
	struct perf_context *ctx = p->ctx;

	if (ctx->task && container_of(ctx, struct perf_task, ctx)->exited)
		p->err = -ESRCH;
	else if (ctx->nr_events >= p->max)
		p->err = -ENOSPC;
	else
		perf_event_attach(p->event, ctx, &p->moves);
}

static int check_target(const struct perf_event_attr *attr, bool has_task, int cpu)
{
	if (cpu < -1 || cpu >= MAX_CPUS || (cpu == -1 && !has_task))
		return -EINVAL;
	if (cpu >= (int)nr_cpus)
		return -ENODEV;
	/* A CPU executes nothing. */
	if (!has_task && attr->enable_on_exec)
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
	const struct perf_user *user; /* NULL: the kernel */
};

static bool target_is_cpu(const struct target *t)
{
	return !t->task && t->pid == -1;
}

/* The context of @t, as task_context(); or ERR_PTR(-EACCES). perf_mutex held, which keeps it. */
static struct perf_context *find_context(const struct target *t, struct perf_task **part)
{
	struct perf_context *ctx;
	struct task *task;
	unsigned long flags;

	if (target_is_cpu(t))
		return &cpus[t->cpu].perf->ctx;
	if (t->task)
		return task_context(t->task, part);
	flags = spin_lock_irqsave(&task_list_lock);
	task = task_find(t->pid);
	if (task && !t->user->privileged && t->user->may_access(task))
		ctx = ERR_PTR(-EACCES);
	else
		ctx = task ? task_context(task, part) : ERR_PTR(-ESRCH);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return ctx;
}

/* The same with a part made for a task that has none, or ERR_PTR(-ENOMEM). */
static struct perf_context *make_context(const struct target *t)
{
	struct perf_task *part = kzalloc(sizeof(*part));
	struct perf_context *ctx = part ? find_context(t, &part) : ERR_PTR(-ENOMEM);

	kfree(part);
	return ctx;
}

/* Puts @p's event where @t says. -ESRCH, -EACCES, -ENOSPC; -ENOMEM. perf_mutex held. */
static int attach_locked(struct passage *p, const struct target *t)
{
	struct perf_task *none = NULL;

	p->ctx = find_context(t, &none);
	if (unlikely(p->ctx == ERR_PTR(-EAGAIN)))
		p->ctx = make_context(t);
	if (IS_ERR(p->ctx))
		return PTR_ERR(p->ctx);
	perf_context_change(p->ctx, enter, p);
	return p->err;
}

static int attach(struct perf_event *event, const struct target *t)
{
	struct passage p = {.event = event, .max = PERF_EVENTS_MAX};
	int err = 0;

	if (t->user && !t->user->privileged)
		p.max = PERF_EVENTS_MAX_USER;
	if (unlikely(perf_moves_needed(event, !target_is_cpu(t))))
		err = perf_moves_alloc(event, !target_is_cpu(t), &p.moves);
	if (err)
		return err;
	mutex_lock(&perf_mutex);
	err = attach_locked(&p, t);
	mutex_unlock(&perf_mutex);
	if (unlikely(p.moves))
		perf_moves_free(p.moves);
	return err;
}

static struct perf_event *create(const struct perf_event_attr *attr, const struct target *t,
				 perf_overflow_handler_t handler, void *context)
{
	struct perf_event *event = perf_event_alloc(attr, t->cpu, handler, context);
	int err = event ? attach(event, t) : -ENOMEM;

	if (!err)
		return event;
	kfree(event);
	return ERR_PTR(err);
}

struct perf_event *perf_event_create_kernel_counter(const struct perf_event_attr *attr, int cpu,
						    struct task *task,
						    perf_overflow_handler_t handler, void *context)
{
	const struct target t = {.task = task, .pid = -1, .cpu = cpu};
	int err = perf_attr_check(attr) ?: check_target(attr, task, cpu);

	return err ? ERR_PTR(err) : create(attr, &t, handler, context);
}

struct perf_event *perf_event_open_pid(const struct perf_event_attr *attr, pid_t pid, int cpu,
				       const struct perf_user *user)
{
	const struct target t = {
	    .task = pid ? NULL : current, .pid = pid, .cpu = cpu, .user = user};
	int err = perf_attr_check(attr) ?: perf_permission(attr, pid == -1, user->privileged);

	if (!err)
		err = check_target(attr, pid != -1, cpu);
	if (!err && pid < -1)
		err = -ESRCH;
	return err ? ERR_PTR(err) : create(attr, &t, NULL, NULL);
}

void perf_event_release(struct perf_event *event)
{
	struct perf_event *child, *next;
	unsigned long flags;

	ASSERT(!event->mappings);
	mutex_lock(&perf_mutex);
	list_for_each_safe (child, next, &event->children, child_node) {
		perf_event_detach(child);
		kfree(child);
	}
	if (event->ctx)
		perf_event_detach(event);
	/* Others take it off, none puts it on any more. */
	if (unlikely(!list_empty(&event->ring_node))) {
		flags = spin_lock_irqsave(&perf_lock);
		list_del(&event->ring_node);
		spin_unlock_irqrestore(&perf_lock, flags);
	}
	mutex_unlock(&perf_mutex);
	kfree(event);
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
	const struct perf_event *event;
	u64 enabled, running;

	list_for_each (event, &ctx->events, node)
		printk("perf: %s event %llu %s (%s): %llu, lost %llu\n",
		       ctx->task ? ctx->task->comm : "CPU", event->id, event_names[event->config],
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
