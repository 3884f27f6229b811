/* SPDX-License-Identifier: MIT */
/* Each exception that a program of ARMv7-A can raise ends it with its signal, or does what it
 * should. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../ktap.h"

#define SYS_EXIT 0

static uint32_t words[4] __attribute__((aligned(16)));
static uint32_t data[] = {0xe12fff1e}; /* BX LR, but not in text */

static void expect_signal(void (*body)(void), int signal)
{
	int status = in_child(body);

	EXPECT(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), signal);
}

static void expect_exit(void (*body)(void), int code)
{
	int status = in_child(body);

	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), code);
}

static void misaligned_pair(void)
{
	__asm__ volatile("ldrd r2, r3, [%0]" ::"r"((char *)words + 2) : "r2", "r3");
}

static void misaligned_word(void)
{
	uint32_t value;

	words[0] = 0x04030201;
	words[1] = 0x05;
	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"((char *)words + 1) : "memory");
	_exit(value == 0x05040302 ? 1 : 2);
}

TEST(arm_alignment)
{
	expect_signal(misaligned_pair, SIGBUS);
	expect_exit(misaligned_word, 1);
}

static void write_teehbr(void)
{
	__asm__ volatile("mcr p14, 6, %0, c1, c0, 0" ::"r"(1));
}

/* Nobody switches ThumbEE's base register, so no program may use it. */
TEST(c10_arm_thumbee_is_closed)
{
	expect_signal(write_teehbr, SIGILL);
}

static void undefined(void)
{
	__asm__ volatile("udf #0");
}

__attribute__((target("thumb"))) static void undefined_in_thumb(void)
{
	__asm__ volatile("udf #1");
}

static void breakpoint(void)
{
	__asm__ volatile("bkpt #0");
}

static void write_control_register(void)
{
	__asm__ volatile("mcr p15, 0, %0, c1, c0, 0" ::"r"(0)); /* SCTLR */
}

static void read_performance_counter(void)
{
	__asm__ volatile("mrc p15, 0, r0, c9, c13, 0" ::: "r0"); /* PMCCNTR */
}

TEST(arm_undefined_instructions)
{
	expect_signal(undefined, SIGILL);
	expect_signal(undefined_in_thumb, SIGILL);
	expect_signal(breakpoint, SIGTRAP);
	expect_signal(write_control_register, SIGILL);
	expect_signal(read_performance_counter, SIGILL);
}

static void execute_data(void)
{
	((void (*)(void))(uintptr_t)data)();
}

static void write_text(void)
{
	*(volatile char *)(uintptr_t)undefined = 0;
}

static void read_kernel(void)
{
	*(volatile char *)0xf0000000;
}

static void execute_kernel(void)
{
	((void (*)(void))0x80000000)();
}

TEST(arm_page_rights)
{
	expect_signal(execute_data, SIGSEGV);
	expect_signal(write_text, SIGSEGV);
	expect_signal(read_kernel, SIGSEGV);
	expect_signal(execute_kernel, SIGSEGV);
}

/* In user mode a write of the mode bits changes nothing (ARM DDI 0406C, B1.3.3). */
static void claim_a_mode(void)
{
	__asm__ volatile("cps #0x13\n\tmsr cpsr_c, #0x13");
	write_control_register();
}

static void big_endian_call(void)
{
	__asm__ volatile("setend be\n\tmov r7, %0\n\tmov r0, #3\n\tsvc #0" ::"i"(SYS_EXIT)
			 : "r0", "r7");
}

static void call_without_a_stack(void)
{
	__asm__ volatile("mov sp, #1\n\tmov r7, %0\n\tmov r0, #4\n\tsvc #0" ::"i"(SYS_EXIT)
			 : "r0", "r7");
}

TEST(arm_odd_states)
{
	expect_signal(claim_a_mode, SIGILL);
	expect_exit(big_endian_call, 3);
	expect_exit(call_without_a_stack, 4);
}

/* A system call returns with every register but r0 as it was. */
TEST(arm_calls_keep_registers)
{
	uint32_t kept[14], i;

	__asm__ volatile("push {r4-r11, lr}\n\t"
			 "mov lr, %0\n\t"
			 "mov r1, #1\n\tmov r2, #2\n\tmov r3, #3\n\tmov r4, #4\n\tmov r5, #5\n\t"
			 "mov r6, #6\n\tmov r7, #28\n\tmov r8, #8\n\tmov r9, #9\n\tmov r10, #10\n\t"
			 "mov r11, #11\n\tmov r12, #12\n\t"
			 "svc #0\n\t"
			 "stmia lr, {r0-r12, lr}\n\t"
			 "pop {r4-r11, lr}" ::"r"(kept)
			 : "r0", "r1", "r2", "r3", "r12", "lr", "memory");
	EXPECT_EQ(kept[0], 0); /* sched_yield() */
	for (i = 1; i < 13; i++)
		EXPECT_EQ(kept[i], i == 7 ? 28 : i);
	EXPECT_EQ(kept[13], (uintptr_t)kept);
}

/* VFP registers, the upper half too, FPSCR and TPIDRURW are each process's own. */
static void keep_vfp(void)
{
	uint32_t mark = getpid(), low, high, status, thread;

	__asm__ volatile(".fpu neon\n\tvdup.32 q4, %0\n\tvdup.32 q12, %0\n\tvmsr fpscr, %1\n\t"
			 "mcr p15, 0, %0, c13, c0, 2" ::"r"(mark),
			 "r"(mark << 22 & 0xc00000)); /* rounding mode */
	for (int i = 0; i < 20; i++)
		usleep(200);
	__asm__ volatile("vmov.32 %0, d8[0]\n\tvmov.32 %1, d25[1]\n\tvmrs %2, fpscr\n\t"
			 "mrc p15, 0, %3, c13, c0, 2"
			 : "=r"(low), "=r"(high), "=r"(status), "=r"(thread));
	_exit(low != mark || high != mark || thread != mark || status != (mark << 22 & 0xc00000));
}

TEST(arm_vfp_state_is_its_own)
{
	int status, n = 0;

	fflush(stdout);
	for (int i = 0; i < 4; i++) {
		if (!fork())
			keep_vfp();
	}
	while (wait(&status) > 0) {
		EXPECT_EQ(status, 0);
		n++;
	}
	EXPECT_EQ(n, 4);
}
