/* SPDX-License-Identifier: MIT */
/*
 * perf_event_attr: copying one of any size, refusing what is not done, and turning the rest into
 * what the hot paths read. docs/abi.md is the table of all its bits.
 */
#include <hotregs/string.h>

#include "event.h"

#include <arch/mmu.h>
#include <arch/uaccess.h>

#define NS_PER_S         1000000000ULL
#define CLOCK_PERIOD_MIN (NS_PER_S / PERF_SAMPLE_RATE_MAX) /* ns */

/* A program's structure lies anywhere, even around the end of addresses: no C pointer may go there.
 */
static void __user *size_field(const struct perf_event_attr __user *uattr)
{
	return (void __user *)((unsigned long)uattr + offsetof(struct perf_event_attr, size));
}

static int refuse_size(struct perf_event_attr __user *uattr)
{
	u32 size = sizeof(*uattr);

	return copy_to_user(size_field(uattr), &size, sizeof(size)) ?: -E2BIG;
}

/* Are the bytes [from, to) at @uattr all zero? 0, -E2BIG, -EFAULT. */
static int check_zero(const u8 __user *uattr, u32 from, u32 to)
{
	u8 chunk[64];

	while (from < to) {
		u32 n = MIN(to - from, (u32)sizeof(chunk));
		int err = copy_from_user(chunk, uattr + from, n);

		if (err)
			return err;
		for (u32 i = 0; i < n; i++)
			if (chunk[i])
				return -E2BIG;
		from += n;
	}
	return 0;
}

int perf_attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr)
{
	u32 size, known;
	int err = copy_from_user(&size, size_field(uattr), sizeof(size));

	if (err)
		return err;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE)
		return refuse_size(uattr);
	known = MIN(size, (u32)sizeof(*attr));
	/* What an older program does not know is 0. */
	for (u32 i = known / sizeof(u64); i < sizeof(*attr) / sizeof(u64); i++)
		((u64 *)attr)[i] = 0;
	err = copy_from_user(attr, uattr, known);
	if (!err && size > sizeof(*attr))
		err = check_zero((const u8 __user *)uattr, sizeof(*attr), size);
	if (err == -E2BIG)
		return refuse_size(uattr);
	attr->size = size;
	return err;
}

/* All flags as one word, and those of a kind in it, by their numbers in docs/abi.md. */
static u64 flags_of(const struct perf_event_attr *attr)
{
	u64 flags;

	__builtin_memcpy(&flags, &attr->read_format + 1, sizeof(flags));
	return flags;
}

#define FLAG(n)       (1ULL << (n))
#define FLAGS_EXCLUDE (FLAG(4) | FLAG(5) | FLAG(7) | FLAG(21) | FLAG(22))
#define FLAGS_RECORDS (FLAG(8) | FLAG(9) | FLAG(13) | FLAG(17) | FLAG(23) | FLAG(26))
/* precise_ip, exclude_host, use_clockid, from namespaces to text_poke, and after build_id */
#define FLAGS_RARE \
	(FLAG(15) | FLAG(16) | FLAG(19) | FLAG(25) | (FLAG(34) - FLAG(28)) | (0 - FLAG(35)))

