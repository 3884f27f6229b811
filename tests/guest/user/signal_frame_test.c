/* SPDX-License-Identifier: MIT */
/*
 * The frame of a handler: what it has, what the handler may change in it and what not, and which
 * stack it is on (contract C10: no frame gives a program more than it had).
 */
#include <sched.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "samples.h"
#include "signals.h"

#define noinline     __attribute__((noinline))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

#ifdef __x86_64__
#define CONTEXT_IP(uc)     (uc)->uc_mcontext.gregs[REG_RIP]
#define CONTEXT_SP(uc)     (uc)->uc_mcontext.gregs[REG_RSP]
#define CONTEXT_RESULT(uc) (uc)->uc_mcontext.gregs[REG_RAX]
#define CONTEXT_FLAGS(uc)  (uc)->uc_mcontext.gregs[REG_EFL]
#define UNDEFINED_SIZE     2 /* ud2 */
#elif defined(__aarch64__)
#define CONTEXT_IP(uc)     (uc)->uc_mcontext.pc
#define CONTEXT_SP(uc)     (uc)->uc_mcontext.sp
#define CONTEXT_RESULT(uc) (uc)->uc_mcontext.regs[0]
#define CONTEXT_FLAGS(uc)  (uc)->uc_mcontext.pstate
#define UNDEFINED_SIZE     4
#else
#define CONTEXT_IP(uc)     (uc)->uc_mcontext.arm_pc
#define CONTEXT_SP(uc)     (uc)->uc_mcontext.arm_sp
#define CONTEXT_RESULT(uc) (uc)->uc_mcontext.arm_r0
#define CONTEXT_FLAGS(uc)  (uc)->uc_mcontext.arm_cpsr
#define UNDEFINED_SIZE     4
#endif

static void set_handler(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};

	EXPECT_EQ(sigaction(sig, &act, NULL), 0);
}

/* --- What a handler may change --- */

static void answer_for_call(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	CONTEXT_RESULT(uc) = 4711;
}

TEST(signal_frame_result_can_be_changed)
{
	set_handler(SIGUSR1, answer_for_call, 0);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 4711);
	signal(SIGUSR1, SIG_DFL);
}

static void block_more(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	uc->uc_sigmask = ~0ULL;
}

TEST(signal_frame_mask_can_be_changed)
{
	sigset_t now, old = block(SIGUSR2);

	set_mask(old);
	set_handler(SIGUSR1, block_more, 0);
	raise(SIGUSR1);
	sigprocmask(SIG_BLOCK, NULL, &now);
	EXPECT_EQ(now, ~(only(SIGKILL) | only(SIGSTOP)));
	set_mask(old);
	signal(SIGUSR1, SIG_DFL);
}

/* Steps over the instruction that trapped. */
static void step_over(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	noted.info = *info;
	CONTEXT_IP(uc) += UNDEFINED_SIZE;
}

TEST(signal_frame_instruction_can_be_changed)
{
	set_handler(SIGILL, step_over, 0);
#ifdef __x86_64__
	__asm__ volatile("ud2");
#else
	__asm__ volatile("udf #0");
#endif
	EXPECT_EQ(noted.info.si_signo, SIGILL);
	signal(SIGILL, SIG_DFL);
}

/* --- What it may not --- */

static int forged; /* which forgery */

#ifdef __aarch64__
/* A program cannot read its own: the next handler's frame has them. */
static unsigned long shown_flags;

static void show_flags(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	shown_flags = CONTEXT_FLAGS((ucontext_t *)context);
}
#endif

static unsigned long current_flags(void)
{
	unsigned long flags;

#if defined(__aarch64__)
	set_handler(SIGUSR2, show_flags, 0);
	raise(SIGUSR2);
	flags = shown_flags;
#elif defined(__x86_64__)
	__asm__ volatile("pushfq; popq %0" : "=r"(flags)::"memory");
#else
	__asm__ volatile("mrs %0, cpsr" : "=r"(flags));
#endif
	return flags;
}

