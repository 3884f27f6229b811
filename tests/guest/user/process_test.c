/* SPDX-License-Identifier: MIT */
/* Processes: exit and wait, exec, memory of their own, and what becomes of wrong ones. */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

static volatile int shared_word = 1;

static void exit_with_7(void)
{
	_exit(7);
}

TEST(process_exit_status)
{
	int status = in_child(exit_with_7);

	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 7);
}

static void write_word(void)
{
	shared_word = 2;
	_exit(shared_word);
}

TEST(process_memory_is_its_own)
{
	EXPECT_EQ(WEXITSTATUS(in_child(write_word)), 2);
	EXPECT_EQ(shared_word, 1);
}

TEST(process_wait_without_child)
{
	EXPECT_ERRNO(waitpid(-1, NULL, 0), ECHILD);
	EXPECT_ERRNO(waitpid(1, NULL, 0), ECHILD);
}

TEST(process_wait_nohang)
{
	int ends[2], status;
	pid_t child;
	char c;

	EXPECT_EQ(pipe(ends), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &c, 1) != 0);
	}
	EXPECT_EQ(waitpid(child, &status, WNOHANG), 0);
	close(ends[1]);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	close(ends[0]);
}

TEST(process_wait_bad_pointer)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(0);
	EXPECT_ERRNO(waitpid(child, bad_pointer, 0), EFAULT);
	/* Whether it was reaped by the failed call or not, nothing is left afterwards. */
	waitpid(child, NULL, 0);
	EXPECT_ERRNO(waitpid(child, NULL, 0), ECHILD);
}

TEST(process_exec_errors)
{
	char *const argv[] = {"x", NULL};
	char *const empty[] = {NULL};
	char *bad[] = {bad_pointer, NULL};
	static char big[16384];
	char *huge[] = {big, NULL};

	memset(big, 'x', sizeof(big) - 1);
	EXPECT_ERRNO(execve("/bin/no-such-program", argv, empty), ENOENT);
	EXPECT_ERRNO(execve("/bin", argv, empty), EACCES);
	EXPECT_ERRNO(execve(bad_pointer, argv, empty), EFAULT);
	EXPECT_ERRNO(execve("/bin/hello", bad_pointer, empty), EFAULT);
	EXPECT_ERRNO(execve("/bin/hello", bad, empty), EFAULT);
	EXPECT_ERRNO(execve("/bin/hello", huge, empty), E2BIG);
	EXPECT_ERRNO(execve("/dev/null", argv, empty), EACCES);
	EXPECT_ERRNO(execve("/proc/meminfo", argv, empty), EACCES);
}

static void exec_exits(void)
{
	char *const argv[] = {"exits", "42", NULL};
	char *const empty[] = {NULL};

	execve("/bin/exits", argv, empty);
	_exit(1);
}

TEST(process_exec)
{
	EXPECT_EQ(WEXITSTATUS(in_child(exec_exits)), 42);
}

static void read_null(void)
{
	(void)*(volatile char *)bad_pointer;
}

static void write_code(void)
{
	*(volatile char *)(uintptr_t)write_code = 0;
}

static void run_data(void)
{
	static unsigned char code[] = {0xc3};

	((void (*)(void))(uintptr_t)code)();
}

static void touch_kernel(void)
{
	(void)*(volatile char *)(uintptr_t)-4096L;
}

static void run_kernel(void)
{
	((void (*)(void))(uintptr_t)-4096L)();
}

static int recurse(int n)
{
	volatile char frame[1024];

	frame[0] = n;
	return n < 0 ? 0 : recurse(n + 1) + frame[0];
}

static void overflow_stack(void)
{
	recurse(0); /* 1 KiB a level: ends at the guard page long before n < 0 */
}

TEST(process_wrong_access_is_fatal)
{
	static void (*const wrong[])(void) = {read_null,    write_code, run_data,
					      touch_kernel, run_kernel, overflow_stack};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int status = in_child(wrong[i]);

		EXPECT(WIFSIGNALED(status));
		EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	}
}

static void divide(void)
{
#ifdef __x86_64__
	/* In assembly, for to the compiler this is undefined. */
	__asm__ volatile("xorl %%edx, %%edx; xorl %%ecx, %%ecx; divl %%ecx" ::
			     : "eax", "ecx", "edx");
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

TEST(process_exceptions_are_fatal)
{
#ifdef __x86_64__
	EXPECT_EQ(WTERMSIG(in_child(divide)), SIGFPE);
#else
	(void)divide;
#endif
	EXPECT_EQ(WTERMSIG(in_child(undefined)), SIGILL);
}

static void spin(void)
{
	for (;;)
		;
}

TEST(process_kill)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		spin();
	EXPECT_EQ(kill(child, 0), 0);
	EXPECT_EQ(kill(child, SIGKILL), 0);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(WTERMSIG(status), SIGKILL);
	EXPECT_ERRNO(kill(child, SIGKILL), ESRCH);
	EXPECT_ERRNO(kill(1, 99), EINVAL);
}

