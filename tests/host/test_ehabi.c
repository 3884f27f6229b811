/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/common/ehabi.c: the index search, every opcode with the values it yields, what must be
 * refused; and, with recipe.c, tables and stacks of random bytes.
 */
#include "ehabi_fixture.h"

#include <recipe.h>

/* --- Finding a function --- */

#define CANTUNWIND 1

static enum ehabi_result find(const struct ehabi_tables *t, u32 pc)
{
	struct ehabi_code code;

	return ehabi_find(t, pc, &code);
}

/* The amount that the first opcode of @pc's function adds to vsp. */
static s32 first_amount(const struct ehabi_tables *t, u32 pc)
{
	struct ehabi_code code;
	struct ehabi_op op;

	assert_int_equal(ehabi_find(t, pc, &code), EHABI_OK);
	assert_true(ehabi_next_op(&code, &op));
	return op.amount;
}

static void index_is_searched(void **state)
{
	for (u32 nr = 0; nr < 20; nr++) {
		u32 entry[20];
		struct ehabi_tables t;

		for (u32 i = 0; i < nr; i++)
			entry[i] = 0x8000b0b0 | i << 16; /* vsp += 4i + 4 */
		t = make_tables(NULL, 0, entry, nr);
		assert_int_equal(find(&t, FUNCTION - 1), EHABI_NONE);
		assert_int_equal(find(&t, 0), EHABI_NONE);
		for (u32 i = 0; i < nr; i++) {
			u32 start = FUNCTION + STRIDE * i;

			assert_int_equal(first_amount(&t, start), 4 * i + 4);
			assert_int_equal(first_amount(&t, start + 1), 4 * i + 4);
			assert_int_equal(first_amount(&t, start + STRIDE - 1), 4 * i + 4);
		}
		if (nr)
			assert_int_equal(first_amount(&t, UINT32_MAX), 4 * nr);
		free_tables(&t);
	}
}

/* Code may lie on either side of its tables, up to 1 GiB away. */
static void index_reaches_both_ways(void **state)
{
	const u32 place = 0x80000000, start[] = {0x40000000, 0x7fffffe0, 0x80000100, 0xbffffff0};
	u32 data[8];
	struct ehabi_tables t = {(const u8 *)data, place, sizeof(data), place, 4, NULL};

	for (u32 i = 0; i < 4; i++) {
		data[2 * i] = to_prel31(place + 8 * i, start[i]);
		data[2 * i + 1] = 0x8000b0b0 | i << 16;
	}
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(first_amount(&t, start[i] + 2), 4 * i + 4);
	assert_int_equal(find(&t, start[0] - 1), EHABI_NONE);
}

static void entry_forms(void **state)
{
	/* Where in the index the function's second word is. */
	const u32 place = TABLES + 4 * 4 + 4;
	static const struct {
		u32 extab[4];
		u32 entry; /* 0: a reference to the first word of extab */
		enum ehabi_result result;
		s32 amount;
	} form[] = {
	    {.entry = CANTUNWIND, .result = EHABI_CANTUNWIND},
	    {.entry = 0x8001b0b0, .result = EHABI_OK, .amount = 8},
	    {.entry = 0x8101b0b0, .result = EHABI_BAD}, /* no room for more in the index */
	    {.entry = 0x9001b0b0, .result = EHABI_BAD},
	    {.entry = 0xff000000, .result = EHABI_BAD},
	    {.extab = {0x8002b0b0}, .result = EHABI_OK, .amount = 12},
	    {.extab = {0x810003b0}, .result = EHABI_OK, .amount = 16},
	    {.extab = {0x820004b0}, .result = EHABI_OK, .amount = 20},
	    {.extab = {0x83000000}, .result = EHABI_BAD},
	    {.extab = {0x8f000000}, .result = EHABI_BAD},
	    {.extab = {0x90000000}, .result = EHABI_BAD},
	    {.extab = {0xc1000000}, .result = EHABI_BAD},
	    {.extab = {0x00001000, 0x0005b0b0}, .result = EHABI_OK, .amount = 24},
	};

	for (u32 i = 0; i < ARRAY_SIZE(form); i++) {
		u32 entry = form[i].entry ? form[i].entry : to_prel31(place, TABLES);
		struct ehabi_tables t = make_tables(form[i].extab, 4, &entry, 1);

		assert_int_equal(find(&t, FUNCTION), form[i].result);
		if (form[i].result == EHABI_OK)
			assert_int_equal(first_amount(&t, FUNCTION), form[i].amount);
		free_tables(&t);
	}
}

