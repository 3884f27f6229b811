/* SPDX-License-Identifier: MIT */
/*
 * What the rows of calls share. A row says of a number of uapi/syscall.h what makes its arguments
 *and what judges its success; it stands in the file of its kind, calls_*.c, and is found wherever
 *it is. A number without a row is called with words of no type, and the run fails at its end. Most
 *rows are one line:
 *
 *	CALL(read, ARGS(gen_fd, gen_out, gen_size), .done = at_most_size);
 */
#pragma once

#include "gen.h"

#define CALL(id, ...)                                                               \
	static const struct call call_##id                                          \
	    __attribute__((used, section("fuzz_calls"), aligned(sizeof(long)))) = { \
		.nr = SYS_##id, .name = #id, __VA_ARGS__}
#define ARGS(...) .arg = {__VA_ARGS__}

/* An out-parameter of type @type; its generator is gen_@id. */
#define OUT(id, type)                                \
	static unsigned long gen_##id(struct op *op) \
	{                                            \
		return out_bytes(op, sizeof(type));  \
	}

/* A result that may be any value. */
static inline void value(const struct op *op)
{
}

static inline void at_most_size(const struct op *op)
{
	CHECK((unsigned long)op->result <= op->arg[2], "%ld bytes of %lu", op->result, op->arg[2]);
}

/* May the path at @addr be changed, or what it names? */
bool path_is_safe(unsigned long addr);
/* Is it in the arena, and begins so? */
bool path_begins(unsigned long addr, const char *with);
/* Permissions of a new file, or flags. */
unsigned long gen_mode(struct op *op);

/* A new descriptor: the lowest that was free from @from on. */
void new_fd(long fd, long from, uint8_t kind);
