/* SPDX-License-Identifier: MIT */
/* arch/arm/common/recipe.c: recipes do what the decoder does, and the cache returns what it was
 * given. */
#include "ehabi_fixture.h"

#include <recipe.h>

static struct ehabi_code code_of(struct ehabi_tables *t)
{
	struct ehabi_code code;

	assert_int_equal(ehabi_find(t, FUNCTION, &code), EHABI_OK);
	return code;
}

static void check_same_frame(const struct arm_frame *a, const struct arm_frame *b)
{
	assert_memory_equal(a->r + 4, b->r + 4, 8 * sizeof(u32));
	assert_memory_equal(a->r + ARM_SP, b->r + ARM_SP, 3 * sizeof(u32));
	assert_int_equal(a->thumb, b->thumb);
}

/*
 * Has the code a recipe? If so, it does to frames what the code does. (It may do more: what vsp was
 * on the way is not in it.)
 */
static bool recipe_agrees(const u8 *ops, u32 n)
{
	struct ehabi_tables t = tables_of_ops(ops, n);
	struct test_stack s = make_stack(256);
	struct recipe recipe;
	bool made = recipe_make(code_of(&t), &recipe);

	for (int i = 0; made && i < 50; i++) {
		struct arm_frame by_code = make_frame(STACK + 4 * (rand() % 256)), by_recipe;
		struct ehabi_code code = code_of(&t);

		for (int reg = 4; reg <= ARM_FP; reg++)
			if (rand() % 8)
				by_code.r[reg] = STACK + 4 * (rand() % 256) + !(rand() % 16);
		by_recipe = by_code;
		if (!ehabi_execute(&code, &by_code, &s.memory))
			continue;
		assert_true(recipe_apply(recipe, &by_recipe, &s.memory));
		check_same_frame(&by_code, &by_recipe);
	}
	free(s.word);
	free_tables(&t);
	return made;
}

#define HAS_RECIPE(...) recipe_agrees((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

static bool is_record(const u8 *ops, u32 n)
{
	struct ehabi_tables t = tables_of_ops(ops, n);
	struct recipe recipe;

	assert_true(recipe_make(code_of(&t), &recipe));
	free_tables(&t);
	return recipe.saved & RECIPE_RECORD;
}

#define IS_RECORD(...) is_record((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

static void recipes_of_what_compilers_write(void **state)
{
	assert_true(HAS_RECIPE(0x9b, 0x40, 0x84, 0x80));             /* {fp, lr} */
	assert_true(HAS_RECIPE(0x9b, 0x46, 0x8c, 0xff));             /* {r4-r11, lr, pc} */
	assert_true(HAS_RECIPE(0x9b, 0x42, 0x84, 0x83));             /* {r4, r5, fp, lr} */
	assert_true(HAS_RECIPE(0x9b, 0x41, 0x84, 0x81, 0xb1, 0x0f)); /* variadic */
	assert_true(HAS_RECIPE(0x01, 0xa8));                         /* without fp */
	assert_true(HAS_RECIPE(0xb2, 0x10, 0xaf));
	assert_true(HAS_RECIPE(0x97, 0x04, 0x84, 0x0b)); /* Thumb: {r4, r5, r7, lr} */
	assert_true(HAS_RECIPE(0x97, 0xb1, 0x08, 0x84, 0x09));
	assert_true(HAS_RECIPE(0x9b, 0x48, 0xd1, 0x84, 0x83)); /* {d8, d9} */
	assert_true(HAS_RECIPE(0xb4, 0x84, 0x00, 0xb5));
	/* The most usual form is marked. */
	assert_true(IS_RECORD(0x9b, 0x40, 0x84, 0x80));
	assert_true(IS_RECORD(0x9b, 0x47, 0x84, 0xff));
	assert_true(IS_RECORD(0x9b, 0x46, 0xd1, 0x84, 0x83));
	assert_false(IS_RECORD(0x9b, 0x41, 0x84, 0x81, 0xb1, 0x0f));
	assert_false(IS_RECORD(0x97, 0x40, 0x84, 0x80));
	assert_false(IS_RECORD(0x9b, 0x41, 0x84, 0x80));
	assert_false(IS_RECORD(0x9b, 0x84, 0x80));
	assert_false(IS_RECORD(0x01, 0xa8));
	/* None, for the decoder to do: leaf, sp popped, base popped or lost to calls, registers
	 * apart. */
	assert_false(HAS_RECIPE(0xb0));
	assert_false(HAS_RECIPE(0x80, 0x00));
	assert_false(HAS_RECIPE(0xb6));
	assert_false(HAS_RECIPE(0x86, 0x00));
	assert_false(HAS_RECIPE(0x84, 0x08, 0x97));
	assert_false(HAS_RECIPE(0x90, 0x84, 0x00));
	assert_false(HAS_RECIPE(0xa0, 0x00, 0x84, 0x02));
	assert_false(HAS_RECIPE(0xa8, 0xa8));
	assert_false(HAS_RECIPE(0xa8, 0x41));
	assert_false(HAS_RECIPE(0xb2, 0x80, 0x80, 0x01, 0x84, 0x00));
}

