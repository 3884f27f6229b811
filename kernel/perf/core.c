/* SPDX-License-Identifier: MIT */
/*
 * Events and the contexts they live in: opening, attaching, enabling, reading, releasing. What
 * happens to them when tasks fork, exec and end is in task.c.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>

#include "event.h"

#include <arch/irq.h>

struct spinlock perf_lock = SPINLOCK_INIT;

static struct perf_cpu perf_cpus[MAX_CPUS];
static u64 last_id;

static void context_init(struct perf_context *ctx, struct task *task, u32 *watch)
{
	for (int i = 0; i < NR_PERF_SOURCES; i++)
		list_init(&ctx->active[i]);
	list_init(&ctx->events);
	ctx->task = task;
	ctx->watch = watch;
}

void perf_init_cpu(struct cpu *cpu)
{
	cpu->perf = &perf_cpus[cpu->id];
	context_init(&cpu->perf->ctx, NULL, &cpu->perf_active);
}

void perf_task_install(struct task *task, struct perf_task *part)
{
	context_init(&part->ctx, task, &task->perf_active);
	list_init(&part->dead);
	task->perf = part;
}

/* --- Time --- */

/* ns that @ctx has run, on @cpu or (-1) anywhere. A CPU's own context always runs. */
static u64 context_time(const struct perf_context *ctx, s32 cpu, u64 now)
{
	u64 time;

	if (!ctx->task)
		return now;
	time = cpu < 0 ? ctx->time : ctx->time_on[cpu];
	if (ctx->running && (cpu < 0 || (u32)cpu == ctx->task->cpu))
		time += now - ctx->since;
	return time;
}

/* Starts or stops those clocks of a task that sample by a timer. */
static void switch_clocks(struct perf_context *ctx, u64 now, bool in)
{
	const struct cpu *cpu = this_cpu();
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_CLOCK], active_node) {
		if (!event->sampling || !perf_event_on(event, cpu))
			continue;
		if (in)
			perf_clock_start(event, now);
		else
			perf_clock_stop(event, now);
	}
}

void perf_context_in(struct perf_context *ctx, u64 now)
{
	ctx->running = true;
	ctx->since = now;
	if (unlikely(!list_empty(&ctx->active[PERF_SOURCE_CLOCK])))
		switch_clocks(ctx, now, true);
}

void perf_context_out(struct perf_context *ctx, u64 now)
{
	u64 ran = now - ctx->since;

	if (!ctx->running)
		return;
	ctx->running = false;
	ctx->time += ran;
	ctx->time_on[this_cpu()->id] += ran;
	if (unlikely(!list_empty(&ctx->active[PERF_SOURCE_CLOCK])))
		switch_clocks(ctx, now, false);
}

/* --- Enabling --- */

static enum perf_source source_of(const struct perf_event *event)
{
	switch (event->config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return PERF_SOURCE_SWITCH;
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return PERF_SOURCE_CLOCK;
	case PERF_COUNT_SW_DUMMY:
		return PERF_SOURCE_NONE;
	default:
		return PERF_SOURCE_FAULT;
	}
}

/* Tells the scheduler what to watch for @ctx from the very next switch on. */
static void update_watch(struct perf_context *ctx)
{
	struct perf_event *event;
	u32 watch = 0;

	list_for_each (event, &ctx->events, node) {
		if (!event->enabled)
			continue;
		if (ctx->task)
			watch |= WATCH_TIME;
		if (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES)
			watch |= WATCH_SWITCH;
		if (event->records & RECORD_SWITCH)
			watch |= WATCH_RECORD;
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

void perf_event_start(struct perf_event *event)
{
	struct perf_context *ctx = event->ctx;
	u64 now = clock_ns();

	if (!ctx || event->enabled)
		return;
	/* The first one enabled: until now the task was not watched. */
	if (ctx->task == current && !ctx->running)
		perf_context_in(ctx, now);
	event->enabled = true;
	event->enabled_at = context_time(ctx, -1, now);
	event->running_at = context_time(ctx, event->cpu, now);
	list_add_tail(&event->active_node, &ctx->active[source_of(event)]);
	update_watch(ctx);
	if (clock_runs(event))
		perf_clock_start(event, now);
	perf_output_update_page(event);
}

void perf_event_stop(struct perf_event *event)
{
	struct perf_context *ctx = event->ctx;
	u64 now = clock_ns();

	if (!ctx || !event->enabled)
		return;
	if (clock_runs(event))
		perf_clock_stop(event, now);
	event->enabled_time += context_time(ctx, -1, now) - event->enabled_at;
	event->running_time += context_time(ctx, event->cpu, now) - event->running_at;
	event->enabled = false;
	list_del(&event->active_node);
	update_watch(ctx);
	if (ctx->task && !*ctx->watch)
		perf_context_out(ctx, now);
	perf_output_update_page(event);
}

/* Applies @change to @event and to its inherited copies. */
static void for_all(struct perf_event *event, void (*change)(struct perf_event *))
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_event *child;

	change(event);
	list_for_each (child, &event->children, child_node)
		change(child);
	spin_unlock_irqrestore(&perf_lock, flags);
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
		*enabled += context_time(event->ctx, -1, now) - event->enabled_at;
		*running += context_time(event->ctx, event->cpu, now) - event->running_at;
	}
	if (event->clock && !event->sampling)
		return *running;
	return event->count + event->pending;
}

u64 perf_event_own(const struct perf_event *event, u64 *enabled, u64 *running)
{
	return raw_value(event, enabled, running) - event->base;
}

