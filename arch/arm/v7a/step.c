// SPDX-License-Identifier: MIT
/* Instructions, as far as it matters where they go on. */
#include <hotregs/string.h>

#include "insn.h"

#define CPSR_N BIT(31)
#define CPSR_Z BIT(30)
#define CPSR_C BIT(29)
#define CPSR_V BIT(28)

#define ALWAYS INSN_ALWAYS
#define PC     INSN_PC

static u32 sign_extend(u32 value, unsigned width)
{
	return (u32)((s32)(value << (32 - width)) >> (32 - width));
}

/* A8.3 */
static bool passes_by_flags(u32 cond, u32 cpsr)
{
	bool n = cpsr & CPSR_N, z = cpsr & CPSR_Z, c = cpsr & CPSR_C, v = cpsr & CPSR_V;
	const bool even[] = {z, c, n, v, c && !z, n == v, !z && n == v, true};

	return cond == 15 || even[cond >> 1] == !(cond & 1);
}

static inline bool passes(u32 cond, u32 cpsr)
{
	return likely(cond == ALWAYS) || passes_by_flags(cond, cpsr);
}

/* --- Places --- */

static struct step_place in_state(const struct step_cpu *cpu, u32 pc)
{
	bool thumb = cpu->cpsr & CPSR_T;

	return (struct step_place){pc & (thumb ? ~1U : ~3U), thumb};
}

/* BXWritePC (A2.3.2) */
static struct step_place by_bit_0(u32 value)
{
	return (struct step_place){value & (value & 1 ? ~1U : ~3U), value & 1};
}

/* LoadWritePC. Where there is nothing, the load faults, and goes nowhere. */
static struct step_place by_word_at(const struct step_cpu *cpu, u32 addr, struct step_place behind)
{
	u32 value;

	return cpu->read(addr, &value, sizeof(value)) ? by_bit_0(value) : behind;
}

/* An exception return: PC, then PSR. */
static struct step_place by_return_state(const struct step_cpu *cpu, u32 addr,
					 struct step_place behind)
{
	u32 state[2];

	if (!cpu->read(addr, state, sizeof(state)))
		return behind;
	return (struct step_place){state[0] & ~1U, state[1] & CPSR_T};
}

/* --- ARM --- */

static u32 rotate(u32 value, unsigned by)
{
	return by & 31 ? value >> (by & 31) | value << (32 - (by & 31)) : value;
}

/* A8.4.3; @immediate: an amount of 0 means 32, or RRX. */
static u32 shift(u32 value, unsigned type, u32 by, bool immediate, bool carry)
{
	if (immediate && !by && type == 3)
		return (u32)carry << 31 | value >> 1;
	if (immediate && !by && type)
		by = 32;
	switch (type) {
	case 0:
		return by < 32 ? value << by : 0;
	case 1:
		return by < 32 ? value >> by : 0;
	case 2:
		return (u32)((s32)value >> (by < 32 ? by : 31));
	}
	return rotate(value, by);
}

u32 insn_shifted_register(const struct step_cpu *cpu, u32 insn)
{
	bool by_register = bit(insn, 4);
	u32 by = by_register ? reg(cpu, bits(insn, 11, 8)) & 0xff : bits(insn, 11, 7);

	return shift(reg(cpu, bits(insn, 3, 0)), bits(insn, 6, 5), by, !by_register,
		     cpu->cpsr & CPSR_C);
}

static u32 compute(unsigned opcode, u32 a, u32 b, bool carry)
{
	switch (opcode) {
	case 0:
		return a & b;
	case 1:
		return a ^ b;
	case 2:
		return a - b;
	case 3:
		return b - a;
	case 4:
		return a + b;
	case 5:
		return a + b + carry;
	case 6:
		return a - b - !carry;
	case 7:
		return b - a - !carry;
	case 12:
		return a | b;
	case 13:
		return b;
	case 14:
		return a & ~b;
	}
	return ~b;
}