static void references_out_of_the_tables(void **state)
{
	const u32 place = TABLES + 4;
	/* Far, right before, right behind, across the end, between words. */
	const u32 target[] = {0x1000, TABLES - 4, TABLES + 8, TABLES + 6, TABLES + 2, 0};
	u32 generic[3] = {0, 0, 0x00001000};

	for (u32 i = 0; i < ARRAY_SIZE(target); i++) {
		u32 entry = to_prel31(place, target[i]);
		struct ehabi_tables t = make_tables(NULL, 0, &entry, 1);

		assert_int_equal(find(&t, FUNCTION), EHABI_BAD);
		free_tables(&t);
	}
	/* A generic model whose second word is behind the end. */
	generic[0] = to_prel31(TABLES, FUNCTION);
	generic[1] = to_prel31(TABLES + 4, TABLES + 8);
	{
		struct ehabi_tables t = {(const u8 *)generic, TABLES, 12, TABLES, 1, NULL};

		assert_int_equal(find(&t, FUNCTION), EHABI_BAD);
	}
	/* A word that begins inside and ends outside. */
	generic[2] = 0x80b0b0b0;
	{
		struct ehabi_tables t = {(const u8 *)generic, TABLES, 10, TABLES, 1, NULL};

		assert_int_equal(find(&t, FUNCTION), EHABI_BAD);
		t.size = 12;
		assert_int_equal(find(&t, FUNCTION), EHABI_OK);
	}
}

/* Nothing says that the numbers of a program header agree with each other. */
static void index_out_of_the_tables(void **state)
{
	u32 entry[4] = {CANTUNWIND, CANTUNWIND, CANTUNWIND, CANTUNWIND};
	struct ehabi_tables t = make_tables(NULL, 0, entry, 4), odd;
	static const u32 index[] = {0,           TABLES - 8, TABLES + 1, TABLES + 4, TABLES + 28,
				    TABLES + 32, UINT32_MAX, 0x80000000, 0xfffffff8};
	static const u32 nr[] = {1, 4, 5, 0x10000000, 0x1fffffff, UINT32_MAX};

	for (u32 i = 0; i < ARRAY_SIZE(index); i++) {
		for (u32 n = 0; n < ARRAY_SIZE(nr); n++) {
			odd = t;
			odd.index = index[i];
			odd.nr = nr[n];
			for (u32 pc = 0; pc < 0xf0000000; pc += 0x0fff1111)
				find(&odd, pc);
		}
	}
	/* An address with bit 31 in the index. */
	((u32 *)t.data)[2] |= 1u << 31;
	assert_int_equal(find(&t, FUNCTION + 0x150), EHABI_NONE);
	free_tables(&t);
}

/* --- Opcodes, against the ABI's own table (EHABI32, 10.3, table 4) --- */

static const struct {
	const char *bits; /* x: any; a space after each byte */
	int kind;         /* -1: refused */
} abi[] = {
    {"00xxxxxx", EHABI_ADD},
    {"01xxxxxx", EHABI_ADD},
    {"10000000 00000000", EHABI_REFUSE},
    {"1000xxxx xxxxxxxx", EHABI_POP},
    {"10011101", -1},
    {"10011111", -1},
    {"1001xxxx", EHABI_SET},
    {"1010xxxx", EHABI_POP},
    {"10110000", EHABI_FINISH},
    {"10110001 00000000", -1},
    {"10110001 0000xxxx", EHABI_POP},
    {"10110001", -1},
    {"10110010 0xxxxxxx", EHABI_ADD},
    {"10110011 xxxxxxxx", EHABI_POP_D_FSTMX},
    {"10110100", EHABI_POP_PAC},
    {"10110101", EHABI_PAC_MODIFIER},
    {"1011011x", -1},
    {"10111xxx", EHABI_POP_D_FSTMX},
    {"11000110 xxxxxxxx", EHABI_POP_WMMX},
    {"11000111 00000000", -1},
    {"11000111 0000xxxx", EHABI_POP_WMMX_CTL},
    {"11000111", -1},
    {"11000xxx", EHABI_POP_WMMX},
    {"11001000 xxxxxxxx", EHABI_POP_D},
    {"11001001 xxxxxxxx", EHABI_POP_D},
    {"11001xxx", -1},
    {"11010xxx", EHABI_POP_D},
    {"11xxxxxx", -1},
};