u64 perf_event_read(struct perf_event *event, u64 *enabled, u64 *running)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	u64 value, on, ran, sum_on, sum_ran;
	struct perf_event *child;

	value = event->gone_value + perf_event_own(event, &sum_on, &sum_ran);
	sum_on += event->gone_enabled;
	sum_ran += event->gone_running;
	list_for_each (child, &event->children, child_node) {
		value += perf_event_own(child, &on, &ran);
		sum_on += on;
		sum_ran += ran;
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	if (enabled)
		*enabled = sum_on;
	if (running)
		*running = sum_ran;
	return value;
}

static void reset(struct perf_event *event)
{
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
		words[n++] = event->lost;
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
	struct perf_event *event = kzalloc(sizeof(*event));

	if (!event)
		return NULL;
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

void perf_event_attach(struct perf_event *event, struct perf_context *ctx)
{
	event->ctx = ctx;
	list_add_tail(&event->node, &ctx->events);
	ctx->nr_events++;
	if (!event->attr.disabled)
		perf_event_start(event);
}

void perf_event_detach(struct perf_event *event)
{
	perf_event_stop(event);
	list_del(&event->node);
	event->ctx->nr_events--;
	event->ctx = NULL;
}

/* Attaches @event to @ctx unless that has @max events: -ENOSPC. perf_lock held. */
static int attach_below(struct perf_event *event, struct perf_context *ctx, u32 max)
{
	if (ctx->nr_events >= max)
		return -ENOSPC;
	perf_event_attach(event, ctx);
	return 0;
}

/*
 * Attaches @event to @task; the zeroed *@part becomes the task's if it has none, and NULL. -ESRCH;
 * -ENOSPC: it has @max.
 */
static int attach_task(struct perf_event *event, struct task *task, struct perf_task **part,
		       u32 max)
{
	unsigned long flags;
	int err = 0;

	if (!task)
		return -ESRCH;
	flags = spin_lock_irqsave(&perf_lock);
	if (task->perf ? task->perf->exited : task->state == TASK_DEAD) {
		err = -ESRCH;
	} else {
		if (!task->perf) {
			perf_task_install(task, *part);
			*part = NULL;
		}
		err = attach_below(event, &task->perf->ctx, max);
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	return err;
}

static int attach_cpu(struct perf_event *event, int cpu, u32 max)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	int err = attach_below(event, &cpus[cpu].perf->ctx, max);

	spin_unlock_irqrestore(&perf_lock, flags);
	return err;
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

static struct perf_event *create(const struct perf_event_attr *attr, int cpu, struct task *task,
				 perf_overflow_handler_t handler, void *context, u32 max)
{
	int err = perf_attr_check(attr) ?: check_target(attr, task, cpu);
	struct perf_event *event = err ? NULL : perf_event_alloc(attr, cpu, handler, context);
	struct perf_task *part = event && task ? kzalloc(sizeof(*part)) : NULL;

	if (!err && (!event || (task && !part)))
		err = -ENOMEM;
	if (!err)
		err = task ? attach_task(event, task, &part, max) : attach_cpu(event, cpu, max);
	kfree(part);
	if (!err)
		return event;
	kfree(event);
	return ERR_PTR(err);
}

struct perf_event *perf_event_create_kernel_counter(const struct perf_event_attr *attr, int cpu,
						    struct task *task,
						    perf_overflow_handler_t handler, void *context)
{
	return create(attr, cpu, task, handler, context, PERF_EVENTS_MAX);
}

static u32 max_events(const struct perf_user *user)
{
	return user->privileged ? PERF_EVENTS_MAX : PERF_EVENTS_MAX_USER;
}

/* As attach_task(), to task @pid, if @user may look at it. */
static int attach_pid(struct perf_event *event, pid_t pid, const struct perf_user *user,
		      struct perf_task **part)
{
	/* The lock keeps the task from being freed. */
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task = task_find(pid);
	int err;

	if (task && !user->privileged && user->may_access(task))
		err = -EACCES;
	else
		err = attach_task(event, task, part, max_events(user));
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

struct perf_event *perf_event_open_pid(const struct perf_event_attr *attr, pid_t pid, int cpu,
				       const struct perf_user *user)
{
	struct perf_event *event;
	struct perf_task *part;
	int err = perf_attr_check(attr) ?: perf_permission(attr, pid == -1, user->privileged);

	if (!err)
		err = check_target(attr, pid != -1, cpu);
	if (!err && pid < -1)
		err = -ESRCH;
	if (err)
		return ERR_PTR(err);
	if (pid <= 0)
		return create(attr, cpu, pid ? NULL : current, NULL, NULL, max_events(user));
	event = perf_event_alloc(attr, cpu, NULL, NULL);
	part = kzalloc(sizeof(*part));
	err = event && part ? attach_pid(event, pid, user, &part) : -ENOMEM;
	kfree(part);
	if (!err)
		return event;
	kfree(event);
	return ERR_PTR(err);
}

void perf_event_release(struct perf_event *event)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_event *child, *next;
	struct list_head children = LIST_HEAD_INIT(children);

	ASSERT(!event->mappings);
	if (event->ctx)
		perf_event_detach(event);
	list_del(&event->ring_node);
	list_for_each_safe (child, next, &event->children, child_node) {
		perf_event_detach(child);
		list_del(&child->child_node);
		list_add(&child->node, &children);
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	list_for_each_safe (child, next, &children, node)
		kfree(child);
	kfree(event);
}

/* --- For panic --- */

static const char *const event_names[PERF_COUNT_SW_MAX] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
    [PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
    [PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
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