/* A5.2: data processing and what shares its space. */
static struct step_place arm_data(const struct step_cpu *cpu, u32 insn, struct step_place behind)
{
	bool immediate = bit(insn, 25);
	unsigned opcode = bits(insn, 24, 21);
	u32 b;

	/* BX, BXJ, BLX */
	if ((insn & 0x0fffff00) == 0x012fff00 && bits(insn, 7, 4) >= 1 && bits(insn, 7, 4) <= 3)
		return by_bit_0(reg(cpu, bits(insn, 3, 0)));
	/* Multiplication, extra and exclusive loads and stores; comparisons, moves to status. */
	if ((!immediate && bit(insn, 7) && bit(insn, 4)) || (opcode >= 8 && opcode <= 11) ||
	    bits(insn, 15, 12) != PC)
		return behind;
	b = immediate ? rotate(bits(insn, 7, 0), 2 * bits(insn, 11, 8))
		      : insn_shifted_register(cpu, insn);
	b = compute(opcode, reg(cpu, bits(insn, 19, 16)), b, cpu->cpsr & CPSR_C);
	/* With S it is an exception return, whose SPSR is not among these registers. */
	return bit(insn, 20) ? in_state(cpu, b) : by_bit_0(b);
}

/* A5.3: LDR. */
static struct step_place arm_load(const struct step_cpu *cpu, u32 insn, struct step_place behind)
{
	bool media = bit(insn, 25) && bit(insn, 4);
	u32 addr = reg(cpu, bits(insn, 19, 16)), offset;

	if (media || !bit(insn, 20) || bit(insn, 22) || bits(insn, 15, 12) != PC)
		return behind;
	offset = bit(insn, 25) ? insn_shifted_register(cpu, insn) : bits(insn, 11, 0);
	if (bit(insn, 24))
		addr += bit(insn, 23) ? offset : -offset;
	return by_word_at(cpu, addr, behind);
}

/* A5.5: LDM, of whose registers the PC has the highest address. */
static struct step_place arm_load_many(const struct step_cpu *cpu, u32 insn,
				       struct step_place behind)
{
	u32 addr = reg(cpu, bits(insn, 19, 16)), size = 4 * __builtin_popcount(insn & 0xffff);
	bool before = bit(insn, 24);

	if (!bit(insn, 20) || !bit(insn, PC))
		return behind;
	if (bit(insn, 23))
		addr += before ? size : size - 4;
	else
		addr -= before ? 4 : 0;
	return by_word_at(cpu, addr, behind);
}

/* A5.7 */
static struct step_place arm_unconditional(const struct step_cpu *cpu, u32 insn,
					   struct step_place behind)
{
	u32 rn = reg(cpu, bits(insn, 19, 16));

	/* BLX */
	if (bits(insn, 27, 25) == 5)
		return (struct step_place){
		    reg(cpu, PC) + (sign_extend(insn, 24) << 2) + 2 * bit(insn, 24), true};
	/* RFE: IB, IA, DB, DA */
	if ((insn & 0x0e50ffff) == 0x08100a00)
		return by_return_state(
		    cpu, bit(insn, 23) ? rn + 4 * bit(insn, 24) : rn - 4 - 4 * bit(insn, 24),
		    behind);
	return behind;
}

static struct step_place arm_place(const struct step_cpu *cpu, u32 insn)
{
	struct step_place behind = {(u32)cpu->r[PC] + 4, false};
	u32 cond = insn >> 28;

	if (cond == 15)
		return arm_unconditional(cpu, insn, behind);
	if (!passes(cond, cpu->cpsr))
		return behind;
	switch (bits(insn, 27, 25)) {
	case 0:
	case 1:
		return arm_data(cpu, insn, behind);
	case 2:
	case 3:
		return arm_load(cpu, insn, behind);
	case 4:
		return arm_load_many(cpu, insn, behind);
	case 5: /* B, BL */
		return (struct step_place){reg(cpu, PC) + (sign_extend(insn, 24) << 2), false};
	}
	return behind;
}