static bool matches(const char *bits, const u8 *bytes)
{
	for (u32 n = 0; *bits; bits++) {
		if (*bits == ' ')
			continue;
		if (*bits != 'x' && (bytes[n / 8] >> (7 - n % 8) & 1) != *bits - '0')
			return false;
		n++;
	}
	return true;
}

/* The first opcode of @n bytes; -1: refused. */
static int decode(const u8 *bytes, u32 n, struct ehabi_op *op)
{
	struct ehabi_tables t = tables_of_ops(bytes, n);
	struct ehabi_code code;
	int kind = -1;

	assert_int_equal(ehabi_find(&t, FUNCTION, &code), EHABI_OK);
	if (ehabi_next_op(&code, op))
		kind = op->kind;
	free_tables(&t);
	return kind;
}

/* Registers past the last one are refused too. */
static bool registers_exist(int kind, const u8 *bytes)
{
	u32 last = (bytes[1] >> 4) + (bytes[1] & 15);

	if (bytes[0] == 0xb3 || bytes[0] == 0xc6 || bytes[0] == 0xc8)
		return last < 16;
	return true;
}

static void every_opcode_is_what_the_abi_says(void **state)
{
	struct ehabi_op op;

	for (u32 pair = 0; pair < 0x10000; pair++) {
		const u8 bytes[2] = {pair >> 8, pair};
		u32 row = 0;
		int kind;

		if (bytes[0] == 0xb2 && bytes[1] & 0x80)
			continue; /* goes on in a third byte */
		while (!matches(abi[row].bits, bytes))
			row++;
		kind = abi[row].kind;
		if (!registers_exist(kind, bytes))
			kind = -1;
		assert_int_equal(decode(bytes, 2, &op), kind);
	}
}

static void check_op(const u8 *bytes, u32 n, struct ehabi_op expected)
{
	struct ehabi_op op;

	assert_int_equal(decode(bytes, n, &op), expected.kind);
	assert_int_equal(op.first, expected.first);
	assert_int_equal(op.count, expected.count);
	assert_int_equal(op.mask, expected.mask);
	assert_int_equal(op.amount, expected.amount);
}

#define CHECK_OP(k, f, c, m, a, ...)                                           \
	check_op((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}), \
		 (struct ehabi_op){.kind = k, .first = f, .count = c, .mask = m, .amount = a})

