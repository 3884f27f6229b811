/* SPDX-License-Identifier: MIT */
/*
 * Breakpoint events with sigtrap: each hit is told by a signal before the program goes on, of all
 * that one instruction has struck; and programs that block the signal, ignore it, or do neither.
 */
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#ifdef __x86_64__
#define CONTEXT_IP(uc) (uc)->uc_mcontext.gregs[REG_RIP]
#elif defined(__aarch64__)
#define CONTEXT_IP(uc) (uc)->uc_mcontext.pc
#else
#define CONTEXT_IP(uc) (uc)->uc_mcontext.arm_pc
#endif

static volatile uint32_t data;

static struct perf_event_attr trapping(uint32_t type, volatile const void *addr, uint64_t len)
{
	return (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(struct perf_event_attr),
					.bp_type = type,
					.bp_addr = (uintptr_t)addr,
					.bp_len = len,
					.sample_period = 1,
					.exclude_kernel = 1,
					.remove_on_exec = 1,
					.sigtrap = 1,
					.sig_data = 0x123456789abcdefULL};
}

/* Writes to the first of the data trap, with @sig_data; -1: this machine has no breakpoints. */
static int trap_writes(uint64_t sig_data)
{
	struct perf_event_attr attr = trapping(HW_BREAKPOINT_W, &data, 4);
	int fd;

	attr.sig_data = sig_data;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (fd < 0 && errno == EOPNOTSUPP)
		ktap_skip("this machine has no breakpoints");
	else
		EXPECT(fd >= 0);
	return fd;
}

#define TOLD_MAX 8
static volatile unsigned traps;
static struct {
	siginfo_t info;
	uintptr_t ip;
} told[TOLD_MAX]; /* by the order in which their handlers ended */

static void on_trap(int signal, siginfo_t *info, void *context)
{
	unsigned i = traps++ % TOLD_MAX;

	(void)signal;
	told[i].info = *info;
	told[i].ip = CONTEXT_IP((const ucontext_t *)context);
}

static void catch_traps(int flags)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | flags};

	EXPECT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	traps = 0;
}

static void block_traps(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	EXPECT_EQ(sigprocmask(how, &set, NULL), 0);
}

static __attribute__((noinline)) void store(uint32_t value)
{
	data = value;
}

static __attribute__((noinline)) void be_called(void)
{
	__asm__ volatile("");
}

TEST(sigtrap_tells_of_each_hit)
{
	int fd = trap_writes(42);

	if (fd < 0)
		return;
	catch_traps(0);
	for (unsigned i = 1; i <= 100; i++) {
		store(i);
		if (!EXPECT_EQ(traps, i))
			break;
	}
	EXPECT_EQ(told[0].info.si_signo, SIGTRAP);
	EXPECT_EQ(told[0].info.si_code, TRAP_PERF);
	EXPECT_EQ((uintptr_t)told[0].info.si_addr, (uintptr_t)&data);
	EXPECT_EQ(told[0].info.si_perf_type, PERF_TYPE_BREAKPOINT);
	EXPECT_EQ(told[0].info.si_perf_data, 42);
	EXPECT_EQ(told[0].info.si_perf_flags, 0);
	close(fd);
	store(0);
	EXPECT_EQ(traps, 100);
	signal(SIGTRAP, SIG_DFL);
}

/* One handler run a hit: what it came before is executed then. */
TEST(sigtrap_of_an_instruction)
{
	struct perf_event_attr attr = trapping(HW_BREAKPOINT_X, be_called, sizeof(long));
	int fd = perf_event_open(&attr, 0, -1, -1, 0);

	if (fd < 0 && errno == EOPNOTSUPP) {
		ktap_skip("this machine has no breakpoints");
		return;
	}
	EXPECT(fd >= 0);
	catch_traps(0);
	for (unsigned i = 0; i < 100; i++)
		be_called();
	EXPECT_EQ(traps, 100);
	EXPECT_EQ((uintptr_t)told[0].info.si_addr, (uintptr_t)be_called);
	close(fd);
	signal(SIGTRAP, SIG_DFL);
}

/* --- Several at once --- */

