/* SPDX-License-Identifier: MIT */
/*
 * Runs an interrupted function forward, a few instructions and without touching memory, through
 * what can only be prologue or epilogue: pushes, pops and the arithmetic of stack and frame
 * pointer; whatever leaves these alone is stepped over. Encodings: ARM Architecture Reference
 * Manual ARMv7-A (DDI 0406), A5 and A8 (ARM), A6 (Thumb), A7 (VFP and Advanced SIMD).
 */
#include "frame_repair.h"

/* So far compilers mix other instructions into prologues and epilogues. */
#define MAX_INSTRUCTIONS 8

#define THUMB_FP 7

enum effect_kind {
	STOP,    /* anything that ends the straight line, or may change sp, fp or lr */
	NEUTRAL, /* none of these */
	PUSH,    /* mask */
	POP,     /* mask */
	ADJUST,  /* r[to] = r[from] + amount; both are sp or fp */
	RETURN,  /* to lr */
};

struct effect {
	enum effect_kind kind;
	u32 mask;
	u32 to, from;
	s32 amount;
};

static struct effect adjust(u32 to, u32 from, s32 amount)
{
	return (struct effect){.kind = ADJUST, .to = to, .from = from, .amount = amount};
}

static bool is_special(u32 reg, u32 fp)
{
	return reg == fp || reg >= ARM_SP;
}

static struct effect neutral_unless(bool special)
{
	return (struct effect){.kind = special ? STOP : NEUTRAL};
}

static u32 rotate_right(u32 value, u32 n)
{
	return n ? value >> n | value << (32 - n) : value;
}

/* --- Both states: coprocessors --- */

/*
 * Coprocessor, VFP and Advanced SIMD instructions (A5.6, A7.5 to A7.9); in Thumb state the first
 * halfword is the upper one. Writes to coprocessors other than the two of VFP may do anything.
 */
static struct effect coprocessor_effect(u32 insn, u32 fp)
{
	u32 rt = insn >> 12 & 15, rn = insn >> 16 & 15;
	bool vfp = (insn & 0xe00) == 0xa00, read = insn & BIT(20);

	if ((insn & 0x0fe00000) == 0x0c400000) /* two registers: VMOV, MRRC, MCRR */
		return neutral_unless(read ? is_special(rt, fp) || is_special(rn, fp) : !vfp);
	if ((insn & 0x0f000010) == 0x0e000010) /* one: VMOV, MRC, MCR; 15 are the flags */
		return neutral_unless(read ? rt != ARM_PC && is_special(rt, fp) : !vfp);
	if (!vfp)
		return (struct effect){.kind = STOP};
	/* Left are data processing, and loads and stores that may change their base. */
	return neutral_unless(!(insn & BIT(25)) && insn & BIT(21) && is_special(rn, fp));
}

/* VLD1 to VST4 (A7.7): a last register other than pc means that the base changes. */
static struct effect simd_load_store(u32 insn, u32 fp)
{
	return neutral_unless((insn & 15) != 15 && is_special(insn >> 16 & 15, fp));
}

/* --- ARM: one word an instruction --- */

/* The result is in 19:16; its lower half, if it is a @wide one, in 15:12 (A5.2.5, A5.2.7). */
static struct effect arm_multiply(u32 insn, bool wide)
{
	return neutral_unless(is_special(insn >> 16 & 15, ARM_FP) ||
			      (wide && is_special(insn >> 12 & 15, ARM_FP)));
}

/* Loads and stores of @nr_loaded registers from 15:12 on (A5.2.8, A5.3); some change their base. */
static struct effect arm_load_store(u32 insn, u32 nr_loaded)
{
	u32 rt = insn >> 12 & 15;
	bool changes_base = !(insn & BIT(24)) || insn & BIT(21);

	return neutral_unless((changes_base && is_special(insn >> 16 & 15, ARM_FP)) ||
			      (nr_loaded > 0 && is_special(rt, ARM_FP)) ||
			      (nr_loaded > 1 && is_special(rt + 1, ARM_FP)));
}

/* What has bits 7 and 4 set where data processing would have a shifted register. */
static struct effect arm_multiply_or_extra(u32 insn)
{
	u32 op = insn >> 20 & 31;

	if (insn & 0x60) /* STRH, LDRH, LDRSB, LDRSH; without bit 20 LDRD has 0xd, STRD 0xf */
		return arm_load_store(insn, op & 1 ? 1 : (insn & 0xf0) == 0xd0 ? 2 : 0);
	if (op >= 16) /* exclusive loads and stores */
		return (struct effect){.kind = STOP};
	return arm_multiply(insn, op >= 8 || op == 4); /* 4: UMAAL */
}

