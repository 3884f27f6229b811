/* SPDX-License-Identifier: MIT */
/* The decoder of ARM unwind tables: index search, opcode stream, one step. See ehabi.h. */
#include "ehabi.h"

#define CANTUNWIND 1 /* EXIDX_CANTUNWIND */

/* The word at @addr of the tables; false outside of them. */
static bool table_word(const struct ehabi_tables *t, u32 addr, u32 *word)
{
	u32 offset = addr - t->start;

	if ((addr & 3) || addr < t->start || offset >= t->size || t->size - offset < 4)
		return false;
	*word = *(const u32 *)(t->data + offset);
	return true;
}

/* A word at @place holds an address relative to itself in 31 bits, the highest of them the sign. */
static u32 prel31(u32 place, u32 word)
{
	return place + (word & 0x7fffffff) + ((word & 0x40000000) << 1);
}

/* The last entry that begins at or below @pc; false: none. Its second word goes to *second. */
static bool search_index(const struct ehabi_tables *t, u32 pc, u32 *place, u32 *second)
{
	u32 below = 0, above = t->nr, addr, word;

	/* entry[below - 1] begins at or below pc, entry[above] above it. */
	while (below < above) {
		u32 middle = below + (above - below) / 2;

		addr = t->index + 8 * middle;
		if (!table_word(t, addr, &word) || word >> 31)
			return false;
		if (prel31(addr, word) <= pc)
			below = middle + 1;
		else
			above = middle;
	}
	if (!below)
		return false;
	*place = t->index + 8 * (below - 1) + 4;
	return table_word(t, *place, second);
}

/* The bytes of a first word after @skip of them, and @words more words at @next. */
static enum ehabi_result set_code(struct ehabi_code *code, u32 word, u32 skip, u32 next, u32 words)
{
	code->word = word << 8 * skip;
	code->bytes = 4 - skip;
	code->next = next;
	code->words = words;
	return EHABI_OK;
}

/* The three compact models (EHABI32, 10.2): a personality routine's number, then opcodes. */
static enum ehabi_result compact_model(struct ehabi_code *code, u32 word, u32 next)
{
	switch (word >> 24) {
	case 0x80:
		return set_code(code, word, 1, next, 0);
	case 0x81:
	case 0x82:
		return set_code(code, word, 2, next, word >> 16 & 0xff);
	default:
		return EHABI_BAD;
	}
}

enum ehabi_result ehabi_find(const struct ehabi_tables *tables, u32 pc, struct ehabi_code *code)
{
	u32 place, word;

	code->tables = tables;
	if (!search_index(tables, pc, &place, &word))
		return EHABI_NONE;
	if (word == CANTUNWIND)
		return EHABI_CANTUNWIND;
	if (word >> 31) /* in the index itself there is room for the short form only */
		return word >> 24 == 0x80 ? compact_model(code, word, 0) : EHABI_BAD;
	place = prel31(place, word);
	if (!table_word(tables, place, &word))
		return EHABI_BAD;
	if (word >> 31)
		return compact_model(code, word, place + 4);
	/* The generic model: a routine of the language's own. GNU's are followed by a count of
	 * further words and by opcodes. */
	if (!table_word(tables, place + 4, &word))
		return EHABI_BAD;
	return set_code(code, word, 1, place + 8, word >> 24);
}

static bool next_byte(struct ehabi_code *code, u32 *byte)
{
	u32 *left = code->tables->left;

	if (left && !(*left)--) {
		*left = 0;
		return false;
	}
	if (!code->bytes) {
		if (!code->words || !table_word(code->tables, code->next, &code->word))
			return false;
		code->next += 4;
		code->words--;
		code->bytes = 4;
	}
	*byte = code->word >> 24;
	code->word <<= 8;
	code->bytes--;
	return true;
}

/* vsp += 0x204 + (uleb128 << 2). More than a stack can be is refused. */
static bool large_add(struct ehabi_code *code, struct ehabi_op *op)
{
	u32 value = 0, byte;

	for (u32 shift = 0; shift <= 21; shift += 7) {
		if (!next_byte(code, &byte))
			return false;
		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*op = (struct ehabi_op){.kind = EHABI_ADD, .amount = 0x204 + (value << 2)};
			return true;
		}
	}
	return false;
}

