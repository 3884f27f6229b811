/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/common/frame_repair.c: functions as compilers write them are run here instruction by
 * instruction, and wherever one is interrupted, repair and table together must find its caller with
 * all registers as they were.
 */
#include "ehabi_fixture.h"

#include <frame_repair.h>

#define WORDS     256
#define CALLER_PC 0x00018124u
#define NO_FP     16

/* What an instruction does, for the test to know better than the code under test. */
enum effect { OTHER, CALL, PUSH, POP, SP_ADD, FP_FROM_SP, SP_FROM_FP, FP_ADD, BX_LR, WRITE_R4 };

struct instruction {
	u32 code; /* ARM: a word. Thumb: a halfword, or two with the first in the upper half */
	enum effect effect;
	s32 operand; /* mask, or bytes */
	u32 lost; /* not 0: between this and the next instruction nobody can know the caller's sp */
};

struct function {
	const char *name;
	bool thumb;
	u8 ops[8];
	u8 nr_ops;
	struct instruction insn[20];
};

#define R(n)  (1 << (n))
#define FP    R(11)
#define SP    R(13)
#define LR    R(14)
#define PC    R(15)
#define R0_R3 0xf

static const struct function functions[] = {
    {"ARM with frame pointer",
     false,
     {0x9b, 0x42, 0x84, 0x83},
     4,
     {
	 {0xe92d4830, PUSH, R(4) | R(5) | FP | LR, 0},
	 {0xe2504000, WRITE_R4, 0, 0}, /* subs r4, r0, #0 */
	 {0xe28db00c, FP_FROM_SP, 12, 0},
	 {0xe24dd010, SP_ADD, -16, 0},
	 {0xe1a05001, OTHER, 0, 0}, /* mov r5, r1 */
	 {0xebfffffe, CALL, 0, 0},
	 {0xe0800004, OTHER, 0, 0}, /* add r0, r0, r4 */
	 {0xe24bd00c, SP_FROM_FP, -12, 0},
	 {0xe8bd8830, POP, R(4) | R(5) | FP | PC, 0},
     }},
    {"ARM leaf with frame pointer",
     false,
     {0x9b, 0x80, 0x80},
     3,
     {
	 {0xe3a03003, OTHER, 0, 0}, /* mov r3, #3 */
	 {0xe52db004, PUSH, FP, 0},
	 {0xe28db000, FP_FROM_SP, 0, 0},
	 {0xe0000093, OTHER, 0, 0}, /* mul r0, r3, r0 */
	 {0xe28bd000, SP_FROM_FP, 0, 0},
	 {0xe49db004, POP, FP, 0},
	 {0xe12fff1e, BX_LR, 0, 0},
     }},
    {"ARM variadic",
     false,
     {0x9b, 0x41, 0x84, 0x81, 0xb1, 0x0f},
     6,
     {
	 {0xe92d000f, PUSH, R0_R3, 1},
	 {0xe92d4810, PUSH, R(4) | FP | LR, 0},
	 {0xe28db008, FP_FROM_SP, 8, 0},
	 {0xe24dd00c, SP_ADD, -12, 0},
	 {0xe59b0008, OTHER, 0, 0}, /* ldr r0, [fp, #8] */
	 {0xebfffffe, CALL, 0, 0},
	 {0xe24bd008, SP_FROM_FP, -8, 0},
	 {0xe8bd4810, POP, R(4) | FP | LR, 0},
	 {0xe28dd010, SP_ADD, 16, 0},
	 {0xe12fff1e, BX_LR, 0, 0},
     }},
    {"ARM without frame pointer",
     false,
     {0x01, 0xa8},
     2,
     {
	 {0xe92d4010, PUSH, R(4) | LR, 0},
	 {0xe24dd008, SP_ADD, -8, 0},
	 {0xebfffffe, CALL, 0, 0},
	 {0xe1a00004, OTHER, 0, 0},
	 {0xe28dd008, SP_ADD, 8, 0},
	 {0xe8bd8010, POP, R(4) | PC, 0},
     }},
    {"ARM with VFP registers",
     false,
     {0x9b, 0x40, 0x84, 0x80},
     4,
     {
	 {0xe92d4800, PUSH, FP | LR, 0},
	 {0xe28db004, FP_FROM_SP, 4, 0},
	 {0xed2d8b02, SP_ADD, -8, 0}, /* vpush {d8} */
	 {0xebfffffe, CALL, 0, 0},
	 {0xe24bd00c, SP_FROM_FP, -12, 0},
	 {0xecbd8b02, SP_ADD, 8, 0}, /* vpop {d8} */
	 {0xe8bd8800, POP, FP | PC, 0},
     }},
    {"ARM with its body around its frame",
     false,
     {0x9b, 0x40, 0x84, 0x80},
     4,
     {
	 {0xe0030190, OTHER, 0, 0}, /* mul r3, r0, r1 */
	 {0xe1d231f0, OTHER, 0, 0}, /* ldrsh r3, [r2] */
	 {0xed920b00, OTHER, 0, 0}, /* vldr d0, [r2] */
	 {0xe92d4800, PUSH, FP | LR, 0},
	 {0xe7923103, OTHER, 0, 0}, /* ldr r3, [r2, r3, lsl #2] */
	 {0xe28db004, FP_FROM_SP, 4, 0},
	 {0xebfffffe, CALL, 0, 0},
	 {0xe24bd004, SP_FROM_FP, -4, 0},
	 {0xe7e33150, OTHER, 0, 0}, /* ubfx r3, r0, #2, #4 */
	 {0xe8bd4800, POP, FP | LR, 0},
	 {0xee103a10, OTHER, 0, 0}, /* vmov r3, s0 */
	 {0xe12fff1e, BX_LR, 0, 0},
     }},
    {"ARM leaf without anything",
     false,
     {0xb0},
     1,
     {
	 {0xe0800001, OTHER, 0, 0},
	 {0xe12fff1e, BX_LR, 0, 0},
     }},
    {"Thumb with frame pointer",
     true,
     {0x97, 0x01, 0x84, 0x0b},
     4,
     {
	 {0xb5b0, PUSH, R(4) | R(5) | R(7) | LR, 0},
	 {0xb082, SP_ADD, -8, 0},
	 {0x4604, WRITE_R4, 0, 0}, /* mov r4, r0 */
	 {0xaf00, FP_FROM_SP, 0, 0},
	 {0x460d, OTHER, 0, 0}, /* mov r5, r1 */
	 {0xf7fffffe, CALL, 0, 0},
	 {0x4420, OTHER, 0, 0}, /* add r0, r4 */
	 {0x3708, FP_ADD, 8, 0},
	 {0x46bd, SP_FROM_FP, 0, 0},
	 {0xbdb0, POP, R(4) | R(5) | R(7) | PC, 0},
     }},
    {"Thumb leaf with frame pointer",
     true,
     {0x97, 0x04, 0x80, 0x0b},
     4,
     {
	 {0xb4b0, PUSH, R(4) | R(5) | R(7), 0},
	 {0xb085, SP_ADD, -20, 0},
	 {0x680d, OTHER, 0, 0}, /* ldr r5, [r1] */
	 {0xaf00, FP_FROM_SP, 0, 0},
	 {0xf0000003, OTHER, 0, 0}, /* and.w r0, r0, #3 */
	 {0xe9c75400, OTHER, 0, 0}, /* strd r5, r4, [r7] */
	 {0x3714, FP_ADD, 20, 0},
	 {0x46bd, SP_FROM_FP, 0, 0},
	 {0xbcb0, POP, R(4) | R(5) | R(7), 0},
	 {0x4770, BX_LR, 0, 0},
     }},
    {"Thumb variadic",
     true,
     {0x97, 0x01, 0x84, 0x0b, 0xb1, 0x0f},
     6,
     {
	 {0xb40f, PUSH, R0_R3, 1},
	 {0xb5b0, PUSH, R(4) | R(5) | R(7) | LR, 0},
	 {0xb082, SP_ADD, -8, 0},
	 {0xaf00, FP_FROM_SP, 0, 0},
	 {0xf7fffffe, CALL, 0, 0},
	 {0x3708, FP_ADD, 8, 0},
	 {0x46bd, SP_FROM_FP, 0, 0},
	 {0xe8bd40b0, POP, R(4) | R(5) | R(7) | LR, 0},
	 {0xb004, SP_ADD, 16, 0},
	 {0x4770, BX_LR, 0, 0},
     }},
    {"Thumb with its body around its frame",
     true,
     {0x97, 0x84, 0x08},
     3,
     {
	 {0xfb00f301, OTHER, 0, 0}, /* mul r3, r0, r1 */
	 {0xf9b23000, OTHER, 0, 0}, /* ldrsh.w r3, [r2] */
	 {0xed920b00, OTHER, 0, 0}, /* vldr d0, [r2] */
	 {0xb580, PUSH, R(7) | LR, 0},
	 {0xf8523023, OTHER, 0, 0}, /* ldr.w r3, [r2, r3, lsl #2] */
	 {0xaf00, FP_FROM_SP, 0, 0},
	 {0xf7fffffe, CALL, 0, 0},
	 {0x46bd, SP_FROM_FP, 0, 0},
	 {0xf3c00383, OTHER, 0, 0}, /* ubfx r3, r0, #2, #4 */
	 {0xe8bd4080, POP, R(7) | LR, 0},
	 {0xee103a10, OTHER, 0, 0}, /* vmov r3, s0 */
	 {0x4770, BX_LR, 0, 0},
     }},
    {"Thumb with a large frame",
     true,
     {0x97, 0x3f, 0x00, 0x84, 0x08},
     5,
     {
	 {0xb580, PUSH, R(7) | LR, 0},
	 {0xf5ad7d82, SP_ADD, -260, 0}, /* sub.w sp, sp, #260 */
	 {0xaf00, FP_FROM_SP, 0, 0},
	 {0xf7fffffe, CALL, 0, 0},
	 {0xf5077782, FP_ADD, 260, 0}, /* add.w r7, r7, #260 */
	 {0x46bd, SP_FROM_FP, 0, 0},
	 {0xbd80, POP, R(7) | PC, 0},
     }},
    {"Thumb without frame pointer",
     true,
     {0x01, 0x84, 0x01},
     3,
     {
	 {0xe92d4010, PUSH, R(4) | LR, 0}, /* push.w {r4, lr} */
	 {0xf2ad0d08, SP_ADD, -8, 0},      /* subw sp, sp, #8 */
	 {0xf7fffffe, CALL, 0, 0},
	 {0xf20d0d08, SP_ADD, 8, 0}, /* addw sp, sp, #8 */
	 {0xe8bd8010, POP, R(4) | PC, 0},
     }},
};

