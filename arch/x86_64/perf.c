/* SPDX-License-Identifier: MIT */
/* The two functions by which perf gets its chains on x86_64. They append frames, no more. */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/perf.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/frame.h>

void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	struct unwind start, u;

	if (!unwind_start(&start, current, regs))
		return;
	u = start; /* whose address nobody takes, so that the walk is all in registers */
	do {
		if (entry == end)
			break;
		*entry++ = u.ip;
	} while (unwind_next(&u));
	chain->nr = entry - chain->ip;
}

/* The first bytes of code at @ip; zeros where they can not be read. */
static u32 user_code(struct user_reader *r, unsigned long ip)
{
	unsigned long at = ALIGN_DOWN(ip, sizeof(long)), shift = 8 * (ip - at), word, code;

	if (!user_reader_word(r, at, &word))
		return 0;
	code = word >> shift;
	if (shift > 8 * (sizeof(long) - FRAME_CODE_SIZE) &&
	    user_reader_word(r, at + sizeof(long), &word))
		code |= word << (8 * sizeof(long) - shift);
	return code;
}

/* The caller of a function whose frame is not there at @regs; appends it, moves *sp above it. */
static bool user_bare_caller(struct callchain *chain, struct user_reader *r,
			     const struct pt_regs *regs, unsigned long *sp)
{
	long offset = frame_missing(user_code(r, regs->ip));
	unsigned long at, ip;

	if (offset < 0)
		return true;
	at = regs->sp + offset;
	if ((at & (sizeof(long) - 1)) || !user_reader_word(r, at, &ip))
		return false;
	*sp = at + sizeof(long);
	return callchain_add(chain, ip);
}

/* The record at @fp, which is aligned. */
static inline bool user_record(struct user_reader *r, unsigned long fp, struct frame_record *record)
{
	const struct frame_record *shown;

	/* Nearly always it lies, whole, in the page that the last one did. */
	if (likely(fp - r->page <= PAGE_SIZE - sizeof(*record))) {
		shown = (const struct frame_record *)(r->data + (fp - r->page));
		*record = *shown;
		return true;
	}
	return user_reader_word(r, fp + offsetof(struct frame_record, ip), &record->ip) &&
	       user_reader_word(r, fp, &record->fp);
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	struct user_reader reader = {.page = 0}; /* below USER_START: matches no record */
	unsigned long sp = MAX(regs->sp, USER_START), fp = regs->bp;
	struct frame_record record;
	u64 *entry, *end;

	if (!callchain_add(chain, regs->ip) || !user_bare_caller(chain, &reader, regs, &sp))
		return;
	entry = chain->ip + chain->nr;
	end = chain->ip + chain->max;
	/* Aligned, readable to the program, and above everything seen: so the walk must end. */
	while (!(fp & (sizeof(long) - 1)) && fp >= sp && user_record(&reader, fp, &record)) {
		if (!record.ip || entry == end)
			break;
		*entry++ = record.ip;
		sp = fp + sizeof(record);
		fp = record.fp;
	}
	chain->nr = entry - chain->ip;
}