/* A sleeper is ended at once. */
TEST(process_kill_sleeping)
{
	int ends[2], status;
	pid_t child;
	char c;

	EXPECT_EQ(pipe(ends), 0);
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(read(ends[0], &c, 1));
	for (int i = 0; i < 5; i++)
		sched_yield();
	kill(child, SIGTERM);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(WTERMSIG(status), SIGTERM);
	close(ends[0]);
	close(ends[1]);
}

/* Floating-point registers belong to the task: two that compute see nothing of each other. */
TEST(process_floating_point_is_its_own)
{
	volatile double sum = 0;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		double product = 1;

		for (int i = 0; i < 1000; i++) {
			product *= 1.001;
			if (!(i % 100))
				sched_yield();
		}
		_exit(fabs(product - pow(1.001, 1000)) > 1e-9);
	}
	for (int i = 0; i < 1000; i++) {
		sum += 0.5;
		if (!(i % 100))
			sched_yield();
	}
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT(sum == 500);
}

TEST(process_memory_limits)
{
	size_t huge = PTRDIFF_MAX - 4095; /* no address space has as much to spare */

	EXPECT(mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, ENOMEM);
	EXPECT_ERRNO((long)sbrk(huge), ENOMEM);
	EXPECT(!malloc(huge));
	EXPECT_ERRNO(munmap((void *)1, 4096), EINVAL);
	EXPECT((long)mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1);
	EXPECT_EQ(errno, EINVAL);
}

static void use_up_memory(void)
{
	for (;;) {
		char *p =
		    mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			_exit(errno == ENOMEM ? 0 : 1);
		for (size_t i = 0; i < 1 << 20; i += 4096)
			p[i] = 1;
	}
}

/* A program that takes all memory ends; what it had is free again and the others go on. */
TEST(process_out_of_memory_leaks_nothing)
{
	long before, after;
	int status;

	in_child(use_up_memory);
	before = free_memory_kb();
	status = in_child(use_up_memory);
	EXPECT(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	after = free_memory_kb();
	EXPECT(before > 0);
	EXPECT_EQ(after, before);
}

static void fork_all(void)
{
	int ends[2], n = 0;
	pid_t pid;
	char c;

	if (pipe(ends) < 0)
		_exit(1);
	while ((pid = fork()) > 0)
		n++;
	if (!pid)
		_exit(read(ends[0], &c, 1)); /* nothing ever comes */
	/* Refused as documented, after more than a handful. */
	if ((errno != EAGAIN && errno != ENOMEM) || n < 10)
		_exit(1);
	for (pid = 2; n && pid < 32768; pid++)
		if (pid != getpid() && pid > getpid() && !kill(pid, SIGKILL))
			n--;
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(0);
}

TEST(process_fork_until_refused)
{
	long before, after;
	int status;

	in_child(fork_all); /* the kernel keeps page tables for as many stacks as there ever were */
	before = free_memory_kb();
	status = in_child(fork_all);
	EXPECT_EQ(status, 0);
	after = free_memory_kb();
	EXPECT_EQ(after, before);
}

TEST(process_commands_of_the_shell)
{
	char line[32] = "";
	FILE *f;

	EXPECT_EQ(system(NULL), 1);
	EXPECT_EQ(system("exit 7"), 7 << 8);
	EXPECT_EQ(system("kill -KILL $$"), SIGKILL);
	f = popen("echo from | cat", "r");
	if (EXPECT(f)) {
		EXPECT(fgets(line, sizeof(line), f));
		EXPECT_STR(line, "from\n");
		EXPECT_EQ(pclose(f), 0);
	}
	f = popen("cat > /tmp/popen; exit 3", "w");
	if (EXPECT(f)) {
		EXPECT(fputs("to\n", f) >= 0);
		EXPECT_EQ(pclose(f), 3 << 8);
	}
	f = fopen("/tmp/popen", "r");
	if (EXPECT(f)) {
		EXPECT(fgets(line, sizeof(line), f));
		EXPECT_STR(line, "to\n");
		fclose(f);
	}
	EXPECT(!popen("true", "x"));
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(remove("/tmp/popen"), 0);
}
