/* SPDX-License-Identifier: MIT */
/*
 * Contracts C1 and C3 for programs: a switch sample is where the task went to sleep in the kernel,
 * and the task's own user chain follows, at known depths, however it came to leave the CPU.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "callback.h"
#include "ktap.h"
#include "samples.h"

#define noinline     __attribute__((noinline))
/* Keeps a call from becoming a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")
/* A leaf function has a frame only if it needs its stack: see the limits in docs/tour.md. */
#define NEED_FRAME()                                          \
	do {                                                  \
		char _room[32];                               \
		__asm__ volatile("" ::"r"(_room) : "memory"); \
	} while (0)

static struct recorder recorder;
static struct record record;

static bool record_switches(pid_t pid, bool inherit)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);

	attr.inherit = inherit;
	return EXPECT(recorder_open(&recorder, &attr, pid, 0, 16));
}

/* The sample's kernel part begins with @kernel, in one piece up to the system-call entry, and its
 * user part holds @user, ending in main and the start-up code. */
static void expect_chain(const struct sample *s, const char *kernel, const char *const *user)
{
	uint64_t k = chain_after(s, PERF_CONTEXT_KERNEL), u = chain_after(s, PERF_CONTEXT_USER);
	bool found = false, right;

	right = EXPECT_EQ(k, 1) && EXPECT_EQ(s->ip, s->chain[1]) &&
		EXPECT_STR(symbol_of(s->chain[1]), kernel) && EXPECT(u < s->nr) &&
		EXPECT(s->chain[1] != s->chain[2]);
	for (uint64_t i = u; right && i < s->nr; i++)
		found |= chain_has(s, i, user);
	if (right)
		right = EXPECT(found) && EXPECT_STR(symbol_of(s->chain[s->nr - 1]), "_start");
	if (!right)
		chain_print(s);
}

static noinline void sleep_leaf(void)
{
	struct timespec t = {0, 1000000};

	nanosleep(&t, NULL);
	AFTER_CALL();
}

static noinline void sleep_middle(void)
{
	sleep_leaf();
	AFTER_CALL();
}

TEST(c01_c03_system_call_sleep)
{
	const char *const user[] = {"nanosleep", "sleep_leaf", "sleep_middle", __func__, NULL};
	struct sample s;

	if (!record_switches(0, false))
		return;
	sleep_middle();
	if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
		expect_chain(&s, "sys_nanosleep", user);
	recorder_close(&recorder);
}

/* Through the C library and back, on ARM from one instruction set to the other and back. */
TEST(c01_c03_library_callback)
{
	const char *const user[] = {"nanosleep", "sleep_leaf",    "sleep_middle", "compare",
				    "qsort",     "callback_sort", __func__,       NULL};
	struct sample s;

	if (!record_switches(0, false))
		return;
	callback_sort(sleep_middle);
	if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
		expect_chain(&s, "sys_nanosleep", user);
	recorder_close(&recorder);
}

static int ends[2];

static noinline void read_leaf(void)
{
	char c;

	EXPECT_EQ(read(ends[0], &c, 1), 1);
}

static noinline void read_middle(void)
{
	read_leaf();
	AFTER_CALL();
}

TEST(c01_c03_pipe)
{
	const char *const user[] = {"read_leaf", "read_middle", __func__, NULL};
	struct sample s;
	pid_t child;

	if (!EXPECT_EQ(pipe(ends), 0) || !record_switches(0, false))
		return;
	fflush(stdout);
	child = fork();
	if (!child) {
		/* The reader sleeps before anything is in the pipe. */
		sleep_leaf();
		_exit(write(ends[1], "x", 1) != 1);
	}
	read_middle();
	if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
		expect_chain(&s, "pipe_read", user);
	waitpid(child, NULL, 0);
	recorder_close(&recorder);
	close(ends[0]);
	close(ends[1]);
}

static noinline void spin_leaf(volatile uint64_t *head)
{
	NEED_FRAME();
	while (!*head)
		;
}

static noinline void spin_middle(volatile uint64_t *head)
{
	spin_leaf(head);
	AFTER_CALL();
}

