/* SPDX-License-Identifier: MIT */
/* What becomes of a process of several threads: its end by any of them, exec, fork, signals. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

static volatile int counter;
static int ends[2];

static void *count_for_ever(void *arg)
{
	for (;;) {
		counter++;
		sched_yield();
	}
	return arg;
}

static void *sleep_for_ever(void *arg)
{
	char c;

	return read(ends[0], &c, 1) ? arg : NULL;
}

/* One thread that computes, one that sleeps in the kernel. */
static void start_others(void)
{
	pthread_t thread;

	counter = 0;
	if (pipe(ends) || pthread_create(&thread, NULL, count_for_ever, NULL) ||
	    pthread_create(&thread, NULL, sleep_for_ever, NULL))
		_exit(90);
	while (counter < 3)
		sched_yield();
}

static void *call(void *function)
{
	((void (*)(void))function)();
	return NULL;
}

/* Runs @function in a thread that is not the first, and waits for ever. */
static void in_thread(void (*function)(void))
{
	pthread_t thread;

	start_others();
	pthread_create(&thread, NULL, call, function);
	pthread_join(thread, NULL);
	_exit(91);
}

/* --- Ends --- */

static void exit_7(void)
{
	_exit(7);
}

static void main_exits(void)
{
	start_others();
	_exit(8);
}

static void thread_exits(void)
{
	in_thread(exit_7);
}

static void crash(void)
{
	(void)*(volatile char *)bad_pointer;
}

static void thread_crashes(void)
{
	in_thread(crash);
}

TEST(thread_exit_ends_all)
{
	EXPECT_EQ(in_child(main_exits), 8 << 8);
	EXPECT_EQ(in_child(thread_exits), 7 << 8);
	EXPECT_EQ(WTERMSIG(in_child(thread_crashes)), SIGSEGV);
}

static void *end_later(void *arg)
{
	for (int i = 0; i < 5; i++)
		sched_yield();
	counter = 5;
	return arg;
}

static void write_at_exit(void)
{
	char c = counter;

	_exit(write(ends[1], &c, 1) == 1 ? 0 : 92);
}

static void main_thread_leaves(void)
{
	pthread_t thread;

	counter = 0;
	atexit(write_at_exit);
	pthread_create(&thread, NULL, end_later, NULL);
	pthread_exit(NULL);
}

/* The first thread may go; the last one ends the process as exit(0) would. */
TEST(thread_last_one_exits)
{
	char c = 0;

	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(in_child(main_thread_leaves), 0);
	EXPECT_EQ(read(ends[0], &c, 1), 1);
	EXPECT_EQ(c, 5);
	close(ends[0]);
	close(ends[1]);
}

static void leave_by_number(void)
{
	syscall(SYS_thread_exit, 33);
}

TEST(thread_status_of_the_last_one)
{
	EXPECT_EQ(in_child(leave_by_number), 33 << 8);
}

