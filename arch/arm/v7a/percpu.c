/* SPDX-License-Identifier: MIT */
/* Reading which task runs, in two instructions, by a task that changes its processor meanwhile. */
#include <hotregs/cpu.h>

#include <arch/regs.h>

/* Of current_task(): MRC Rx, TPIDRPRW and LDR Rx, [Rx, #4] (ARM DDI 0406C, A8.8.108 and A8.8.63).
 */
#define MRC_TPIDRPRW(rx) (0xee1d0f90U | (rx) << 12)
#define LDR_RUNNING(rx)  (0xe5900004U | (rx) << 16 | (rx) << 12)

void percpu_reread(struct pt_regs *regs)
{
	const u32 *pc = (const u32 *)regs->pc;
	u32 rx;

	/* Thumb code is libgcc's alone. */
	if (regs->pc % sizeof(*pc))
		return;
	rx = pc[0] >> 12 & 15;
	if (pc[0] == LDR_RUNNING(rx) && pc[-1] == MRC_TPIDRPRW(rx))
		regs->pc -= sizeof(*pc);
}
