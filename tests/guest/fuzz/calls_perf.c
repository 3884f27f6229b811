/* SPDX-License-Identifier: MIT */
/* Calls on performance events, and the count of which of their bits and requests were done. */
#include <string.h>

#include <uapi/hw_breakpoint.h>
#include <uapi/signal.h>

#include "calls.h"

/* Without fields that only hardware could fill. */
#define SAMPLE_USUAL                                                                     \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |        \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PHYS_ADDR)

/* The flags are bits of one word; where it lies, the size of all before it tells. */
#define FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t))
#define FLAG(n)      (1ULL << (n))

static uint64_t flags_of(const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const uint8_t *)attr + FLAGS_OFFSET, sizeof(flags));
	return flags;
}

static void set_period(struct perf_event_attr *attr)
{
	if (one_in(3)) {
		attr->freq = 1;
		attr->sample_freq = 1 + below(4000);
	} else if (attr->config <= PERF_COUNT_SW_TASK_CLOCK) {
		attr->sample_period = 20000 + below(1000000);
	} else {
		attr->sample_period = 1 + below(8);
	}
}

/* Registers, some of the first sixteen, and the stack. */
static void add_state(struct perf_event_attr *attr)
{
	attr->sample_regs_user = rand32() & 0x1ff;
	attr->sample_regs_intr = rand32() & 0x1ff;
	attr->sample_stack_user = one_in(2) ? 8 * below(1024) : 0;
	if (attr->sample_regs_user)
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
	if (attr->sample_regs_intr)
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
	if (attr->sample_stack_user)
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
}

/* What wants more than a bit, and what a kernel may well not do. */
static void add_rarer(struct perf_event_attr *attr)
{
	switch (below(10)) {
	case 0:
		attr->pinned = 1;
		break;
	case 1:
		attr->exclusive = 1;
		break;
	case 2:
		attr->inherit = attr->inherit_stat = 1;
		break;
	case 3:
		attr->inherit = attr->inherit_thread = 1;
		break;
	case 4:
		attr->remove_on_exec = 1;
		break;
	case 5:
		attr->sigtrap = attr->remove_on_exec = 1;
		attr->sig_data = rand64();
		break;
	case 6:
		attr->use_clockid = 1;
		attr->clockid = below(12);
		break;
	case 7:
		attr->write_backward = 1;
		break;
	case 8:
		attr->sample_type |= PERF_SAMPLE_READ;
		break;
	default:
		attr->read_format |= PERF_FORMAT_GROUP;
	}
}

static uint64_t watched[8];

/* All that differs between two of these is what MODIFY_ATTRIBUTES may change. */
static void sensible_breakpoint(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					 .size = PERF_ATTR_SIZE_VER5,
					 .bp_type = HW_BREAKPOINT_W,
					 .bp_addr = (uintptr_t)watched + below(sizeof(watched)),
					 .bp_len = 1 + below(8)};
	if (!one_in(3))
		return;
	attr->bp_type = below(6);
	attr->bp_len = below(12);
	if (one_in(4))
		attr->bp_addr = hostile_word();
}

static void sensible_attr(struct perf_event_attr *attr)
{
	static const uint8_t configs[] = {PERF_COUNT_SW_CPU_CLOCK,
					  PERF_COUNT_SW_TASK_CLOCK,
					  PERF_COUNT_SW_PAGE_FAULTS,
					  PERF_COUNT_SW_PAGE_FAULTS,
					  PERF_COUNT_SW_CONTEXT_SWITCHES,
					  PERF_COUNT_SW_CONTEXT_SWITCHES,
					  PERF_COUNT_SW_DUMMY,
					  PERF_COUNT_SW_PAGE_FAULTS_MIN,
					  PERF_COUNT_SW_PAGE_FAULTS_MAJ};
	static const uint8_t flags[] = {0,  1,  4,  5,  6,  7,  8,  9,  12, 13,
					14, 17, 18, 20, 21, 22, 23, 24, 26, 34};
	uint64_t word = 0;

	if (one_in(6)) {
		sensible_breakpoint(attr);
		return;
	}
	*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5};
	attr->config = PICK(configs);
	for (unsigned n = below(6); n; n--)
		word |= FLAG(PICK(flags));
	memcpy((uint8_t *)attr + FLAGS_OFFSET, &word, sizeof(word));
	attr->sample_type = rand32() & SAMPLE_USUAL;
	attr->read_format = rand32() & (PERF_FORMAT_MAX - 1) & ~PERF_FORMAT_GROUP;
	attr->sample_max_stack = one_in(2) ? below(128) : 0;
	attr->wakeup_events = one_in(2) ? below(20) : 0;
	if (!one_in(4))
		set_period(attr);
	if (one_in(4))
		add_state(attr);
	if (one_in(4))
		add_rarer(attr);
}