/* 8-byte registers @first.., @count of them, and @more bytes. */
static bool pop_vector(struct ehabi_op *op, enum ehabi_kind kind, u32 first, u32 count, u32 more)
{
	*op = (struct ehabi_op){
	    .kind = kind, .first = first, .count = count, .amount = 8 * count + more};
	return true;
}

/* The same from an operand 'sssscccc'; the registers must be ones that @kind has. */
static bool pop_range(struct ehabi_code *code, struct ehabi_op *op, enum ehabi_kind kind, u32 base,
		      u32 nr, u32 more)
{
	u32 byte, first, count;

	if (!next_byte(code, &byte))
		return false;
	first = base + (byte >> 4);
	count = (byte & 15) + 1;
	return first + count <= nr && pop_vector(op, kind, first, count, more);
}

/* An operand '0000iiii', i not 0; all else is spare. */
static bool small_mask(struct ehabi_code *code, u32 *mask)
{
	return next_byte(code, mask) && *mask && *mask < 16;
}

/* 10110000 to 10111111 */
static bool decode_b(struct ehabi_code *code, u32 low, struct ehabi_op *op)
{
	if (low >= 8)
		return pop_vector(op, EHABI_POP_D_FSTMX, 8, low - 7, 4);
	switch (low) {
	case 0:
		*op = (struct ehabi_op){.kind = EHABI_FINISH};
		return true;
	case 1:
		*op = (struct ehabi_op){.kind = EHABI_POP};
		return small_mask(code, &op->mask);
	case 2:
		return large_add(code, op);
	case 3:
		return pop_range(code, op, EHABI_POP_D_FSTMX, 0, 16, 4);
	case 4:
		*op = (struct ehabi_op){.kind = EHABI_POP_PAC, .amount = 4};
		return true;
	case 5:
		*op = (struct ehabi_op){.kind = EHABI_PAC_MODIFIER};
		return true;
	default:
		return false;
	}
}

/* 11000000 to 11111111: coprocessor registers */
static bool decode_c(struct ehabi_code *code, u32 byte, struct ehabi_op *op)
{
	switch (byte) {
	case 0xc0 ... 0xc5:
		return pop_vector(op, EHABI_POP_WMMX, 10, byte - 0xc0 + 1, 0);
	case 0xc6:
		return pop_range(code, op, EHABI_POP_WMMX, 0, 16, 0);
	case 0xc7:
		*op = (struct ehabi_op){.kind = EHABI_POP_WMMX_CTL};
		if (!small_mask(code, &op->mask))
			return false;
		op->amount = 4 * __builtin_popcount(op->mask);
		return true;
	case 0xc8:
		return pop_range(code, op, EHABI_POP_D, 16, 32, 0);
	case 0xc9:
		return pop_range(code, op, EHABI_POP_D, 0, 32, 0);
	case 0xd0 ... 0xd7:
		return pop_vector(op, EHABI_POP_D, 8, byte - 0xd0 + 1, 0);
	default:
		return false;
	}
}

/* 1000iiii iiiiiiii: r4 to r15 */
static bool decode_pop(struct ehabi_code *code, u32 high, struct ehabi_op *op)
{
	u32 byte;

	if (!next_byte(code, &byte))
		return false;
	*op = (struct ehabi_op){.kind = EHABI_POP, .mask = high << 12 | byte << 4};
	if (!op->mask)
		op->kind = EHABI_REFUSE;
	return true;
}