/* --- Thumb: @insn has a 32-bit one's first half above --- */

static bool is_wide(u32 first_half)
{
	return first_half >> 11 >= 0x1d;
}

/* A6.2 */
static struct step_place thumb_narrow(const struct step_cpu *cpu, u32 insn,
				      struct step_place behind)
{
	u32 pc = reg(cpu, PC), rm = reg(cpu, bits(insn, 6, 3));

	if (insn >> 12 == 0xd && bits(insn, 11, 8) < ALWAYS) /* B<c> */
		return passes(bits(insn, 11, 8), cpu->cpsr)
			   ? in_state(cpu, pc + (sign_extend(insn, 8) << 1))
			   : behind;
	if (insn >> 11 == 0x1c) /* B */
		return in_state(cpu, pc + (sign_extend(insn, 11) << 1));
	if ((insn & 0xf500) == 0xb100) /* CBZ, CBNZ */
		return !reg(cpu, bits(insn, 2, 0)) == !bit(insn, 11)
			   ? in_state(cpu, pc + (bit(insn, 9) << 6 | bits(insn, 7, 3) << 1))
			   : behind;
	if ((insn & 0xff00) == 0x4700) /* BX, BLX */
		return by_bit_0(rm);
	if ((insn & 0xff87) == 0x4487) /* ADD pc, rm */
		return in_state(cpu, pc + rm);
	if ((insn & 0xff87) == 0x4687) /* MOV pc, rm */
		return in_state(cpu, rm);
	if ((insn & 0xff00) == 0xbd00) /* POP */
		return by_word_at(cpu, reg(cpu, 13) + 4 * __builtin_popcount(insn & 0xff), behind);
	return behind;
}

/* A6.3.4 */
static struct step_place thumb_branch(const struct step_cpu *cpu, u32 insn,
				      struct step_place behind)
{
	u32 s = bit(insn, 26), j1 = bit(insn, 13), j2 = bit(insn, 11), pc = reg(cpu, PC);
	u32 far = s << 24 | !(j1 ^ s) << 23 | !(j2 ^ s) << 22 | bits(insn, 25, 16) << 12 |
		  bits(insn, 10, 0) << 1;
	u32 near =
	    s << 20 | j2 << 19 | j1 << 18 | bits(insn, 21, 16) << 12 | bits(insn, 10, 0) << 1;

	if (bit(insn, 12)) /* B, BL */
		return in_state(cpu, pc + sign_extend(far, 25));
	if (bit(insn, 14)) /* BLX */
		return (struct step_place){((pc & ~3U) + sign_extend(far, 25)) & ~3U, false};
	if (bits(insn, 25, 23) != 7) /* B<c> */
		return passes(bits(insn, 25, 22), cpu->cpsr)
			   ? in_state(cpu, pc + sign_extend(near, 21))
			   : behind;
	if (insn >> 20 == 0xf3c && bits(insn, 15, 12) == 8) /* BXJ */
		return by_bit_0(reg(cpu, bits(insn, 19, 16)));
	if (insn >> 20 == 0xf3d && bits(insn, 15, 12) == 8) /* SUBS pc, lr: see arm_data() */
		return in_state(cpu, reg(cpu, 14) - bits(insn, 7, 0));
	return behind;
}

/* TBB, TBH: a table of halfwords that are to be skipped. */
static struct step_place thumb_table(const struct step_cpu *cpu, u32 insn, struct step_place behind)
{
	u32 base = reg(cpu, bits(insn, 19, 16)), index = reg(cpu, bits(insn, 3, 0));
	u16 half = 0;
	u8 byte = 0;

	if (bit(insn, 4) ? !cpu->read(base + 2 * index, &half, sizeof(half))
			 : !cpu->read(base + index, &byte, sizeof(byte)))
		return behind;
	return in_state(cpu, reg(cpu, PC) + 2 * (half + byte));
}

