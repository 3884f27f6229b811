/* SPDX-License-Identifier: MIT */
/*
 * A storm of everything at once, by fixed seeds: a process with threads and a timer forks children
 * that exit, execute, start threads or storm themselves, and sends them and itself signals. Each
 * child is waited for once and ended as it may, no count is lost, and nothing is left.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define STEPS    200
#define CHILDREN 8
#define WORKERS  2
#define SEEDS    5

static unsigned state;

static unsigned next_random(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

/* --- Threads of the storm: what they count, they count under a lock --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long total;
static volatile bool stop;
static volatile sig_atomic_t alarms, heard;
static int told; /* how many of these to itself */

static void hear(int sig)
{
	if (sig == SIGALRM)
		alarms++;
	else
		heard++;
}

static void *work(void *arg)
{
	unsigned long *own = arg;

	while (!stop) {
		char *p = malloc(100 + *own % 5000);

		if (p)
			p[0] = 1;
		pthread_mutex_lock(&lock);
		total++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		(*own)++;
		free(p);
		if (!(*own % 16))
			sched_yield();
	}
	return NULL;
}

static void *work_once(void *arg)
{
	return arg;
}

/* --- Children --- */

struct child {
	pid_t pid;
	int expected; /* its wait status, when no signal ends it */
	bool signalled;
};

static void storm(unsigned seed, bool top);

static void *sleep_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* With threads that still run when the process ends. */
static void end_with_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, sleep_for_ever, NULL);
	_exit(5);
}

static void execute(void)
{
	char *const argv[] = {"exits", "6", NULL};

	execv("/bin/exits", argv);
	_exit(99);
}

static void be_child(unsigned kind, unsigned seed, bool storms)
{
	stop = false;
	if (kind == 0)
		_exit(4);
	if (kind == 1)
		end_with_threads();
	if (kind == 2)
		execute();
	if (kind == 3 && storms)
		storm(seed, false);
	if (kind == 3)
		_exit(7);
	sleep_for_ever(NULL);
}

static void start_child_at(struct child *c, bool storms)
{
	static const int expected[] = {4, 5, 6, 7, -1};
	unsigned kind = next_random(5), seed = next_random(1 << 20);

	*c = (struct child){.expected = expected[kind] << 8};
	c->pid = fork();
	if (!c->pid)
		be_child(kind, seed, storms);
	if (c->pid < 0)
		_exit(20);
}

static void check_end(struct child *c, int status)
{
	bool by_signal = WIFSIGNALED(status) && c->signalled &&
			 (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
			  WTERMSIG(status) == SIGUSR1);

	if (!by_signal && status != c->expected)
		_exit(21);
	c->pid = 0;
}

static void signal_child(struct child *c)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGUSR1, SIGSTOP, SIGCONT};
	int sig = signals[next_random(5)];

	if (kill(c->pid, sig))
		_exit(22);
	c->signalled = true;
	if (sig == SIGSTOP && kill(c->pid, SIGCONT))
		_exit(23);
}

/* Whoever of @c has ended; WNOHANG: now. */
static void reap(struct child *c, int options)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(c->pid, &status, options);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		_exit(24);
	if (pid)
		check_end(c, status);
}

static void step(struct child *c, bool storms)
{
	pthread_t thread;
	void *result;

	switch (next_random(6)) {
	case 0:
		if (pthread_create(&thread, NULL, work_once, &thread) ||
		    pthread_join(thread, &result) || result != &thread)
			_exit(25);
		break;
	case 1:
		told++;
		kill(getpid(), SIGUSR1);
		break;
	case 2:
		if (c->pid)
			signal_child(c);
		break;
	case 3:
		if (c->pid)
			reap(c, WNOHANG);
		break;
	default:
		if (!c->pid)
			start_child_at(c, storms);
	}
}

static void end_all(struct child children[])
{
	for (int i = 0; i < CHILDREN; i++) {
		if (!children[i].pid)
			continue;
		children[i].signalled = true;
		kill(children[i].pid, SIGKILL);
		reap(&children[i], 0);
	}
	if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD)
		_exit(26);
}

static void set_timer(long us)
{
	const struct itimerval every = {.it_value.tv_usec = us, .it_interval.tv_usec = us};

	setitimer(ITIMER_REAL, &every, NULL);
}

/* Ends the process, with 7 if all went well. */
static void storm(unsigned seed, bool top)
{
	struct sigaction act = {.sa_handler = hear, .sa_flags = seed & 1 ? SA_RESTART : 0};
	struct child children[CHILDREN] = {0};
	unsigned long own[WORKERS] = {0}, sum = 0;
	pthread_t threads[WORKERS];

	state = seed;
	total = told = 0;
	alarms = heard = 0;
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, &own[i]))
			_exit(27);
	set_timer(300 + next_random(700));
	for (int i = 0; i < STEPS; i++)
		step(&children[next_random(CHILDREN)], top);
	set_timer(0);
	stop = true;
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		sum += own[i];
	}
	end_all(children);
	if (sum != total || !sum)
		_exit(28);
	/* Nobody else sends the outermost one signals that could be one with its own. */
	_exit(!top || (heard == told && told && alarms) ? 7 : 29);
}

static void mixed_storm(unsigned seed)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		storm(seed, true);
	}
	if (!EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid))
		return;
	/* The children of those that were ended in their own storm are init's now. */
	kill(-pid, SIGKILL);
	for (int i = 0; i < 1000 && !kill(-pid, 0); i++)
		usleep(1000);
	EXPECT_ERRNO(kill(-pid, 0), ESRCH);
	ktap_expect(status == 7 << 8, __FILE__, __LINE__, "seed %u to end well, not with 0x%x",
		    seed, status);
}

/* All of it twice: what the kernel keeps for as many tasks as there ever were is there the second
 * time. */
TEST(storm_of_everything)
{
	long before = 0;

	for (int pass = 0; pass < 2; pass++) {
		before = free_memory_kb();
		for (int seed = 0; seed < SEEDS * ktap_scale; seed++)
			mixed_storm(seed);
	}
	EXPECT_EQ(free_memory_kb(), before);
}
