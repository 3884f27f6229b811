/* SPDX-License-Identifier: MIT */
/*
 * Where the frame of a handler may be: a program that returns by a copy of it at another place, and
 * frames of which a part has no memory. And that nothing in it is of the kernel's own memory.
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "signals.h"

#define PAGE 4096

#ifdef __x86_64__
#define CONTEXT_IP(uc) (uc)->uc_mcontext.gregs[REG_RIP]
#define TRAP_SIZE      2 /* ud2 */
#define FPU_AT         offsetof(ucontext_t, uc_mcontext.fpregs)
#elif defined(__aarch64__)
#define CONTEXT_IP(uc) (uc)->uc_mcontext.pc
#define TRAP_SIZE      4 /* udf */
#define FPU_AT         offsetof(ucontext_t, uc_mcontext.fpsimd)
#else
#define CONTEXT_IP(uc) (uc)->uc_mcontext.arm_pc
#define TRAP_SIZE      4 /* udf */
#define FPU_AT         offsetof(ucontext_t, uc_mcontext.vfp)
#endif

static void __attribute__((noreturn)) return_by(const void *frame)
{
#ifdef __x86_64__
	__asm__ volatile("movq %0, %%rsp; syscall" ::"r"(frame), "a"(SYS_sigreturn));
#elif defined(__aarch64__)
	__asm__ volatile("mov x8, %1; mov sp, %0; svc #0" ::"r"(frame), "i"(SYS_sigreturn) : "x8");
#else
	__asm__ volatile("mov r7, %1; mov sp, %0; svc #0" ::"r"(frame), "i"(SYS_sigreturn) : "r7");
#endif
	__builtin_unreachable();
}

/* What a floating-point register holds after a trap that found @value there. */
static uint32_t over_trap(uint32_t value)
{
	uint32_t now;

#ifdef __x86_64__
	__asm__ volatile("movd %1, %%xmm15; ud2; movd %%xmm15, %0"
			 : "=r"(now)
			 : "r"(value)
			 : "xmm15");
#elif defined(__aarch64__)
	__asm__ volatile("fmov s31, %w1; udf #0; fmov %w0, s31" : "=r"(now) : "r"(value) : "v31");
#else
	__asm__ volatile("vmov s31, %1; udf #0; vmov %0, s31" : "=r"(now) : "r"(value) : "s31");
#endif
	return now;
}

static void clear_register(void)
{
#ifdef __x86_64__
	__asm__ volatile("pxor %%xmm15, %%xmm15" ::: "xmm15");
#elif defined(__aarch64__)
	__asm__ volatile("fmov s31, wzr" ::: "v31");
#else
	__asm__ volatile("vmov s31, %0" ::"r"(0) : "s31");
#endif
}

static void set_handler(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};

	EXPECT_EQ(sigaction(sig, &act, NULL), 0);
}

static uint8_t *copy_to; /* where the next handler's frame is to be */

/* The frame begins two words before the information, and ends with the context. */
static void return_by_copy(int sig, siginfo_t *info, void *context)
{
	const uint8_t *frame = (uint8_t *)info - 2 * sizeof(long);
	ucontext_t *uc = context;

	(void)sig;
	CONTEXT_IP(uc) += TRAP_SIZE;
	clear_register();
	memcpy(copy_to, frame, (uint8_t *)(uc + 1) - frame);
	return_by(copy_to);
}

TEST(signal_return_by_a_frame_anywhere)
{
	static uint8_t room[2 * sizeof(ucontext_t)] __attribute__((aligned(64)));
	static const unsigned offsets[] = {0, 4, 8, 1, 15, 16};

	set_handler(SIGILL, return_by_copy, 0);
	for (uint32_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		copy_to = room + offsets[i];
		EXPECT_EQ(over_trap(i + 4711), i + 4711);
	}
	signal(SIGILL, SIG_DFL);
}

/* --- Not all of it is there --- */

static uint8_t *page_before_nothing(void)
{
	uint8_t *pages =
	    mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + PAGE, PAGE);
	return pages;
}

/* All but the floating-point state. */
static void return_by_half(int sig, siginfo_t *info, void *context)
{
	const uint8_t *frame = (uint8_t *)info - 2 * sizeof(long);
	size_t size = (uint8_t *)context + FPU_AT - frame;

	(void)sig;
	memcpy(copy_to + PAGE - size, frame, size);
	return_by(copy_to + PAGE - size);
}

static int return_to_half(void)
{
	copy_to = page_before_nothing();
	set_handler(SIGILL, return_by_half, 0);
	over_trap(1);
	return 0;
}

static void never(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	_exit(1);
}

static int call_on_half(void)
{
	uint8_t *page = page_before_nothing();
	const stack_t stack = {.ss_sp = page, .ss_size = PAGE + 256};

	EXPECT_EQ(sigaltstack(&stack, NULL), 0);
	set_handler(SIGILL, never, SA_ONSTACK);
	over_trap(1);
	return 0;
}

/* The signal that ends a child which runs @body. */
static int end_of(int (*body)(void))
{
	pid_t pid = start_child(body);
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(signal_frames_are_whole)
{
	EXPECT_EQ(end_of(return_to_half), SIGSEGV);
	EXPECT_EQ(end_of(call_on_half), SIGSEGV);
}

/* --- What is in it --- */

static ucontext_t seen;

static void copy_context(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	seen = *uc;
	CONTEXT_IP(uc) += TRAP_SIZE;
}

/* Between the members, too. */
TEST(signal_frame_has_nothing_of_the_kernel_s)
{
	ucontext_t expected;

	memset(&expected, 0, sizeof(expected));
	set_handler(SIGILL, copy_context, 0);
	over_trap(1);
	signal(SIGILL, SIG_DFL);
	expected.uc_stack.ss_sp = seen.uc_stack.ss_sp;
	expected.uc_stack.ss_flags = SS_DISABLE;
	EXPECT_EQ(seen.uc_sigmask, 0);
	EXPECT(!memcmp(&seen, &expected, offsetof(ucontext_t, uc_mcontext)));
#ifdef __arm__
	EXPECT_EQ(seen.uc_mcontext.vfp.unused, 0);
#endif
}
