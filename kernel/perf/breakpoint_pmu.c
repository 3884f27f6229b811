/* SPDX-License-Identifier: MIT */
/*
 * Events that breakpoints strike. Their slots are reserved when they come into a context and given
 * back when they leave it, so that there always is room for them: nothing here is scheduled, and a
 * switch to another task is kernel/breakpoint's.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/device.h>
#include <hotregs/hw_breakpoint.h>
#include <hotregs/mm.h>
#include <hotregs/string.h>

#include "strike.h"

#include <arch/mmu.h>

/* --- What there is --- */

static bool is_kernels(const struct perf_event_attr *attr)
{
	return attr->bp_addr >= USER_END;
}

static int parse(const struct perf_event_attr *attr, bool user, struct bp_parts *parts)
{
	const char *why;
	int err = bp_parse(attr, parts, &why);

	/* No range is a user's and the kernel's; and a user's may be watched. */
	return err || !is_kernels(attr) ? err : breakpoint_check(parts, user, &why);
}

/* What it is to watch is parsed when it gets its slots: that is done once. */
static int check(const struct perf_event_attr *attr)
{
	/* What is there only the kernel can touch. */
	return attr->config || (is_kernels(attr) && attr->exclude_kernel) ? -EINVAL : 0;
}

bool perf_breakpoint_needs_privilege(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT && is_kernels(attr);
}

/* --- Strikes --- */

/* Is a sample being taken here? What that reads is nobody's access. */
static bool is_sampling(void)
{
	const struct cpu *cpu = this_cpu();
	u32 busy;

	_Static_assert(sizeof(busy) == sizeof(cpu->perf->busy), "");
	memcpy(&busy, cpu->perf->busy, sizeof(busy));
	return busy;
}

static noinline void strike_any(struct perf_event *event, struct pt_regs *regs)
{
	const struct cpu *cpu = this_cpu();
	u64 addr = event->attr.bp_addr;

	perf_strike(event, cpu, cpu_context(cpu), 1, regs, &addr, event->sampling ? clock_ns() : 0);
}

/* One that takes a sample, whatever it is. */
static noinline void strike_each(struct perf_event *event, struct pt_regs *regs)
{
	const struct cpu *cpu = this_cpu();

	if (!perf_sample_enter(event, cpu, CTX_TASK))
		return;
	event->count++;
	perf_sample_write(event, cpu, regs, event->attr.bp_addr, 1, clock_ns());
	perf_sample_leave(cpu, CTX_TASK);
}

static void strike(struct breakpoint *bp, const struct bp_hit *hit)
{
	struct perf_event *event = bp->context;

	if (unlikely(!user_mode(hit->regs) || event->exclude & EXCLUDE_MODES))
		strike_any(event, hit->regs);
	else if (likely(event->pending + 1 < event->period))
		event->pending++; /* counted, without a question */
	else if (likely(event->each))
		strike_each(event, hit->regs);
	else
		strike_any(event, hit->regs);
}

/* --- The unit --- */

static int init(struct perf_event *event, struct task *task)
{
	struct breakpoint *bp = &event->breakpoint;

	bp->task = task;
	bp->cpu = event->cpu;
	bp->hit = strike;
	bp->context = event;
	breakpoint_init(bp);
	return parse(&event->attr, false, &bp->parts) ?: breakpoint_reserve(bp);
}

static void destroy(struct perf_event *event)
{
	breakpoint_release(&event->breakpoint);
}

static int add(struct perf_event *event, u64 at)
{
	breakpoint_on(&event->breakpoint);
	return 0;
}

static void del(struct perf_event *event, u64 at)
{
	breakpoint_off(&event->breakpoint);
}

static struct perf_pmu breakpoints = {
    .name = "breakpoint",
    .type = PERF_TYPE_BREAKPOINT,
    .check = check,
    .init = init,
    .destroy = destroy,
    .add = add,
    .del = del,
};

static void breakpoints_init(void)
{
	perf_pmu_register(&breakpoints);
	breakpoint_unheard = is_sampling;
}
INITCALL(0, breakpoints_init);

/* --- Changes --- */

/* Does @attr differ from the event's in nothing but what it watches, and if it is enabled? */
static bool same_but_breakpoint(const struct perf_event *event, const struct perf_event_attr *attr)
{
	struct perf_event_attr other = *attr;

	other.bp_type = event->attr.bp_type;
	other.bp_addr = event->attr.bp_addr;
	other.bp_len = event->attr.bp_len;
	other.disabled = event->attr.disabled;
	other.size = event->attr.size;
	return !memcmp(&other, &event->attr, sizeof(other));
}