static void operands(void **state)
{
	CHECK_OP(EHABI_ADD, 0, 0, 0, 4, 0x00);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 0x100, 0x3f);
	CHECK_OP(EHABI_ADD, 0, 0, 0, -4, 0x40);
	CHECK_OP(EHABI_ADD, 0, 0, 0, -0x100, 0x7f);
	CHECK_OP(EHABI_POP, 0, 0, 0x0010, 0, 0x80, 0x01);
	CHECK_OP(EHABI_POP, 0, 0, 0xfff0, 0, 0x8f, 0xff);
	CHECK_OP(EHABI_POP, 0, 0, 0x4800, 0, 0x84, 0x80);
	CHECK_OP(EHABI_SET, 11, 0, 0, 0, 0x9b);
	CHECK_OP(EHABI_SET, 7, 0, 0, 0, 0x97);
	CHECK_OP(EHABI_SET, 14, 0, 0, 0, 0x9e);
	CHECK_OP(EHABI_POP, 0, 0, 0x0010, 0, 0xa0);
	CHECK_OP(EHABI_POP, 0, 0, 0x0ff0, 0, 0xa7);
	CHECK_OP(EHABI_POP, 0, 0, 0x4010, 0, 0xa8);
	CHECK_OP(EHABI_POP, 0, 0, 0x4070, 0, 0xaa);
	CHECK_OP(EHABI_POP, 0, 0, 0x4ff0, 0, 0xaf);
	CHECK_OP(EHABI_POP, 0, 0, 0x000f, 0, 0xb1, 0x0f);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 0x204, 0xb2, 0x00);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 0x204 + 4 * 0x7f, 0xb2, 0x7f);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 0x204 + 4 * 0x81, 0xb2, 0x81, 0x01);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 5000, 0xb2, 0xe1, 0x08);
	CHECK_OP(EHABI_ADD, 0, 0, 0, 0x204 + 4 * 0xfffffff, 0xb2, 0xff, 0xff, 0xff, 0x7f);
	CHECK_OP(EHABI_POP_D_FSTMX, 8, 3, 0, 8 * 3 + 4, 0xb3, 0x82);
	CHECK_OP(EHABI_POP_D_FSTMX, 0, 16, 0, 8 * 16 + 4, 0xb3, 0x0f);
	CHECK_OP(EHABI_POP_D_FSTMX, 8, 1, 0, 8 + 4, 0xb8);
	CHECK_OP(EHABI_POP_D_FSTMX, 8, 8, 0, 8 * 8 + 4, 0xbf);
	CHECK_OP(EHABI_POP_PAC, 0, 0, 0, 4, 0xb4);
	CHECK_OP(EHABI_PAC_MODIFIER, 0, 0, 0, 0, 0xb5);
	CHECK_OP(EHABI_POP_WMMX, 10, 1, 0, 8, 0xc0);
	CHECK_OP(EHABI_POP_WMMX, 10, 6, 0, 48, 0xc5);
	CHECK_OP(EHABI_POP_WMMX, 2, 4, 0, 32, 0xc6, 0x23);
	CHECK_OP(EHABI_POP_WMMX_CTL, 0, 0, 0xb, 12, 0xc7, 0x0b);
	CHECK_OP(EHABI_POP_D, 16, 16, 0, 128, 0xc8, 0x0f);
	CHECK_OP(EHABI_POP_D, 31, 1, 0, 8, 0xc8, 0xf0);
	CHECK_OP(EHABI_POP_D, 3, 4, 0, 32, 0xc9, 0x33);
	CHECK_OP(EHABI_POP_D, 8, 1, 0, 8, 0xd0);
	CHECK_OP(EHABI_POP_D, 8, 8, 0, 64, 0xd7);
}

static void operands_that_are_not_there(void **state)
{
	static const u8 first[] = {0x80, 0x8f, 0xb1, 0xb2, 0xb3, 0xc6, 0xc7, 0xc8, 0xc9};
	const u8 endless[] = {0xb2, 0x80, 0x80, 0x80, 0x80, 0x00};
	struct ehabi_op op;

	for (u32 i = 0; i < ARRAY_SIZE(first); i++) {
		/* The last of the three bytes that the short form has. */
		u32 entry = 0x80000000 | first[i];
		struct ehabi_tables t = make_tables(NULL, 0, &entry, 1);
		struct ehabi_code code;

		assert_int_equal(ehabi_find(&t, FUNCTION, &code), EHABI_OK);
		assert_true(ehabi_next_op(&code, &op) && ehabi_next_op(&code, &op));
		assert_false(ehabi_next_op(&code, &op));
		free_tables(&t);
	}
	assert_int_equal(decode(endless, sizeof(endless), &op), -1);
}

