/* SPDX-License-Identifier: MIT */
/*
 * Records that tell what samples mean: which tasks there were, under which names, with what mapped
 * where, and who ran when. They go to those enabled events of the task's and of this CPU's context
 * that asked for them.
 */
#include <hotregs/address_space.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <uapi/types.h>

#include "swap.h"

#include <arch/irq.h>

/* Words of the longest body: MMAP2's fixed part and a path. */
#define BODY_WORDS 24

struct side_record {
	u32 type, misc;
	const struct task *task; /* whom the trailer names */
	u32 size;                /* bytes of body, a multiple of 8 */
	u64 body[BODY_WORDS];
};

/* Does @event want records of kind @want, here? */
static bool wants(const struct perf_event *event, u8 want)
{
	return event->on && (event->records & want) && perf_event_on(event, this_cpu());
}

static void send(struct perf_context *ctx, u8 want, struct side_record *r, u64 now)
{
	struct perf_event *event;

	list_for_each (event, &ctx->events, node) {
		if (!wants(event, want))
			continue;
		if (want == RECORD_TASK)
			r->body[2] = perf_event_time(event, now);
		perf_record_write(event, r->task, r->type, r->misc, r->body, r->size, now);
	}
}

/* Sends one record to everybody whom @task concerns. */
static void send_all(const struct task *task, u8 want, struct side_record *r)
{
	unsigned long flags = irq_save();
	u64 now = clock_ns();

	if (task->perf)
		send(&task->perf->ctx, want, r, now);
	send(&this_cpu()->perf->ctx, want, r, now);
	irq_restore(flags);
}

/* Appends @s, NUL-terminated and padded with NULs to whole words. */
static void append_string(struct side_record *r, const char *s)
{
	size_t n = strnlen(s, sizeof(r->body) - r->size - sizeof(u64));
	size_t padded = ALIGN_UP(n + 1, sizeof(u64));
	u8 *to = (u8 *)r->body + r->size;

	memcpy(to, s, n);
	memset(to + n, 0, padded - n);
	r->size += padded;
}

static void send_life(u32 type, const struct task *task, pid_t ppid, pid_t ptid,
		      const struct task *named)
{
	struct side_record r = {.type = type, .task = named, .size = 3 * sizeof(u64)};

	r.body[0] = perf_pair(task->pid, ppid);
	r.body[1] = perf_pair(task->tid, ptid);
	send_all(named, RECORD_TASK, &r);
}

void perf_task_forked(struct task *child)
{
	send_life(PERF_RECORD_FORK, child, current->pid, current->tid, current);
}

void perf_sideband_exit(struct task *task, pid_t parent)
{
	send_life(PERF_RECORD_EXIT, task, parent, parent, task);
}

static void make_comm(struct side_record *r, const struct task *task, u32 misc)
{
	*r = (struct side_record){
	    .type = PERF_RECORD_COMM, .misc = misc, .task = task, .size = sizeof(u64)};
	r->body[0] = perf_pair(task->pid, task->tid);
	append_string(r, task->comm);
}

void perf_sideband_exec(void)
{
	struct side_record r;

	make_comm(&r, current, PERF_RECORD_MISC_COMM_EXEC);
	send_all(current, RECORD_COMM, &r);
}

/* A record for a task's own events, written where they write theirs. */
struct comm_record {
	struct side_record record;
	const struct task *task; /* NULL: it has none */
	struct perf_context *ctx;
};

static void send_comm(void *arg)
{
	struct comm_record *r = arg;

	send(r->ctx, RECORD_COMM, &r->record, clock_ns());
}

