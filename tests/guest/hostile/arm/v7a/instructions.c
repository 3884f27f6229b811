/* SPDX-License-Identifier: MIT */
/*
 * Instructions, system registers and processor states by which an ARMv7-A program could get at the
 * kernel, or at another program: each ends it with a signal, or does nothing to anybody else.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../user/ktap.h"
#include "../../ends.h"
#include "../../hostile.h"

/* Each is executed by a process of its own, with r0 a kernel address (ARM DDI 0406C, B3.17, B4, C11
 * for the registers). */
#define INSTRUCTIONS(X)                                                                  \
	/* control of the processor */                                                   \
	X(ILL, "mrc p15, 0, r1, c1, c0, 0") /* SCTLR */                                  \
	X(ILL, "mcr p15, 0, r0, c1, c0, 0")                                              \
	X(ILL, "mrc p15, 0, r1, c1, c0, 1") /* ACTLR */                                  \
	X(ILL, "mcr p15, 0, r0, c1, c0, 2") /* CPACR */                                  \
	X(ILL, "mrc p15, 0, r1, c1, c1, 0") /* SCR */                                    \
	X(ILL, "mrc p15, 0, r1, c2, c0, 0") /* TTBR0 */                                  \
	X(ILL, "mcr p15, 0, r0, c2, c0, 0")                                              \
	X(ILL, "mcr p15, 0, r0, c3, c0, 0")  /* DACR */                                  \
	X(ILL, "mrc p15, 0, r1, c5, c0, 0")  /* DFSR */                                  \
	X(ILL, "mrc p15, 0, r1, c6, c0, 0")  /* DFAR */                                  \
	X(ILL, "mrc p15, 0, r1, c12, c0, 0") /* VBAR */                                  \
	X(ILL, "mcr p15, 0, r0, c12, c0, 0")                                             \
	X(ILL, "mrc p15, 0, r1, c0, c0, 0")  /* MIDR */                                  \
	X(ILL, "mrc p15, 0, r1, c0, c0, 5")  /* MPIDR */                                 \
	X(ILL, "mrc p15, 0, r1, c13, c0, 1") /* CONTEXTIDR */                            \
	X(ILL, "mrc p15, 0, r1, c13, c0, 4") /* TPIDRPRW: where the kernel's data are */ \
	X(ILL, "mcr p15, 0, r0, c13, c0, 4")                                             \
	X(ILL, "mcr p15, 0, r0, c13, c0, 3") /* TPIDRURO */                              \
	X(NOTHING, "mrc p15, 0, r1, c13, c0, 3; mcr p15, 0, r1, c13, c0, 2")             \
	/* caches, TLBs, translation */                                                  \
	X(ILL, "mcr p15, 0, r0, c7, c5, 0")  /* ICIALLU */                               \
	X(ILL, "mcr p15, 0, r0, c7, c5, 1")  /* ICIMVAU */                               \
	X(ILL, "mcr p15, 0, r0, c7, c6, 1")  /* DCIMVAC */                               \
	X(ILL, "mcr p15, 0, r0, c7, c6, 2")  /* DCISW */                                 \
	X(ILL, "mcr p15, 0, r0, c7, c10, 1") /* DCCMVAC */                               \
	X(ILL, "mcr p15, 0, r0, c7, c14, 1") /* DCCIMVAC */                              \
	X(ILL, "mcr p15, 0, r0, c7, c8, 0")  /* ATS1CPR */                               \
	X(ILL, "mrc p15, 0, r1, c7, c4, 0")  /* PAR */                                   \
	X(ILL, "mcr p15, 0, r0, c8, c7, 0")  /* TLBIALL */                               \
	X(ILL, "mcr p15, 0, r0, c10, c2, 0") /* PRRR */                                  \
	X(NOTHING, "mcr p15, 0, r0, c7, c5, 4; mcr p15, 0, r0, c7, c10, 4; "             \
		   "mcr p15, 0, r0, c7, c10, 5") /* the barriers of old */               \
	X(NOTHING, "dmb; dsb; isb; pld [r0]; clrex")                                     \
	/* performance monitors */                                                       \
	X(ILL, "mrc p15, 0, r1, c9, c12, 0") /* PMCR */                                  \
	X(ILL, "mcr p15, 0, r0, c9, c12, 0")                                             \
	X(ILL, "mcr p15, 0, r0, c9, c12, 1") /* PMCNTENSET */                            \
	X(ILL, "mcr p15, 0, r0, c9, c12, 4") /* PMSWINC */                               \
	X(ILL, "mrc p15, 0, r1, c9, c13, 0") /* PMCCNTR */                               \
	X(ILL, "mrc p15, 0, r1, c9, c13, 2") /* PMXEVCNTR */                             \
	X(ILL, "mcr p15, 0, r0, c9, c14, 0") /* PMUSERENR */                             \
	X(ILL, "mcr p15, 0, r0, c9, c14, 1") /* PMINTENSET */                            \
	/* timers */                                                                     \
	X(ILL, "mcr p15, 0, r0, c14, c0, 0") /* CNTFRQ */                                \
	X(ILL, "mrrc p15, 0, r1, r2, c14")   /* CNTPCT */                                \
	X(ILL, "mcr p15, 0, r0, c14, c3, 1") /* CNTV_CTL */                              \
	X(ILL, "mcr p15, 0, r0, c14, c2, 0") /* CNTP_TVAL */                             \
	X(ILL, "mcr p15, 0, r0, c14, c1, 0") /* CNTKCTL */                               \
	X(NOTHING, "mrrc p15, 1, r1, r2, c14; mrc p15, 0, r1, c14, c0, 0")               \
	/* debug; QEMU does not know of UDCCdis */                                       \
	X(ILL | NOTHING, "mrc p14, 0, r1, c0, c0, 0") /* DBGDIDR */                      \
	X(ILL | NOTHING, "mrc p14, 0, r1, c1, c0, 0") /* DBGDRAR */                      \
	X(ILL | NOTHING, "mrc p14, 0, r1, c0, c1, 0") /* DBGDSCRint */                   \
	X(ILL, "mcr p14, 0, r0, c0, c2, 2")           /* DBGDSCRext */                   \
	X(ILL, "mcr p14, 0, r0, c0, c0, 4")           /* DBGBVR0 */                      \
	X(ILL, "mcr p14, 0, r0, c0, c0, 5")           /* DBGBCR0 */                      \
	X(ILL, "mcr p14, 0, r0, c0, c0, 7")           /* DBGWCR0 */                      \
	X(ILL, "mcr p14, 0, r0, c0, c7, 0")           /* DBGVCR */                       \
	X(ILL, "mcr p14, 0, r0, c1, c0, 4")           /* DBGOSLAR */                     \
	X(ILL, "mcr p14, 0, r0, c1, c3, 4")           /* DBGOSDLR */                     \
	/* Jazelle, ThumbEE */                                                           \
	X(ILL | NOTHING, "mrc p14, 7, r1, c0, c0, 0")                                    \
	X(ILL | NOTHING, "mcr p14, 7, r0, c1, c0, 0")                                    \
	X(ILL | NOTHING, "mcr p14, 7, r0, c2, c0, 0")                                    \
	X(ILL | NOTHING, "mcr p14, 6, r0, c0, c0, 0")                                    \
	X(ILL | NOTHING, "adr r1, 1f; bxj r1; .balign 4; 1:")                            \
	/* other coprocessors */                                                         \
	X(ILL, "mrc p0, 0, r1, c0, c0, 0")                                               \
	X(ILL, "ldc p5, c0, [sp]")                                                       \
	X(ILL, ".fpu neon-vfpv4; vmsr fpexc, r0")                                        \
	X(ILL, ".fpu neon-vfpv4; vmrs r1, mvfr0")                                        \
	X(ILL | NOTHING, ".fpu neon-vfpv4; vmrs r1, fpsid")                              \
	/* LEN and STRIDE: vectors, which are no more */                                 \
	X(ILL | NOTHING,                                                                 \
	  ".fpu neon-vfpv4; mov r1, #0x370000; vmsr fpscr, r1; vadd.f32 s8, s9, s10")    \
	/* modes, and what calls others */                                               \
	X(NOTHING, "cpsid aif; cps #0x13; cpsie aif")                                    \
	X(NOTHING, "mrs r1, cpsr; orr r1, r1, #0xcf; msr cpsr_c, r1")                    \
	X(NOTHING, "mrs r1, cpsr; orr r1, r1, #0x1000000; msr cpsr_fsxc, r1; "           \
		   "bic r1, r1, #0x1000000; msr cpsr_fsxc, r1") /* CPSR.J */             \
	X(ILL | NOTHING, "mrs r1, spsr")                                                 \
	X(ILL | NOTHING, "msr spsr_fsxc, r0")                                            \
	X(ILL, ".arch_extension sec; smc #0")                                            \
	X(ILL, ".arch_extension virt; hvc #0")                                           \
	X(ILL, ".arch_extension virt; eret")                                             \
	X(ILL | SEGV, "rfeia r0")                                                        \
	X(ILL | SEGV | NOTHING, "srsdb sp!, #0x13")                                      \
	X(ILL | SEGV | NOTHING, "ldmia sp, {r1, r2}^")                                   \
	X(ILL | SEGV | BUS, "subs pc, r0, #4")                                           \
	X(ILL | SEGV | BUS, "ldmia sp, {r1, pc}^")                                       \
	X(ILL | NOTHING, "wfi; wfe; sev; yield")                                         \
	X(TRAP, "bkpt #0xffff")                                                          \
	/* undefined, in the spaces of each kind */                                      \
	X(ILL, "udf #0xffff")                                                            \
	X(ILL, ".inst 0xe7ffffff")                                                       \
	X(ILL, ".inst 0xf7ffffff")                                                       \
	X(ILL, ".inst 0xffffffff")                                                       \
	X(ILL, ".inst 0xee000010")                                                       \
	X(ILL, ".inst 0xf0000000")                                                       \
	X(ILL, ".inst 0xe1600070") /* SMC's place */                                     \
	/* addresses */                                                                  \
	X(SEGV, "ldr r1, [r0]")                                                          \
	X(SEGV, "str r1, [r0]")                                                          \
	X(SEGV, "ldrt r1, [r0]")                                                         \
	X(SEGV, "ldrex r1, [r0]")                                                        \
	X(SEGV, "bx r0")                                                                 \
	X(SEGV, "orr r0, r0, #1; bx r0")                                                 \
	X(SEGV, "add sp, r0, #64; push {r1}")                                            \
	X(SEGV, "mvn r0, #0; ldrb r1, [r0]")                                             \
	X(SEGV | BUS, "mvn r0, #3; bx r0")                                               \
	X(SEGV | BUS | ILL | NOTHING,                                                    \
	  "adr r1, 1f + 2; bx r1; .balign 4; 1: nop; nop") /* between two */             \
	X(BUS, "add r1, sp, #1; ldm r1, {r2, r3}")                                       \
	X(BUS, "add r1, sp, #2; ldrexd r2, r3, [r1]")