/* --- A processor with memory for code and stack --- */

struct machine {
	u32 r[16];
	struct test_stack stack;
	struct arm_memory code;
	u8 text[128];
};

static bool code_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	struct machine *m = container_of(memory, struct machine, code);

	memcpy(word, m->text + (addr - FUNCTION), 4);
	return true;
}

/* Assembles @f at FUNCTION; returns the number of its instructions. */
static u32 load(struct machine *m, const struct function *f)
{
	u32 n = 0, at = 0;

	memset(m->text, 0xff, sizeof(m->text));
	for (; f->insn[n].code; n++) {
		u32 code = f->insn[n].code, size = f->thumb && code < 0x10000 ? 2 : 4;

		if (f->thumb && size == 4)
			code = code >> 16 | code << 16;
		memcpy(m->text + at, &code, size);
		at += size;
	}
	/* The caller's registers, the stack below them in other hands before. */
	for (u32 i = 0; i < 13; i++)
		m->r[i] = 0xc0de0000 + i;
	m->r[ARM_FP] = STACK + 4 * (WORDS - 8);
	m->r[ARM_SP] = STACK + 4 * (WORDS - 16);
	m->r[ARM_LR] = CALLER_PC | f->thumb;
	m->r[ARM_PC] = FUNCTION;
	for (u32 i = 0; i < WORDS; i++)
		m->stack.word[i] = 0xdead0000 + i;
	m->code = (struct arm_memory){FUNCTION, FUNCTION + sizeof(m->text), code_word};
	return n;
}