/* LDR: A6.3.7 */
static struct step_place thumb_load(const struct step_cpu *cpu, u32 insn, struct step_place behind)
{
	unsigned n = bits(insn, 19, 16);
	u32 addr = reg(cpu, n);

	if (n == PC) {
		addr &= ~3U;
		addr += bit(insn, 23) ? bits(insn, 11, 0) : -bits(insn, 11, 0);
	} else if (bit(insn, 23)) {
		addr += bits(insn, 11, 0);
	} else if (bit(insn, 11)) {
		if (bit(insn, 10))
			addr += bit(insn, 9) ? bits(insn, 7, 0) : -bits(insn, 7, 0);
	} else {
		addr += reg(cpu, bits(insn, 3, 0)) << bits(insn, 5, 4);
	}
	return by_word_at(cpu, addr, behind);
}

static struct step_place thumb_wide(const struct step_cpu *cpu, u32 insn, struct step_place behind)
{
	u32 rn = reg(cpu, bits(insn, 19, 16)), size = 4 * __builtin_popcount(insn & 0xffff);

	if (insn >> 27 == 0x1e && bit(insn, 15))
		return thumb_branch(cpu, insn, behind);
	if ((insn & 0xfff0ffe0) == 0xe8d0f000)
		return thumb_table(cpu, insn, behind);
	if ((insn & 0xff70f000) == 0xf850f000)
		return thumb_load(cpu, insn, behind);
	if ((insn & 0xffd08000) == 0xe8908000) /* LDM, POP */
		return by_word_at(cpu, rn + size - 4, behind);
	if ((insn & 0xffd08000) == 0xe9108000) /* LDMDB */
		return by_word_at(cpu, rn - 4, behind);
	if ((insn & 0xffd0ffff) == 0xe990c000) /* RFEIA */
		return by_return_state(cpu, rn, behind);
	if ((insn & 0xffd0ffff) == 0xe810c000) /* RFEDB */
		return by_return_state(cpu, rn - 8, behind);
	return behind;
}

/* In an IT block, the condition of the instruction is in the status register (A2.5.2). */
static struct step_place thumb_place(const struct step_cpu *cpu, u32 insn, bool wide)
{
	struct step_place behind = {(u32)cpu->r[PC] + (wide ? 4 : 2), true};
	u32 it = (cpu->cpsr >> 25 & 3) | (cpu->cpsr >> 8 & 0xfc);

	if (it & 0xf && !passes(it >> 4, cpu->cpsr))
		return behind;
	return wide ? thumb_wide(cpu, insn, behind) : thumb_narrow(cpu, insn, behind);
}

/* --- Either --- */

bool step_fetch(struct step_cpu *cpu)
{
	u32 pc = cpu->r[PC], insn;
	u16 half;

	cpu->size = 0;
	if (!(cpu->cpsr & CPSR_T)) {
		if (!cpu->read(pc, &cpu->insn, 4))
			return false;
		cpu->size = 4;
		return true;
	}
	if (!cpu->read(pc, &half, 2))
		return false;
	insn = half;
	if (is_wide(half)) {
		if (!cpu->read(pc + 2, &half, 2))
			return false;
		insn = insn << 16 | half;
	}
	cpu->insn = insn;
	cpu->size = insn >> 16 ? 4 : 2;
	return true;
}

static struct step_place place_of(const struct step_cpu *cpu)
{
	return cpu->cpsr & CPSR_T ? thumb_place(cpu, cpu->insn, cpu->size == 4)
				  : arm_place(cpu, cpu->insn);
}

/* --- Exclusive accesses --- */

enum exclusive { EXCLUSIVE_NONE, EXCLUSIVE_LOAD, EXCLUSIVE_STORE, EXCLUSIVE_CLEAR };

static enum exclusive exclusive_of(const struct step_cpu *cpu)
{
	bool thumb = cpu->cpsr & CPSR_T, exclusive;
	u32 insn = cpu->insn;