/* A5.2.7, A5.2.12: where data processing would be a comparison without its bit S. */
static struct effect arm_miscellaneous(u32 insn)
{
	if ((insn & 0x90) == 0x80) /* SMLAxy and the like; 0x00400000: SMLALxy */
		return arm_multiply(insn, (insn & 0x00600000) == 0x00400000);
	if ((insn & 0x006000f0) == 0x00600010 || (insn & 0xf0) == 0x50) /* CLZ; QADD, QSUB */
		return neutral_unless(is_special(insn >> 12 & 15, ARM_FP));
	return (struct effect){.kind = STOP};
}

/* A5.4: parallel addition, extension, saturation, bit fields; multiplies and divisions. */
static struct effect arm_media(u32 insn)
{
	u32 op = insn >> 20 & 31;

	if (op >= 16 && op <= 24) /* 24: USAD8 */
		return arm_multiply(insn, op == 20);
	if (op == 25 || (insn & 0x01f000f0) == 0x01f000f0) /* UDF */
		return (struct effect){.kind = STOP};
	return neutral_unless(is_special(insn >> 12 & 15, ARM_FP));
}

/* Instructions of no special meaning, in the order of table A5-1. */
static struct effect arm_ordinary(u32 insn)
{
	switch (insn >> 25 & 7) {
	case 0:
		if ((insn & 0x90) == 0x90)
			return arm_multiply_or_extra(insn);
		if ((insn & 0x01900000) == 0x01000000)
			return arm_miscellaneous(insn);
		break;
	case 1:
		if ((insn & 0x01b00000) == 0x01200000) /* MSR and hints */
			return (struct effect){.kind = STOP};
		break;
	case 2:
	case 3:
		if ((insn & 0x02000010) == 0x02000010)
			return arm_media(insn);
		return arm_load_store(insn, insn & BIT(20) ? 1 : 0);
	case 6:
	case 7:
		if ((insn & 0x0f000000) == 0x0f000000) /* SVC */
			return (struct effect){.kind = STOP};
		return coprocessor_effect(insn, ARM_FP);
	default:
		return (struct effect){.kind = STOP};
	}
	/* Data processing. TST, TEQ, CMP and CMN have no result and 0 in its place. */
	return neutral_unless(is_special(insn >> 12 & 15, ARM_FP));
}

/* A5.7: of these, Advanced SIMD data processing, loads and stores. */
static struct effect arm_unconditional(u32 insn)
{
	if (insn >> 25 == 0x79)
		return (struct effect){.kind = NEUTRAL};
	if ((insn & 0xff100000) == 0xf4000000)
		return simd_load_store(insn, ARM_FP);
	return (struct effect){.kind = STOP};
}

/* ADD and SUB of an immediate among sp and fp. */
static struct effect arm_add(u32 insn)
{
	u32 to = insn >> 12 & 15, from = insn >> 16 & 15;
	u32 amount = rotate_right(insn & 0xff, (insn >> 8 & 15) * 2);

	if (!is_special(to, ARM_FP))
		return (struct effect){.kind = NEUTRAL};
	if ((to != ARM_SP && to != ARM_FP) || (from != ARM_SP && from != ARM_FP) ||
	    amount > INT32_MAX)
		return (struct effect){.kind = STOP};
	return adjust(to, from, insn & BIT(23) ? (s32)amount : -(s32)amount);
}

