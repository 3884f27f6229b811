// SPDX-License-Identifier: MIT
/* What perf asks of AArch64: the two functions that append frames, and registers by number. */
#include <hotregs/cpu.h>
#include <hotregs/unwind.h>
#include <uapi/perf_event.h>

#include <arch/perf.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/uaccess.h>

#include "../arm/common/kernel_walk.h"
#include "frame_repair.h"

/* --- The kernel's chain --- */

/* As kernel_walk_from(), with the steps that nearly all are inline. */
void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	unsigned long ip = regs->pc, low = regs->sp, fp = regs->x[ARM64_FP];
	unsigned long stack = current->stack, last = stack + KERNEL_STACK_SIZE;

	last -= sizeof(struct frame_record);
	if (unlikely(regs->x[ARM64_LR]) || unlikely(!is_ordinary_text(ip)) ||
	    unlikely(low - stack > KERNEL_STACK_SIZE)) {
		kernel_walk_from(chain, regs);
		return;
	}
	do {
		const struct frame_record *record = (const struct frame_record *)fp;

		if (unlikely(entry == end))
			break;
		*entry++ = ip;
		if (unlikely(fp & (sizeof(long) - 1)) || unlikely(fp < low) ||
		    unlikely(fp > last)) {
			ip = 0;
			break;
		}
		low = fp + sizeof(*record);
		ip = record->lr;
		fp = record->fp;
	} while (likely(is_ordinary_text(ip)));
	chain->nr = entry - chain->ip;
	if (ip)
		kernel_walk_on(chain, ip, low, fp);
}

/* --- The user's chain --- */

/* Bits that are clear in the address of an aligned word of user space: the lower 2^47 bytes. */
#define USER_BITS       ((1UL << 47) - 1)
#define NOT_A_USER_WORD (~USER_BITS | (sizeof(long) - 1))

/* Can this be where a program goes on? A return address is whatever the program wrote there. */
static __always_inline bool is_user_code(unsigned long ip)
{
	return ip - USER_START < USER_END - USER_START;
}

/*
 * A return address may carry a signature above its own bits; but for bit 55, which tells the half
 * of the address space (Arm ARM DDI 0487, D8.8).
 */
static __always_inline unsigned long strip_signature(unsigned long ip)
{
	return ip & (USER_BITS | BIT(55));
}

static bool user_insn(struct code_reader *reader, unsigned long addr, u32 *insn)
{
	unsigned long first, second, at = ALIGN_DOWN(addr, sizeof(long));

	if (!is_user_code(addr) || !user_load_pair(at, &first, &second))
		return false;
	*insn = addr & 4 ? first >> 32 : first;
	return true;
}

/* A system call, unlike an interrupt, is made where the function has its record. */
static noinline bool lr_is_caller(const struct pt_regs *regs)
{
	struct code_reader code = {user_insn};

	return caller_is_in_lr(&code, regs->pc, strip_signature(regs->x[ARM64_LR]));
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	unsigned long low = regs->sp, fp = regs->x[ARM64_FP], ip, next;

	if (unlikely(!is_user_code(regs->pc)) || unlikely(entry == end))
		return;
	*entry++ = regs->pc;
	if (regs->orig_x0 == -1UL && lr_is_caller(regs)) {
		ip = strip_signature(regs->x[ARM64_LR]);
		if (is_user_code(ip) && entry != end)
			*entry++ = ip;
		else
			fp = 0;
	}
	/* Aligned, in user space, and above everything seen: so the walk must end. */
	while (likely(!(fp & NOT_A_USER_WORD)) && likely(fp >= low) && likely(fp) &&
	       likely(user_load_pair(fp, &next, &ip))) {
		ip = strip_signature(ip);
		if (unlikely(!is_user_code(ip)) || unlikely(entry == end))
			break;
		*entry++ = ip;
		low = fp + sizeof(struct frame_record);
		fp = next;
	}
	chain->nr = entry - chain->ip;
}

/* --- Registers: x0 to x30, sp and pc, with which struct pt_regs begins --- */

const u64 perf_reg_mask = 0x1ffffffff;
const u32 perf_reg_abi = PERF_SAMPLE_REGS_ABI_64;

u64 perf_reg_value(const struct pt_regs *regs, unsigned nr)
{
	return ((const unsigned long *)regs)[nr];
}