#define TABLE_ROW(expected, text) {expected, text},
static const struct {
	unsigned expected;
	const char *text;
} instructions[] = {INSTRUCTIONS(TABLE_ROW)};

static unsigned chosen;

#define EXECUTE(expected, text)                                                      \
	if (n++ == chosen) {                                                         \
		register unsigned long r0 __asm__("r0") = kernel_addresses[0];       \
		__asm__ volatile(text : "+r"(r0)::"r1", "r2", "r3", "memory", "cc"); \
	}

static void execute(void)
{
	unsigned n = 0;

	INSTRUCTIONS(EXECUTE)
	_exit(0);
}

TEST(c10_arm_instructions)
{
	for (chosen = 0; chosen < ARRAY_LENGTH(instructions); chosen++)
		expect_end(instructions[chosen].text, execute, instructions[chosen].expected);
}

/* --- Thumb state --- */

#define THUMB __attribute__((target("thumb"), noinline))

THUMB static void undefined(void)
{
	__asm__ volatile("udf #0xff");
}

THUMB static void undefined_wide(void)
{
	__asm__ volatile("udf.w #0xffff");
}

/* Half of an instruction at the end of what can be executed. */
__asm__(".pushsection .text\n"
	"	.balign 4096\n"
	"half_at_page_end:\n"
	"	.fill 2047, 2, 0xbf00\n"
	"	.short 0xf7ff\n"
	"	.popsection");