/* Changes one thing into something that may have to be refused. */
static void mutate(struct perf_event_attr *attr)
{
	static const uint32_t sizes[] = {0,   63,  64,  65,  72,   80,   96,   104,       112,
					 120, 128, 136, 137, 4095, 4096, 4097, 0xffffffff};
	uint64_t word = FLAG(below(64));

	switch (below(9)) {
	case 0:
		word ^= flags_of(attr);
		memcpy((uint8_t *)attr + FLAGS_OFFSET, &word, sizeof(word));
		break;
	case 1:
		attr->sample_type ^= one_in(4) ? word : FLAG(below(26));
		break;
	case 2:
		attr->read_format ^= one_in(4) ? word : FLAG(below(7));
		break;
	case 3:
		attr->config = one_in(2) ? hostile_word() : below(14);
		break;
	case 4:
		attr->type = one_in(2) ? hostile_word() : below(8);
		break;
	case 5:
		attr->sample_period = one_in(2) ? hostile_word() : below(20000);
		break;
	case 6:
		attr->size = PICK(sizes);
		break;
	default:
		((uint32_t *)attr)[below(sizeof(*attr) / sizeof(uint32_t))] = hostile_word();
	}
}

static unsigned long gen_attr(struct op *op)
{
	struct perf_event_attr attr;

	sensible_attr(&attr);
	if (one_in(2))
		for (unsigned n = 1 + below(3); n; n--)
			mutate(&attr);
	return in_or_hostile(memcpy(in_bytes(sizeof(attr)), &attr, sizeof(attr)));
}

/* Half of them differ in what may be changed alone, if the event is a breakpoint. */
static unsigned long gen_modification(struct op *op)
{
	struct perf_event_attr attr;

	if (one_in(2))
		return gen_attr(op);
	sensible_breakpoint(&attr);
	return in_or_hostile(memcpy(in_bytes(sizeof(attr)), &attr, sizeof(attr)));
}

static void count_bits(struct bit_count *counts, uint64_t word, bool done)
{
	for (; word; word &= word - 1) {
		struct bit_count *c = &counts[__builtin_ctzll(word)];

		__atomic_fetch_add(done ? &c->done : &c->refused, 1, __ATOMIC_RELAXED);
	}
}

void count_attr_bits(const struct op *op)
{
	struct perf_event_attr attr;
	bool done = op->result >= 0;

	if (op->arg[0] - ARENA > ARENA_SIZE - sizeof(attr))
		return;
	memcpy(&attr, (void *)op->arg[0], sizeof(attr));
	count_bits(shared->flags, flags_of(&attr), done);
	count_bits(shared->sample_type, attr.sample_type, done);
	count_bits(shared->read_format, attr.read_format, done);
}

/* By the number in the request, which is a perf event's if it has their letter. */
void count_request(const struct op *op)
{
	unsigned request = op->arg[1], nr = request & 0xff;

	if ((request >> 8 & 0xff) == '$' && nr < ARRAY_SIZE(shared->requests))
		count_bits(shared->requests, FLAG(nr), op->result >= 0);
}