/* Makes @r, and sends it to this CPU's events; false: @tid has none of its own. */
static bool begin_comm(struct comm_record *r, pid_t tid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct task *task = task_find(tid);

	r->task = NULL;
	if (task) {
		make_comm(&r->record, task, 0);
		send(&this_cpu()->perf->ctx, RECORD_COMM, &r->record, clock_ns());
		if (task->perf && !task->perf->exited)
			r->task = task;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return r->task;
}

void perf_task_comm(pid_t tid)
{
	struct comm_record r;

	/* A task with events is not freed meanwhile. */
	mutex_lock(&perf_mutex);
	if (begin_comm(&r, tid))
		perf_task_change(r.task, &r.ctx, send_comm, &r);
	mutex_unlock(&perf_mutex);
}

void perf_sideband_switch(struct task *task, struct task *other, bool in, u64 now)
{
	struct side_record r; /* without the cost of clearing its body */

	r.type = PERF_RECORD_SWITCH;
	r.misc = 0;
	r.task = task;
	r.size = 0;
	if (!in) {
		r.misc = PERF_RECORD_MISC_SWITCH_OUT;
		/* Still queued: it did not go to sleep by itself. */
		if (task->on_rq)
			r.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	}
	if (task->perf)
		send(&task->perf->ctx, RECORD_SWITCH, &r, now);
	r.type = PERF_RECORD_SWITCH_CPU_WIDE;
	r.size = sizeof(u64);
	r.body[0] = perf_pair(other->pid, other->tid);
	send(&this_cpu()->perf->ctx, RECORD_SWITCH, &r, now);
}

/* --- MMAP and MMAP2 --- */

static const char *vma_name(const struct vma *vma)
{
	if (vma->exe)
		return vma->exe->path;
	if (vma->flags & VMA_STACK)
		return "[stack]";
	return vma->flags & VMA_HEAP ? "[heap]" : "//anon";
}

/* Identity of the file: its build-id if it is asked for and known, else its inode number. */
static void append_identity(struct side_record *r, const struct exe *exe, bool build_id)
{
	u64 *words = r->body + r->size / sizeof(u64);

	memset(words, 0, 3 * sizeof(u64));
	if (build_id && exe && exe->build_id_size) {
		u8 *bytes = (u8 *)words;

		bytes[0] = exe->build_id_size;
		memcpy(bytes + 4, exe->build_id, exe->build_id_size);
		r->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	} else if (exe) {
		words[1] = exe->ino;
	}
	r->size += 3 * sizeof(u64);
}

static void append_rights(struct side_record *r, const struct vma *vma)
{
	u32 prot = 0;

	if (vma->prot & MMU_READ)
		prot |= UAPI_PROT_READ;
	if (vma->prot & MMU_WRITE)
		prot |= UAPI_PROT_WRITE;
	if (vma->prot & MMU_EXEC)
		prot |= UAPI_PROT_EXEC;
	r->body[r->size / sizeof(u64)] =
	    perf_pair(prot, vma->flags & VMA_SHARED ? UAPI_MAP_SHARED : UAPI_MAP_PRIVATE);
	r->size += sizeof(u64);
}

static void send_mmap(const struct perf_event *event, const struct vma *vma, u64 now)
{
	struct side_record r = {.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER};

	r.task = current;
	if (!(vma->prot & MMU_EXEC))
		r.misc |= PERF_RECORD_MISC_MMAP_DATA;
	r.body[0] = perf_pair(current->pid, current->tid);
	r.body[1] = vma->start;
	r.body[2] = vma->end - vma->start;
	r.body[3] = vma->exe ? vma->file_offset : 0;
	r.size = 4 * sizeof(u64);
	if (event->attr.mmap2) {
		r.type = PERF_RECORD_MMAP2;
		append_identity(&r, vma->exe, event->attr.build_id);
		append_rights(&r, vma);
	}
	append_string(&r, vma_name(vma));
	perf_record_write(event, r.task, r.type, r.misc, r.body, r.size, now);
}

static void send_mmaps(struct perf_context *ctx, const struct vma *vma, u64 now)
{
	u8 want = vma->prot & MMU_EXEC ? RECORD_MMAP : RECORD_MMAP_DATA;
	struct perf_event *event;

	list_for_each (event, &ctx->events, node)
		if (wants(event, want))
			send_mmap(event, vma, now);
}

void perf_record_mmap(const struct vma *vma)
{
	unsigned long flags = irq_save();
	u64 now = clock_ns();

	if (current->perf)
		send_mmaps(&current->perf->ctx, vma, now);
	send_mmaps(&this_cpu()->perf->ctx, vma, now);
	irq_restore(flags);
}