extern const char half_at_page_end[];

static void execute_half(void)
{
	extern const char __executable_start[];
	int fd = syscall(SYS_open, ktap_program, 0, 0);
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			  (uintptr_t)half_at_page_end - ((uintptr_t)__executable_start & -PAGE));
	/* What is mapped next lies below: before that page nothing, behind it a hole. */

	if (page == MAP_FAILED)
		_exit(1);
	((void (*)(void))(page + PAGE - 2 + 1))();
}

THUMB static void it_and_undefined(void)
{
	__asm__ volatile("cmp r0, r0\n\titt eq\n\tnopeq\n\tudf #0" ::: "cc");
}

/* A call from the middle of an IT block: the state goes on behind it. */
THUMB static void it_and_call(void)
{
	register long r0 __asm__("r0") = 1;

	__asm__ volatile(
	    "push {r7}\n\tmovs r7, %[getpid]\n\tcmp r0, r0\n\tittee eq\n\tmoveq r0, #2\n\tsvceq #77\n\t"
	    "movne r0, #0\n\tmovne r0, #0\n\tpop {r7}"
	    : "+r"(r0)
	    : [getpid] "i"(SYS_getpid)
	    : "cc", "memory");
	_exit(r0 != syscall(SYS_getpid));
}

static void call_with_odd_immediates(void)
{
	register long r0 __asm__("r0");
	long pid = syscall(SYS_getpid);

	__asm__ volatile("push {r7}\n\tmov r7, %[getpid]\n\tsvc #0xffffff\n\tpop {r7}"
			 : "=r"(r0)
			 : [getpid] "i"(SYS_getpid)
			 : "memory");
	_exit(r0 != pid);
}

