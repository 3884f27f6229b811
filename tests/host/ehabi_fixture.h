/* SPDX-License-Identifier: MIT */
/* Unwind tables and stacks for the tests of arch/arm/common, in memory that ends where they do. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "host.h"

#include <ehabi.h>

#define TABLES   0x00020000u /* where the program has its tables */
#define FUNCTION 0x00010000u /* its functions are that far apart: */
#define STRIDE   0x100u
#define STACK    0x7ff00000u

/* A word that holds @target relative to @place. */
static inline u32 to_prel31(u32 place, u32 target)
{
	return (target - place) & 0x7fffffff;
}

/* A stack of @words words from STACK on; each says where it is, until the test writes it. */
struct test_stack {
	struct arm_memory memory;
	u32 *word;
	u32 reads;
	bool hole; /* nothing can be read */
};

static inline bool test_stack_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	struct test_stack *s = container_of(memory, struct test_stack, memory);

	/* The promise of arm_memory_word(). */
	if ((addr & 3) || addr < memory->low || addr > memory->high - 4)
		abort();
	s->reads++;
	*word = s->word[(addr - STACK) / 4];
	return !s->hole;
}

static inline struct test_stack make_stack(u32 words)
{
	struct test_stack s = {
	    .memory = {.low = STACK, .high = STACK + 4 * words, .word = test_stack_word},
	    .word = malloc(4 * words),
	};

	for (u32 i = 0; i < words; i++)
		s.word[i] = (STACK + 4 * i) | 1u << 31;
	return s;
}

/* Tables with one function for each of @nr entry words; extab, @extab_words of it, comes first. */
static inline struct ehabi_tables make_tables(const u32 *extab, u32 extab_words, const u32 *entry,
					      u32 nr)
{
	u32 index = TABLES + 4 * extab_words;
	u32 *data = malloc(4 * extab_words + 8 * nr + !(extab_words + nr));

	if (extab_words)
		memcpy(data, extab, 4 * extab_words);
	for (u32 i = 0; i < nr; i++) {
		data[extab_words + 2 * i] = to_prel31(index + 8 * i, FUNCTION + STRIDE * i);
		data[extab_words + 2 * i + 1] = entry[i];
	}
	return (struct ehabi_tables){.data = (const u8 *)data,
				     .start = TABLES,
				     .size = 4 * extab_words + 8 * nr,
				     .index = index,
				     .nr = nr};
}

static inline void free_tables(struct ehabi_tables *t)
{
	free((void *)t->data);
}

/* One function at FUNCTION with @n opcodes, in the long form; pad with finish. */
static inline struct ehabi_tables tables_of_ops(const u8 *ops, u32 n)
{
	u32 words = n > 2 ? (n - 2 + 3) / 4 : 0, extab[257], place;

	for (u32 w = 0; w <= words; w++)
		extab[w] = 0xb0b0b0b0;
	extab[0] = 0x81000000 | words << 16 | 0xb0b0;
	for (u32 i = 0; i < n; i++) {
		u32 at = i + 2, shift = 24 - 8 * (at % 4);

		extab[at / 4] = (extab[at / 4] & ~(0xffu << shift)) | (u32)ops[i] << shift;
	}
	place = TABLES + 4 * (words + 1) + 4;
	return make_tables(extab, words + 1, &(u32){to_prel31(place, TABLES)}, 1);
}

/* A caller's frame in the middle of a function at FUNCTION: registers that tell themselves. */
static inline struct arm_frame make_frame(u32 sp)
{
	struct arm_frame frame = {.thumb = false};

	for (u32 i = 0; i < 13; i++)
		frame.r[i] = 0x1000 + i;
	frame.r[ARM_SP] = sp;
	frame.r[ARM_LR] = 0;
	frame.r[ARM_PC] = FUNCTION + 0x10;
	return frame;
}

/* Runs @ops on @frame. */
static inline bool run_ops(const u8 *ops, u32 n, struct arm_frame *frame, struct test_stack *stack)
{
	struct ehabi_tables t = tables_of_ops(ops, n);
	struct ehabi_code code;
	bool ok;

	assert_int_equal(ehabi_find(&t, frame->r[ARM_PC], &code), EHABI_OK);
	ok = ehabi_execute(&code, frame, &stack->memory);
	free_tables(&t);
	return ok;
}