static u32 *stack_at(struct machine *m, u32 addr)
{
	assert_true(addr >= m->stack.memory.low && addr < m->stack.memory.high && !(addr & 3));
	return &m->stack.word[(addr - STACK) / 4];
}

static void push(struct machine *m, u32 mask)
{
	m->r[ARM_SP] -= 4 * __builtin_popcount(mask);
	for (u32 i = 0, at = m->r[ARM_SP]; i < 16; i++) {
		if (!(mask >> i & 1))
			continue;
		*stack_at(m, at) = m->r[i];
		at += 4;
	}
}

static void pop(struct machine *m, u32 mask)
{
	for (u32 i = 0; i < 16; i++) {
		if (!(mask >> i & 1))
			continue;
		m->r[i] = *stack_at(m, m->r[ARM_SP]);
		m->r[ARM_SP] += 4;
	}
}

static void run(struct machine *m, const struct function *f, const struct instruction *insn)
{
	u32 fp = f->thumb ? 7 : ARM_FP;

	m->r[ARM_PC] += f->thumb && insn->code < 0x10000 ? 2 : 4;
	switch (insn->effect) {
	case OTHER:
		m->r[3] = 0x33333333;
		break;
	case WRITE_R4:
		m->r[4] = 0x44444444;
		break;
	case CALL:
		for (int i = 0; i < 4; i++)
			m->r[i] = 0x11111111 * i;
		m->r[12] = 0xcccccccc;
		m->r[ARM_LR] = m->r[ARM_PC] | f->thumb;
		break;
	case PUSH:
		push(m, insn->operand);
		break;
	case POP:
		pop(m, insn->operand);
		break;
	case SP_ADD:
		m->r[ARM_SP] += insn->operand;
		break;
	case FP_FROM_SP:
		m->r[fp] = m->r[ARM_SP] + insn->operand;
		break;
	case SP_FROM_FP:
		m->r[ARM_SP] = m->r[fp] + insn->operand;
		break;
	case FP_ADD:
		m->r[fp] += insn->operand;
		break;
	case BX_LR:
		m->r[ARM_PC] = m->r[ARM_LR];
		break;
	}
}

static u32 nr_rules;

