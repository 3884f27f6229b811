/* SPDX-License-Identifier: MIT */
/*
 * Instructions, system registers and processor states by which an AArch64 program could get at the
 * kernel, or at another program: each ends it with a signal, or does nothing to anybody else.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/ktap.h"
#include "../ends.h"
#include "../hostile.h"

/* Each is executed by a process of its own, with x0 a kernel address (Arm ARM DDI 0487, D17 for the
 * registers). */
#define INSTRUCTIONS(X)                                                                 \
	/* control of the processor */                                                  \
	X(ILL, "mrs x1, sctlr_el1")                                                     \
	X(ILL, "msr sctlr_el1, x0")                                                     \
	X(ILL, "mrs x1, actlr_el1")                                                     \
	X(ILL, "msr cpacr_el1, x0")                                                     \
	X(ILL, "mrs x1, ttbr0_el1")                                                     \
	X(ILL, "msr ttbr0_el1, x0")                                                     \
	X(ILL, "msr ttbr1_el1, x0")                                                     \
	X(ILL, "msr tcr_el1, x0")                                                       \
	X(ILL, "msr mair_el1, x0")                                                      \
	X(ILL, "mrs x1, vbar_el1")                                                      \
	X(ILL, "msr vbar_el1, x0")                                                      \
	X(ILL, "mrs x1, esr_el1")                                                       \
	X(ILL, "mrs x1, far_el1")                                                       \
	X(ILL, "mrs x1, elr_el1")                                                       \
	X(ILL, "msr spsr_el1, x0")                                                      \
	X(ILL, "msr sp_el0, x0")                                                        \
	X(ILL, "mrs x1, sp_el0")                                                        \
	X(ILL, "mrs x1, midr_el1")                                                      \
	X(ILL, "mrs x1, mpidr_el1")                                                     \
	X(ILL, "mrs x1, id_aa64pfr0_el1")                                               \
	X(ILL, "mrs x1, tpidr_el1") /* where the kernel's data are */                   \
	X(ILL, "msr tpidr_el1, x0")                                                     \
	X(ILL, "msr tpidrro_el0, x0")                                                   \
	X(ILL, "mrs x1, contextidr_el1")                                                \
	X(ILL, "mrs x1, scr_el3")                                                       \
	X(ILL, "msr hcr_el2, x0")                                                       \
	X(NOTHING, "mrs x1, tpidr_el0; msr tpidr_el0, x1; mrs x1, tpidrro_el0; "        \
		   "cbz x1, 1f; .inst 0; 1:") /* entry.S clears what it had there */    \
	/* caches, TLBs, translation */                                                 \
	X(ILL, "ic iallu")                                                              \
	X(ILL, "ic ialluis")                                                            \
	X(ILL, "ic ivau, x0")                                                           \
	X(ILL, "dc ivac, x0")                                                           \
	X(ILL, "dc isw, x0")                                                            \
	X(ILL, "dc cvac, x0")                                                           \
	X(ILL, "dc civac, x0")                                                          \
	X(SEGV, "dc zva, x0")                                                           \
	X(ILL, "at s1e1r, x0")                                                          \
	X(ILL, "mrs x1, par_el1")                                                       \
	X(ILL, "tlbi vmalle1")                                                          \
	X(NOTHING, "dmb sy; dsb sy; isb; prfm pldl1keep, [x0]; clrex")                  \
	/* performance monitors */                                                      \
	X(ILL, "mrs x1, pmcr_el0")                                                      \
	X(ILL, "msr pmcr_el0, x0")                                                      \
	X(ILL, "msr pmcntenset_el0, x0")                                                \
	X(ILL, "msr pmswinc_el0, x0")                                                   \
	X(ILL, "mrs x1, pmccntr_el0")                                                   \
	X(ILL, "mrs x1, pmevcntr0_el0")                                                 \
	X(ILL, "msr pmuserenr_el0, x0")                                                 \
	X(ILL, "msr pmintenset_el1, x0")                                                \
	/* timers */                                                                    \
	X(ILL, "msr cntfrq_el0, x0")                                                    \
	X(ILL, "mrs x1, cntpct_el0")                                                    \
	X(ILL, "msr cntv_ctl_el0, x0")                                                  \
	X(ILL, "msr cntp_tval_el0, x0")                                                 \
	X(ILL, "msr cntkctl_el1, x0")                                                   \
	X(NOTHING, "mrs x1, cntvct_el0; mrs x1, cntfrq_el0")                            \
	/* debug; QEMU does not know of TDCC */                                         \
	X(ILL, "mrs x1, mdscr_el1")                                                     \
	X(ILL, "msr mdscr_el1, x0")                                                     \
	X(ILL, "msr dbgbvr0_el1, x0")                                                   \
	X(ILL, "msr dbgbcr0_el1, x0")                                                   \
	X(ILL, "msr dbgwcr0_el1, x0")                                                   \
	X(ILL, "msr oslar_el1, x0")                                                     \
	X(ILL, "msr osdlr_el1, x0")                                                     \
	X(ILL | NOTHING, "mrs x1, mdccsr_el0")                                          \
	X(ILL | NOTHING, "mrs x1, dbgdtrrx_el0")                                        \
	/* levels, masks, and what calls others */                                      \
	X(ILL, "msr daifset, #15")                                                      \
	X(ILL, "mrs x1, daif")                                                          \
	X(ILL, "msr spsel, #1")                                                         \
	X(ILL, "mrs x1, CurrentEL")                                                     \
	X(ILL, "smc #0")                                                                \
	X(ILL, "hvc #0")                                                                \
	X(ILL, "eret")                                                                  \
	X(ILL | NOTHING, "dcps1")                                                       \
	X(ILL | NOTHING, "hlt #0xffff")                                                 \
	X(NOTHING, "wfi; wfe; sev; sevl; yield; nop")                                   \
	X(NOTHING, "msr nzcv, x0; msr fpcr, xzr; msr fpsr, x0; msr fpsr, xzr")          \
	X(TRAP, "brk #0xffff")                                                          \
	/* undefined, in the spaces of each kind */                                     \
	X(ILL, "udf #0xffff")                                                           \
	X(ILL, ".inst 0x0000ffff")                                                      \
	X(ILL, ".inst 0xffffffff")                                                      \
	X(ILL, ".inst 0x04bf5020") /* of SVE */                                         \
	X(ILL, ".inst 0x1e000400")                                                      \
	X(ILL, "mrs x1, s3_7_c15_c15_7")                                                \
	/* addresses */                                                                 \
	X(SEGV, "ldr x1, [x0]")                                                         \
	X(SEGV, "str x1, [x0]")                                                         \
	X(SEGV, "ldtr x1, [x0]")                                                        \
	X(SEGV, "ldxr x1, [x0]")                                                        \
	X(SEGV, "ldp q0, q1, [x0]")                                                     \
	X(SEGV, "br x0")                                                                \
	X(SEGV, "mov sp, x0; stp x1, x2, [sp, #-16]!")                                  \
	X(SEGV, "mov x0, #-1; ldrb w1, [x0]")                                           \
	X(SEGV | BUS, "mov x0, #-2; br x0")                                             \
	X(SEGV, "mov x0, #0x800000000000; ldr x1, [x0]")          /* of neither half */ \
	X(SEGV, "orr x0, xzr, #0xff00000000000000; ldr x1, [x0]") /* a tagged one */    \
	X(BUS, "add x1, sp, #1; ldxr x2, [x1]")                                         \
	X(BUS, "adr x1, 1f; add x1, x1, #2; br x1; 1: nop")