/* More words than the tables have: what is there is read, the rest refused. */
static void words_that_are_not_there(void **state)
{
	u32 data[4] = {0, 0, 0x810200b0, 0x01020304};
	struct ehabi_tables t = {(const u8 *)data, TABLES, sizeof(data), TABLES, 1, NULL};
	struct ehabi_code code;
	struct ehabi_op op;

	data[0] = to_prel31(TABLES, FUNCTION);
	data[1] = to_prel31(TABLES + 4, TABLES + 8);
	assert_int_equal(ehabi_find(&t, FUNCTION, &code), EHABI_OK);
	for (int i = 0; i < 6; i++)
		assert_true(ehabi_next_op(&code, &op));
	assert_int_equal(op.amount, 20);
	assert_false(ehabi_next_op(&code, &op));
}

/* One more than may be read is as if it were not there. */
static void opcodes_have_a_limit(void **state)
{
	u32 left = 5, data[4] = {0, 0, 0x81010101, 0x01010101};
	struct ehabi_tables t = {(const u8 *)data, TABLES, sizeof(data), TABLES, 1, &left};
	struct ehabi_code code;
	struct ehabi_op op;

	data[0] = to_prel31(TABLES, FUNCTION);
	data[1] = to_prel31(TABLES + 4, TABLES + 8);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(ehabi_find(&t, FUNCTION, &code), EHABI_OK);
		for (int i = 0; i < (round ? 0 : 5); i++)
			assert_true(ehabi_next_op(&code, &op));
		assert_false(ehabi_next_op(&code, &op));
		assert_int_equal(left, 0);
	}
}

/* --- Steps --- */

/* Runs the opcodes given on a frame whose stack pointer is at word @sp of the stack @s. */
#define RUN(sp, ...)                                           \
	(frame = make_frame(STACK + 4 * (sp)), before = frame, \
	 run_ops((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}), &frame, &s))

#define REFUSES(sp, ...)                                             \
	do {                                                         \
		assert_false(RUN(sp, __VA_ARGS__));                  \
		assert_memory_equal(&frame, &before, sizeof(frame)); \
	} while (0)

static void check_step(const struct arm_frame *frame, u32 pc, u32 sp)
{
	assert_int_equal(frame->r[ARM_PC], pc);
	assert_int_equal(frame->r[ARM_SP], sp);
	assert_int_equal(frame->r[ARM_LR], 0);
}

static void pops_restore(void **state)
{
	struct test_stack s = make_stack(64);
	struct arm_frame frame, before;

	/* push {r4, r5, fp, lr}; add fp, sp, #12: seen from fp */
	frame = make_frame(STACK);
	frame.r[ARM_FP] = STACK + 4 * 23;
	s.word[20] = 4;
	s.word[21] = 5;
	s.word[22] = 0x7fff0000;
	s.word[23] = 0x8123;
	assert_true(run_ops((const u8[]){0x9b, 0x42, 0x84, 0x83}, 4, &frame, &s));
	check_step(&frame, 0x8122, STACK + 4 * 24);
	assert_true(frame.thumb);
	assert_int_equal(frame.r[4], 4);
	assert_int_equal(frame.r[5], 5);
	assert_int_equal(frame.r[6], 0x1006);
	assert_int_equal(frame.r[ARM_FP], 0x7fff0000);

	/* r15 beats r14; they lie in the order of their numbers. */
	s.word[1] = 0x9000;
	s.word[2] = 0xa000;
	assert_true(RUN(0, 0x8c, 0x01));
	assert_int_equal(frame.r[4], s.word[0]);
	check_step(&frame, 0xa000, STACK + 12);
	assert_false(frame.thumb);

	/* 10101nnn: the last word is lr. */
	assert_true(RUN(10, 0xaf));
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(frame.r[4 + i], s.word[10 + i]);
	check_step(&frame, s.word[18], STACK + 4 * 19);

	/* What a call does not keep does not come back either. */
	assert_true(RUN(10, 0xb1, 0x0f, 0x85, 0x00));
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(frame.r[i], before.r[i]);
	assert_int_equal(frame.r[12], before.r[12]);
	check_step(&frame, s.word[15], STACK + 4 * 16);
	free(s.word);
}