/* Two programs that never sleep share the CPU: each is preempted where it spins. */
TEST(c01_c03_preemption)
{
	const char *const user[] = {"spin_leaf", "spin_middle", __func__, NULL};
	struct sample s;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		for (;;)
			;
	if (record_switches(0, false)) {
		spin_middle((volatile uint64_t *)&recorder.page->data_head);
		if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
			expect_chain(&s, "exit_work", user);
		recorder_close(&recorder);
	}
	kill(child, 9);
	waitpid(child, NULL, 0);
}

TEST(c01_c03_yield)
{
	const char *const user[] = {"sched_yield", __func__, NULL};
	struct sample s;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		for (;;)
			;
	if (record_switches(0, false)) {
		sched_yield();
		if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
			expect_chain(&s, "sys_sched_yield", user);
		recorder_close(&recorder);
	}
	kill(child, 9);
	waitpid(child, NULL, 0);
}

/* Not known not to return, so that the return address lies inside the caller. */
static void (*volatile end_process)(int) = _exit;

static noinline void exit_leaf(void)
{
	end_process(3);
	AFTER_CALL();
}

static noinline void exit_middle(void)
{
	exit_leaf();
	AFTER_CALL();
}

/* The last switch of a task that ends still has its user chain: its memory is not yet gone. */
TEST(c03_last_switch_of_an_exiting_task)
{
	const char *const user[] = {"_exit", "exit_leaf", "exit_middle", __func__, NULL};
	struct sample s, last = {0};
	static struct record last_record;
	pid_t child;

	if (!record_switches(0, true))
		return;
	fflush(stdout);
	child = fork();
	if (!child)
		exit_middle();
	AFTER_CALL();
	waitpid(child, NULL, 0);
	while (recorder_next_sample(&recorder, child, &record, &s)) {
		last_record = record;
		record_sample(&last_record, &last);
	}
	if (EXPECT(last.nr))
		expect_chain(&last, "process_exit", user);
	recorder_close(&recorder);
}

/* Chains have as many frames as the event allows, of both parts together. */
TEST(c03_chains_of_limited_length)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct sample s;

	for (unsigned most = 1; most <= 9; most++) {
		uint64_t frames = 0;

		attr.sample_max_stack = most;
		if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
			return;
		sleep_middle();
		if (EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
			for (uint64_t i = 0; i < s.nr; i++)
				frames += s.chain[i] < PERF_CONTEXT_MAX;
		if (!EXPECT_EQ(frames, most))
			chain_print(&s);
		recorder_close(&recorder);
	}
}

static noinline __attribute__((noreturn)) void sleep_for_good(void)
{
	sleep_leaf();
	AFTER_CALL();
	_exit(0);
}

static noinline void above_the_last_call(void)
{
	callback_for_good(sleep_for_good);
	AFTER_CALL();
}

/*
 * A call that never returns is its function's last instruction, and the return address lies in the
 * next function: it is unwound by its own all the same.
 */
TEST(c03_chain_through_a_last_call)
{
	static const char *const above[] = {"above_the_last_call", __func__, NULL};
	struct sample s;
	bool found = false;
	pid_t child;

	if (!record_switches(0, true))
		return;
	fflush(stdout);
	child = fork();
	if (!child)
		above_the_last_call();
	AFTER_CALL();
	waitpid(child, NULL, 0);
	while (!found && recorder_next_sample(&recorder, child, &record, &s))
		for (uint64_t i = chain_after(&s, PERF_CONTEXT_USER); i + 2 < s.nr && !found; i++)
			found = !strcmp(symbol_of(s.chain[i]), "sleep_for_good") &&
				chain_has(&s, i + 2, above);
	EXPECT(found);
	recorder_close(&recorder);
}

static noinline void touch_leaf(volatile char *p)
{
	NEED_FRAME();
	*p = 1;
	AFTER_CALL();
}

static noinline void touch_middle(volatile char *p)
{
	touch_leaf(p);
	AFTER_CALL();
}