static void rewrite(struct perf_event *event, const struct perf_event_attr *attr,
		    const struct bp_parts *parts)
{
	breakpoint_write(&event->breakpoint, parts);
	breakpoint_trim(&event->breakpoint);
	event->attr.bp_type = attr->bp_type;
	event->attr.bp_addr = attr->bp_addr;
	event->attr.bp_len = attr->bp_len;
}

/* Room in all of @event's contexts for both, or in none. perf_mutex held. */
static int hold_all(struct perf_event *event, const struct bp_parts *parts)
{
	int err = breakpoint_hold(&event->breakpoint, parts);
	struct perf_event *child, *held;

	if (err)
		return err;
	list_for_each (child, &event->children, child_node) {
		err = breakpoint_hold(&child->breakpoint, parts);
		if (err)
			break;
	}
	if (!err)
		return 0;
	breakpoint_trim(&event->breakpoint);
	list_for_each (held, &event->children, child_node) {
		if (held == child)
			break;
		breakpoint_trim(&held->breakpoint);
	}
	return err;
}

static int modify(struct perf_event *event, const struct perf_event_attr *attr,
		  const struct bp_parts *parts)
{
	struct perf_event *child;
	int err;

	if (!event->ctx)
		return -ESRCH;
	if (!same_but_breakpoint(event, attr))
		return -EINVAL;
	err = hold_all(event, parts);
	if (err)
		return err;
	rewrite(event, attr, parts);
	list_for_each (child, &event->children, child_node)
		rewrite(child, attr, parts);
	return 0;
}

int perf_event_modify(struct perf_event *event, const struct perf_event_attr *attr, bool user)
{
	struct bp_parts parts;
	int err;

	if (attr->type != event->attr.type)
		return -EINVAL;
	if (attr->type != PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	err = check(attr) ?: parse(attr, user, &parts);
	if (err)
		return err;
	mutex_lock(&perf_mutex);
	err = modify(event, attr, &parts);
	mutex_unlock(&perf_mutex);
	if (err)
		return err;
	if (attr->disabled)
		perf_event_disable(event);
	else
		perf_event_enable(event);
	return 0;
}

/* --- Of kernel code's own --- */

static struct perf_event *create(const struct perf_event_attr *attr, int cpu, struct task *task,
				 perf_overflow_handler_t triggered, void *context)
{
	struct perf_event_attr own = *attr;

	if (attr->type != PERF_TYPE_BREAKPOINT)
		return ERR_PTR(-EINVAL);
	if (!own.sample_period)
		own.sample_period = 1;
	return perf_event_create_kernel_counter(&own, cpu, task, triggered, context);
}

struct perf_event *register_user_hw_breakpoint(const struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered, void *context,
					       struct task *task)
{
	if (is_kernels(attr))
		return ERR_PTR(-EPERM);
	return create(attr, -1, task, triggered, context);
}

int modify_user_hw_breakpoint(struct perf_event *event, const struct perf_event_attr *attr)
{
	struct perf_event_attr own = *attr;

	if (!own.sample_period)
		own.sample_period = 1;
	return perf_event_modify(event, &own, true);
}

void unregister_hw_breakpoint(struct perf_event *event)
{
	perf_event_release(event);
}

struct perf_event **register_wide_hw_breakpoint(const struct perf_event_attr *attr,
						perf_overflow_handler_t triggered, void *context)
{
	struct perf_event **events = kzalloc((MAX_CPUS + 1) * sizeof(struct perf_event *));
	struct perf_event *event;

	if (!events)
		return ERR_PTR(-ENOMEM);
	for (u32 cpu = 0; cpu < READ_ONCE(nr_cpus); cpu++) {
		event = create(attr, cpu, NULL, triggered, context);
		if (IS_ERR(event)) {
			unregister_wide_hw_breakpoint(events);
			return (void *)event;
		}
		events[cpu] = event;
	}
	return events;
}

void unregister_wide_hw_breakpoint(struct perf_event **events)
{
	for (u32 cpu = 0; events[cpu]; cpu++)
		perf_event_release(events[cpu]);
	kfree(events);
}