#define TABLE_ROW(expected, text) {expected, text},
static const struct {
	unsigned expected;
	const char *text;
} instructions[] = {INSTRUCTIONS(TABLE_ROW)};

static unsigned chosen;

#define EXECUTE(expected, text)                                                                  \
	if (n++ == chosen) {                                                                     \
		register unsigned long x0 __asm__("x0") = kernel_addresses[0];                   \
		__asm__ volatile(text : "+r"(x0)::"x1", "x2", "x3", "q0", "q1", "memory", "cc"); \
	}

static void execute(void)
{
	unsigned n = 0;

	INSTRUCTIONS(EXECUTE)
	_exit(0);
}

TEST(c10_arm64_instructions)
{
	for (chosen = 0; chosen < ARRAY_LENGTH(instructions); chosen++)
		expect_end(instructions[chosen].text, execute, instructions[chosen].expected);
}

static void call_with_odd_immediates(void)
{
	register long x0 __asm__("x0");
	register long x8 __asm__("x8") = SYS_getpid;
	long pid = syscall(SYS_getpid);

	__asm__ volatile("svc #0xffff" : "=r"(x0) : "r"(x8) : "memory");
	_exit(x0 != pid);
}

static void call_odd_numbers(void)
{
	static const long numbers[] = {-1, NR_SYSCALLS, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};

	make_absent_calls(numbers, ARRAY_LENGTH(numbers));
}

TEST(c10_arm64_calls)
{
	expect_end("SVC #0xffff", call_with_odd_immediates, NOTHING);
	expect_end("system calls that there are not", call_odd_numbers, NOTHING);
}