#ifdef __x86_64__
/* All that is not the program's: IOPL, NT, VM, VIF, VIP, and IF off. */
#define PRIVILEGED 0x1a7000
#define UNMASKED   0x200
static const unsigned long bad_ip[] = {0x800000000000, 0xffff800000000000, -4096UL, 0x7ffffffff000};
#elif defined(__aarch64__)
/* The masks of exceptions; the mode is looked at beside. */
#define PRIVILEGED 0x3c0
#define UNMASKED   0
static const unsigned long bad_ip[] = {0x800000000000, 0xffff800000000000, -4096UL, 0x7ffffffff000};
#else
/* The masks of interrupts; the mode is looked at beside. */
#define PRIVILEGED 0x1c0
#define UNMASKED   0x10
static const unsigned long bad_ip[] = {0x80000000, 0xc0000000, -4096UL, 0xffff0000};
#endif

static void forge_flags(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
#ifdef __x86_64__
	CONTEXT_FLAGS(uc) = (CONTEXT_FLAGS(uc) | PRIVILEGED) & ~UNMASKED;
#else
	CONTEXT_FLAGS(uc) = (CONTEXT_FLAGS(uc) | PRIVILEGED) & ~0x1f;
	CONTEXT_FLAGS(uc) |= forged; /* a mode */
#endif
}

TEST(c10_forged_flags_give_nothing)
{
	set_handler(SIGUSR1, forge_flags, 0);
#ifdef __x86_64__
	raise(SIGUSR1);
	EXPECT_EQ(current_flags() & (PRIVILEGED | UNMASKED), UNMASKED);
#else
	for (forged = 0; forged < 32; forged++) {
		raise(SIGUSR1);
		EXPECT_EQ(current_flags() & (PRIVILEGED | 0x1f), UNMASKED);
	}
#endif
	signal(SIGUSR1, SIG_DFL);
}

#ifdef __x86_64__
static void forge_mxcsr(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	uc->uc_mcontext.fpregs->mxcsr = ~0u;
}
#endif

/* Reserved bits, of which FXRSTOR would fault, are not loaded; the others are. */
TEST(c10_forged_mxcsr)
{
#ifdef __x86_64__
	const unsigned by_default = 0x1f80;
	unsigned mxcsr;

	set_handler(SIGUSR1, forge_mxcsr, 0);
	raise(SIGUSR1);
	__asm__ volatile("stmxcsr %0; ldmxcsr %1" : "=m"(mxcsr) : "m"(by_default));
	EXPECT_EQ(mxcsr & 0xffff0000, 0);
	EXPECT_EQ(mxcsr & 0xffbf, 0xffbf);
	signal(SIGUSR1, SIG_DFL);
#else
	ktap_skip("there is none on this architecture");
#endif
}

static void forge_ip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	CONTEXT_IP(uc) = bad_ip[forged];
}

/* Refused by the kernel, before it went there: a processor may fault on the way, in the kernel. */
static void expect_refused(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	_exit(info->si_code == SI_KERNEL ? 7 : 8);
}

static int return_to_bad_ip(void)
{
	set_handler(SIGSEGV, expect_refused, 0);
	set_handler(SIGUSR1, forge_ip, 0);
	raise(SIGUSR1);
	return 0;
}

static int call_bad_ip(void)
{
	set_handler(SIGSEGV, expect_refused, 0);
	set_handler(SIGUSR1, (void (*)(int, siginfo_t *, void *))bad_ip[forged], 0);
	raise(SIGUSR1);
	return 0;
}

TEST(c10_forged_instruction_pointers_are_faults)
{
	for (forged = 0; forged < (int)(sizeof(bad_ip) / sizeof(bad_ip[0])); forged++) {
		EXPECT_EQ(join_child(start_child(return_to_bad_ip)), 7);
		EXPECT_EQ(join_child(start_child(call_bad_ip)), 7);
	}
}

static uint64_t random_state;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Overwrites some bytes of the registers, or all of them. */
static void forge_randomly(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint8_t *bytes = (uint8_t *)&uc->uc_mcontext;
	unsigned n = random_word() % 3 ? 1 + random_word() % 16 : 4096;

	(void)sig, (void)info;
	while (n--)
		bytes[random_word() % sizeof(uc->uc_mcontext)] = random_word();
	uc->uc_sigmask = 0;
}

static void exit_quietly(int sig)
{
	_exit(sig);
}