/* frame_repair(), whose rule, if it has one, does the same, or says less. */
static bool repair(struct arm_frame *frame, struct arm_memory *code, struct arm_memory *stack)
{
	struct arm_frame by_rule = *frame, before = *frame;
	struct repair_rule rule;
	bool known = frame_repair(frame, code, stack, &rule);

	nr_rules += rule.known;
	if (!rule.known)
		return known;
	if (!memcmp(&rule.recipe, &RECIPE_END, sizeof(rule.recipe))) {
		assert_false(known);
		assert_memory_equal(frame, &before, sizeof(*frame));
	} else if (recipe_apply(rule.recipe, &by_rule, stack)) {
		assert_true(known);
		for (int i = 4; i < 16; i++)
			assert_int_equal(by_rule.r[i], frame->r[i]);
		assert_int_equal(by_rule.thumb, frame->thumb);
	}
	return known;
}

/* Repair, then the table unless that was enough: what a walker does with interrupted registers. */
static bool find_caller(struct machine *m, const struct function *f, struct arm_frame *frame)
{
	*frame = (struct arm_frame){.thumb = f->thumb};
	memcpy(frame->r, m->r, sizeof(frame->r));
	return repair(frame, &m->code, &m->stack.memory) ||
	       run_ops(f->ops, f->nr_ops, frame, &m->stack);
}

static void interrupted_anywhere_finds_the_caller(const struct function *f)
{
	struct machine m = {.stack = make_stack(WORDS)};
	u32 n = load(&m, f), caller[16];

	memcpy(caller, m.r, sizeof(caller));
	for (u32 i = 0; i < n; i++) {
		bool sp_lost = i && f->insn[i - 1].lost;
		struct arm_frame frame;

		if (!find_caller(&m, f, &frame))
			fail_msg("%s: no caller at instruction %u", f->name, i);
		if (frame.r[ARM_PC] != CALLER_PC || frame.thumb != f->thumb)
			fail_msg("%s: at instruction %u the caller is %x", f->name, i,
				 frame.r[ARM_PC]);
		for (int reg = 4; reg <= ARM_FP; reg++)
			if (frame.r[reg] != caller[reg])
				fail_msg("%s: at instruction %u r%d is %x", f->name, i, reg,
					 frame.r[reg]);
		if (frame.r[ARM_SP] != caller[ARM_SP] &&
		    !(sp_lost && frame.r[ARM_SP] == m.r[ARM_SP]))
			fail_msg("%s: at instruction %u sp is off by %d", f->name, i,
				 (int)(frame.r[ARM_SP] - caller[ARM_SP]));
		assert_int_equal(frame.r[ARM_LR], 0);
		run(&m, f, &f->insn[i]);
	}
	/* The function is what it says. */
	assert_int_equal(m.r[ARM_PC] & ~1u, CALLER_PC);
	assert_memory_equal(m.r + 4, caller + 4, 8 * sizeof(u32));
	assert_int_equal(m.r[ARM_SP], caller[ARM_SP]);
	free(m.stack.word);
}

static void every_instruction_of_every_function(void **state)
{
	u32 n = 0;

	nr_rules = 0;
	for (u32 i = 0; i < ARRAY_SIZE(functions); i++) {
		interrupted_anywhere_finds_the_caller(&functions[i]);
		for (u32 at = 0; at < ARRAY_SIZE(functions[i].insn); at++)
			n += !!functions[i].insn[at].code;
	}
	/* Most places have one. */
	assert_in_range(nr_rules, n / 2, n);
}

/* --- Single instructions --- */

/* Is the caller told by the instructions @code alone? */
static bool repaired(bool thumb, u32 lr, const u32 *code, u32 n, struct arm_frame *frame)
{
	struct machine m = {.stack = make_stack(WORDS)};
	struct function f = {.thumb = thumb};
	bool ok;

	for (u32 i = 0; i < n; i++)
		f.insn[i].code = code[i];
	load(&m, &f);
	*frame = (struct arm_frame){.thumb = thumb};
	memcpy(frame->r, m.r, sizeof(frame->r));
	frame->r[ARM_LR] = lr;
	ok = repair(frame, &m.code, &m.stack.memory);
	free(m.stack.word);
	return ok;
}

#define REPAIRED(thumb, ...)                                   \
	repaired(thumb, CALLER_PC, (const u32[]){__VA_ARGS__}, \
		 sizeof((const u32[]){__VA_ARGS__}) / 4, &frame)

static void returns_under_a_condition(void **state)
{
	struct arm_frame frame;

	assert_true(REPAIRED(false, 0x012fff1e)); /* bxeq lr: lr is good whether or not */
	assert_int_equal(frame.r[ARM_PC], CALLER_PC);
	assert_true(REPAIRED(false, 0xe3500000, 0x012fff1e)); /* cmp r0, #0 */
	assert_true(REPAIRED(false, 0xe1a0f00e));             /* mov pc, lr */
	assert_true(REPAIRED(true, 0x46f7));
	assert_false(REPAIRED(false, 0x08bd8010)); /* popeq {r4, pc} may not be carried out */
}