	if (insn == (thumb ? 0xf3bf8f2f : 0xf57ff01f))
		return EXCLUSIVE_CLEAR;
	if (thumb)
		exclusive = cpu->size == 4 && ((insn & 0xffe00000) == 0xe8400000 ||
					       (insn & 0xffe000c0) == 0xe8c00040);
	else
		exclusive = (insn & 0x0f8002f0) == 0x01800290 && insn >> 28 != 15;
	if (!exclusive)
		return EXCLUSIVE_NONE;
	return bit(insn, 20) ? EXCLUSIVE_LOAD : EXCLUSIVE_STORE;
}

/* Instructions. Longer ones are none: A3.4.5 asks for at most 128 bytes, and little in between. */
#define SEQUENCE_MAX 32
/* Between a store-exclusive and the branch that has all done again, if it has failed. */
#define RETRY_MAX    4

static void add_place(struct step_next *next, struct step_place place)
{
	for (unsigned i = 0; i < next->nr; i++)
		if (next->at[i].pc == place.pc && next->at[i].thumb == place.thumb)
			return;
	if (next->nr < STEP_PLACES)
		next->at[next->nr++] = place;
}

/*
 * Where the instruction may branch to: what its condition depends on is yet to be computed, so that
 * it is asked with flags among which each condition finds its own.
 */
static bool branches(const struct step_cpu *cpu, struct step_place *to)
{
	static const u32 flags[] = {0, CPSR_N | CPSR_Z | CPSR_C | CPSR_V, CPSR_N, CPSR_C};
	struct step_cpu taken = *cpu;
	u32 insn = cpu->insn;

	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
		/* Nor in an IT block. */
		taken.cpsr = (cpu->cpsr & CPSR_T) | flags[i];
		*to = place_of(&taken);
		if (to->pc != (u32)cpu->r[PC] + cpu->size)
			return true;
	}
	/* CBZ, CBNZ */
	if (cpu->cpsr & CPSR_T && cpu->size == 2 && (insn & 0xf500) == 0xb100) {
		*to = in_state(cpu, reg(cpu, PC) + (bit(insn, 9) << 6 | bits(insn, 7, 3) << 1));
		return true;
	}
	return false;
}

/* Instructions one after the other, without executing them. */
struct scan {
	struct step_cpu at;
	unsigned long r[16];
};

static void scan_from(struct scan *s, const struct step_cpu *cpu, u32 pc)
{
	s->at = *cpu;
	memcpy(s->r, cpu->r, sizeof(s->r));
	s->r[PC] = pc;
	s->at.r = s->r;
}

/* On to what ends the sequence that began there, past it; false: nothing does. */
static bool scan_sequence(struct scan *s, struct step_next *left)
{
	enum exclusive kind = EXCLUSIVE_NONE;
	struct step_place to;

	s->r[PC] += s->at.size;
	for (unsigned n = 0; n < SEQUENCE_MAX && kind == EXCLUSIVE_NONE; n++) {
		if (!step_fetch(&s->at))
			return false;
		kind = exclusive_of(&s->at);
		if (kind == EXCLUSIVE_LOAD)
			return false;
		if (kind == EXCLUSIVE_NONE && branches(&s->at, &to))
			add_place(left, to);
		s->r[PC] += s->at.size;
	}
	return kind != EXCLUSIVE_NONE;
}

/* On past the branch back that has the sequence done again, if there is one soon; to where. */
static u32 scan_retry(struct scan *s, u32 load, struct step_next *left)
{
	const struct step_next before = *left;
	const u32 end = s->r[PC];
	struct step_place to;
	bool branch;

	for (unsigned n = 0; n < RETRY_MAX; n++) {
		if (!step_fetch(&s->at) || exclusive_of(&s->at) == EXCLUSIVE_LOAD)
			break;
		branch = branches(&s->at, &to);
		s->r[PC] += s->at.size;
		if (branch && load - to.pc <= 4 * RETRY_MAX)
			return to.pc;
		if (branch)
			add_place(left, to);
	}
	*left = before;
	s->r[PC] = end;
	return load;
}