static int run_forged_frame(void)
{
	static char stack[SIGSTKSZ];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct itimerval limit = {.it_value.tv_usec = 2000};
	struct sigaction quiet = {.sa_handler = exit_quietly, .sa_flags = SA_ONSTACK};

	/* Ends without a report: these would be long. */
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &quiet, NULL);
	sigaction(SIGBUS, &quiet, NULL);
	sigaction(SIGILL, &quiet, NULL);
	sigaction(SIGFPE, &quiet, NULL);
	sigaction(SIGTRAP, &quiet, NULL);
	sigaction(SIGALRM, &quiet, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
	close(STDOUT_FILENO);
	set_handler(SIGUSR1, forge_randomly, 0);
	raise(SIGUSR1);
	return 0;
}

TEST(c10_random_frames)
{
	unsigned survived = 0, ended = 0;
	int status;

	for (unsigned seed = 1; seed <= 400; seed++) {
		random_state = seed * 0x9e3779b97f4a7c15ULL;
		EXPECT(waitpid(start_child(run_forged_frame), &status, 0) > 0);
		if (status)
			ended++;
		else
			survived++;
	}
	printf("# %u went on, %u ended\n", survived, ended);
	EXPECT(survived > 10 && ended > 100);
}

/* Without any frame: the stack pointer is anywhere. */
static void call_sigreturn(unsigned long sp)
{
#ifdef __x86_64__
	__asm__ volatile("movq %0, %%rsp; movl %1, %%eax; syscall" ::"r"(sp), "i"(SYS_sigreturn)
			 : "rax", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov sp, %0; mov x8, %1; svc #0" ::"r"(sp), "i"(SYS_sigreturn)
			 : "x8", "memory");
#else
	__asm__ volatile("mov sp, %0; mov r7, %1; svc #0" ::"r"(sp), "i"(SYS_sigreturn) : "memory");
#endif
}

static unsigned long chosen_sp;

static int return_from_nothing(void)
{
	call_sigreturn(chosen_sp);
	return 0;
}

TEST(c10_sigreturn_without_a_frame)
{
	static const unsigned long sps[] = {0,    8,       0x1000,
					    -8UL, -4096UL, 1UL << (8 * sizeof(long) - 1)};
	int status;

	for (size_t i = 0; i < sizeof(sps) / sizeof(sps[0]); i++) {
		chosen_sp = sps[i];
		EXPECT(waitpid(start_child(return_from_nothing), &status, 0) > 0);
		EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	}
}

/* --- Stacks --- */

static volatile unsigned long handler_sp;
static volatile int handler_flags;

static void note_stack(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	stack_t now;
	char here;

	(void)sig, (void)info;
	handler_sp = (unsigned long)&here;
	handler_flags = uc->uc_stack.ss_flags;
	sigaltstack(NULL, &now);
	EXPECT_EQ(now.ss_flags, SS_ONSTACK);
	EXPECT_ERRNO(sigaltstack(&now, NULL), EPERM);
}

TEST(signal_alternate_stack)
{
	static char stack[SIGSTKSZ];
	const stack_t off = {.ss_flags = SS_DISABLE};
	stack_t new = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;

	EXPECT_EQ(sigaltstack(NULL, &old), 0);
	EXPECT_EQ(old.ss_flags, SS_DISABLE);
	EXPECT_EQ(sigaltstack(&new, &old), 0);
	set_handler(SIGUSR1, note_stack, SA_ONSTACK);
	raise(SIGUSR1);
	EXPECT(handler_sp - (unsigned long)stack < sizeof(stack));
	EXPECT_EQ(handler_flags, 0); /* that of the interrupted code */
	EXPECT_EQ(sigaltstack(&off, &old), 0);
	EXPECT(old.ss_sp == stack && old.ss_size == sizeof(stack) && !old.ss_flags);
	new.ss_size = MINSIGSTKSZ - 1;
	EXPECT_ERRNO(sigaltstack(&new, NULL), ENOMEM);
	new.ss_size = sizeof(stack);
	new.ss_flags = 4;
	EXPECT_ERRNO(sigaltstack(&new, NULL), EINVAL);
	new.ss_flags = SS_ONSTACK;
	EXPECT_ERRNO(sigaltstack(&new, NULL), EINVAL);
	signal(SIGUSR1, SIG_DFL);
}