static void vsp_moves(void **state)
{
	struct test_stack s = make_stack(512);
	struct arm_frame frame, before;
	static const struct {
		u8 op[3];
		u32 n, bytes;
	} skip[] = {
	    {{0x00}, 1, 4},
	    {{0x3f}, 1, 0x100},
	    {{0x3f, 0x40}, 2, 0x100 - 4},
	    {{0xb2, 0x00}, 2, 0x204},
	    {{0xb2, 0x81, 0x01}, 3, 0x204 + 0x204},
	    {{0xb3, 0x00}, 2, 12},
	    {{0xb8}, 1, 12},
	    {{0xbf}, 1, 68},
	    {{0xc9, 0x00}, 2, 8},
	    {{0xc8, 0x0f}, 2, 128},
	    {{0xd0}, 1, 8},
	    {{0xd7}, 1, 64},
	    {{0xc0}, 1, 8},
	    {{0xc5}, 1, 48},
	    {{0xc6, 0x0f}, 2, 128},
	    {{0xc7, 0x0f}, 2, 16},
	    {{0xb4}, 1, 4},
	    {{0xb5}, 1, 0},
	    {{0xb1, 0x05}, 2, 8},
	    {{0xa3}, 1, 16},
	};

	for (u32 i = 0; i < ARRAY_SIZE(skip); i++) {
		u8 ops[5];

		memcpy(ops, skip[i].op, skip[i].n);
		ops[skip[i].n] = 0x84; /* pop {lr} */
		ops[skip[i].n + 1] = 0x00;
		frame = make_frame(STACK + 8);
		assert_true(run_ops(ops, skip[i].n + 2, &frame, &s));
		check_step(&frame, s.word[2 + skip[i].bytes / 4] & ~1u, STACK + 12 + skip[i].bytes);
	}

	/* vsp from a register, also from one that was popped, also as popped r13. */
	frame = make_frame(STACK);
	frame.r[9] = STACK + 400;
	assert_true(run_ops((const u8[]){0x99, 0x84, 0x00}, 3, &frame, &s));
	check_step(&frame, s.word[100], STACK + 404);
	s.word[0] = STACK + 80;
	assert_true(RUN(0, 0xa0, 0x94, 0x84, 0x00));
	check_step(&frame, s.word[20], STACK + 84);
	s.word[1] = 0x8000;
	s.word[0] = STACK + 800;
	assert_true(RUN(0, 0x86, 0x00)); /* pop {sp, lr} */
	check_step(&frame, 0x8000, STACK + 800);

	/* It may come down again, but not below where the frame begins. */
	assert_true(RUN(10, 0x3f, 0x7e, 0x84, 0x00));
	check_step(&frame, s.word[11], STACK + 48);
	REFUSES(10, 0x40, 0x01, 0x84, 0x00);
	REFUSES(10, 0x00, 0x41, 0x01, 0x84, 0x00);
	free(s.word);
}

static void the_live_lr_of_a_leaf(void **state)
{
	struct test_stack s = make_stack(8);
	struct arm_frame frame = make_frame(STACK + 4), before;

	frame.r[ARM_LR] = 0x8001;
	assert_true(run_ops((const u8[]){0xb0}, 1, &frame, &s));
	check_step(&frame, 0x8000, STACK + 4);
	assert_true(frame.thumb);
	/* Only once: it is dead now. */
	before = frame;
	frame.r[ARM_PC] = FUNCTION;
	assert_false(run_ops((const u8[]){0xb0}, 1, &frame, &s));

	/* A function that returns to itself at the same stack pointer is the end. */
	frame = make_frame(STACK + 4);
	frame.r[ARM_LR] = frame.r[ARM_PC];
	assert_false(run_ops((const u8[]){0xb0}, 1, &frame, &s));
	frame = make_frame(STACK + 4);
	frame.r[ARM_LR] = 0x8000;
	assert_true(run_ops((const u8[]){0xa0}, 1, &frame, &s));
	check_step(&frame, 0x8000, STACK + 8);
	assert_int_equal(frame.r[4], s.word[1]);
	free(s.word);
	(void)before;
}

