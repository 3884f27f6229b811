/* SPDX-License-Identifier: MIT */
/*
 * Instructions that are carried out instead of stepped over: what programs strike most, since a
 * second exception is saved by it; and what a step would spoil.
 */
#pragma once

#include <arch/regs.h>
#include <arch/uaccess.h>

/* One word of a program's, at any alignment; false: it is not there. Interrupts off. */
static inline bool user_store(unsigned long at, unsigned long value, bool wide)
{
	__asm__ goto("cbz %w[wide], 2f\n"
		     "1:\tsttr %x[value], [%[at]]\n\t"
		     "b 3f\n"
		     "2:\tsttr %w[value], [%[at]]\n"
		     "3:\n\t"
		     ".pushsection __ex_table, \"a\"\n\t"
		     ".balign 4\n\t"
		     ".long 1b - ., %l[fault] - .\n\t"
		     ".long 2b - ., %l[fault] - .\n\t"
		     ".popsection" ::[value] "rZ"(value),
		     [at] "r"(at), [wide] "r"(wide)
		     : "memory"
		     : fault);
	return true;
fault:
	return false;
}

static inline bool user_load(unsigned long at, unsigned long *value, bool wide)
{
	unsigned long loaded;

	__asm__ goto("cbz %w[wide], 2f\n"
		     "1:\tldtr %x[loaded], [%[at]]\n\t"
		     "b 3f\n"
		     "2:\tldtr %w[loaded], [%[at]]\n"
		     "3:\n\t"
		     ".pushsection __ex_table, \"a\"\n\t"
		     ".balign 4\n\t"
		     ".long 1b - ., %l[fault] - .\n\t"
		     ".long 2b - ., %l[fault] - .\n\t"
		     ".popsection"
		     : [loaded] "=&r"(loaded)
		     : [at] "r"(at), [wide] "r"(wide)
		     : "memory"
		     : fault);
	*value = loaded;
	return true;
fault:
	return false;
}

/* LDR and STR of 32 and 64 bits at an offset from a register other than SP (C6.2.190, C6.2.366). */
static inline bool carry_out_access(struct pt_regs *regs, u32 insn)
{
	u32 t = insn & 31, n = insn >> 5 & 31, wide = insn >> 30 & 1;
	unsigned long at;

	if ((insn & 0xbf800000) != 0xb9000000 || n == 31)
		return false;
	at = regs->x[n] + ((unsigned long)(insn >> 10 & 0xfff) << (2 + wide));
	if (!user_range_ok(at, sizeof(long)))
		return false;
	if (!(insn & BIT(22))) {
		if (!user_store(at, t < 31 ? regs->x[t] : 0, wide))
			return false;
	} else if (t == 31 || !user_load(at, &regs->x[t], wide)) {
		return false;
	}
	regs->pc += 4;
	return true;
}

/*
 * What a program's function begins with: STP of two registers below SP, which moves there
 * (C6.2.362); SUB of SP.
 */
static inline bool carry_out_prologue(struct pt_regs *regs, u32 insn)
{
	u32 first = insn & 31, second = insn >> 10 & 31;
	unsigned long at = regs->sp + ((s64)(s32)(insn << 10) >> 25) * 8;

	if ((insn & 0xff8003ff) == 0xd10003ff) {
		regs->sp -= (insn >> 10 & 0xfff) << (insn & BIT(22) ? 12 : 0);
		regs->pc += 4;
		return true;
	}
	if ((insn & 0xffc003e0) != 0xa98003e0 || ((at | regs->sp) & 15) || first == 31 ||
	    second == 31 || !user_range_ok(at, 2 * sizeof(long)) ||
	    !user_store(at, regs->x[first], true) ||
	    !user_store(at + sizeof(long), regs->x[second], true))
		return false;
	regs->sp = at;
	regs->pc += 4;
	return true;
}

/*
 * The kernel's own change of masks, which a step with interrupts masked would spoil (C6.2.250,
 * C6.2.249): MSR DAIFSet and DAIFClr of a number, MSR and MRS of DAIF.
 */
static inline bool carry_out_masks(struct pt_regs *regs, u32 insn)
{
	unsigned long masks = (insn >> 8 & 0xf) << 6, n = insn & 31;

	if ((insn & 0xfffff0ff) == 0xd50340df)
		regs->pstate |= masks;
	else if ((insn & 0xfffff0ff) == 0xd50340ff)
		regs->pstate &= ~masks;
	else if ((insn & 0xffffffe0) == 0xd51b4220)
		regs->pstate = (regs->pstate & ~(unsigned long)PSTATE_MASK) |
			       (n < 31 ? regs->x[n] & PSTATE_MASK : 0);
	else if ((insn & 0xffffffe0) == 0xd53b4220 && n < 31)
		regs->x[n] = regs->pstate & PSTATE_MASK;
	else
		return false;
	regs->pc += 4;
	return true;
}
