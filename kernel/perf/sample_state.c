/* SPDX-License-Identifier: MIT */
/*
 * Samples with more than words: registers, the user's stack, a physical address. What of the task
 * they may show is policy.c's to say; nothing here faults, however wild a stack pointer is.
 */
#include <hotregs/address_space.h>
#include <hotregs/string.h>

#include "sample.h"

#include <arch/mmu.h>
#include <arch/uaccess.h>

/* Bytes of the longest record: whole words, and header.size has 16 bits. */
#define RECORD_MAX (UINT16_MAX / 8 * 8)

/* The parts of one sample that have no fixed size, but for its chain. */
struct state {
	u32 read_size;              /* bytes of values */
	const struct pt_regs *user; /* NULL: none are shown */
	const struct pt_regs *intr;
	unsigned long sp; /* of the stack */
	u32 stack_size;   /* bytes; 0: none is shown */
};

static u32 regs_size(const struct pt_regs *regs, u64 mask)
{
	u32 words = 1;

	for (; regs && mask; mask &= mask - 1)
		words++;
	return words * sizeof(u64);
}

/* { u64 abi; u64 regs[] }: those of @mask in rising order. */
static void write_regs(struct perf_output *out, const struct pt_regs *regs, u64 mask)
{
	perf_output_u64(out, regs ? perf_reg_abi : PERF_SAMPLE_REGS_ABI_NONE);
	for (unsigned nr = 0; regs && mask >> nr; nr++)
		if (mask >> nr & 1)
			perf_output_u64(out, perf_reg_value(regs, nr));
}

/* Is user memory, now, @task's? */
static bool memory_is_loaded(const struct task *task)
{
	return task->mm && this_cpu()->loaded_mm == task->mm;
}

/* How much of the stack is shown: what was asked for, up to the end of user space, and @room. */
static void choose_stack(struct state *s, u32 asked, u32 room)
{
	if (!s->user || !memory_is_loaded(current))
		return;
	s->sp = regs_sp(s->user);
	if (s->sp < USER_START || s->sp >= USER_END)
		return;
	s->stack_size = MIN(asked, room);
	if (s->stack_size > USER_END - s->sp)
		s->stack_size = ALIGN_UP(USER_END - s->sp, sizeof(u64));
}

/* Bytes of user memory at @src in a field of @n; what is not there is zero. Returns how many are.
 */
static u32 write_memory(struct perf_output *out, unsigned long src, u32 n)
{
	u32 piece, copied, all = 0;
	bool there = true;

	for (u32 done = 0; done < n; done += piece) {
		u8 *to = perf_output_room(out, n - done, &piece);

		copied = there ? copy_from_user_nofault(to, src + done, piece) : 0;
		memset(to + copied, 0, piece - copied);
		there = copied == piece;
		all += copied;
	}
	return all;
}

/* { u64 size; u8 data[size]; u64 dyn_size }, the last one only where there are data. */
static void write_stack(struct perf_output *out, const struct state *s)
{
	perf_output_u64(out, s->stack_size);
	if (s->stack_size)
		perf_output_u64(out, write_memory(out, s->sp, s->stack_size));
}

/* Where the page of @addr lies, if it is one of the task's. */
static u64 physical_address(u64 addr)
{
	phys_addr_t pa;
	unsigned prot;

	if (addr < USER_START || addr >= USER_END || !memory_is_loaded(current) ||
	    !mmu_lookup(&current->mm->mmu, addr, &pa, &prot))
		return 0;
	return pa;
}

/* Bytes that the fields of SAMPLE_STATE take behind @before others. Decides on them. */
static u32 state_size(const struct perf_event *event, struct state *s, const struct pt_regs *regs,
		      u32 before)
{
	const struct perf_event_attr *attr = &event->attr;
	u32 type = event->sample_type, size = 0;

	*s = (struct state){.user = perf_policy_user_regs(event, current, regs), .intr = regs};
	if (type & PERF_SAMPLE_READ)
		s->read_size = perf_sample_read_size(event);
	size += s->read_size;
	if (type & PERF_SAMPLE_REGS_USER)
		size += regs_size(s->user, attr->sample_regs_user);
	if (type & PERF_SAMPLE_REGS_INTR)
		size += regs_size(regs, attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		size += sizeof(u64);
	if (type & PERF_SAMPLE_STACK_USER) {
		size += sizeof(u64);
		choose_stack(s, attr->sample_stack_user, RECORD_MAX - before - size - sizeof(u64));
		size += s->stack_size ? s->stack_size + sizeof(u64) : 0;
	}
	return size;
}

static void write_state(struct perf_output *out, const struct perf_event *event,
			const struct state *s, u64 addr)
{
	u32 type = event->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		write_regs(out, s->user, event->attr.sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		write_stack(out, s);
	if (type & PERF_SAMPLE_REGS_INTR)
		write_regs(out, s->intr, event->attr.sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		perf_output_u64(out, physical_address(addr));
}

void perf_sample_write_state(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	const struct cpu *cpu = this_cpu();
	struct callchain chain = {cpu->perf->chain[cpu_context(cpu)], 0, CHAIN_MAX};
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	bool has_chain = event->sample_type & PERF_SAMPLE_CALLCHAIN;
	u32 words = event->sample_size / sizeof(u64), size;
	u64 fixed[SAMPLE_WORDS_MAX];
	struct perf_output out;
	struct state state;

	if (!ring)
		return;
	if (has_chain)
		perf_callchain(event, regs, &chain);
	size = event->sample_size + chain.nr * sizeof(u64);
	size += state_size(event, &state, regs, size);
	if (!perf_record_begin(&out, event, ring, current, size, data->time)) {
		perf_sample_lost(event, data->period);
		return;
	}
	perf_sample_fields(fixed, event, cpu, regs, data->addr, data->period,
			   perf_event_time(event, data->time));
	((struct perf_event_header *)fixed)->size = size;
	perf_output_words(&out, fixed, words - has_chain);
	if (state.read_size)
		perf_sample_write_read(&out, event, state.read_size);
	if (has_chain) {
		perf_output_u64(&out, chain.nr);
		perf_output_words(&out, chain.ip, chain.nr);
	}
	write_state(&out, event, &state, data->addr);
	perf_sample_end(ring, event->wakeup_events);
}

/* --- Samples that are told by a signal --- */

void (*perf_trap)(void);

void perf_sample_trap(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	perf_sample_write_state(event, data, regs);
	if (!perf_trap)
		return;
	event->trap = true;
	perf_trap();
}

/* With interrupts off nobody else changes the context of a task that runs here. */
void perf_traps_take(void (*tell)(const struct perf_event_attr *attr))
{
	unsigned long flags = irq_save();
	struct perf_event *event;

	if (current->perf) {
		list_for_each (event, &current->perf->ctx.events, node) {
			if (event->trap)
				tell(&event->attr);
			event->trap = false;
		}
	}
	irq_restore(flags);
}
