/* SPDX-License-Identifier: MIT */
/* Signals: what they do by default, who may send them to whom, and what faults tell. */
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

static int chosen;

static int raise_chosen(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	setpgid(0, 0); /* not an orphaned group: init is not in it */
	raise(chosen);
	return 77;
}

static bool is_in(int sig, const int *set)
{
	for (; *set; set++)
		if (*set == sig)
			return true;
	return false;
}

/* Every signal by its default action, as signal(7) has them. */
TEST(signal_default_actions)
{
	static const int ignored[] = {SIGURG, SIGCONT, SIGCHLD, SIGWINCH, 0};
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, 0};

	for (chosen = 1; chosen < NSIG; chosen++) {
		pid_t pid = start_child(raise_chosen);
		int status = 0;

		EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
		if (is_in(chosen, ignored)) {
			EXPECT_EQ(WEXITSTATUS(status), 77);
			continue;
		}
		if (!is_in(chosen, stops)) {
			EXPECT(WIFSIGNALED(status));
			EXPECT_EQ(WTERMSIG(status), chosen);
			continue;
		}
		EXPECT(WIFSTOPPED(status));
		EXPECT_EQ(WSTOPSIG(status), chosen);
		EXPECT_EQ(kill(pid, SIGCONT), 0);
		EXPECT_EQ(join_child(pid), 77);
	}
}

static void return_at_once(int sig)
{
	(void)sig;
}

static int abort_with_handler(void)
{
	block(SIGABRT);
	signal(SIGABRT, return_at_once);
	abort();
}

static int abort_ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	abort();
}