/*
 * From a load-exclusive, at @load, on: behind what ends its sequence, or, @retried, behind what has
 * it done again; and wherever else that may be left for. False: nothing ends it.
 */
static bool leave_sequence(const struct step_cpu *cpu, u32 load, bool retried,
			   struct step_next *next)
{
	struct step_next left = {};
	struct scan s;
	u32 start = load;

	scan_from(&s, cpu, load);
	if (!step_fetch(&s.at) || !scan_sequence(&s, &left))
		return false;
	if (retried)
		start = scan_retry(&s, load, &left);
	next->nr = 0;
	add_place(next, (struct step_place){s.r[PC], cpu->cpsr & CPSR_T});
	for (unsigned i = 0; i < left.nr; i++)
		if (left.at[i].pc < start || left.at[i].pc >= s.r[PC])
			add_place(next, left.at[i]);
	return true;
}

/* Is a load-exclusive at @load, and the instruction in its sequence, or what ends that? */
static bool is_sequence_to(const struct step_cpu *cpu, u32 load)
{
	u32 pc = cpu->r[PC];
	struct scan s;

	scan_from(&s, cpu, load);
	if (!step_fetch(&s.at) || exclusive_of(&s.at) != EXCLUSIVE_LOAD)
		return false;
	for (s.r[PC] += s.at.size; s.r[PC] < pc; s.r[PC] += s.at.size)
		if (!step_fetch(&s.at) || exclusive_of(&s.at) != EXCLUSIVE_NONE)
			return false;
	return s.r[PC] == pc;
}

bool step_leave_sequence(const struct step_cpu *cpu, struct step_next *next)
{
	u32 pc = cpu->r[PC], unit = cpu->cpsr & CPSR_T ? 2 : 4;

	if (!cpu->size || exclusive_of(cpu) == EXCLUSIVE_LOAD)
		return false;
	for (u32 load = pc - unit; pc - load <= 4 * SEQUENCE_MAX; load -= unit)
		if (is_sequence_to(cpu, load))
			return leave_sequence(cpu, load, true, next);
	return false;
}

void step_next(const struct step_cpu *cpu, struct step_next *next)
{
	next->nr = 0;
	if (!cpu->size)
		return;
	if (unlikely(exclusive_of(cpu) == EXCLUSIVE_LOAD) &&
	    leave_sequence(cpu, cpu->r[PC], false, next))
		return;
	next->at[0] = place_of(cpu);
	next->nr = 1;
}

/* --- Words of a program --- */

/* LDR and STR of a word, by an immediate offset (A8.8.63, A8.8.204). */
static inline bool carry_out_word(const struct step_cpu *cpu, unsigned long *r,
				  bool (*store)(u32 addr, u32 value))
{
	u32 insn = cpu->insn, n = bits(insn, 19, 16), t = bits(insn, 15, 12), value;
	u32 offset = bits(insn, 11, 0), rn = r[n], moved = rn + (bit(insn, 23) ? offset : -offset);
	u32 addr = bit(insn, 24) ? moved : rn;
	bool back = !bit(insn, 24) || bit(insn, 21);

	if (unlikely(n == PC || t == PC || (back && n == t)))
		return false;
	if (!bit(insn, 20)) {
		if (!store(addr, r[t]))
			return false;
	} else {
		if (!cpu->read(addr, &value, sizeof(value)))
			return false;
		r[t] = value;
	}
	if (back)
		r[n] = moved;
	return true;
}