static struct effect arm_effect(u32 insn)
{
	if (insn >> 28 == 15)
		return arm_unconditional(insn);
	/* BX LR, MOV PC, LR: under any condition they say that lr is good. */
	if ((insn & 0x0fffffff) == 0x012fff1e || (insn & 0x0fffffff) == 0x01a0f00e)
		return (struct effect){.kind = RETURN};
	if (insn >> 28 != 14)
		return arm_ordinary(insn);
	if (insn >> 16 == 0xe92d) /* STMDB SP! */
		return (struct effect){.kind = PUSH, .mask = insn & 0xffff};
	if ((insn & 0xffff0fff) == 0xe52d0004) /* STR Rt, [SP, #-4]! */
		return (struct effect){.kind = PUSH, .mask = 1u << (insn >> 12 & 15)};
	if (insn >> 16 == 0xe8bd) /* LDMIA SP! */
		return (struct effect){.kind = POP, .mask = insn & 0xffff};
	if ((insn & 0xffff0fff) == 0xe49d0004) /* LDR Rt, [SP], #4 */
		return (struct effect){.kind = POP, .mask = 1u << (insn >> 12 & 15)};
	if ((insn & 0xfff00000) == 0xe2800000 || (insn & 0xfff00000) == 0xe2400000)
		return arm_add(insn);
	if (insn == 0xe1a0d00b) /* MOV SP, FP */
		return adjust(ARM_SP, ARM_FP, 0);
	if (insn == 0xe1a0b00d) /* MOV FP, SP */
		return adjust(ARM_FP, ARM_SP, 0);
	if ((insn & 0xffbf0f00) == 0xed2d0b00) /* VPUSH of D registers */
		return adjust(ARM_SP, ARM_SP, -(s32)(insn & 0xfe) * 4);
	if ((insn & 0xffbf0f00) == 0xecbd0b00) /* VPOP */
		return adjust(ARM_SP, ARM_SP, (insn & 0xfe) * 4);
	return arm_ordinary(insn);
}

/* --- Thumb: one halfword or two an instruction --- */

static struct effect thumb16_effect(u32 insn)
{
	u32 low = insn & 7, imm8_reg = insn >> 8 & 7;

	switch (insn) {
	case 0x4770: /* BX LR */
	case 0x46f7: /* MOV PC, LR */
		return (struct effect){.kind = RETURN};
	case 0x46bd: /* MOV SP, R7 */
		return adjust(ARM_SP, THUMB_FP, 0);
	case 0x466f: /* MOV R7, SP */
		return adjust(THUMB_FP, ARM_SP, 0);
	}
	if (insn >> 9 == 0x5a) /* PUSH; bit 8: LR */
		return (struct effect){.kind = PUSH, .mask = (insn & 0xff) | (insn & 0x100) << 6};
	if (insn >> 9 == 0x5e) /* POP; bit 8: PC */
		return (struct effect){.kind = POP, .mask = (insn & 0xff) | (insn & 0x100) << 7};
	if (insn >> 7 == 0x160) /* ADD SP, #imm7*4 */
		return adjust(ARM_SP, ARM_SP, (insn & 0x7f) * 4);
	if (insn >> 7 == 0x161) /* SUB SP, #imm7*4 */
		return adjust(ARM_SP, ARM_SP, -(s32)(insn & 0x7f) * 4);
	if (insn >> 8 == 0xaf) /* ADD R7, SP, #imm8*4 */
		return adjust(THUMB_FP, ARM_SP, (insn & 0xff) * 4);
	if (insn >> 8 == 0x37) /* ADDS R7, #imm8 */
		return adjust(THUMB_FP, THUMB_FP, insn & 0xff);
	switch (insn >> 11) {
	case 0x00 ... 0x03: /* shifts, ADDS, SUBS */
		return neutral_unless(low == THUMB_FP);
	case 0x04 ... 0x07: /* MOVS, CMP, ADDS, SUBS of an immediate */
	case 0x09:          /* LDR of a literal */
	case 0x12 ... 0x15: /* STR, LDR relative to SP; ADR, ADD Rd, SP */
		return neutral_unless(imm8_reg == THUMB_FP);
	case 0x08: /* data processing; above 0x4400 ADD, CMP, MOV of any register and branches */
		if (insn >= 0x4700)
			return (struct effect){.kind = STOP};
		if (insn >= 0x4400)
			low |= insn >> 4 & 8;
		return neutral_unless(is_special(low, THUMB_FP));
	case 0x0a ... 0x11: /* loads and stores */
		return neutral_unless(low == THUMB_FP);
	case 0x16: /* of these, extensions of a byte or halfword */
		return neutral_unless(insn >> 8 != 0xb2 || low == THUMB_FP);
	default:
		return (struct effect){.kind = insn == 0xbf00 ? NEUTRAL : STOP}; /* NOP */
	}
}

/* ThumbExpandImm() (A6.3.2) of i:imm3:imm8. */
static u32 thumb_immediate(u32 first, u32 second)
{
	u32 imm12 = (first & 0x400) << 1 | (second & 0x7000) >> 4 | (second & 0xff);
	u32 byte = imm12 & 0xff;

	switch (imm12 >> 8) {
	case 0:
		return byte;
	case 1:
		return byte << 16 | byte;
	case 2:
		return byte << 24 | byte << 8;
	case 3:
		return byte * 0x01010101;
	default:
		return rotate_right(0x80 | (byte & 0x7f), imm12 >> 7);
	}
}

