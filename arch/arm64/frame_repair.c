// SPDX-License-Identifier: MIT
/* Where a function's caller is, by the code that follows the place where it was interrupted. */
#include "frame_repair.h"

/* Longer stretches without any of these are in the middle of a function with a frame. */
#define MAX_INSTRUCTIONS 128

enum meaning {
	NOTHING,
	LINK_LIVE,  /* x30 has the return address, here and before */
	LINK_SAVED, /* it is in the frame's record */
	JUMP,
};

/* Loads and stores of x29 and x30, or of x30 alone, in every form (Arm ARM DDI 0487, C4.1.94). */
static enum meaning access_meaning(u32 insn)
{
	bool load = insn & BIT(22), pair = (insn & 0xfe000000) == 0xa8000000;
	u32 first = insn & 31, second = insn >> 10 & 31;

	if (pair && (first == 30 || second == 30))
		return load ? LINK_SAVED : LINK_LIVE;
	/* LDR, STR of 64 bits, at an offset or with a changed base. */
	if (first == 30 && ((insn & 0xff800000) == 0xf9000000 || (insn & 0xffa00000) == 0xf8000000))
		return load ? LINK_SAVED : LINK_LIVE;
	return NOTHING;
}

static enum meaning meaning_of(u32 insn)
{
	switch (insn) {
	case 0xd65f03c0: /* RET */
	case 0xd65f0bff: /* RETAA */
	case 0xd65f0fff: /* RETAB */
	case 0xd503233f: /* PACIASP: a prologue begins */
	case 0xd503237f: /* PACIBSP */
	case 0xd50323bf: /* AUTIASP: an epilogue ends */
	case 0xd50323ff: /* AUTIBSP */
		return LINK_LIVE;
	}
	if ((insn & 0xff8003ff) ==
	    0x910003fd) /* ADD X29, SP, #n: the record is made, but not in use */
		return LINK_LIVE;
	if (insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000) /* BL, BLR */
		return LINK_SAVED;
	if (insn >> 26 == 0x05) /* B */
		return JUMP;
	if ((insn & 0xfe000000) == 0xd6000000 || (insn & 0xff000000) == 0xd4000000)
		return insn >> 24 == 0xd4 && (insn & 0x1f) == 1
			   ? NOTHING     /* SVC */
			   : LINK_SAVED; /* BR, BRK and the like */
	return access_meaning(insn);
}

/* Where the branch with 26 bits of offset at @pc goes. */
static unsigned long branch_target(unsigned long pc, u32 insn)
{
	return pc + ((s64)(s32)(insn << 6) >> 6) * 4;
}

/*
 * Is the page that has @pc not there, as a program's are before they are first used, and the
 * interrupted function called just now?
 */
static bool not_begun(struct code_reader *code, unsigned long pc, unsigned long lr)
{
	u32 call;

	return !(lr & 3) && code->insn(code, lr - 4, &call) && call >> 26 == 0x25 &&
	       branch_target(lr - 4, call) == pc;
}

bool caller_is_in_lr(struct code_reader *code, unsigned long pc, unsigned long lr)
{
	unsigned long at = pc;

	for (int i = 0; i < MAX_INSTRUCTIONS; i++) {
		u32 insn;

		if ((at & 3) || !code->insn(code, at, &insn))
			return at == pc && not_begun(code, pc, lr);
		switch (meaning_of(insn)) {
		case LINK_LIVE:
			return true;
		case LINK_SAVED:
			return false;
		case JUMP:
			at = branch_target(at, insn);
			break;
		case NOTHING:
			at += 4;
			break;
		}
	}
	return false;
}