/* LDM and STM, PUSH and POP (A8.8.58, A8.8.199), but of the PC. */
static bool carry_out_words(const struct step_cpu *cpu, unsigned long *r,
			    bool (*store)(u32 addr, u32 value))
{
	u32 insn = cpu->insn, n = bits(insn, 19, 16), list = insn & 0xffff;
	u32 rn = r[n], size = 4 * __builtin_popcount(list), values[PC];
	bool before = bit(insn, 24), up = bit(insn, 23), load = bit(insn, 20);
	u32 addr = (up ? rn : rn - size) + (before == up ? 4 : 0);

	if (n == PC || bit(list, PC) || rn & 3 || !list || (bit(insn, 21) && bit(list, n)))
		return false;
	for (u32 left = list; left; left &= left - 1, addr += 4) {
		unsigned t = __builtin_ctz(left);

		if (load ? !cpu->read(addr, &values[t], 4) : !store(addr, r[t]))
			return false;
	}
	for (; load && list; list &= list - 1)
		r[__builtin_ctz(list)] = values[__builtin_ctz(list)];
	if (bit(insn, 21))
		r[n] = up ? rn + size : rn - size;
	return true;
}

bool step_carry_out_words(const struct step_cpu *cpu, unsigned long *r,
			  bool (*store)(u32 addr, u32 value))
{
	u32 insn = cpu->insn;
	bool done;

	if (!cpu->size || cpu->cpsr & CPSR_T || insn >> 28 != ALWAYS)
		return false;
	if ((insn & 0x0e400000) == 0x04000000)
		done = carry_out_word(cpu, r, store);
	else
		done = (insn & 0x0e400000) == 0x08000000 && carry_out_words(cpu, r, store);
	if (done)
		r[PC] += 4;
	return done;
}

/* --- Interrupt masks --- */

static void write_status(unsigned long *cpsr, u32 value, unsigned fields)
{
	u32 mask = 0;

	for (unsigned i = 0; i < 4; i++)
		if (fields & BIT(i))
			mask |= 0xffU << 8 * i;
	mask &= ~(CPSR_T | 0x0700fc00U); /* execution state is not written (B1.3.3) */
	*cpsr = (*cpsr & ~mask) | (value & mask);
}

static bool carry_out_masks(const struct step_cpu *cpu, unsigned long *r, unsigned long *cpsr)
{
	u32 insn = cpu->insn, value;

	if (cpu->cpsr & CPSR_T || !cpu->size)
		return false;
	if ((insn & 0xfffffe20) == 0xf1080000) { /* CPSIE */
		*cpsr &= ~(unsigned long)(insn & (CPSR_A | CPSR_I | CPSR_F));
		return true;
	}
	if ((insn & 0xfffffe20) == 0xf10c0000) { /* CPSID */
		*cpsr |= insn & (CPSR_A | CPSR_I | CPSR_F);
		return true;
	}
	if (insn >> 28 == 15)
		return false;
	if ((insn & 0x0fff0fff) == 0x010f0000 && bits(insn, 15, 12) != PC) { /* MRS */
		if (passes(insn >> 28, cpu->cpsr))
			r[bits(insn, 15, 12)] = *cpsr;
		return true;
	}
	/* MSR, but to another mode, whose registers are not these, or for none of the fields: a
	 * hint. */
	if ((insn & 0x0ff0fff0) == 0x0120f000)
		value = reg(cpu, bits(insn, 3, 0));
	else if ((insn & 0x0ff0f000) == 0x0320f000 && bits(insn, 19, 16))
		value = rotate(bits(insn, 7, 0), 2 * bits(insn, 11, 8));
	else
		return false;
	if (!passes(insn >> 28, cpu->cpsr))
		return true;
	if (bit(insn, 16) && (value ^ *cpsr) & CPSR_MODE)
		return false;
	write_status(cpsr, value, bits(insn, 19, 16));
	return true;
}

bool step_carry_out_masks(const struct step_cpu *cpu, unsigned long *r, unsigned long *cpsr)
{
	bool done = carry_out_masks(cpu, r, cpsr);

	if (done)
		r[PC] += 4;
	return done;
}
