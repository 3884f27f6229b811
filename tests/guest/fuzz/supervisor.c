/* SPDX-License-Identifier: MIT */
/* The supervisor: the batches, the bystander, and what all processes share. */
#include <fcntl.h>
#include <raw_syscall.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uapi/signal.h>

#include "fuzz.h"

#define BATCH_OPS    200
#define POLL_NS      500000 /* between two looks at the worker */
#define HUNG_POLLS   8      /* without an operation: it sleeps in one that nobody ends */
#define MOST_POLLS   4000
#define WARM_BATCHES 3 /* what is allocated once is there then */
#define NAP_NS       400000

unsigned nr_cpus;

static pid_t supervisor;

long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	return raw_syscall6(nr, a, b, c, d, e, f);
}

void fail(const char *fmt, ...)
{
	va_list ap;

	if (self.wild)
		raw(SYS_exit, 0);
	if (!__atomic_exchange_n(&shared->failed, 1, __ATOMIC_ACQ_REL)) {
		va_start(ap, fmt);
		vsnprintf(shared->failure, sizeof(shared->failure), fmt, ap);
		va_end(ap);
	}
	if (getpid() == supervisor)
		report_failure();
	raw(SYS_exit, FAILED_STATUS);
	for (;;)
		;
}

static void nap(long ns)
{
	struct uapi_timespec ts = {0, ns};

	raw(SYS_nanosleep, &ts);
}

bool shared_create(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .disabled = 1,
	};
	long fd = raw(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0 || raw(SYS_dup2, fd, SHARED_FD) != SHARED_FD)
		return false;
	raw(SYS_close, fd);
	return shared_map();
}

bool shared_map(void)
{
	return raw(SYS_mmap, SHARED, PAGE + SHARED_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_FIXED, SHARED_FD, 0) == SHARED;
}

/* A program of its own: its memory is nobody else's. */
static pid_t start_bystander(void)
{
	char *argv[] = {"fuzz", "--bystander", NULL};
	pid_t pid = raw(SYS_fork);

	if (!pid) {
		raw(SYS_execve, "/bin/fuzz", argv, NULL);
		raw(SYS_exit, 1);
	}
	CHECK(pid > 0, "fork of the bystander: %d", (int)pid);
	for (int i = 0; shared->naps < 4; i++) {
		CHECK(i < 100, "the bystander does not run");
		nap(POLL_NS);
	}
	return pid;
}

void bystander(void)
{
	if (!shared_map())
		exit(1);
	for (;;) {
		nap(NAP_NS);
		__atomic_fetch_add(&shared->naps, 1, __ATOMIC_RELAXED);
	}
}

void end_process(pid_t pid)
{
	raw(SYS_kill, pid, UAPI_SIGKILL);
	if (nr_cpus == 1)
		raw(SYS_sched_setscheduler, pid, UAPI_SCHED_FIFO, 14);
}

/* The call that the worker is in, if it is among the latest. */
static void blame(pid_t pid)
{
	for (const struct log_entry *e = shared->log; e < shared->log + LOG_SIZE; e++)
		if (e->pid == (uint32_t)pid && !e->done)
			shared->calls[e->nr].hung++;
}

/* With all that it has forked: one of these may be so urgent that nobody else gets on. */
static int end_worker(pid_t pid)
{
	int status;

	resources_give_back();
	for (int i = 0; i < PATIENCE; i++) {
		end_strays();
		nap(1000000);
		monitor_drain();
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
	fail("the worker does not die");
}

/*
 * Until the worker has ended, by itself or because it hung in a call; its status. There had been
 * @begin operations before it.
 */
static int watch(pid_t pid, uint32_t begin)
{
	uint32_t ops = begin, still = 0;
	int status;

	for (unsigned polls = 0;; polls++) {
		nap(POLL_NS);
		monitor_drain();
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		if (ops == begin && shared->ops != begin && one_in(5)) {
			shared->scarce = true;
			resources_use_up(below(64));
		}
		still = shared->ops == ops && ops != begin ? still + 1 : 0;
		ops = shared->ops;
		if (still == HUNG_POLLS) {
			shared->woken++;
			blame(pid);
			raw(SYS_tgkill, pid, pid, UAPI_SIGUSR2);
		}
		if (still != 2 * HUNG_POLLS && polls != MOST_POLLS)
			continue;
		shared->ended++;
		break;
	}
	return end_worker(pid);
}

static void run_batch(unsigned batch)
{
	uint32_t ended = shared->ended, begin = shared->ops;
	int status;
	pid_t pid;

	shared->batch = batch;
	shared->processes = 0;
	shared->watched = false;
	shared->scarce = false;
	shared->batch_end = MIN(shared->ops + BATCH_OPS, shared->max_ops);
	pid = raw(SYS_fork);
	if (!pid)
		worker(batch);
	CHECK(pid > 0, "fork of a worker: %d", (int)pid);
	rand_seed(shared->seed, batch, 1000);
	monitor_open(pid);
	__atomic_store_n(&shared->watched, true, __ATOMIC_RELEASE);
	status = watch(pid, begin);
	resources_give_back();
	if (shared->failed)
		report_failure();
	CHECK(shared->scarce        ? WIFSIGNALED(status) || !WEXITSTATUS(status)
	      : WIFSIGNALED(status) ? shared->ended != ended && WTERMSIG(status) == UAPI_SIGKILL
				    : !status,
	      "the worker ended with status %#x", status);
	monitor_close();
	if (batch < WARM_BATCHES)
		resources_learn_memory();
	else
		resources_check();
}

/*
 * More urgent than all that it watches. On several processors all are equally urgent: whoever is
 * kept from running by a more urgent one may hold a mutex that the supervisor, on another
 * processor, waits for; and where processors run in turns, a nap may be over before its task has
 * left its processor, which then never would.
 */
static void become_urgent(void)
{
	if (nr_cpus == 1)
		raw(SYS_sched_setscheduler, 0, UAPI_SCHED_FIFO, UAPI_SCHED_PRIORITY_MAX);
}

int main(int argc, char **argv)
{
	unsigned batch = 0;

	if (argc == 2 && !strcmp(argv[1], "--bystander"))
		bystander();
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: fuzz SEED OPERATIONS [FAIL-AT]\n");
		return 2;
	}
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	become_urgent();
	if (!shared_create()) {
		fprintf(stderr, "fuzz: no pages to share\n");
		return 2;
	}
	calls_init();
	CHECK(nr_cpus > 0 && nr_cpus <= MAX_CPUS, "%u processors", nr_cpus);
	memset(shared, 0, sizeof(*shared));
	strcpy(shared->magic, SHARED_MAGIC);
	shared->seed = strtoul(argv[1], NULL, 0);
	shared->max_ops = strtoul(argv[2], NULL, 0);
	shared->fail_at = argc == 4 ? strtoul(argv[3], NULL, 0) : 0;
	supervisor = getpid();
	monitor_bystander(start_bystander());
	resources_learn_tasks();
	while (shared->ops < shared->max_ops)
		run_batch(batch++);
	report(batch);
	return 0;
}