/* By one instruction: each is told, in order, at the same place. */
TEST(sigtrap_of_several_events)
{
	int fd[3];

	for (unsigned i = 0; i < 3; i++) {
		fd[i] = trap_writes(i);
		if (fd[i] < 0)
			return;
	}
	catch_traps(0);
	for (unsigned n = 1; n <= 10; n++) {
		traps = 0;
		store(n);
		EXPECT_EQ(traps, 3);
		for (unsigned i = 0; i < 3; i++) {
			EXPECT_EQ(told[i].info.si_perf_data, i);
			EXPECT_EQ(told[i].info.si_perf_flags, 0);
			EXPECT_EQ(told[i].ip, told[0].ip);
		}
	}
	/* Others are told of still. */
	close(fd[1]);
	traps = 0;
	store(0);
	EXPECT_EQ(traps, 2);
	EXPECT_EQ(told[0].info.si_perf_data, 0);
	EXPECT_EQ(told[1].info.si_perf_data, 2);
	close(fd[0]);
	close(fd[2]);
	signal(SIGTRAP, SIG_DFL);
}

/* The next one's handler begins before the first one's does. */
TEST(sigtrap_of_several_events_nests)
{
	int fd[] = {trap_writes(0), trap_writes(1)};

	if (fd[0] < 0)
		return;
	catch_traps(SA_NODEFER);
	store(1);
	EXPECT_EQ(traps, 2);
	EXPECT_EQ(told[0].info.si_perf_data, 1);
	EXPECT_EQ(told[1].info.si_perf_data, 0);
	EXPECT_EQ(told[0].ip, (uintptr_t)on_trap);
	close(fd[0]);
	close(fd[1]);
	signal(SIGTRAP, SIG_DFL);
}

/* --- What the program thinks of it --- */

/* It waits, one for all, and says that the program has gone on. */
TEST(sigtrap_that_is_blocked)
{
	int fd[] = {trap_writes(0), trap_writes(1)};
	sigset_t pending;

	if (fd[0] < 0)
		return;
	catch_traps(0);
	block_traps(SIG_BLOCK);
	for (unsigned i = 0; i < 3; i++)
		store(i);
	EXPECT_EQ(traps, 0);
	EXPECT_EQ(sigpending(&pending), 0);
	EXPECT(sigismember(&pending, SIGTRAP));
	block_traps(SIG_UNBLOCK);
	EXPECT_EQ(traps, 1);
	EXPECT_EQ(told[0].info.si_code, TRAP_PERF);
	EXPECT_EQ(told[0].info.si_perf_data, 0);
	EXPECT_EQ(told[0].info.si_perf_flags, TRAP_PERF_FLAG_ASYNC);
	close(fd[0]);
	store(3);
	EXPECT_EQ(traps, 2);
	EXPECT_EQ(told[1].info.si_perf_flags, 0);
	close(fd[1]);
	signal(SIGTRAP, SIG_DFL);
}

TEST(sigtrap_that_is_waited_for)
{
	static const struct timespec at_once;
	int fd = trap_writes(7);
	siginfo_t info;
	sigset_t set;

	if (fd < 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	block_traps(SIG_BLOCK);
	store(1);
	EXPECT_EQ(sigtimedwait(&set, &info, &at_once), SIGTRAP);
	EXPECT_EQ(info.si_perf_data, 7);
	EXPECT_EQ(info.si_perf_flags, TRAP_PERF_FLAG_ASYNC);
	EXPECT_ERRNO(sigtimedwait(&set, &info, &at_once), EAGAIN);
	block_traps(SIG_UNBLOCK);
	close(fd);
}

TEST(sigtrap_that_is_ignored)
{
	int fd = trap_writes(0);

	if (fd < 0)
		return;
	signal(SIGTRAP, SIG_IGN);
	store(1);
	catch_traps(0);
	EXPECT_EQ(traps, 0);
	store(2);
	EXPECT_EQ(traps, 1);
	close(fd);
	signal(SIGTRAP, SIG_DFL);
}

TEST(sigtrap_that_is_not_handled_ends_the_process)
{
	int fd = trap_writes(0), status;
	pid_t pid;

	if (fd < 0)
		return;
	close(fd);
	pid = fork();
	if (!pid) {
		trap_writes(0);
		store(1);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), SIGTRAP);
}

TEST(sigtrap_refuses)
{
	struct perf_event_attr attr = trapping(HW_BREAKPOINT_W, &data, 4);
	int fd = trap_writes(0);

	if (fd < 0)
		return;
	close(fd);
	EXPECT_ERRNO(perf_event_open(&attr, -1, 0, -1, 0), EINVAL);
	attr.remove_on_exec = 0;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
	attr.remove_on_exec = 1;
	attr.sample_period = 0;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
	attr.sample_period = 1;
	attr.exclude_kernel = 0;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EOPNOTSUPP);
	attr.exclude_kernel = 1;
	attr.sigtrap = 0;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
}
