// SPDX-License-Identifier: MIT
/*
 * What of memory an instruction loads or stores, from it and the registers (ARM DDI 0406C, A5, A6,
 * A7 and A8): a watchpoint tells one address, not how far the access goes nor in which direction.
 */
#include "insn.h"

/* --- Of both states: multiple registers, floating point, elements --- */

static inline bool is(struct step_access *a, u32 first, u32 size, unsigned kinds)
{
	*a = (struct step_access){first, first + size - 1, kinds};
	return size;
}

static inline unsigned by_load_bit(bool loads)
{
	return loads ? STEP_LOADS : STEP_STORES;
}

/* LDM, STM: IA, IB, DA, DB by P and U (A8.8.58 to A8.8.61). */
static bool multiple(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	u32 size = 4 * __builtin_popcount(insn & 0xffff), rn = reg(cpu, bits(insn, 19, 16));
	bool before = bit(insn, 24), up = bit(insn, 23);
	u32 first = up ? rn : rn - size;

	if (before == up)
		first += 4;
	return is(a, first, size, by_load_bit(bit(insn, 20)));
}

/* VLDR, VSTR, VLDM, VSTM (A7.6), by the coprocessors 10 and 11. */
static bool floating_point(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	bool before = bit(insn, 24), up = bit(insn, 23), back = bit(insn, 21);
	u32 imm = 4 * bits(insn, 7, 0), rn = reg(cpu, bits(insn, 19, 16));
	unsigned kind = by_load_bit(bit(insn, 20));

	if (bits(insn, 11, 9) != 5 || (!before && !up)) /* the latter move two registers */
		return false;
	if (bits(insn, 19, 16) == INSN_PC)
		rn &= ~3U;
	if (before && !back)
		return is(a, up ? rn + imm : rn - imm, bit(insn, 8) ? 8 : 4, kind);
	/* The odd word of FLDMX and FSTMX is none that is accessed. */
	if (bit(insn, 8))
		imm &= ~7U;
	return is(a, up ? rn : rn - 4 * bits(insn, 7, 0), imm, kind);
}

/* VLD1 to VLD4, VST1 to VST4 (A7.7). */
static bool elements(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	/* Doublewords by type, of multiple structures. */
	static const u8 registers[16] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};
	u32 rn = reg(cpu, bits(insn, 19, 16)), n = bits(insn, 9, 8) + 1, size = bits(insn, 11, 10);
	unsigned kind = by_load_bit(bit(insn, 21));

	if (!bit(insn, 23))
		return is(a, rn, 8 * registers[bits(insn, 11, 8)], kind);
	if (size < 3) /* of one lane */
		return is(a, rn, n << size, kind);
	size = bits(insn, 7, 6); /* to all lanes */
	return is(a, rn, size == 3 ? 16 : n << size, kind);
}

/* --- ARM --- */

/* A8.8.62 and the like: an immediate, or a register that is shifted; none is added when it is added
 * afterwards. */
static inline u32 arm_address(const struct step_cpu *cpu, u32 insn, u32 offset)
{
	u32 rn = reg(cpu, bits(insn, 19, 16));

	if (!bit(insn, 24))
		return rn;
	return bit(insn, 23) ? rn + offset : rn - offset;
}

/* A5.2.8, A5.2.10: halfwords, doublewords, signed bytes; exclusive accesses and swaps. */
static bool arm_extra(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	static const u8 exclusive[4] = {4, 8, 1, 2};
	u32 rn = reg(cpu, bits(insn, 19, 16)), offset;
	bool load = bit(insn, 20);

	if (!bit(insn, 7) || !bit(insn, 4))
		return false;
	switch (bits(insn, 6, 5)) {
	case 0:
		if (bits(insn, 24, 23) == 3)
			return is(a, rn, exclusive[bits(insn, 22, 21)], by_load_bit(load));
		if ((insn & 0x01b00000) == 0x01000000)
			return is(a, rn, bit(insn, 22) ? 1 : 4, STEP_LOADS | STEP_STORES);
		return false; /* multiplication */
	}
	offset =
	    bit(insn, 22) ? bits(insn, 11, 8) << 4 | bits(insn, 3, 0) : reg(cpu, bits(insn, 3, 0));
	if (bits(insn, 6, 5) == 1)
		return is(a, arm_address(cpu, insn, offset), 2, by_load_bit(load));
	if (!load) /* LDRD, STRD */
		return is(a, arm_address(cpu, insn, offset), 8, by_load_bit(!bit(insn, 5)));
	return is(a, arm_address(cpu, insn, offset), bits(insn, 6, 5) == 3 ? 2 : 1, STEP_LOADS);
}

static bool arm_access(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	u32 offset = bits(insn, 11, 0);

	if (insn >> 28 == 15) {
		if (bits(insn, 27, 24) == 4 && !bit(insn, 20))
			return elements(cpu, a, insn);
		if ((insn & 0x0e50ffff) == 0x08100a00) /* RFE: as LDM of two */
			return multiple(cpu, a, (insn & ~0xffffU) | 3);
		return false;
	}
	switch (bits(insn, 27, 25)) {
	case 0:
		return arm_extra(cpu, a, insn);
	case 3:
		if (bit(insn, 4))
			return false; /* media */
		offset = insn_shifted_register(cpu, insn);
		/* fallthrough */
	case 2:
		return is(a, arm_address(cpu, insn, offset), bit(insn, 22) ? 1 : 4,
			  by_load_bit(bit(insn, 20)));
	case 4:
		return multiple(cpu, a, insn);
	case 6:
		return floating_point(cpu, a, insn);
	}
	return false;
}