static void what_proves_nothing_changes_nothing(void **state)
{
	static const u32 arm[] = {
	    0xea000000, 0x0a000000, 0xeb000000, 0xe12fff33, 0xe12fff13, /* branches */
	    0xe59ff004, 0xe28ff004, 0xe1a0f003,                         /* writes to pc */
	    0xe1a0e00f, 0xe59de004, 0xe3a0e000,                         /* to lr */
	    0xe1a0b000, 0xe59db004, 0xe3a0b001,                         /* to fp */
	    0xe1a0d003, 0xe08dd003, 0xe04dd003,                         /* to sp */
	    0xe49d0008, 0xe8930030, 0xe92d0030, 0xe10f0000, 0xef000000,
	    0xe320f003, 0xf57ff05f, 0xe7f000f0,
	};
	static const u32 thumb[] = {
	    0xe000, 0xd000, 0x4718,     0x4798,     0xb100,     0xbf08,     0xdf00,     0xbe00,
	    0xc803, 0xb430, 0xf7fffffe, 0xf0008000, 0xf8d0f000, 0x469d,     0x4607,     0x6807,
	    0x9f00, 0x2700, 0xe92d0030, 0xf1ad0e08, 0xf04f0700, 0xea4f0700, 0xe8e75400, 0xfb00f701,
	};
	struct arm_frame frame;

	for (u32 i = 0; i < ARRAY_SIZE(arm); i++) {
		/* Behind it stands something that would. */
		if (REPAIRED(false, arm[i], 0xe12fff1e))
			fail_msg("ARM %08x is stepped over", arm[i]);
		assert_int_equal(frame.r[ARM_SP], STACK + 4 * (WORDS - 16));
		assert_int_equal(frame.r[ARM_PC], FUNCTION);
	}
	for (u32 i = 0; i < ARRAY_SIZE(thumb); i++) {
		if (REPAIRED(true, thumb[i], 0x4770))
			fail_msg("Thumb %x is stepped over", thumb[i]);
		assert_int_equal(frame.r[ARM_SP], STACK + 4 * (WORDS - 16));
	}
	/* Too far away. */
	assert_false(REPAIRED(false, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000,
			      0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe12fff1e));
}

static void ordinary_instructions_are_stepped_over(void **state)
{
	static const u32 arm[] = {0xe1a00004, 0xe3a00001, 0xe3500000, 0xe58d0004, 0xe59d0004,
				  0x13a00001, 0xe3001234, 0xe3401234, 0xe24b0014, 0xe1500001};
	static const u32 thumb[] = {0x4620, 0x2001,     0x2800,     0x9001,     0x9801, 0xbf00,
				    0x4288, 0xf04f0001, 0xf8d00004, 0xea4f0001, 0xb2c0, 0xa801};
	struct arm_frame frame;

	for (u32 i = 0; i < ARRAY_SIZE(arm); i++)
		if (!REPAIRED(false, arm[i], 0xe12fff1e))
			fail_msg("ARM %08x ends the search", arm[i]);
	for (u32 i = 0; i < ARRAY_SIZE(thumb); i++)
		if (!REPAIRED(true, thumb[i], 0x4770))
			fail_msg("Thumb %x ends the search", thumb[i]);
}

/* A body's instructions, which compilers also move in front of a prologue and into an epilogue. */
static const u32 arm_bodies[] = {
    0xe0000093, /* mul r0, r3, r0 */
    0xe020b291, /* mla r0, r1, r2, fp */
    0xe0810392, /* umull r0, r1, r2, r3 */
    0xe0a10392, /* umlal r0, r1, r2, r3 */
    0xe0603291, /* mls r0, r1, r2, r3 */
    0xe1600281, /* smulbb r0, r1, r2 */
    0xe1410382, /* smlalbb r0, r1, r2, r3 */
    0xe730f211, /* udiv r0, r1, r2 */
    0xe750f211, /* smmul r0, r1, r2 */
    0xe1d010b2, /* ldrh r1, [r0, #2] */
    0xe19010f2, /* ldrsh r1, [r0, r2] */
    0xe15b10d5, /* ldrsb r1, [fp, #-5] */
    0xe1c020d0, /* ldrd r2, [r0] */
    0xe1cd20f8, /* strd r2, [sp, #8] */
    0xe0c010b2, /* strh r1, [r0], #2 */
    0xe4930004, /* ldr r0, [r3], #4 */
    0xe7910102, /* ldr r0, [r1, r2, lsl #2] */
    0xe781b002, /* str fp, [r1, r2] */
    0xe7e301d1, /* ubfx r0, r1, #3, #4 */
    0xe7c60191, /* bfi r0, r1, #3, #4 */
    0xe6ef0071, /* uxtb r0, r1 */
    0xe6f10072, /* uxtah r0, r1, r2 */
    0xe6bf0f31, /* rev r0, r1 */
    0xe6e30011, /* usat r0, #3, r1 */
    0xe16f0f11, /* clz r0, r1 */
    0xe1020051, /* qadd r0, r1, r2 */
    0xee100f10, /* mrc 15, 0, r0, cr0, cr0, {0} */
    0xee1d0f70, /* mrc 15, 0, r0, cr13, cr0, {3} */
    0xec510f1e, /* mrrc 15, 1, r0, r1, cr14 */
    0xed900b00, /* vldr d0, [r0] */
    0xed8d0a01, /* vstr s0, [sp, #4] */
    0xee100a10, /* vmov r0, s0 */
    0xee000a10, /* vmov s0, r0 */
    0xec510b10, /* vmov r0, r1, d0 */
    0xec410b10, /* vmov d0, r0, r1 */
    0xee210b02, /* vmul.f64 d0, d1, d2 */
    0xeef1fa10, /* vmrs APSR_nzcv, fpscr */
    0xecb00b04, /* vldmia r0!, {d0-d1} */
    0xf2220844, /* vadd.i32 q0, q1, q2 */
    0xf420078d, /* vld1.32 {d0}, [r0]! */
    0xf42d078f, /* vld1.32 {d0}, [sp] */
};