static void bad_steps_are_refused(void **state)
{
	struct test_stack s = make_stack(64);
	struct arm_frame frame, before;
	u8 many[EHABI_MAX_OPS + 2];

	REFUSES(0, 0x80, 0x00, 0x84, 0x00);  /* refuse to unwind */
	REFUSES(0, 0xb6, 0x84, 0x00);        /* spare */
	REFUSES(0, 0xa0);                    /* pops no return address */
	REFUSES(60, 0xaf);                   /* pops past the end */
	REFUSES(0, 0x3f, 0x84, 0x00);        /* at the end */
	REFUSES(0, 0x3f, 0x00, 0x84, 0x00);  /* past the end */
	REFUSES(60, 0x07, 0x47, 0x84, 0x00); /* and back */
	REFUSES(0, 0xb2, 0xff, 0xff, 0xff, 0x7f, 0x84, 0x00);
	REFUSES(0, 0x9b, 0x84, 0x00);             /* r11 is not in the stack */
	REFUSES(0, 0x90, 0x84, 0x00);             /* nor is r0 */
	REFUSES(4, 0x84, 0x00, 0x41, 0x00, 0x40); /* back below */
	REFUSES(4, 0x84, 0x00, 0x40);             /* back to where it was */
	REFUSES(64, 0x84, 0x00);                  /* an empty stack */
	REFUSES(65, 0x84, 0x00);                  /* outside */
	frame = make_frame(STACK - 4);
	assert_false(run_ops((const u8[]){0x84, 0x00}, 2, &frame, &s));
	frame = make_frame(STACK + 2);
	assert_false(run_ops((const u8[]){0x84, 0x00}, 2, &frame, &s));
	frame = make_frame(STACK);
	frame.r[7] = STACK + 6;
	assert_false(run_ops((const u8[]){0x97, 0x84, 0x00}, 3, &frame, &s));
	frame.r[7] = STACK + 4 * 64;
	assert_false(run_ops((const u8[]){0x97, 0x84, 0x00}, 3, &frame, &s));
	frame.r[7] = STACK + 4 * 64 + 8; /* outside, and back */
	assert_false(run_ops((const u8[]){0x97, 0x43, 0x84, 0x00}, 4, &frame, &s));
	s.word[0] = 0;
	REFUSES(0, 0x84, 0x00); /* nobody is at 0 */
	s.word[0] = 1;
	REFUSES(0, 0x84, 0x00);
	s.hole = true;
	REFUSES(4, 0x84, 0x00);
	s.hole = false;

	/* Endless opcodes: the limit counts the last one. */
	memset(many, 0xb5, sizeof(many));
	many[EHABI_MAX_OPS - 3] = 0x84;
	many[EHABI_MAX_OPS - 2] = 0x00;
	many[EHABI_MAX_OPS - 1] = 0xb0;
	frame = make_frame(STACK + 16);
	assert_true(run_ops(many, sizeof(many), &frame, &s));
	memset(many, 0xb5, sizeof(many));
	many[EHABI_MAX_OPS - 1] = 0x84;
	many[EHABI_MAX_OPS] = 0x00;
	many[EHABI_MAX_OPS + 1] = 0xb0;
	frame = make_frame(STACK + 16);
	assert_false(run_ops(many, sizeof(many), &frame, &s));
	free(s.word);
}

/* --- Hostile bytes --- */

static u32 random_stack_address(void)
{
	return STACK + 4 * (rand() % 66) + (rand() % 16 ? 0 : rand() % 4);
}

/* Four bytes: anything, or opcodes that often lead somewhere. */
static u32 random_word(void)
{
	static const u8 usual[] = {0x00, 0x01, 0x40, 0x97, 0x9b, 0xa0, 0xa8, 0xa9, 0xb0, 0xd0};
	u32 word = 0;

	for (int i = 0; i < 4; i++)
		word = word << 8 | (rand() % 4 ? usual[rand() % sizeof(usual)] : rand() & 0xff);
	return word;
}

/* Tables of @words random words, most of which have some form. */
static struct ehabi_tables random_tables(u32 words)
{
	u32 *data = malloc(4 * words);
	struct ehabi_tables t = {(const u8 *)data, TABLES, 4 * words, TABLES, 1, NULL};