/* Data processing with an immediate; ADD and SUB among sp and r7 are what frames are made with. */
static struct effect thumb32_immediate(u32 first, u32 second)
{
	u32 to = second >> 8 & 15, from = first & 15, amount = thumb_immediate(first, second);
	bool add = (first & 0xfbf0) == 0xf100, sub = (first & 0xfbf0) == 0xf1a0;

	if ((first & 0xfbf0) == 0xf200 || (first & 0xfbf0) == 0xf2a0) { /* ADDW, SUBW */
		add = (first & 0xfbf0) == 0xf200;
		sub = !add;
		amount = (first & 0x400) << 1 | (second & 0x7000) >> 4 | (second & 0xff);
	}
	if (!is_special(to, THUMB_FP))
		return (struct effect){.kind = NEUTRAL};
	if ((!add && !sub) || (to != ARM_SP && to != THUMB_FP) ||
	    (from != ARM_SP && from != THUMB_FP) || amount > INT32_MAX)
		return (struct effect){.kind = STOP};
	return adjust(to, from, add ? (s32)amount : -(s32)amount);
}

/* LDRD, STRD (A6.3.6); with neither bit 8 nor bit 5 exclusives and table branches. */
static struct effect thumb32_dual(u32 first, u32 second)
{
	if (!(first & 0x120))
		return (struct effect){.kind = STOP};
	return neutral_unless((first & 0x20 && is_special(first & 15, THUMB_FP)) ||
			      (first & 0x10 && (is_special(second >> 12, THUMB_FP) ||
						is_special(second >> 8 & 15, THUMB_FP))));
}

/* Single loads and stores (A6.3.7 to A6.3.10), and those of Advanced SIMD among them. */
static struct effect thumb32_load_store(u32 first, u32 second)
{
	u32 rn = first & 15;
	/* Without a 12-bit offset, and not relative to pc: bit 11 for 8 bits, bit 8 changes rn. */
	bool changes_base = rn != ARM_PC && !(first & 0x80) && (second & 0x900) == 0x900;

	if ((first & 0xff10) == 0xf900)
		return simd_load_store(first << 16 | second, THUMB_FP);
	if ((first & 0x60) == 0x60)
		return (struct effect){.kind = STOP};
	return neutral_unless((changes_base && is_special(rn, THUMB_FP)) ||
			      (first & 0x10 && is_special(second >> 12, THUMB_FP)));
}

/* Multiplies and divisions (A6.3.16, A6.3.17): a wide result has its lower half in 15:12. */
static struct effect thumb32_multiply(u32 first, u32 second)
{
	bool wide = first & 0x80 && (first & 0x50) != 0x10;

	return neutral_unless(is_special(second >> 8 & 15, THUMB_FP) ||
			      (wide && is_special(second >> 12, THUMB_FP)));
}

/* Instructions of no special meaning, in the order of table A6-9. */
static struct effect thumb32_ordinary(u32 first, u32 second)
{
	if ((first & 0xfe40) == 0xe840)
		return thumb32_dual(first, second);
	if (first >> 9 == 0x75 || first >> 8 == 0xfa) /* data processing of registers */
		return neutral_unless(is_special(second >> 8 & 15, THUMB_FP));
	if ((first & 0xef00) == 0xef00) /* Advanced SIMD data processing */
		return (struct effect){.kind = NEUTRAL};
	if (first >> 10 == 0x3b)
		return coprocessor_effect(first << 16 | second, THUMB_FP);
	if (first >> 11 == 0x1e && !(second & 0x8000))
		return thumb32_immediate(first, second);
	if (first >> 9 == 0x7c)
		return thumb32_load_store(first, second);
	if (first >> 8 == 0xfb)
		return thumb32_multiply(first, second);
	return (struct effect){.kind = STOP};
}