/* Like these, but what they write is sp, fp, lr or pc; and some that nothing is known of. */
static const u32 arm_barriers[] = {
    0xe00b0190, /* mul fp, r0, r1 */
    0xe00e0190, /* mul lr, r0, r1 */
    0xe08b0392, /* umull r0, fp, r2, r3 */
    0xe080b392, /* umull fp, r0, r2, r3 */
    0xe16b0281, /* smulbb fp, r1, r2 */
    0xe140b382, /* smlalbb fp, r0, r2, r3 */
    0xe71bf110, /* sdiv fp, r0, r1 */
    0xe740b211, /* smlald fp, r0, r1, r2 */
    0xe1d0b0b0, /* ldrh fp, [r0] */
    0xe190e0f1, /* ldrsh lr, [r0, r1] */
    0xe1c0a0d0, /* ldrd sl, [r0] */
    0xe1c0c0d0, /* ldrd ip, [r0] */
    0xe16d00b8, /* strh r0, [sp, #-8]! */
    0xe49d0008, /* ldr r0, [sp], #8 */
    0xe7bd0001, /* ldr r0, [sp, r1]! */
    0xe790b001, /* ldr fp, [r0, r1] */
    0xe790f101, /* ldr pc, [r0, r1, lsl #2] */
    0xe7e3b1d1, /* ubfx fp, r1, #3, #4 */
    0xe6efe071, /* uxtb lr, r1 */
    0xe16fbf11, /* clz fp, r1 */
    0xe102e051, /* qadd lr, r1, r2 */
    0xe1910f9f, /* ldrex r0, [r1] */
    0xee10bf10, /* mrc 15, 0, fp, cr0, cr0, {0} */
    0xee020f10, /* mcr 15, 0, r0, cr2, cr0, {0} */
    0xec5b0f1e, /* mrrc 15, 1, r0, fp, cr14 */
    0xec50ef1e, /* mrrc 15, 1, lr, r0, cr14 */
    0xee10ba10, /* vmov fp, s0 */
    0xec5b0b10, /* vmov r0, fp, d0 */
    0xec50eb10, /* vmov lr, r0, d0 */
    0xecbd0a02, /* vpop {s0-s1} */
    0xed2b0b02, /* vstmdb fp!, {d0} */
    0xf42d078d, /* vld1.32 {d0}, [sp]! */
    0xe7f000f0, /* udf #0 */
    0xf57ff05f, /* dmb sy */
    0xed905e00, /* ldc 14, cr5, [r0] */
};

static const u32 thumb_bodies[] = {
    0xfb00f001, /* mul.w r0, r0, r1 */
    0xfb017002, /* mla r0, r1, r2, r7 */
    0xfba20103, /* umull r0, r1, r2, r3 */
    0xfbc20103, /* smlal r0, r1, r2, r3 */
    0xfb11f002, /* smulbb r0, r1, r2 */
    0xfbb1f0f2, /* udiv r0, r1, r2 */
    0xf9b01002, /* ldrsh.w r1, [r0, #2] */
    0xf9301002, /* ldrsh.w r1, [r0, r2] */
    0xf8301b02, /* ldrh.w r1, [r0], #2 */
    0xe9d02300, /* ldrd r2, r3, [r0] */
    0xe9c75400, /* strd r5, r4, [r7] */
    0xf8510022, /* ldr.w r0, [r1, r2, lsl #2] */
    0xf8df0900, /* ldr.w r0, [pc, #2304] */
    0xf8570c08, /* ldr.w r0, [r7, #-8] */
    0xf8417002, /* str.w r7, [r1, r2] */
    0xf3c100c3, /* ubfx r0, r1, #3, #4 */
    0xfa5ff881, /* uxtb.w r8, r1 */
    0xfab1f081, /* clz r0, r1 */
    0xfa91f881, /* rev.w r8, r1 */
    0xfa01f002, /* lsl.w r0, r1, r2 */
    0xee1d0f70, /* mrc 15, 0, r0, cr13, cr0, {3} */
    0xec510f1e, /* mrrc 15, 1, r0, r1, cr14 */
    0xed900b00, /* vldr d0, [r0] */
    0xed8d0a01, /* vstr s0, [sp, #4] */
    0xee100a10, /* vmov r0, s0 */
    0xec510b10, /* vmov r0, r1, d0 */
    0xec410b10, /* vmov d0, r0, r1 */
    0xee210b02, /* vmul.f64 d0, d1, d2 */
    0xeef1fa10, /* vmrs APSR_nzcv, fpscr */
    0xecb00b04, /* vldmia r0!, {d0-d1} */
    0xef220844, /* vadd.i32 q0, q1, q2 */
    0xff020d54, /* vmul.f32 q0, q1, q2 */
    0xff220844, /* vsub.i32 q0, q1, q2 */
    0xf920078d, /* vld1.32 {d0}, [r0]! */
    0xf92d078f, /* vld1.32 {d0}, [sp] */
};