TEST(signal_abort_cannot_be_survived)
{
	int status;

	EXPECT_EQ(waitpid(start_child(abort_with_handler), &status, 0) > 0, 1);
	EXPECT_EQ(WTERMSIG(status), SIGABRT);
	EXPECT_EQ(waitpid(start_child(abort_ignored), &status, 0) > 0, 1);
	EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

static int write_to_nobody(void)
{
	int ends[2];

	if (pipe(ends) || close(ends[0]))
		return 1;
	write(ends[1], "x", 1);
	return 2;
}

TEST(signal_broken_pipe)
{
	int ends[2], status;

	EXPECT(waitpid(start_child(write_to_nobody), &status, 0) > 0);
	EXPECT_EQ(WTERMSIG(status), SIGPIPE);
	note(SIGPIPE, 0);
	EXPECT_EQ(pipe(ends), 0);
	close(ends[0]);
	EXPECT_ERRNO(write(ends[1], "x", 1), EPIPE);
	EXPECT_EQ(noted.count, 1);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
}

TEST(signal_kill_errors)
{
	EXPECT_ERRNO(kill(getpid(), -1), EINVAL);
	EXPECT_ERRNO(kill(getpid(), NSIG), EINVAL);
	EXPECT_ERRNO(kill(32000, SIGUSR1), ESRCH);
	EXPECT_ERRNO(kill(-32000, SIGUSR1), ESRCH);
	EXPECT_ERRNO(kill(-2147483647 - 1, SIGUSR1), ESRCH);
	EXPECT_ERRNO(killpg(-5, SIGUSR1), EINVAL);
	EXPECT_EQ(kill(getpid(), 0), 0);
	EXPECT_EQ(kill(0, 0), 0);
	/* Kernel threads take none. */
	EXPECT_ERRNO(kill(2, SIGTERM), EPERM);
	EXPECT_ERRNO(tgkill(0, getpid(), SIGUSR1), EINVAL);
	EXPECT_ERRNO(tgkill(getpid(), 0, SIGUSR1), EINVAL);
	EXPECT_ERRNO(tgkill(getpid(), 1, SIGUSR1), ESRCH); /* another's thread */
	EXPECT_ERRNO(tgkill(getpid(), getpid(), NSIG), EINVAL);
	EXPECT_EQ(tgkill(getpid(), getpid(), 0), 0);
	EXPECT_ERRNO(sigqueue(0, SIGUSR1, (union sigval){0}), EINVAL);
	EXPECT_ERRNO(sigqueue(getpid(), NSIG, (union sigval){0}), EINVAL);
	EXPECT_ERRNO(sigqueue(32000, SIGUSR1, (union sigval){0}), ESRCH);
}

/* Nobody else can end the machine by ending init, by no signal and on no way. */
TEST(signal_init_is_safe)
{
	static const int sigs[] = {SIGKILL, SIGSTOP, SIGTERM, SIGSEGV, SIGTSTP, SIGRTMIN};

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		EXPECT_ERRNO(kill(1, sigs[i]), EPERM);
	EXPECT_EQ(kill(1, SIGCHLD), 0); /* which it ignores */
	EXPECT_EQ(kill(1, 0), 0);
}

static int pid_of_other;

static int kill_unprivileged(void)
{
	if (setuid(1000))
		return 1;
	if (kill(pid_of_other, SIGTERM) != -1 || errno != EPERM)
		return 2;
	if (kill(pid_of_other, 0) != -1 || errno != EPERM)
		return 3;
	if (sigqueue(pid_of_other, SIGTERM, (union sigval){0}) != -1 || errno != EPERM)
		return 4;
	/* In one session everybody may let everybody go on. */
	if (kill(pid_of_other, SIGCONT))
		return 5;
	return 0;
}

static int sleep_long(void)
{
	return sleep(1000);
}

TEST(signal_kill_needs_permission)
{
	int status;

	pid_of_other = start_child(sleep_long);
	EXPECT_EQ(join_child(start_child(kill_unprivileged)), 0);
	EXPECT_EQ(kill(pid_of_other, SIGKILL), 0);
	EXPECT_EQ(waitpid(pid_of_other, &status, 0), pid_of_other);
	EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

/* --- Faults --- */

static sigjmp_buf after_fault;

static void catch_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	noted.info = *info;
	siglongjmp(after_fault, 1);
}

static void divide(void)
{
#ifdef __x86_64__
	__asm__ volatile("xorl %%edx, %%edx; xorl %%ecx, %%ecx; divl %%ecx" ::
			     : "eax", "ecx", "edx");
#endif
}

static void divide_floats(void)
{
#ifdef __x86_64__
	unsigned short control = 0x37f & ~4; /* division by zero is not masked */

	/* By the x87 FPU, since emulators do not trap for SSE. */
	__asm__ volatile("fldcw %0; fld1; fldz; fdivrp; fwait" ::"m"(control));
#endif
}

static void breakpoint(void)
{
#ifdef __x86_64__
	__asm__ volatile("int3");
#elif defined(__aarch64__)
	__asm__ volatile("brk #0");
#else
	__asm__ volatile("bkpt #0");
#endif
}

/* One step: the instruction behind the one that sets the flag traps when it is done. */
static void single_step(void)
{
#ifdef __x86_64__
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop" ::: "memory", "cc");
#endif
}

static void undefined(void)
{
#ifdef __aarch64__
	__asm__ volatile("udf #0"); /* the compiler's is a breakpoint */
#else
	__builtin_trap();
#endif
}

static char *page;

static void write_page(void)
{
	*(volatile char *)page = 1;
}

static void run_page(void)
{
	((void (*)(void))(uintptr_t)page)();
}

static void read_nothing(void)
{
	(void)*(volatile char *)bad_pointer;
}

static void read_kernel(void)
{
	(void)*(volatile char *)(uintptr_t)-4096L;
}

static void expect_fault(void (*what)(void), int sig, int code, const void *addr)
{
	struct sigaction act = {.sa_sigaction = catch_fault, .sa_flags = SA_SIGINFO};

	noted.info = (siginfo_t){0};
	sigaction(sig, &act, NULL);
	if (!sigsetjmp(after_fault, 1)) {
		what();
		EXPECT(!"a fault");
	}
	EXPECT_EQ(noted.info.si_signo, sig);
	EXPECT_EQ(noted.info.si_code, code);
	if (addr)
		EXPECT_EQ((uintptr_t)noted.info.si_addr, (uintptr_t)addr);
	signal(sig, SIG_DFL);
}

TEST(signal_faults_tell_what_and_where)
{
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect_fault(write_page, SIGSEGV, SEGV_ACCERR, page);
	expect_fault(run_page, SIGSEGV, SEGV_ACCERR, page);
	munmap(page, 4096);
	expect_fault(write_page, SIGSEGV, SEGV_MAPERR, page);
	expect_fault(run_page, SIGSEGV, SEGV_MAPERR, page);
	expect_fault(read_nothing, SIGSEGV, SEGV_MAPERR, bad_pointer);
	expect_fault(read_kernel, SIGSEGV, SEGV_MAPERR, (void *)-4096L);
	expect_fault(undefined, SIGILL, ILL_ILLOPC, NULL);
	expect_fault(breakpoint, SIGTRAP, TRAP_BRKPT, NULL);
#ifdef __x86_64__
	expect_fault(divide, SIGFPE, FPE_INTDIV, NULL);
	expect_fault(divide_floats, SIGFPE, FPE_FLTDIV, NULL);
	expect_fault(single_step, SIGTRAP, TRAP_TRACE, NULL);
#else
	(void)divide, (void)divide_floats, (void)single_step;
#endif
}

/* Whoever does not want to hear of a fault ends by it. */
static int fault_blocked(void)
{
	note(SIGSEGV, 0);
	block(SIGSEGV);
	read_nothing();
	return 1;
}

static int fault_ignored(void)
{
	signal(SIGILL, SIG_IGN);
	undefined();
	return 1;
}

TEST(signal_faults_cannot_be_blocked)
{
	int status;

	EXPECT(waitpid(start_child(fault_blocked), &status, 0) > 0);
	EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	EXPECT(waitpid(start_child(fault_ignored), &status, 0) > 0);
	EXPECT_EQ(WTERMSIG(status), SIGILL);
}