/* --- Thumb: a 32-bit instruction has its first half above --- */

/* A6.2.4 */
static bool thumb_narrow(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	static const u8 sizes[8] = {4, 2, 1, 1, 4, 2, 1, 2};
	u32 base = reg(cpu, bits(insn, 5, 3)), imm5 = bits(insn, 10, 6), imm8 = 4 * (insn & 0xff);
	u32 size = 4 * __builtin_popcount(insn & 0xff), sp = reg(cpu, 13);
	unsigned kind = by_load_bit(bit(insn, 11)), op = bits(insn, 11, 9);

	switch (insn >> 12) {
	case 4: /* LDR, of a literal */
		return bit(insn, 11) && is(a, (reg(cpu, INSN_PC) & ~3U) + imm8, 4, STEP_LOADS);
	case 5:
		return is(a, base + reg(cpu, bits(insn, 8, 6)), sizes[op], by_load_bit(op >= 3));
	case 6:
		return is(a, base + 4 * imm5, 4, kind);
	case 7:
		return is(a, base + imm5, 1, kind);
	case 8:
		return is(a, base + 2 * imm5, 2, kind);
	case 9:
		return is(a, sp + imm8, 4, kind);
	case 11: /* PUSH, POP */
		size += 4 * bit(insn, 8);
		return bits(insn, 10, 9) == 2 && is(a, bit(insn, 11) ? sp : sp - size, size, kind);
	case 12:
		return is(a, reg(cpu, bits(insn, 10, 8)), size, kind);
	}
	return false;
}

/* A6.3.6: two registers, exclusive accesses, tables of branches. */
static bool thumb_dual(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	static const u8 exclusive[4] = {1, 2, 0, 8};
	u32 rn = reg(cpu, bits(insn, 19, 16)), imm = 4 * bits(insn, 7, 0);
	unsigned kind = by_load_bit(bit(insn, 20));

	if (bit(insn, 24) || bit(insn, 21)) { /* LDRD, STRD */
		if (bits(insn, 19, 16) == INSN_PC)
			rn &= ~3U;
		if (bit(insn, 24))
			rn = bit(insn, 23) ? rn + imm : rn - imm;
		return is(a, rn, 8, kind);
	}
	if (!bit(insn, 23)) /* LDREX, STREX */
		return is(a, rn + imm, 4, kind);
	if (bits(insn, 7, 6) == 1)
		return is(a, rn, exclusive[bits(insn, 5, 4)], kind);
	return bits(insn, 7, 5) == 0 && /* TBB, TBH */
	       is(a, rn + (reg(cpu, bits(insn, 3, 0)) << bit(insn, 4)), 1 + bit(insn, 4), kind);
}

/* A6.3.7 to A6.3.10: one register. What would go to the PC and is no word is a hint. */
static bool thumb_single(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	u32 n = bits(insn, 19, 16), addr = reg(cpu, n), offset = bits(insn, 7, 0);
	u32 size = 1U << bits(insn, 22, 21);

	if (size == 8 || (size < 4 && bit(insn, 20) && bits(insn, 15, 12) == INSN_PC))
		return false;
	if (n == INSN_PC)
		addr = (addr & ~3U) + (bit(insn, 23) ? bits(insn, 11, 0) : -bits(insn, 11, 0));
	else if (bit(insn, 23))
		addr += bits(insn, 11, 0);
	else if (!bit(insn, 11))
		addr += reg(cpu, bits(insn, 3, 0)) << bits(insn, 5, 4);
	else if (bit(insn, 10))
		addr += bit(insn, 9) ? offset : -offset;
	return is(a, addr, size, by_load_bit(bit(insn, 20)));
}

static bool thumb_wide(const struct step_cpu *cpu, struct step_access *a, u32 insn)
{
	switch (insn >> 25) {
	case 0x74:
		if (bit(insn, 22))
			return thumb_dual(cpu, a, insn);
		if (bits(insn, 24, 23) == 0 || bits(insn, 24, 23) == 3) /* RFE; SRS is not known */
			return bit(insn, 20) &&
			       is(a, reg(cpu, bits(insn, 19, 16)) - (bit(insn, 23) ? 0 : 8), 8,
				  STEP_LOADS);
		return multiple(cpu, a, insn);
	case 0x76:
		return floating_point(cpu, a, insn);
	case 0x7c:
		if (bit(insn, 24) && !bit(insn, 20))
			return elements(cpu, a, insn);
		return thumb_single(cpu, a, insn);
	}
	return false;
}

bool step_access(const struct step_cpu *cpu, struct step_access *a)
{
	if (!cpu->size)
		return false;
	if (!(cpu->cpsr & CPSR_T))
		return arm_access(cpu, a, cpu->insn);
	return cpu->size == 4 ? thumb_wide(cpu, a, cpu->insn) : thumb_narrow(cpu, a, cpu->insn);
}