	t.nr = 1 + rand() % (words / 2);
	for (u32 w = 0; w < words; w++)
		data[w] = random_word();
	for (u32 e = 0; e < t.nr && rand() % 16; e++) {
		u32 place = TABLES + 8 * e, to = rand() % words;

		data[2 * e] = to_prel31(place, FUNCTION + STRIDE * e);
		if (rand() % 4)
			data[2 * e + 1] = (random_word() & 0xffffff) | 0x80000000;
		else if (rand() % 8)
			data[2 * e + 1] = to_prel31(place + 4, TABLES + 4 * to);
		if (rand() % 2)
			data[to] = 0x81000000 | (random_word() & 0x0303ffff);
	}
	return t;
}

/* A step by recipe where there is one, and now and then; else by the decoder. */
static bool random_step(struct ehabi_code *code, struct arm_frame *frame, struct arm_memory *stack)
{
	struct recipe recipe;

	if (!frame->r[ARM_LR] && rand() % 2 && recipe_make(*code, &recipe))
		return recipe_apply(recipe, frame, stack);
	return ehabi_execute(code, frame, stack);
}

/* Walks until the walk ends; returns the number of steps. */
static u32 random_walk(const struct ehabi_tables *t, struct arm_frame *frame, struct test_stack *s)
{
	struct ehabi_code code;
	u32 sp, n = 0;

	while (ehabi_find(t, frame->r[ARM_PC] - !frame->r[ARM_LR], &code) == EHABI_OK) {
		sp = frame->r[ARM_SP];
		s->reads = 0;
		if (!random_step(&code, frame, &s->memory))
			break;
		assert_true(s->reads <= 16 * EHABI_MAX_OPS);
		assert_true(frame->r[ARM_SP] > sp || (n == 0 && frame->r[ARM_SP] == sp));
		assert_true(frame->r[ARM_SP] <= s->memory.high && !(frame->r[ARM_SP] & 3));
		assert_true(frame->r[ARM_PC] && !(frame->r[ARM_PC] & 1) && !frame->r[ARM_LR]);
		n++;
	}
	return n;
}

/* Whatever tables, registers and stack hold, walks end and read what they may. */
static void random_tables_are_survived(void **state)
{
	u32 steps = 0, longest = 0;

	srand(2);
	for (int i = 0; i < 200000; i++) {
		struct ehabi_tables t = random_tables(2 + rand() % 40);
		struct test_stack s = make_stack(1 + rand() % 64);
		struct arm_frame frame = make_frame(random_stack_address());
		u32 n;

		for (u32 w = 0; w < (s.memory.high - STACK) / 4; w++)
			s.word[w] =
			    rand() % 2 ? FUNCTION + rand() % (STRIDE * 20) : random_stack_address();
		for (int reg = 4; reg < 12; reg++)
			frame.r[reg] = random_stack_address();
		frame.r[ARM_LR] = rand() % 2 ? FUNCTION + 8 : 0;
		n = random_walk(&t, &frame, &s);
		/* Each step but the first rises by a word at least. */
		assert_true(n <= 65);
		steps += n;
		longest = MAX(longest, n);
		free(s.word);
		free_tables(&t);
	}
	/* Or there was nothing to survive. */
	assert_true(steps > 10000 && longest > 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(index_is_searched),
	    cmocka_unit_test(index_reaches_both_ways),
	    cmocka_unit_test(entry_forms),
	    cmocka_unit_test(references_out_of_the_tables),
	    cmocka_unit_test(index_out_of_the_tables),
	    cmocka_unit_test(every_opcode_is_what_the_abi_says),
	    cmocka_unit_test(operands),
	    cmocka_unit_test(operands_that_are_not_there),
	    cmocka_unit_test(words_that_are_not_there),
	    cmocka_unit_test(opcodes_have_a_limit),
	    cmocka_unit_test(pops_restore),
	    cmocka_unit_test(vsp_moves),
	    cmocka_unit_test(the_live_lr_of_a_leaf),
	    cmocka_unit_test(bad_steps_are_refused),
	    cmocka_unit_test(random_tables_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
