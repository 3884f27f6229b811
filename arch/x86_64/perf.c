/* SPDX-License-Identifier: MIT */
/* What perf asks of x86_64: the two functions that append frames, and registers by number. */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>
#include <uapi/perf_event.h>

#include <arch/perf.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/frame.h>
#include <asm/uaccess.h>

void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	struct unwind u; /* whose address nobody takes, so that the walk is all in registers */

	if (!unwind_start(&u, current, regs))
		return;
	do {
		if (entry == end)
			break;
		*entry++ = u.ip;
	} while (unwind_next(&u));
	chain->nr = entry - chain->ip;
}

/* Bits that are clear in the address of an aligned word of user space: the lower 2^47 bytes. */
#define NOT_A_USER_WORD (~((1UL << 47) - 1) | (sizeof(long) - 1))

/* Can this be where a program goes on? A return address is whatever the program wrote there. */
static __always_inline bool is_user_code(unsigned long ip)
{
	return ip - USER_START < USER_END - USER_START;
}

/*
 * How user memory is read: straight, since a fault there is only a jump; but from an NMI, which a
 * page fault's return would end, through the page tables. @reader NULL: straight.
 */
static __always_inline bool user_pair(struct user_reader *reader, unsigned long addr,
				      unsigned long *first, unsigned long *second)
{
	if (!reader)
		return user_load_pair(addr, first, second);
	return user_reader_word(reader, addr, first) &&
	       user_reader_word(reader, addr + sizeof(long), second);
}

/* The first bytes of code at @ip; zero where they can not be read. */
static __always_inline u32 user_code(struct user_reader *reader, unsigned long ip)
{
	unsigned long at = ALIGN_DOWN(ip, sizeof(long)), shift = 8 * (ip - at), word, next;

	if ((at & NOT_A_USER_WORD) || !user_pair(reader, at, &word, &next))
		return 0;
	return shift ? word >> shift | next << (8 * sizeof(long) - shift) : word;
}

/* Appends the callers; the capacity allows for one entry at least. */
static __always_inline void user_walk(struct callchain *chain, const struct pt_regs *regs,
				      struct user_reader *reader)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	unsigned long sp = regs->sp, fp = regs->bp, ip, next;
	long offset = frame_missing(user_code(reader, regs->ip));
	unsigned long far; /* how far above what was seen */

	/* The interrupted function has no frame of its own: its return address is on top. */
	if (offset >= 0) {
		sp += offset;
		if ((sp & NOT_A_USER_WORD) || !user_pair(reader, sp, &ip, &next) ||
		    !is_user_code(ip))
			return;
		*entry++ = ip;
		sp += sizeof(long);
	}
	/*
	 * Aligned, in user space, and above everything seen: so the walk must end. A record so far
	 * above another one that it is in neither half of the address space can not be read.
	 */
	far = fp >= sp ? fp : NOT_A_USER_WORD;
	while (likely(!(far & NOT_A_USER_WORD)) && likely(user_pair(reader, fp, &next, &ip)) &&
	       likely(is_user_code(ip)) && likely(entry != end)) {
		*entry++ = ip;
		far = next - sizeof(struct frame_record);
		__asm__("" : "+r"(far)); /* in this order no register needs a copy */
		far -= fp;
		fp = next;
	}
	chain->nr = entry - chain->ip;
}

static noinline void user_walk_in_nmi(struct callchain *chain, const struct pt_regs *regs)
{
	struct user_reader reader = {0};

	user_walk(chain, regs, &reader);
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	if (unlikely(!is_user_code(regs->ip)) || !callchain_add(chain, regs->ip) ||
	    chain->nr == chain->max)
		return;
	if (unlikely(in_nmi())) {
		user_walk_in_nmi(chain, regs);
		return;
	}
	user_access_begin();
	user_walk(chain, regs, NULL);
	user_access_end();
}

/* --- Registers --- */

#define REG(r) (offsetof(struct pt_regs, r) / sizeof(long) + 1)

/* By number, which word of struct pt_regs, counted from 1; 0: DS, ES, FS, GS, which it has not. */
static const u8 reg_word[] = {
    REG(ax), REG(bx),    REG(cx),  REG(dx),  REG(si),  REG(di),  REG(bp),  REG(sp),
    REG(ip), REG(flags), REG(cs),  REG(ss),  0,        0,        0,        0,
    REG(r8), REG(r9),    REG(r10), REG(r11), REG(r12), REG(r13), REG(r14), REG(r15),
};

const u64 perf_reg_mask = 0xff0fff;
const u32 perf_reg_abi = PERF_SAMPLE_REGS_ABI_64;

u64 perf_reg_value(const struct pt_regs *regs, unsigned nr)
{
	return ((const unsigned long *)regs)[reg_word[nr] - 1];
}