/* A fault of the program itself is struck in user mode: no kernel part, the address beside it. */
TEST(c01_c03_page_fault)
{
	const char *const user[] = {"touch_leaf", "touch_middle", __func__, NULL};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sample s;

	if (!EXPECT(page != MAP_FAILED) || !EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	touch_middle(page + 5);
	while (recorder_next_sample(&recorder, getpid(), &record, &s))
		if (s.addr == (uintptr_t)page + 5)
			break;
	if (EXPECT_EQ(s.addr, (uintptr_t)page + 5)) {
		EXPECT_STR(symbol_of(s.ip), "touch_leaf");
		EXPECT_EQ(s.chain[0], PERF_CONTEXT_USER);
		if (!EXPECT(chain_has(&s, 1, user)))
			chain_print(&s);
	}
	recorder_close(&recorder);
	munmap(page, 4096);
}

/* A fault that the kernel takes for the program, in a system call, has both parts. */
TEST(c03_page_fault_in_a_system_call)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sample s = {0};

	if (!EXPECT_EQ(pipe(ends), 0) || !EXPECT_EQ(write(ends[1], "x", 1), 1) ||
	    !EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	EXPECT_EQ(read(ends[0], page, 1), 1);
	while (recorder_next_sample(&recorder, getpid(), &record, &s))
		if (s.addr == (uintptr_t)page)
			break;
	if (EXPECT_EQ(s.addr, (uintptr_t)page)) {
		EXPECT_EQ(s.chain[0], PERF_CONTEXT_KERNEL);
		EXPECT(chain_after(&s, PERF_CONTEXT_USER) < s.nr);
		EXPECT_STR(symbol_of(s.chain[s.nr - 1]), "_start");
	}
	recorder_close(&recorder);
	munmap(page, 4096);
	close(ends[0]);
	close(ends[1]);
}

static noinline void compute_leaf(volatile uint64_t *head)
{
	NEED_FRAME();
	while (!*head)
		AFTER_CALL();
}

static noinline void compute_middle(volatile uint64_t *head)
{
	compute_leaf(head);
	AFTER_CALL();
}

/* A clock that strikes in user mode gives the user chain alone. */
TEST(c03_clock_in_user_mode)
{
	const char *const user[] = {"compute_leaf", "compute_middle", __func__, NULL};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CPU_CLOCK);
	struct sample s;

	attr.sample_period = 1000000;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	compute_middle((volatile uint64_t *)&recorder.page->data_head);
	/* The first one may have struck on the way to the loop. */
	recorder_next_sample(&recorder, getpid(), &record, &s);
	compute_middle((volatile uint64_t *)&recorder.page->data_head);
	while (recorder_next_sample(&recorder, getpid(), &record, &s))
		if (!strcmp(symbol_of(s.ip), "compute_leaf"))
			break;
	if (EXPECT_STR(symbol_of(s.ip), "compute_leaf")) {
		EXPECT_EQ(s.chain[0], PERF_CONTEXT_USER);
		if (!EXPECT(chain_has(&s, 1, user)))
			chain_print(&s);
	}
	recorder_close(&recorder);
}

/* The processor that the thread of load averages was on last: so it is there when it wakes. */
static int loadavg_processor(void)
{
	FILE *f = fopen("/proc/2/stat", "r");
	int cpu = -1;

	if (!f)
		return -1;
	fscanf(f, "%*d (loadavg) %*c");
	for (int field = 4; field < 39; field++)
		fscanf(f, "%*s");
	fscanf(f, "%d", &cpu);
	fclose(f);
	return cpu;
}

/* CPU-wide, kernel threads are seen too: a kernel chain to the thread's start, no user part. */
TEST(c03_kernel_threads_have_no_user_chain)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	const char *const kernel[] = {"loadavg_wait", "loadavg_thread", "task_begin",
				      "thread_start", NULL};
	bool found = false;
	struct sample s;

	if (!EXPECT(recorder_open(&recorder, &attr, -1, loadavg_processor(), 16)))
		return;
	for (int patience = 1000; !found && patience; patience--) {
		sleep_leaf();
		while (recorder_next_sample(&recorder, 0, &record, &s)) {
			if (strcmp(symbol_of(s.ip), "loadavg_wait"))
				continue;
			found = true;
			if (!EXPECT(chain_has(&s, 1, kernel)) || !EXPECT_EQ(s.nr, 5))
				chain_print(&s);
			break;
		}
	}
	EXPECT(found);
	recorder_close(&recorder);
}