/* Is waited for until the last thread is gone, by its number that is the first one's. */
TEST(thread_zombie_leader_is_no_zombie_process)
{
	int status;
	pid_t pid;
	char c;

	EXPECT_EQ(pipe(ends), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		pthread_t thread;

		close(ends[1]);
		pthread_create(&thread, NULL, sleep_for_ever, NULL);
		syscall(SYS_thread_exit, 0);
	}
	close(ends[0]);
	for (int i = 0; i < 20; i++)
		sched_yield();
	EXPECT_EQ(waitpid(pid, &status, WNOHANG), 0);
	EXPECT_EQ(kill(pid, 0), 0);
	c = 1;
	EXPECT_EQ(write(ends[1], &c, 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	close(ends[1]);
}

TEST(thread_kill_ends_all)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		start_others();
		pthread_exit(NULL); /* the first thread is gone when the signal comes */
	}
	for (int i = 0; i < 20; i++)
		sched_yield();
	EXPECT_EQ(kill(pid, SIGKILL), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* --- exec --- */

static void exec_self(void)
{
	/* Which execs once more. */
	execl("/bin/setpriv", "setpriv", "--reuid", "0", "/bin/exits", "42", NULL);
	_exit(93);
}

static void exec_in_thread(void)
{
	in_thread(exec_self);
}

static void exec_in_main(void)
{
	start_others();
	exec_self();
}

static void exec_nothing(void)
{
	int before;

	if (execl("/bin/no-such-program", "x", NULL) != -1 || errno != ENOENT)
		_exit(94);
	/* The others are still there. */
	before = counter;
	for (int i = 0; i < 10; i++)
		sched_yield();
	_exit(counter > before ? 5 : 95);
}

static void failed_exec_in_thread(void)
{
	in_thread(exec_nothing);
}

TEST(thread_exec)
{
	EXPECT_EQ(WEXITSTATUS(in_child(exec_in_main)), 42);
	EXPECT_EQ(WEXITSTATUS(in_child(exec_in_thread)), 42);
	EXPECT_EQ(WEXITSTATUS(in_child(failed_exec_in_thread)), 5);
}

static void *exec_at_once(void *arg)
{
	execl("/bin/exits", "exits", (char *)arg, NULL);
	return NULL;
}

static void many_exec(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, exec_at_once, "17");
	exec_at_once("17");
}

/* One of them wins, the others are gone. */
TEST(thread_exec_race)
{
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(in_child(many_exec), 17 << 8);
}

/* An exec by a thread that is not the first one gets the first one's number. */
TEST(thread_exec_takes_the_number)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		exec_in_thread();
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WEXITSTATUS(status), 42);
	EXPECT_ERRNO(waitpid(pid, &status, 0), ECHILD);
}

/* --- fork --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent, in_forked;

static void prepare(void)
{
	prepared++;
	pthread_mutex_lock(&mutex);
}

static void parent(void)
{
	in_parent++;
	pthread_mutex_unlock(&mutex);
}

static void child(void)
{
	in_forked++;
	pthread_mutex_unlock(&mutex);
}

static void *set_counter(void *arg)
{
	pthread_mutex_lock(&mutex);
	counter = 1000;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* In the child: is the caller alone, and can it make threads? */
static void check_forked(void)
{
	int before = counter;
	pthread_t thread;

	for (int i = 0; i < 10; i++)
		sched_yield();
	if (counter != before || syscall(SYS_gettid) != getpid() || !in_forked || in_parent)
		_exit(1);
	if (pthread_create(&thread, NULL, set_counter, NULL) || pthread_join(thread, NULL))
		_exit(2);
	free(malloc(100));
	_exit(counter == 1000 ? 0 : 3);
}

static void fork_in_thread(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		check_forked();
	if (waitpid(pid, &status, 0) != pid || status || !in_parent || in_forked || !prepared)
		_exit(96);
	_exit(0);
}

static void forks_in_thread(void)
{
	pthread_atfork(prepare, parent, child);
	in_thread(fork_in_thread);
}

TEST(thread_fork_copies_the_caller_alone)
{
	EXPECT_EQ(in_child(forks_in_thread), 0);
}

static void *end_at_once(void *arg)
{
	return arg;
}

/* One that would wait for a thread that it does not have is ended by its alarm. */
static bool forked_can_make_threads(void)
{
	pthread_t thread;
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(1);
		_exit(pthread_create(&thread, NULL, end_at_once, NULL) ||
		      pthread_join(thread, NULL));
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Forks at each place of another thread's end, which gives back its stack by itself. */
static void fork_while_threads_end(void)
{
	const struct sched_param param = {.sched_priority = 1};
	pthread_attr_t attr;
	pthread_t thread;

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	for (long ns = 0; ns < 12000; ns += 40) {
		if (pthread_create(&thread, &attr, end_at_once, NULL))
			_exit(2);
		nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
		if (!forked_can_make_threads())
			_exit(3);
	}
}

TEST(thread_fork_while_others_end)
{
	EXPECT_EQ(in_child(fork_while_threads_end), 0);
}

static void *hold_file(void *file)
{
	flockfile(file);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	funlockfile(file);
	return NULL;
}

/* The thread that holds the file is not in the forked process, its own lock is. */
static void fork_while_file_is_held(void)
{
	FILE *theirs = fopen("/theirs", "w"), *ours = fopen("/ours", "w");
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, hold_file, theirs);
	sched_yield();
	flockfile(ours);
	pid = fork();
	if (!pid) {
		alarm(1);
		fputc('x', ours);
		funlockfile(ours);
		_exit(fputc('x', theirs) != 'x' || fclose(theirs) || fclose(ours));
	}
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(1);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	_exit(fclose(theirs) || fclose(ours) || unlink("/theirs") || unlink("/ours"));
}