/* Is there anything that check_rare() looks at? A breakpoint has fields of its own. */
static bool has_rare(const struct perf_event_attr *attr)
{
	u64 rare = (flags_of(attr) & FLAGS_RARE) | (attr->sample_type & ~(u64)SAMPLE_WORDS) |
		   attr->config3 | attr->branch_sample_type | attr->sample_regs_user |
		   attr->sample_regs_intr | attr->sig_data;

	if (likely(attr->type != PERF_TYPE_BREAKPOINT))
		rare |= attr->config1 | attr->config2 | attr->bp_type;
	return rare || (attr->sample_stack_user | (u32)attr->clockid | attr->aux_watermark |
			attr->aux_sample_size | attr->__reserved_2 | attr->__reserved_3);
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static struct perf_pmu *pmu_of(const struct perf_event_attr *attr)
{
	return likely(attr->type == PERF_TYPE_SOFTWARE) ? &perf_software
							: perf_pmu_find(attr->type);
}

static int check_source(const struct perf_event_attr *attr)
{
	const struct perf_pmu *pmu = pmu_of(attr);

	return pmu ? pmu->check(attr) : -ENOENT;
}

/* Fields that belong to features which are not done, or to other types of events. */
static bool foreign_fields(const struct perf_event_attr *attr)
{
	bool ours = attr->bp_type || attr->config1 || attr->config2;

	return (ours && attr->type != PERF_TYPE_BREAKPOINT) || attr->config3 ||
	       attr->branch_sample_type || attr->aux_watermark || attr->aux_sample_size ||
	       (attr->sig_data && !attr->sigtrap);
}

/* Registers are asked for by the bit in sample_type, and then at least one of those there are. */
static bool wrong_registers(u64 mask, bool asked)
{
	return asked ? !mask || (mask & ~perf_reg_mask) : mask;
}

/* How much stack: whole words, and what a record can hold. None needs no bit in sample_type. */
static bool wrong_stack(u32 size, bool asked)
{
	return asked ? size % sizeof(u64) || size >= UINT16_MAX : size;
}

static bool wrong_state(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	return wrong_registers(attr->sample_regs_user, type & PERF_SAMPLE_REGS_USER) ||
	       wrong_registers(attr->sample_regs_intr, type & PERF_SAMPLE_REGS_INTR) ||
	       wrong_stack(attr->sample_stack_user, type & PERF_SAMPLE_STACK_USER);
}

/*
 * A feature that older kernels took for a reserved bit, so that programs fall back on EINVAL; or
 * one without what it is about, or together with its contrary.
 */
static bool probed_features(const struct perf_event_attr *attr)
{
	const u64 samples = PERF_SAMPLE_AUX | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			    PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_STRUCT;

	return attr->namespaces || attr->ksymbol || attr->bpf_event || attr->aux_output ||
	       attr->cgroup || attr->text_poke || (attr->sample_type & samples) ||
	       (attr->sigtrap && attr->type != PERF_TYPE_BREAKPOINT) ||
	       (attr->inherit_thread && !attr->inherit) ||
	       (attr->remove_on_exec && attr->enable_on_exec);
}

/* How far TAI is from UTC nobody has told us; the rest, all but REALTIME, are one clock here. */
static bool wrong_clock(const struct perf_event_attr *attr)
{
	if (!attr->use_clockid)
		return attr->clockid;
	switch (attr->clockid) {
	case PERF_CLOCKID_REALTIME:
	case PERF_CLOCKID_MONOTONIC:
	case PERF_CLOCKID_MONOTONIC_RAW:
	case PERF_CLOCKID_BOOTTIME:
		return false;
	default:
		return true;
	}
}

static int check_period(const struct perf_event_attr *attr, u64 period)
{
	if (attr->freq)
		return period > (u64)READ_ONCE(perf_limits.max_sample_rate) ? -EINVAL : 0;
	if (period >> 63)
		return -EINVAL;
	/* A clock that ticks faster than it can be served would leave time for nothing else. */
	if (period && is_clock(attr) && period < CLOCK_PERIOD_MIN)
		return -EINVAL;
	return 0;
}

/* Of an attribute that has_rare(). What is wrong with the rest of it comes in between. */
static bool has_unknown_bits(const struct perf_event_attr *attr)
{
	return attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3 ||
	       (attr->sample_type & ~(u64)(PERF_SAMPLE_MAX - 1));
}

/* It is told where it strikes, which is in the program; and a new one knows nothing of it. */
static int check_sigtrap(const struct perf_event_attr *attr)
{
	if (!attr->exclude_kernel)
		return -EOPNOTSUPP;
	return attr->sample_period && attr->remove_on_exec ? 0 : -EINVAL;
}

static int check_rare(const struct perf_event_attr *attr)
{
	if (probed_features(attr) || foreign_fields(attr) || wrong_state(attr) || wrong_clock(attr))
		return -EINVAL;
	if (attr->precise_ip || attr->exclude_host)
		return -EOPNOTSUPP;
	if (attr->sigtrap && check_sigtrap(attr))
		return check_sigtrap(attr);
	/* What a copy has counted is its task's. */
	if ((attr->sample_type & PERF_SAMPLE_READ) && attr->inherit &&
	    !(attr->sample_type & PERF_SAMPLE_TID))
		return -EINVAL;
	if (attr->sample_type & ~(u64)SAMPLE_DONE)
		return -EOPNOTSUPP;
	return 0;
}

int perf_attr_check(const struct perf_event_attr *attr)
{
	bool rare = has_rare(attr);
	int err;

	if (unlikely(rare) && has_unknown_bits(attr))
		return -EINVAL;
	if (attr->read_format & ~(u64)(PERF_FORMAT_MAX - 1))
		return -EINVAL;
	err = check_source(attr) ?: check_period(attr, attr->sample_period);
	if (!err && unlikely(rare))
		err = check_rare(attr);
	if (err)
		return err;
	if (attr->sample_max_stack > PERF_MAX_STACK_DEPTH)
		return -EOVERFLOW;
	/* In which mode time was spent is not measured: every system call would pay for it. */
	if (is_clock(attr) && !attr->sample_period && (attr->exclude_user || attr->exclude_kernel))
		return -EOPNOTSUPP;
	return 0;
}

static void set_period(struct perf_event *event, u64 period)
{
	event->interval = 0;
	if (!period) {
		event->period = UINT64_MAX;
	} else if (!event->attr.freq) {
		event->period = period;
	} else if (event->clock) {
		/* No more often than was asked for, which may be the limit. */
		event->period = (NS_PER_S + period - 1) / period;
	} else {
		event->period = 1;
		event->interval = NS_PER_S / period;
	}
}

struct new_period {
	struct perf_event *event;
	u64 period;
};

static void change_period(void *arg)
{
	struct new_period *new = arg;

	set_period(new->event, new->period);
	perf_event_prepare(new->event);
	perf_clock_restart(new->event);
}

static void change_period_of(struct perf_event *event, u64 period)
{
	struct new_period new = {event, period};

	if (event->ctx)
		perf_context_change(event->ctx, change_period, &new);
	else
		change_period(&new);
}

int perf_event_set_period(struct perf_event *event, u64 period)
{
	int err = event->sampling && period ? check_period(&event->attr, period) : -EINVAL;
	struct perf_event *child;

	if (err)
		return err;
	mutex_lock(&perf_mutex);
	change_period_of(event, period);
	list_for_each (child, &event->children, child_node)
		change_period_of(child, period);
	mutex_unlock(&perf_mutex);
	return 0;
}

static u8 exclusions(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u8 exclude = event->config == PERF_COUNT_SW_CPU_MIGRATIONS ? CHAIN_CAPTURED : 0;

	if (likely(!(flags_of(attr) & FLAGS_EXCLUDE)))
		return exclude;
	if (attr->exclude_user)
		exclude |= EXCLUDE_USER;
	if (attr->exclude_kernel)
		exclude |= EXCLUDE_KERNEL;
	if (attr->exclude_idle)
		exclude |= EXCLUDE_IDLE;
	if (attr->exclude_callchain_kernel)
		exclude |= EXCLUDE_CHAIN_KERNEL;
	if (attr->exclude_callchain_user)
		exclude |= EXCLUDE_CHAIN_USER;
	return exclude;
}

/* @event's other members are set. */
static enum perf_source source_of(const struct perf_event *event)
{
	switch (event->config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		if (event->sampling || (event->exclude & EXCLUDE_MODES))
			return PERF_SOURCE_SWITCH;
		return PERF_SOURCE_SWITCH_COUNT;
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return PERF_SOURCE_CLOCK;
	case PERF_COUNT_SW_CPU_MIGRATIONS:
		return PERF_SOURCE_MOVE;
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return PERF_SOURCE_FAULT;
	default:
		return PERF_SOURCE_NONE;
	}
}

static u8 records(const struct perf_event_attr *attr)
{
	u8 records = 0;

	if (likely(!(flags_of(attr) & FLAGS_RECORDS)))
		return 0;

	if (attr->comm)
		records |= RECORD_COMM | RECORD_TASK;
	if (attr->mmap || attr->mmap2)
		records |= RECORD_MMAP | RECORD_TASK;
	if (attr->mmap_data)
		records |= RECORD_MMAP_DATA | RECORD_TASK;
	if (attr->task)
		records |= RECORD_TASK;
	if (attr->context_switch)
		records |= RECORD_SWITCH;
	return records;
}

/* What its samples, and the ends of its other records, look like. */
static void setup_samples(struct perf_event *event, const struct perf_event_attr *attr)
{
	event->sample_type = attr->sample_type;
	event->sample_usual = (event->sample_type & ~SAMPLE_ENDS) == SAMPLE_USUAL;
	event->sample_size = perf_sample_size(event->sample_type);
	event->sample_header[0] =
	    perf_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, event->sample_size);
	event->sample_header[1] =
	    perf_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, event->sample_size);
	event->trailer_size = attr->sample_id_all ? perf_trailer_size(event->sample_type) : 0;
	event->max_stack = attr->sample_max_stack ? attr->sample_max_stack : PERF_MAX_STACK_DEPTH;
	event->wakeup_events = attr->watermark ? 0 : attr->wakeup_events;
	event->realtime = attr->use_clockid && attr->clockid == PERF_CLOCKID_REALTIME;
	if (!event->handler && ((event->sample_type & SAMPLE_STATE) || event->realtime))
		event->handler = perf_sample_write_state;
	if (attr->sigtrap && (!event->handler || event->handler == perf_sample_write_state))
		event->handler = perf_sample_trap;
}

void perf_event_prepare(struct perf_event *event)
{
	event->each = event->sampling && event->period == 1 && !event->interval &&
		      !event->pending && !event->handler && !(event->exclude & ~CHAIN_CAPTURED);
	event->plain = event->each && event->sample_usual && !event->wakeup_events;
}

void perf_event_setup(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	event->pmu = pmu_of(attr);
	event->config = attr->type == PERF_TYPE_SOFTWARE ? attr->config : PERF_COUNT_SW_MAX;
	event->clock = event->config <= PERF_COUNT_SW_TASK_CLOCK;
	event->sampling = attr->sample_period != 0;
	event->exclude = exclusions(event);
	event->records = records(attr);
	event->enable_on_exec = attr->enable_on_exec;
	event->source = source_of(event);
	set_period(event, attr->sample_period);
	if (attr->sample_type || event->sampling || attr->use_clockid)
		setup_samples(event, attr);
}