static const u32 thumb_barriers[] = {
    0xfb00f701, /* mul.w r7, r0, r1 */
    0xfba27003, /* umull r7, r0, r2, r3 */
    0xfba20703, /* umull r0, r7, r2, r3 */
    0xfbb0f7f1, /* udiv r7, r0, r1 */
    0xfb10fe01, /* smulbb lr, r0, r1 */
    0xf9b07002, /* ldrsh.w r7, [r0, #2] */
    0xe9d10700, /* ldrd r0, r7, [r1] */
    0xe9d17000, /* ldrd r7, r0, [r1] */
    0xe8fd0102, /* ldrd r0, r1, [sp], #8 */
    0xe96d0102, /* strd r0, r1, [sp, #-8]! */
    0xf85d0b08, /* ldr.w r0, [sp], #8 */
    0xf8470d08, /* str.w r0, [r7, #-8]! */
    0xf851f022, /* ldr.w pc, [r1, r2, lsl #2] */
    0xf8dfe900, /* ldr.w lr, [pc, #2304] */
    0xf3c107c3, /* ubfx r7, r1, #3, #4 */
    0xfa5ffe81, /* uxtb.w lr, r1 */
    0xfab1f781, /* clz r7, r1 */
    0xee107f10, /* mrc 15, 0, r7, cr0, cr0, {0} */
    0xee020f10, /* mcr 15, 0, r0, cr2, cr0, {0} */
    0xec570f1e, /* mrrc 15, 1, r0, r7, cr14 */
    0xee107a10, /* vmov r7, s0 */
    0xec570b10, /* vmov r0, r7, d0 */
    0xecbd0a02, /* vpop {s0-s1} */
    0xed270b02, /* vstmdb r7!, {d0} */
    0xf92d078d, /* vld1.32 {d0}, [sp]! */
    0xe8510f00, /* ldrex r0, [r1] */
    0xe8d0f001, /* tbb [r0, r1] */
};

static void bodies_are_stepped_over_unless_they_write_what_counts(void **state)
{
	struct arm_frame frame;

	for (u32 i = 0; i < ARRAY_SIZE(arm_bodies); i++)
		if (!REPAIRED(false, arm_bodies[i], 0xe92d4830) || frame.r[ARM_PC] != CALLER_PC)
			fail_msg("ARM %08x hides the prologue behind it", arm_bodies[i]);
	for (u32 i = 0; i < ARRAY_SIZE(arm_barriers); i++)
		if (REPAIRED(false, arm_barriers[i], 0xe92d4830))
			fail_msg("ARM %08x is stepped over", arm_barriers[i]);
	for (u32 i = 0; i < ARRAY_SIZE(thumb_bodies); i++)
		if (!REPAIRED(true, thumb_bodies[i], 0xb5b0) || frame.r[ARM_PC] != CALLER_PC)
			fail_msg("Thumb %08x hides the prologue behind it", thumb_bodies[i]);
	for (u32 i = 0; i < ARRAY_SIZE(thumb_barriers); i++)
		if (REPAIRED(true, thumb_barriers[i], 0xb5b0))
			fail_msg("Thumb %08x is stepped over", thumb_barriers[i]);
}

/* --- Code that is not there yet --- */

#define CALL_SITE (CALLER_PC - 4)

/* Of all code the word in front of CALLER_PC. */
struct caller_code {
	struct arm_memory memory;
	u32 call;
};

static bool caller_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	*word = container_of(memory, struct caller_code, memory)->call;
	return addr == CALL_SITE;
}

/* Is the caller known of a function at @pc, with no code but @call at its return address @lr? */
static bool known_by_call(u32 call, u32 lr, u32 pc, bool thumb)
{
	struct caller_code code = {{0, ~3u, caller_word}, call};
	struct test_stack stack = make_stack(WORDS);
	struct arm_frame frame = {.thumb = thumb}, before;
	bool known;

	frame.r[ARM_FP] = STACK + 64;
	frame.r[ARM_SP] = STACK + 32;
	frame.r[ARM_LR] = lr;
	frame.r[ARM_PC] = pc;
	before = frame;
	known = repair(&frame, &code.memory, &stack.memory);
	free(stack.word);
	if (!known)
		assert_memory_equal(&frame, &before, sizeof(frame));
	else
		assert_true(frame.r[ARM_PC] == CALLER_PC && frame.thumb == (lr & 1) &&
			    frame.r[ARM_FP] == STACK + 64 && frame.r[ARM_SP] == STACK + 32);
	return known;
}

