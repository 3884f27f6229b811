/* SPDX-License-Identifier: MIT */
/* Each exception that a program of AArch64 can raise ends it with its signal, or does what it
 * should.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ktap.h"

static uint64_t words[4] __attribute__((aligned(16)));

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

static void misaligned_exclusive(void)
{
	__asm__ volatile("ldxr x2, [%0]" ::"r"((char *)words + 2) : "x2");
}

static void misaligned_stack(void)
{
	__asm__ volatile("mov x3, sp\n\tadd sp, sp, #4\n\tldr x2, [sp]\n\tmov sp, x3" ::
			     : "x2", "x3");
	_exit(7);
}

static void misaligned_word(void)
{
	uint64_t value;

	words[0] = 0x0807060504030201;
	words[1] = 0x09;
	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"((char *)words + 1) : "memory");
	_exit(value == 0x0908070605040302 ? 1 : 2);
}

static void misaligned_code(void)
{
	__asm__ volatile("br %0" ::"r"((uintptr_t)misaligned_word + 2));
}

/* QEMU does not look at SP. */
static void expect_stack_fault(void)
{
	int status = in_child(misaligned_stack);

	EXPECT(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) == 7);
}

TEST(arm64_alignment)
{
	expect_signal(misaligned_exclusive, SIGBUS);
	expect_stack_fault();
	expect_signal(misaligned_code, SIGBUS);
	expect_exit(misaligned_word, 1);
}

static void undefined(void)
{
	__asm__ volatile("udf #0");
}

static void breakpoint(void)
{
	__asm__ volatile("brk #0x3e8");
}

static void write_control_register(void)
{
	__asm__ volatile("msr sctlr_el1, %0" ::"r"(0UL));
}

static void call_hypervisor(void)
{
	__asm__ volatile("hvc #0");
}

static void use_sve(void)
{
	__asm__ volatile(".inst 0x04bf5020" ::: "x0"); /* RDVL X0, #1 */
}

TEST(arm64_undefined_instructions)
{
	expect_signal(undefined, SIGILL);
	expect_signal(breakpoint, SIGTRAP);
	expect_signal(write_control_register, SIGILL);
	expect_signal(call_hypervisor, SIGILL);
	expect_signal(use_sve, SIGILL);
}

/* What a program may do itself. */
static void zero_and_read(void)
{
	static uint8_t block[4096] __attribute__((aligned(4096)));
	uint64_t ctr, count;

	block[0] = 1;
	__asm__ volatile("dc zva, %0" ::"r"(block) : "memory");
	__asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	_exit(!block[0] && ctr && count ? 1 : 2);
}

TEST(arm64_what_programs_may_do)
{
	expect_exit(zero_and_read, 1);
}
