/* SPDX-License-Identifier: MIT */
/*
 * Calls about threads and what they wait by. A worker's threads run code of its own on stacks of
 * its own, so that they end by themselves; only a wild child's begin anywhere.
 */
#include <string.h>
#include <uapi/futex.h>

#include "calls.h"

#define NR_THREADS        6
#define THREAD_STACK_SIZE (2 * PAGE)

/* The words that tell which threads there are, then their stacks. */
_Static_assert(THREADS_SIZE == PAGE + NR_THREADS * THREAD_STACK_SIZE, "");

static uint32_t *thread_word(unsigned slot)
{
	return (uint32_t *)THREADS + slot;
}

/* As a function finds the stack pointer when it was called: on x86_64 below the return address. */
static unsigned long stack_end(unsigned slot)
{
	unsigned long end = THREADS + PAGE + (slot + 1) * THREAD_STACK_SIZE;

	return __SIZEOF_POINTER__ == 8 ? end - 8 : end;
}

/* A fork has one thread alone. */
void threads_forget(void)
{
	memset((void *)THREADS, 0, PAGE);
}

/* What every thread does, with numbers of its own. */
static void thread_main(unsigned long chance)
{
	uint32_t word = 0;
	struct uapi_timespec ts = {0, 20000};

	for (unsigned n = chance % 8; n; n--) {
		chance = chance * 1103515245 + 12345;
		switch (chance >> 16 & 3) {
		case 0:
			raw(SYS_sched_yield);
			break;
		case 1:
			raw(SYS_nanosleep, &ts, 0);
			break;
		case 2:
			raw(SYS_futex, &word, UAPI_FUTEX_WAIT, 0, &ts, 0, 0);
			break;
		default:
			raw(SYS_gettid);
		}
	}
	raw(SYS_thread_exit, 0);
	for (;;)
		;
}

/* --- Arguments --- */

static unsigned long gen_entry(struct op *op)
{
	if (one_in(8) || self.wild)
		return hostile_word();
	return (unsigned long)thread_main;
}

static unsigned long gen_slot(struct op *op)
{
	unsigned slot = below(NR_THREADS);

	op->arg[2] = one_in(16) ? hostile_word() : stack_end(slot);
	return one_in(16) ? hostile_word() : (unsigned long)thread_word(slot);
}

static unsigned long gen_futex(struct op *op)
{
	uint32_t word = below(3);

	return in_or_hostile(
	    memcpy((void *)((unsigned long)in_bytes(8) & ~3UL), &word, sizeof(word)));
}

static unsigned long gen_futex_op(struct op *op)
{
	static const unsigned ops[] = {UAPI_FUTEX_WAIT, UAPI_FUTEX_WAKE, UAPI_FUTEX_WAKE,
				       UAPI_FUTEX_WAIT_BITSET, UAPI_FUTEX_WAKE_BITSET};

	return one_in(8) ? hostile_word() : PICK(ops) | (one_in(2) ? UAPI_FUTEX_PRIVATE : 0);
}

static unsigned long gen_bits(struct op *op)
{
	return one_in(2) ? UAPI_FUTEX_ALL_BITS : rand32();
}

static unsigned long gen_tid(struct op *op)
{
	return one_in(2)   ? (unsigned long)self.pid
	       : one_in(2) ? *thread_word(below(NR_THREADS))
			   : gen_pid(op);
}

static unsigned long gen_clear_tid(struct op *op)
{
	return one_in(2) ? 0 : out_bytes(op, sizeof(uint32_t));
}

static unsigned long gen_name(struct op *op)
{
	static const char names[][20] = {"fuzz", "", "fifteen letters", "sixteen letters!"};

	return in_or_hostile(strcpy(in_bytes(sizeof(names[0])), PICK(names)));
}

OUT(own_name, char[UAPI_THREAD_NAME_MAX])

static unsigned long gen_name_size(struct op *op)
{
	return one_in(4) ? below(20) : UAPI_THREAD_NAME_MAX;
}

/* --- What a call may not be asked for, since the fuzzer would end --- */

static bool create_allowed(const struct op *op)
{
	const uint32_t *word = (const uint32_t *)op->arg[4];

	/* What nobody knows the end of is for the wild. */
	if (self.wild)
		return true;
	if (op->arg[0] != (unsigned long)thread_main)
		return op->arg[0] < PAGE || op->arg[0] >= USER_LIMIT;
	for (unsigned slot = 0; slot < NR_THREADS; slot++)
		if (word == thread_word(slot))
			return !*word && op->arg[2] == stack_end(slot);
	return op->arg[4] < PAGE || op->arg[4] >= USER_LIMIT;
}

/* A process that is left to its threads ends when they do. */
static bool thread_exit_allowed(const struct op *op)
{
	return self.depth > 0 && (op->arg[0] & 0xff) != FAILED_STATUS;
}

/* --- What comes of it --- */

static void create_done(const struct op *op)
{
	CHECK(op->result > 1, "thread %ld", op->result);
}

static void clear_tid_done(const struct op *op)
{
	CHECK(op->result == self.pid, "thread %ld", op->result);
	/* Its end would write where a buffer is. */
	raw(SYS_thread_set_clear_tid, 0);
}

/* The C library's data go by it. */
static void tls_done(const struct op *op)
{
	CHECK(!op->result, "result %ld", op->result);
	if (!self.wild)
		raw(SYS_thread_set_tls, self.thread_pointer);
}

CALL(thread_create, ARGS(gen_entry, gen_word, NULL, gen_word, gen_slot), .weight = 8,
     .allowed = create_allowed, .done = create_done);
CALL(thread_exit, ARGS(gen_word), .weight = 3, .allowed = thread_exit_allowed);
CALL(thread_set_tls, ARGS(gen_word), .weight = 1, .done = tls_done);
CALL(thread_set_clear_tid, ARGS(gen_clear_tid), .weight = 1, .done = clear_tid_done);
CALL(thread_setname, ARGS(gen_tid, gen_name), .weight = 2);
CALL(thread_getname, ARGS(gen_tid, gen_own_name, gen_name_size), .weight = 2, .done = at_most_size);
CALL(futex, ARGS(gen_futex, gen_futex_op, gen_small, gen_short_time, gen_word, gen_bits),
     .operations = true, .done = value);
