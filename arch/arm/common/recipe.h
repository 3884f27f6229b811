/* SPDX-License-Identifier: MIT */
/*
 * Recipes: what the unwind table says of one return address, boiled down to two words, and a cache
 * of them. Tables never change, so a recipe never gets old; a step by recipe costs a tenth of one
 * by decoder. Any context, NMI-safe.
 */
#pragma once

#include "ehabi.h"

/*
 * The saved registers lie together at r[base] + start: those of mask (bit n: r(4+n)), rising from
 * there. The caller's stack pointer is size bytes above the first.
 */
struct recipe {
	u32 place; /* start in bits 15:0, signed; size in 31:16 */
	u32 saved; /* base in bits 3:0, lr in 6, record in 7, mask in 15:8, words below r11 in
		      23:16, below pc in 31:24 */
};

/* What has no caller: no table, or one that says so. */
#define RECIPE_END ((struct recipe){0, 0})

/* A frame record of GCC's in ARM state: r11 points at pc, the word below is r11, above is sp. */
#define RECIPE_RECORD BIT(7)

/* PC is not saved there but is in lr: only where a function was interrupted. */
#define RECIPE_LR BIT(6)

static inline s32 recipe_start(struct recipe recipe)
{
	return (s16)recipe.place;
}

static inline u32 recipe_size(struct recipe recipe)
{
	return recipe.place >> 16;
}

static inline u32 recipe_base(struct recipe recipe)
{
	return recipe.saved & 15;
}

/* Of r4 to r10. */
static inline u32 recipe_mask(struct recipe recipe)
{
	return recipe.saved >> 8 & 0x7f;
}

static inline bool recipe_has_fp(struct recipe recipe)
{
	return recipe.saved >> 15 & 1;
}

static inline u32 recipe_fp(struct recipe recipe)
{
	return recipe.saved >> 16 & 0xff;
}

static inline u32 recipe_pc(struct recipe recipe)
{
	return recipe.saved >> 24;
}

/* Boils down @code. False for what does not fit the form above: that takes the decoder each time.
 */
bool recipe_make(struct ehabi_code code, struct recipe *recipe);

/* Carries out @recipe as ehabi_execute() or frame_repair() does the code it was made of. */
bool recipe_apply(struct recipe recipe, struct arm_frame *frame, struct arm_memory *stack);

/*
 * The cache has no lock: an entry proves by its checksum that all of its words were written
 * together, so a reader that met a writer (on another CPU, or that it has interrupted) finds
 * nothing.
 */
struct recipe_entry {
	u32 check; /* xor of all that the entry is about */
	u32 program;
	struct recipe recipe;
};

#define RECIPE_ENTRIES_LOG2 9

extern struct recipe_entry recipe_cache[1 << RECIPE_ENTRIES_LOG2];

static inline struct recipe_entry *recipe_slot(u32 pc)
{
	return &recipe_cache[(pc ^ pc >> RECIPE_ENTRIES_LOG2) >> 2 &
			     ((1 << RECIPE_ENTRIES_LOG2) - 1)];
}

/*
 * The recipe for address @pc, not 0, of @program, not 0; false: not there. A return address belongs
 * to the instruction before it; for one that is not a return address, set bit 0.
 */
static inline bool recipe_find(u32 pc, u32 program, struct recipe *recipe)
{
	const struct recipe_entry *entry = recipe_slot(pc);

	recipe->place = READ_ONCE(entry->recipe.place);
	recipe->saved = READ_ONCE(entry->recipe.saved);
	return READ_ONCE(entry->program) == program &&
	       READ_ONCE(entry->check) == (pc ^ program ^ recipe->place ^ recipe->saved);
}

static inline void recipe_remember(u32 pc, u32 program, struct recipe recipe)
{
	struct recipe_entry *entry = recipe_slot(pc);

	WRITE_ONCE(entry->recipe.place, recipe.place);
	WRITE_ONCE(entry->recipe.saved, recipe.saved);
	WRITE_ONCE(entry->program, program);
	WRITE_ONCE(entry->check, pc ^ program ^ recipe.place ^ recipe.saved);
}