static struct effect thumb32_effect(u32 first, u32 second)
{
	if (first == 0xe92d) /* STMDB SP! */
		return (struct effect){.kind = PUSH, .mask = second};
	if (first == 0xe8bd) /* LDMIA SP! */
		return (struct effect){.kind = POP, .mask = second};
	if (first == 0xf84d && (second & 0xfff) == 0xd04) /* STR Rt, [SP, #-4]! */
		return (struct effect){.kind = PUSH, .mask = 1u << (second >> 12)};
	if (first == 0xf85d && (second & 0xfff) == 0xb04) /* LDR Rt, [SP], #4 */
		return (struct effect){.kind = POP, .mask = 1u << (second >> 12)};
	if ((first & 0xffbf) == 0xed2d && (second & 0xf00) == 0xb00) /* VPUSH of D registers */
		return adjust(ARM_SP, ARM_SP, -(s32)(second & 0xfe) * 4);
	if ((first & 0xffbf) == 0xecbd && (second & 0xf00) == 0xb00) /* VPOP */
		return adjust(ARM_SP, ARM_SP, (second & 0xfe) * 4);
	return thumb32_ordinary(first, second);
}

/* --- Running --- */

static bool code_halfword(struct arm_memory *code, u32 addr, u32 *half)
{
	u32 word;

	if (!arm_memory_word(code, addr & ~3u, &word))
		return false;
	*half = addr & 2 ? word >> 16 : word & 0xffff;
	return true;
}

/* The instruction at *@addr, which moves past it. */
static struct effect next_effect(struct arm_memory *code, u32 *addr, bool thumb)
{
	u32 first, second;

	if (!thumb) {
		if (!arm_memory_word(code, *addr, &first))
			return (struct effect){.kind = STOP};
		*addr += 4;
		return arm_effect(first);
	}
	if (!code_halfword(code, *addr, &first))
		return (struct effect){.kind = STOP};
	*addr += 2;
	if (first >> 11 < 0x1d)
		return thumb16_effect(first);
	if (!code_halfword(code, *addr, &second))
		return (struct effect){.kind = STOP};
	*addr += 2;
	return thumb32_effect(first, second);
}

static s32 sign_extend(u32 value, u32 bits)
{
	return (s32)(value << (32 - bits)) >> (32 - bits);
}

/* Where the BL or BLX (A8.8.25) in front of return address @lr branches to; 1: there is none. */
static u32 called_function(struct arm_memory *code, u32 lr)
{
	u32 at = (lr & ~1u) - 4, insn, first, second, sign;
	s32 offset;

	if (!(lr & 1)) {
		if (!arm_memory_word(code, at, &insn) || (insn >> 25 & 7) != 5)
			return 1;
		offset = sign_extend(insn & 0xffffff, 24) * 4;
		if (insn >> 28 == 15)
			return at + 8 + offset + (insn & BIT(24) ? 2 : 0);
		return insn & BIT(24) ? at + 8 + offset : 1;
	}
	if (!code_halfword(code, at, &first) || !code_halfword(code, at + 2, &second) ||
	    first >> 11 != 0x1e || (second & 0xc000) != 0xc000)
		return 1;
	sign = first & 0x400 ? 3 : 0;
	offset = sign_extend((sign & 2) << 23 |
				 (((second >> 12 & 2) | (second >> 11 & 1)) ^ sign ^ 3) << 22 |
				 (first & 0x3ff) << 12 | (second & 0x7ff) << 1,
			     25);
	return (second & 0x1000 ? at + 4 : (at + 4) & ~3u) + offset;
}

/*
 * Is the page that @frame's pc is in not there, as a program's are before they are first used, and
 * the interrupted function called just now? So it has done nothing.
 */
static bool not_begun(const struct arm_frame *frame, struct arm_memory *code)
{
	u32 pc = frame->r[ARM_PC], half;

	return !code_halfword(code, pc, &half) && called_function(code, frame->r[ARM_LR]) == pc;
}

/* A function that is run on. */
struct run {
	u32 r[16];
	u32 sp, high;     /* where it began, and the end of the stack */
	u32 base;         /* sp or fp: what sp has been computed from */
	u32 popped, at;   /* what it has popped, and where that was */
	bool epilogue;    /* it has given up something */
	bool has_no_rule; /* it has done more than a recipe can say */
};

static bool run_pop(struct run *run, u32 mask, struct arm_memory *stack)
{
	u32 sp = run->r[ARM_SP];

	if (mask >> ARM_SP & 1)
		return false;
	run->has_no_rule |= run->popped;
	run->popped = mask;
	run->at = sp;
	for (u32 i = 0; mask >> i; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!arm_memory_word(stack, sp, &run->r[i]))
			return false;
		sp += 4;
	}
	run->r[ARM_SP] = sp;
	return true;
}