static unsigned long gen_ioctl(struct op *op)
{
	static const unsigned requests[] = {
	    PERF_EVENT_IOC_ENABLE,           PERF_EVENT_IOC_DISABLE,      PERF_EVENT_IOC_RESET,
	    PERF_EVENT_IOC_PERIOD,           PERF_EVENT_IOC_SET_OUTPUT,   PERF_EVENT_IOC_ID,
	    PERF_EVENT_IOC_SET_OUTPUT,       PERF_EVENT_IOC_REFRESH,      PERF_EVENT_IOC_SET_FILTER,
	    PERF_EVENT_IOC_SET_BPF,          PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_QUERY_BPF,
	    PERF_EVENT_IOC_MODIFY_ATTRIBUTES};

	if (!one_in(8))
		op->arg[0] = any_fd(FD_PERF);
	return one_in(16) ? hostile_word() : PICK(requests);
}

static unsigned long gen_ioctl_arg(struct op *op)
{
	uint64_t period = one_in(8) ? hostile_word() : 1 + below(100000);

	switch ((unsigned)op->arg[1]) {
	case PERF_EVENT_IOC_PERIOD:
		return in_or_hostile(memcpy(in_bytes(sizeof(period)), &period, sizeof(period)));
	case PERF_EVENT_IOC_SET_OUTPUT:
		return one_in(8) ? gen_fd(op) : one_in(4) ? -1UL : any_fd(FD_PERF);
	case PERF_EVENT_IOC_ID:
		return out_bytes(op, sizeof(uint64_t));
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return gen_modification(op);
	case PERF_EVENT_IOC_REFRESH:
		return one_in(8) ? hostile_word() : below(12);
	case PERF_EVENT_IOC_SET_BPF:
		return gen_fd(op);
	case PERF_EVENT_IOC_SET_FILTER:
		return gen_in(op);
	case PERF_EVENT_IOC_QUERY_BPF:
		return out_bytes(op, 64);
	default:
		return one_in(4) ? hostile_word() : below(2);
	}
}

/*
 * Whom and where each of our events is for, by descriptor: events of a group, or of a ring, must
 * agree.
 */
static struct {
	unsigned long pid, cpu;
} target[MAX_FDS];
static unsigned long partner; /* of the event that is being opened; -1: none */

static unsigned long gen_perf_pid(struct op *op)
{
	partner = one_in(4) ? any_fd(FD_PERF) : -1UL;
	if (partner < MAX_FDS && self.fd[partner] == FD_PERF)
		return target[partner].pid;
	partner = -1UL;
	return one_in(2) ? 0 : one_in(3) ? -1UL : gen_pid(op);
}

static unsigned long gen_cpu(struct op *op)
{
	if (partner != -1UL && !one_in(8))
		return target[partner].cpu;
	if (one_in(16))
		return hostile_word();
	return one_in(2) && (int)op->arg[1] != -1 ? -1UL : below(nr_cpus);
}

static unsigned long gen_group_fd(struct op *op)
{
	return one_in(16) ? hostile_word() : partner;
}

static unsigned long gen_perf_flags(struct op *op)
{
	unsigned long flags = one_in(4) ? PERF_FLAG_FD_CLOEXEC : 0;

	if (one_in(8))
		return one_in(2) ? hostile_word() : below(16);
	if ((int)op->arg[3] != -1 && one_in(2))
		flags |= PERF_FLAG_FD_NO_GROUP | (one_in(2) ? PERF_FLAG_FD_OUTPUT : 0);
	return flags;
}

static void perf_open_done(const struct op *op)
{
	new_fd(op->result, 0, FD_PERF);
	target[op->result].pid = op->arg[1];
	target[op->result].cpu = op->arg[2];
}

CALL(ioctl, ARGS(gen_fd, gen_ioctl, gen_ioctl_arg), .weight = 32);
CALL(perf_event_open, ARGS(gen_attr, gen_perf_pid, gen_cpu, gen_group_fd, gen_perf_flags),
     .weight = 32, .done = perf_open_done);