static void recipes_agree_with_the_decoder(void **state)
{
	static const u8 usual[] = {0x9b, 0x97, 0x40, 0x01, 0x84, 0x83,
				   0x80, 0x08, 0xa8, 0xb1, 0xb0};
	int made = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		u8 ops[12];
		u32 n = 1 + rand() % sizeof(ops);

		for (u32 b = 0; b < n; b++)
			ops[b] = rand() % 3 ? usual[rand() % sizeof(usual)] : rand();
		made += recipe_agrees(ops, n);
	}
	assert_in_range(made, 1000, 19000);
}

/* Recipes of frames that begin at the stack pointer, and of one that begins below it. */
static void recipes_do_not_go_down(void **state)
{
	const struct recipe ok = {16 << 16, ARM_SP}, below = {16 << 16 | 0xfff8, ARM_SP};
	struct test_stack s = make_stack(64);
	struct arm_frame frame = make_frame(STACK + 32), before = frame;

	assert_false(recipe_apply(below, &frame, &s.memory));
	assert_memory_equal(&frame, &before, sizeof(frame));
	assert_true(recipe_apply(ok, &frame, &s.memory));
	assert_int_equal(frame.r[ARM_SP], STACK + 48);
	free(s.word);
}

static void recipes_are_remembered(void **state)
{
	const struct recipe a = {0x00100004, 0x0102830b}, b = {0x00080000, 0x0100800b};
	struct recipe found;
	struct recipe_entry *entry = recipe_slot(0x8004);

	assert_false(recipe_find(0x8004, 0, &found));
	assert_false(recipe_find(0x8004, 7, &found));
	recipe_remember(0x8004, 7, a);
	assert_true(recipe_find(0x8004, 7, &found));
	assert_memory_equal(&found, &a, sizeof(a));
	assert_false(recipe_find(0x8004, 0, &found)); /* another program */
	assert_false(recipe_find(0x8004, 8, &found));
	assert_false(recipe_find(0x8008, 7, &found)); /* another place */

	/* Half of another entry, as a reader may see it that came between. */
	for (int word = 0; word < 4; word++) {
		struct recipe_entry mixed;

		recipe_remember(0x8004, 8, b);
		mixed = *entry;
		recipe_remember(0x8004, 7, a);
		((u32 *)entry)[word] = ((u32 *)&mixed)[word];
		assert_false(recipe_find(0x8004, 7, &found));
		assert_false(recipe_find(0x8004, 8, &found));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recipes_of_what_compilers_write),
	    cmocka_unit_test(recipes_agree_with_the_decoder),
	    cmocka_unit_test(recipes_do_not_go_down),
	    cmocka_unit_test(recipes_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