/* Moves sp or fp. True: that was a prologue, and tables hold for @frame now. */
static bool run_adjust(struct run *run, const struct effect *e, u32 fp, struct arm_frame *frame)
{
	if (run->popped || e->to != ARM_SP || e->from == THUMB_FP)
		run->has_no_rule = true;
	else if (e->from == ARM_FP)
		run->base = ARM_FP;
	run->r[e->to] = run->r[e->from] + e->amount;
	/* Inside a prologue the tables hold as soon as what they start from is there. */
	if (run->epilogue || e->from != ARM_SP || (e->to != fp && e->amount >= 0)) {
		run->epilogue = true;
		return false;
	}
	run->has_no_rule = true;
	for (int i = 0; i < 16; i++)
		if (i != ARM_PC)
			frame->r[i] = run->r[i];
	return e->to == fp;
}

/* What @run has done to @frame, as far as a recipe can say it. */
static void make_rule(struct repair_rule *rule, const struct arm_frame *frame,
		      const struct run *run)
{
	u32 saved = run->popped & ~(1u << ARM_PC), words = __builtin_popcount(saved);
	u32 first = run->popped ? run->at : run->r[ARM_SP], size = run->r[ARM_SP] - first;
	s32 start = first - frame->r[run->base];

	if (run->has_no_rule || saved & ~0xff0u || start < INT16_MIN || start > INT16_MAX)
		return;
	rule->known = true;
	rule->recipe.place = size << 16 | (start & 0xffff);
	rule->recipe.saved = (saved >> 4 & 0x7f) << 8 | run->base;
	if (saved >> ARM_FP & 1)
		rule->recipe.saved |= (words - 1) << 16 | 1 << 15;
	rule->recipe.saved |= run->popped >> ARM_PC ? words << 24 : RECIPE_LR;
}

/* Its registers are those of the caller, who is at @pc. It gave up no stack above its sp. */
static bool returned(struct arm_frame *frame, const struct run *run, u32 pc,
		     struct repair_rule *rule)
{
	make_rule(rule, frame, run);
	if (run->r[ARM_SP] < run->sp || !arm_frame_return(frame, pc, run->r[ARM_SP], run->high))
		return false;
	for (int i = 4; i <= ARM_FP; i++)
		frame->r[i] = run->r[i];
	return true;
}

/* What follows, at @addr, is no prologue or epilogue, or is not there. */
static bool stopped(struct arm_frame *frame, const struct run *run, struct arm_memory *code,
		    u32 addr, struct repair_rule *rule)
{
	struct repair_rule none;
	u32 half;

	if (addr == frame->r[ARM_PC] && not_begun(frame, code))
		return returned(frame, run, run->r[ARM_LR], &none);
	rule->known = !run->epilogue && !run->has_no_rule && code_halfword(code, addr, &half) &&
		      code_halfword(code, addr + 2, &half);
	rule->recipe = RECIPE_END;
	return false;
}

bool frame_repair(struct arm_frame *frame, struct arm_memory *code, struct arm_memory *stack,
		  struct repair_rule *rule)
{
	struct run run = {.sp = frame->r[ARM_SP], .high = stack->high, .base = ARM_SP};
	u32 addr = frame->r[ARM_PC], fp = frame->thumb ? THUMB_FP : ARM_FP, at;

	rule->known = false;
	for (int i = 0; i < 16; i++)
		run.r[i] = frame->r[i];
	for (int i = 0; i < MAX_INSTRUCTIONS; i++) {
		struct effect e;

		at = addr;
		e = next_effect(code, &addr, frame->thumb);
		switch (e.kind) {
		case STOP:
			return stopped(frame, &run, code, at, rule);
		case NEUTRAL:
			break;
		case RETURN:
			return returned(frame, &run, run.r[ARM_LR], rule);
		case PUSH:
			/* Variadic functions push arguments first. */
			if (!run.epilogue && !(e.mask & ~15u))
				break;
			/* lr or fp go to the stack in a prologue only: nothing was saved yet. */
			return !run.epilogue && e.mask & (1u << ARM_LR | 1u << fp) &&
			       returned(frame, &run, run.r[ARM_LR], rule);
		case POP:
			if (!run_pop(&run, e.mask, stack))
				return false;
			if (e.mask >> ARM_PC & 1)
				return returned(frame, &run, run.r[ARM_PC], rule);
			run.epilogue = true;
			break;
		case ADJUST:
			if (run_adjust(&run, &e, fp, frame))
				return false;
			break;
		}
	}
	return stopped(frame, &run, code, addr, rule);
}