bool ehabi_next_op(struct ehabi_code *code, struct ehabi_op *op)
{
	u32 byte, low;

	if (!code->bytes && !code->words) {
		*op = (struct ehabi_op){.kind = EHABI_FINISH};
		return true;
	}
	if (!next_byte(code, &byte))
		return false;
	low = byte & 15;
	switch (byte >> 4) {
	case 0x0 ... 0x3:
		*op = (struct ehabi_op){.kind = EHABI_ADD, .amount = (byte << 2) + 4};
		return true;
	case 0x4 ... 0x7:
		*op = (struct ehabi_op){.kind = EHABI_ADD, .amount = -((byte & 0x3f) << 2) - 4};
		return true;
	case 0x8:
		return decode_pop(code, low, op);
	case 0x9: /* r13 and r15 are reserved */
		*op = (struct ehabi_op){.kind = EHABI_SET, .first = low};
		return low != ARM_SP && low != ARM_PC;
	case 0xa: /* 10100nnn: r4 to r[4+n]; 10101nnn: and r14 */
		*op = (struct ehabi_op){.kind = EHABI_POP, .mask = ((2u << (low & 7)) - 1) << 4};
		op->mask |= (low & 8) << (ARM_LR - 3);
		return true;
	case 0xb:
		return decode_b(code, low, op);
	default:
		return decode_c(code, byte, op);
	}
}

/* Moves *vsp by @amount bytes inside of [@low, @high]. */
static bool move_vsp(u32 *vsp, s32 amount, u32 low, u32 high)
{
	if (amount >= 0 ? (u32)amount > high - *vsp : 0u - amount > *vsp - low)
		return false;
	*vsp += amount;
	return true;
}

static bool pop(u32 r[16], u32 *vsp, u32 mask, struct arm_memory *stack)
{
	for (u32 i = 0; mask >> i; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!arm_memory_word(stack, *vsp, &r[i]))
			return false;
		*vsp += 4;
	}
	if (mask >> ARM_SP & 1)
		*vsp = r[ARM_SP];
	return true;
}

/* One opcode on registers @r and *vsp, which stays aligned and between @low and the stack's end. */
static bool execute_op(const struct ehabi_op *op, u32 r[16], u32 *vsp, u32 low,
		       struct arm_memory *stack)
{
	switch (op->kind) {
	case EHABI_REFUSE:
		return false;
	case EHABI_SET:
		*vsp = r[op->first];
		break;
	case EHABI_POP:
		if (!pop(r, vsp, op->mask, stack))
			return false;
		break;
	default:
		return move_vsp(vsp, op->amount, low, stack->high);
	}
	return !(*vsp & 3) && *vsp >= low && *vsp <= stack->high;
}

bool arm_frame_return(struct arm_frame *frame, u32 pc, u32 sp, u32 high)
{
	const u32 *r = frame->r;

	if (!(pc & ~1u) || (sp & 3) || sp > high)
		return false;
	/* Without this a walk could go round for ever. lr is good for one step that pops nothing.
	 */
	if (r[ARM_LR] ? sp < r[ARM_SP] : sp <= r[ARM_SP])
		return false;
	if (sp == r[ARM_SP] && (pc & ~1u) == r[ARM_PC])
		return false;
	frame->r[ARM_SP] = sp;
	frame->r[ARM_LR] = 0;
	frame->r[ARM_PC] = pc & ~1u;
	frame->thumb = pc & 1;
	return true;
}

bool ehabi_execute(struct ehabi_code *code, struct arm_frame *frame, struct arm_memory *stack)
{
	struct arm_frame caller = *frame;
	u32 *r = caller.r, popped = 0, vsp = r[ARM_SP];
	struct ehabi_op op;

	if ((vsp & 3) || vsp < stack->low || vsp > stack->high)
		return false;
	for (int i = 0; i < EHABI_MAX_OPS; i++) {
		if (!ehabi_next_op(code, &op))
			return false;
		if (op.kind == EHABI_FINISH) {
			u32 pc = popped >> ARM_PC & 1 ? r[ARM_PC] : r[ARM_LR];

			/* Whether the caller can be is asked of the frame as it was. */
			if (!arm_frame_return(frame, pc, vsp, stack->high))
				return false;
			for (int reg = 4; reg <= ARM_FP; reg++)
				frame->r[reg] = r[reg];
			return true;
		}
		if (!execute_op(&op, r, &vsp, frame->r[ARM_SP], stack))
			return false;
		popped |= op.mask;
	}
	return false;
}