TEST(thread_fork_while_a_file_is_held)
{
	EXPECT_EQ(in_child(fork_while_file_is_held), 0);
}

/* --- Memory --- */

static void *idle(void *arg)
{
	return arg;
}

static void many_threads(void)
{
	pthread_t thread;
	int n = 0, err;

	if (pipe(ends))
		_exit(1);
	while (!(err = pthread_create(&thread, NULL, sleep_for_ever, NULL)))
		n++;
	if (err != EAGAIN || n < 20)
		_exit(2);
	/* When they have gone there is room again. */
	close(ends[1]);
	while (pthread_create(&thread, NULL, idle, NULL))
		sched_yield();
	pthread_join(thread, NULL);
	_exit(0);
}

TEST(thread_create_until_refused)
{
	long before, after;

	if (free_memory_kb() > 512 * 1024) {
		ktap_skip("with so much memory there are too many of them for a short test");
		return;
	}
	in_child(many_threads); /* page tables for as many stacks as there ever were are kept */
	before = free_memory_kb();
	EXPECT_EQ(in_child(many_threads), 0);
	after = free_memory_kb();
	/* Of what the first ones left a page may have been given back meanwhile. */
	EXPECT(after >= before);
}

static void create_and_join(void)
{
	pthread_t thread;
	long before = 0;

	for (int i = 0; i < 200; i++) {
		if (i == 20)
			before = free_memory_kb();
		if (pthread_create(&thread, NULL, idle, NULL))
			_exit(1);
		if (i % 3)
			pthread_join(thread, NULL);
		else
			pthread_detach(thread);
		if (i % 16 == 0)
			sched_yield();
	}
	for (int i = 0; i < 20; i++)
		sched_yield();
	/* A few stacks are kept for the next threads. */
	_exit(before - free_memory_kb() > 64 ? 2 : 0);
}

TEST(thread_memory_returns)
{
	EXPECT_EQ(in_child(create_and_join), 0);
}

/* --- Who has ended has no number --- */

static void *give_number(void *number)
{
	*(pid_t *)number = syscall(SYS_gettid);
	return NULL;
}

static bool is_nobody(pid_t tid)
{
	return tgkill(getpid(), tid, 0) == -1 && errno == ESRCH;
}

/* SIGKILL by the number of a thread would be the end of all. */
static void signal_the_joined(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	pthread_t thread;
	timer_t timer;
	pid_t number;

	if (pthread_create(&thread, NULL, give_number, &number) || pthread_join(thread, NULL))
		_exit(1);
	if (!is_nobody(number))
		_exit(2);
	if (!tgkill(getpid(), number, SIGKILL) || errno != ESRCH)
		_exit(3);
	if (!kill(number, SIGKILL) || errno != ESRCH)
		_exit(4);
	event.sigev_notify_thread_id = number;
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer) || errno != EINVAL)
		_exit(5);
	_exit(0);
}

static void *signal_the_leader(void *arg)
{
	for (int i = 0; !is_nobody(getpid()); i++) {
		if (i == 1000)
			_exit(1);
		sched_yield();
	}
	if (!tgkill(getpid(), getpid(), SIGKILL) || errno != ESRCH)
		_exit(2);
	/* Its number is still the process's. */
	if (kill(getpid(), 0))
		_exit(3);
	kill(getpid(), SIGTERM);
	return arg;
}

static void leave_another(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, signal_the_leader, NULL))
		_exit(90);
	pthread_exit(NULL);
}

TEST(thread_ended_takes_no_signal)
{
	EXPECT_EQ(in_child(signal_the_joined), 0);
	EXPECT_EQ(in_child(leave_another), SIGTERM);
}