/* What a leaf function has below its stack pointer stays (System V ABI AMD64, 3.2.2). */
TEST(signal_red_zone_is_kept)
{
#ifdef __x86_64__
	const struct itimerval soon = {.it_value.tv_usec = 500};
	unsigned long first = 0, last = 0;

	note(SIGALRM, 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	__asm__ volatile("subq $1024, %%rsp\n\t"
			 "movq $0x1234, -8(%%rsp)\n\t"
			 "movq $0x5678, -128(%%rsp)\n"
			 "1:\tcmpl $0, (%2)\n\t"
			 "je 1b\n\t"
			 "movq -8(%%rsp), %0\n\t"
			 "movq -128(%%rsp), %1\n\t"
			 "addq $1024, %%rsp"
			 : "=&r"(first), "=&r"(last)
			 : "r"(&noted.count)
			 : "memory", "cc");
	EXPECT_EQ(first, 0x1234);
	EXPECT_EQ(last, 0x5678);
	signal(SIGALRM, SIG_DFL);
#else
	ktap_skip("there is none on this architecture");
#endif
}

static sigjmp_buf after_overflow;
static volatile int overflows;

static void catch_overflow(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	overflows++;
	siglongjmp(after_overflow, 1);
}

static int recurse(int n)
{
	volatile char frame[4096];

	frame[0] = n;
	return n < 0 ? 0 : recurse(n + 1) + frame[0];
}

/* A program with a stack for it survives the overflow of the other one. */
static int survive_overflow(void)
{
	static char stack[SIGSTKSZ];
	const stack_t new = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&new, NULL);
	set_handler(SIGSEGV, catch_overflow, SA_ONSTACK);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(after_overflow, 1))
			recurse(0);
	return overflows == 3 ? 0 : 1;
}

/* One without ends: its handler has no place to run. */
static int die_of_overflow(void)
{
	set_handler(SIGSEGV, catch_overflow, 0);
	if (!sigsetjmp(after_overflow, 1))
		recurse(0);
	return 0;
}

static void reenter(int sig)
{
	raise(sig);
}

/* Nor does an alternate stack grow below its end. */
static int overflow_alternate(void)
{
	char *stack =
	    mmap(NULL, 3 * SIGSTKSZ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t new = {.ss_sp = stack + SIGSTKSZ, .ss_size = SIGSTKSZ};
	struct sigaction act = {.sa_handler = reenter, .sa_flags = SA_ONSTACK | SA_NODEFER};

	sigaltstack(&new, NULL);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	return 0;
}

TEST(signal_stack_overflow)
{
	int status;

	EXPECT_EQ(join_child(start_child(survive_overflow)), 0);
	EXPECT(waitpid(start_child(die_of_overflow), &status, 0) > 0);
	EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	EXPECT(waitpid(start_child(overflow_alternate), &status, 0) > 0);
	EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

/* --- Chains --- */

static noinline void sleep_in_handler(int sig)
{
	(void)sig;
	usleep(1000);
	AFTER_CALL();
}

static noinline void trap_here(void)
{
	raise(SIGUSR1);
	AFTER_CALL();
}

/* The chain of a sample in a handler goes on through the frame to what was interrupted. */
TEST(c03_chain_through_signal_frame)
{
	static const char *const inside[] = {"sleep_in_handler", "signal_return", NULL};
	static const char *const outside[] = {"raise", "trap_here", __func__, "main", NULL};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	bool found_inside = false, found_outside = false;
	static struct recorder recorder;
	static struct record record;
	struct sample s;

	signal(SIGUSR1, sleep_in_handler);
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	trap_here();
	if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s))) {
		for (uint64_t i = chain_after(&s, PERF_CONTEXT_USER); i < s.nr; i++) {
			found_inside |= chain_has(&s, i, inside);
			found_outside |= chain_has(&s, i, outside);
		}
		if (!EXPECT(found_inside) || !EXPECT(found_outside))
			chain_print(&s);
	}
	recorder_close(&recorder);
	signal(SIGUSR1, SIG_DFL);
}