static void a_call_tells_of_a_function_that_can_not_be_read(void **state)
{
	u32 arm = CALLER_PC, thumb = CALLER_PC | 1;

	assert_true(known_by_call(0xebffdfb6, arm, FUNCTION, false));    /* bl */
	assert_true(known_by_call(0x1bffdfb6, arm, FUNCTION, false));    /* blne */
	assert_true(known_by_call(0xfaffdfb6, arm, FUNCTION, true));     /* blx */
	assert_true(known_by_call(0xfbffdfb6, arm, FUNCTION + 2, true)); /* blx */
	assert_true(known_by_call(0xff6ef7f7, thumb, FUNCTION, true));   /* bl */
	assert_true(known_by_call(0xef6ef7f7, thumb, FUNCTION, false));  /* blx */
	assert_true(
	    known_by_call(0xf802f000, thumb, CALLER_PC + 4, true)); /* bl, nearest and farthest */
	assert_true(known_by_call(0xd000f400, thumb, CALLER_PC - 0x1000000, true));
	assert_true(known_by_call(0xd7fff3ff, thumb, CALLER_PC + 0xfffffe, true));
	/* Another function, past the beginning, another return address, no call, no code. */
	assert_false(known_by_call(0xebffdfb6, arm, FUNCTION + 0x1000, false));
	assert_false(known_by_call(0xebffdfb6, arm, FUNCTION + 4, false));
	assert_false(known_by_call(0xebffdfb6, arm + 8, FUNCTION, false));
	assert_false(known_by_call(0xeaffdfb6, arm, FUNCTION, false));  /* b */
	assert_false(known_by_call(0xe12fff33, arm, FUNCTION, false));  /* blx r3 */
	assert_false(known_by_call(0xbf6ef7f7, thumb, FUNCTION, true)); /* b.w */
	assert_false(known_by_call(0x47984798, thumb, FUNCTION, true)); /* blx r3 */
	assert_false(known_by_call(0xebffdfb6, 0, FUNCTION, false));
	assert_false(known_by_call(0xe12fff33, arm, 0, false));
}

/* Random code on random registers: reads nothing it may not, and what it finds is a caller. */
static void random_code_is_survived(void **state)
{
	static const u32 usual[] = {0xe92d4830, 0xe28db00c, 0xe24dd010, 0xe24bd00c, 0xe8bd8830,
				    0xe12fff1e, 0xe28dd010, 0xe1a00000, 0x46bdb5b0, 0xaf00b082,
				    0xbdb03708, 0x4770bcb0, 0xe8bd46bd, 0xe8bd40b0, 0xecbd8b02};
	u32 callers = 0;

	nr_rules = 0;
	srand(3);
	for (int i = 0; i < 200000; i++) {
		struct machine m = {.stack = make_stack(1 + rand() % 32)};
		struct arm_frame frame = {.thumb = rand() % 2}, before;

		for (u32 w = 0; w < sizeof(m.text) / 4; w++) {
			u32 word =
			    rand() % 4 ? usual[rand() % ARRAY_SIZE(usual)] : (u32)rand() << 1;

			memcpy(m.text + 4 * w, &word, 4);
		}
		m.code = (struct arm_memory){FUNCTION, FUNCTION + sizeof(m.text), code_word};
		for (int reg = 0; reg < 16; reg++)
			frame.r[reg] =
			    STACK - 64 + 4 * (rand() % 64) + (rand() % 16 ? 0 : rand() % 4);
		frame.r[ARM_PC] = FUNCTION + 2 * (rand() % (sizeof(m.text) / 2 + 4));
		before = frame;
		if (repair(&frame, &m.code, &m.stack.memory)) {
			assert_in_range(frame.r[ARM_SP], before.r[ARM_SP], m.stack.memory.high);
			assert_true(frame.r[ARM_PC] && !frame.r[ARM_LR]);
			callers++;
		}
		free(m.stack.word);
	}
	assert_in_range(callers, 10000, 190000);
	assert_in_range(nr_rules, 10000, 190000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_instruction_of_every_function),
	    cmocka_unit_test(returns_under_a_condition),
	    cmocka_unit_test(what_proves_nothing_changes_nothing),
	    cmocka_unit_test(ordinary_instructions_are_stepped_over),
	    cmocka_unit_test(bodies_are_stepped_over_unless_they_write_what_counts),
	    cmocka_unit_test(a_call_tells_of_a_function_that_can_not_be_read),
	    cmocka_unit_test(random_code_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