static void call_odd_numbers(void)
{
	static const long numbers[] = {-1, NR_SYSCALLS, INT32_MIN, INT32_MAX,
				       0x900000 + SYS_getpid};

	make_absent_calls(numbers, ARRAY_LENGTH(numbers));
}

TEST(c10_arm_states)
{
	expect_end("undefined in Thumb state", undefined, ILL);
	expect_end("a wide one", undefined_wide, ILL);
	expect_end("half of one before a hole", execute_half, SEGV);
	expect_end("undefined in an IT block", it_and_undefined, ILL);
	expect_end("a call in an IT block", it_and_call, NOTHING);
	expect_end("SVC #0xffffff", call_with_odd_immediates, NOTHING);
	expect_end("system calls that there are not", call_odd_numbers, NOTHING);
}

/* --- Big-endian data: the kernel and its samplers are not --- */

static void live_big_endian(void)
{
	static volatile uint32_t word = 0x01020304;
	uint32_t got;

	for (int i = 0; i < 100; i++) {
		__asm__ volatile(
		    "setend be\n\tmov r7, %[yield]\n\tsvc #0\n\tmov r0, #20000\n"
		    "1:\tsubs r0, r0, #1\n\tbne 1b\n\tldr %[got], [%[word]]\n\tsetend le"
		    : [got] "=r"(got)
		    : [yield] "i"(SYS_sched_yield), [word] "r"(&word)
		    : "r0", "r7", "cc", "memory");
		/* Nobody has put it right. */
		if (got != 0x04030201)
			_exit(1);
	}
}

TEST(c10_arm_big_endian)
{
	expect_end("SETEND BE", live_big_endian, NOTHING);
}
