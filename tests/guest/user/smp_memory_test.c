/* SPDX-License-Identifier: MIT */
/*
 * Memory that threads on several processors use while one of them changes what is mapped: once
 * munmap(), mmap() or fork() has returned, none of them writes to what was there before, and what
 * they wrote is not lost.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define PAGE        4096UL
#define PAGE_WORDS  (PAGE / sizeof(uint32_t))
#define RW          (PROT_READ | PROT_WRITE)
#define MARK        0x5a5a0000U
#define MAX_WRITERS 3

/* The n-th processor that this process may use, counted around. */
static int nth_cpu(int n)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	n %= CPU_COUNT(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !n--)
			return cpu;
	return 0;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static char *map(void *at, size_t size, int prot)
{
	return mmap(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

/* A thread on a processor of its own that writes one word again and again. */
struct writer {
	pthread_t thread;
	int cpu;
	volatile uint32_t *word;
	uint32_t count;   /* writes done; also what the word is, where nobody takes it away */
	bool stop;        /* it is to end, */
	bool faulted;     /* or has, since the word is not there any more */
	sigjmp_buf fault; /* where it goes on then */
};

static __thread struct writer *self;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(self->fault, 1);
}

/* Lets an emulator that runs one processor at a time go on to the next. */
static void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#else
	__asm__ volatile("yield" ::: "memory");
#endif
}

static void *write_on(void *arg)
{
	struct writer *w = self = arg;

	run_on(w->cpu);
	if (sigsetjmp(w->fault, 1)) {
		__atomic_store_n(&w->faulted, true, __ATOMIC_RELEASE);
		return NULL;
	}
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		/* Who has come to the same processor need not wait for the end of a slice. */
		if (w->count % 256 == 0)
			sched_yield();
		if (w->count % 32 == 0)
			relax();
		*w->word = MARK + w->count + 1;
		__atomic_store_n(&w->count, w->count + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Starts @w on the @n-th processor after the caller's and waits until it writes. */
static void start_writer(struct writer *w, int n, volatile uint32_t *word)
{
	*w = (struct writer){.cpu = nth_cpu(n), .word = word};
	EXPECT_EQ(pthread_create(&w->thread, NULL, write_on, w), 0);
	while (__atomic_load_n(&w->count, __ATOMIC_ACQUIRE) < 100)
		sched_yield();
}

static void stop_writer(struct writer *w)
{
	__atomic_store_n(&w->stop, true, __ATOMIC_RELAXED);
	pthread_join(w->thread, NULL);
}

/* Runs @body, if there are processors for its threads. */
static void run(void (*body)(void))
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	if (CPU_COUNT(&set) < 2) {
		ktap_skip("there is one processor");
		return;
	}
	signal(SIGSEGV, on_fault);
	body();
	signal(SIGSEGV, SIG_DFL);
}

/* All @words words at @memory are zero. */
static bool is_zero(const volatile uint32_t *memory, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (memory[i])
			return false;
	return true;
}

/* --- What is unmapped --- */

#define ROUNDS      16
#define FRESH_PAGES 8

/* The page that has just been freed is among the next ones that are given out. */
static void unmapped_page(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		char *page = map(NULL, PAGE, RW);
		/* Elsewhere; and it has no page before it is touched. */
		volatile uint32_t *fresh = (uint32_t *)map(NULL, FRESH_PAGES * PAGE, RW);
		struct writer w;

		start_writer(&w, 1 + round, (uint32_t *)page);
		if (round % 2)
			EXPECT_EQ(munmap(page, PAGE), 0);
		else
			EXPECT(map(page, PAGE, PROT_READ) == page);
		for (int i = 0; i < FRESH_PAGES; i++)
			fresh[i * PAGE_WORDS] = 0;
		pthread_join(w.thread, NULL);
		EXPECT(w.faulted);
		EXPECT(is_zero(fresh, FRESH_PAGES * PAGE_WORDS));
		if (round % 2 == 0)
			EXPECT(is_zero((uint32_t *)page, PAGE_WORDS) && !munmap(page, PAGE));
		munmap((void *)fresh, FRESH_PAGES * PAGE);
	}
}

TEST(smp_memory_writer_faults_once_its_page_is_unmapped)
{
	run(unmapped_page);
}

/* --- What is shared by a fork --- */

/* Does the word change that only the parent's thread writes? The child's exit status. */
static int child_looks(const volatile uint32_t *word)
{
	uint32_t value = *word;

	for (int i = 0; i < 2000; i++)
		if (*word != value)
			return 1;
	return 0;
}

static void forks(void)
{
	volatile uint32_t *word = (uint32_t *)map(NULL, PAGE, RW);
	struct writer w;

	start_writer(&w, 1, word);
	for (int round = 0; round < ROUNDS; round++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(child_looks(word));
		EXPECT(waitpid(pid, &status, 0) == pid && !status);
	}
	stop_writer(&w);
	EXPECT_EQ(*word, MARK + w.count);
}

TEST(smp_memory_child_has_its_own_copy_of_what_a_thread_writes)
{
	run(forks);
}

/* Several threads write to words of the same pages, which forks make shared again and again. */
static void copy_storm(void)
{
	volatile uint32_t *page = (uint32_t *)map(NULL, PAGE, RW);
	struct writer w[MAX_WRITERS];

	for (int i = 0; i < MAX_WRITERS; i++)
		start_writer(&w[i], 1 + i, page + i);
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pid = fork();

		if (!pid) {
			page[round] = 1;
			_exit(0);
		}
		page[MAX_WRITERS] = round;
		EXPECT_EQ(waitpid(pid, NULL, 0), pid);
		EXPECT_EQ(page[MAX_WRITERS], round);
	}
	for (int i = 0; i < MAX_WRITERS; i++) {
		stop_writer(&w[i]);
		EXPECT_EQ(page[i], MARK + w[i].count);
	}
}

TEST(smp_memory_no_write_is_lost_in_a_copy)
{
	run(copy_storm);
}

/* --- Pages that come into being --- */

#define TOUCHED_PAGES 128

struct toucher {
	pthread_t thread;
	int cpu;
	volatile uint32_t *pages;
	pthread_barrier_t *barrier;
};

static void *touch_all(void *arg)
{
	struct toucher *t = arg;

	run_on(t->cpu);
	pthread_barrier_wait(t->barrier);
	for (int i = 0; i < TOUCHED_PAGES; i++)
		__atomic_fetch_add(&t->pages[i * PAGE_WORDS], 1, __ATOMIC_RELAXED);
	return NULL;
}

static void first_touch(void)
{
	struct toucher t[MAX_WRITERS];
	pthread_barrier_t barrier;

	for (int round = 0; round < 4; round++) {
		volatile uint32_t *pages = (uint32_t *)map(NULL, TOUCHED_PAGES * PAGE, RW);

		pthread_barrier_init(&barrier, NULL, MAX_WRITERS);
		for (int i = 0; i < MAX_WRITERS; i++) {
			t[i] = (struct toucher){
			    .cpu = nth_cpu(i), .pages = pages, .barrier = &barrier};
			EXPECT_EQ(pthread_create(&t[i].thread, NULL, touch_all, &t[i]), 0);
		}
		for (int i = 0; i < MAX_WRITERS; i++)
			pthread_join(t[i].thread, NULL);
		for (int i = 0; i < TOUCHED_PAGES; i++)
			EXPECT_EQ(pages[i * PAGE_WORDS], MAX_WRITERS);
		munmap((void *)pages, TOUCHED_PAGES * PAGE);
		pthread_barrier_destroy(&barrier);
	}
}

TEST(smp_memory_two_first_touches_find_one_page)
{
	run(first_touch);
}

/* --- Page tables --- */

/* As far apart that each needs tables of its own. */
#if UINTPTR_MAX > UINT32_MAX
#define TABLES_STEP (1UL << 30)
#else
#define TABLES_STEP (4UL << 20)
#endif

struct mapper {
	pthread_t thread;
	int cpu;
	char *base;
	unsigned bad;
};

/* Maps, touches and unmaps where tables come and go with it, and checks a page that stays. */
static void *map_on(void *arg)
{
	struct mapper *m = arg;
	volatile uint32_t *kept = (uint32_t *)map(m->base, PAGE, RW);

	run_on(m->cpu);
	for (uint32_t i = 0; i < 60; i++) {
		char *at = m->base + (1 + i % 3) * TABLES_STEP, *p = map(at, PAGE, RW);

		*kept = i;
		m->bad += p != at || *(uint32_t *)p;
		*(volatile uint32_t *)p = MARK;
		m->bad += munmap(p, PAGE) || *kept != i;
	}
	return NULL;
}

static void tables(void)
{
	struct mapper m[MAX_WRITERS];

	for (int i = 0; i < MAX_WRITERS; i++) {
		m[i] = (struct mapper){.cpu = nth_cpu(i),
				       .base = (char *)0x30000000 + i * 4 * TABLES_STEP};
		EXPECT_EQ(pthread_create(&m[i].thread, NULL, map_on, &m[i]), 0);
	}
	for (int i = 0; i < MAX_WRITERS; i++) {
		pthread_join(m[i].thread, NULL);
		EXPECT_EQ(m[i].bad, 0);
	}
}

TEST(smp_memory_tables_come_and_go_under_running_threads)
{
	run(tables);
}

/* Nothing is left of processes whose threads were on all processors. */
static void tables_and_copies(void *arg)
{
	(void)arg;
	in_child(tables);
	in_child(copy_storm);
}

static void given_back(void)
{
	leaves_nothing("threads on several processors", tables_and_copies, NULL, 1);
}

TEST(smp_memory_all_of_it_is_given_back)
{
	run(given_back);
}

/* --- What threads share beside memory --- */

#define MOVES 500

static void *move_about(void *arg)
{
	run_on(nth_cpu((int)(intptr_t)arg));
	for (int i = 0; i < MOVES; i++)
		EXPECT_EQ(chdir(i % 2 ? "/proc/sys/kernel" : "/"), 0);
	return NULL;
}

static void directory(void)
{
	pthread_t thread[2];
	char cwd[64];

	for (intptr_t i = 0; i < 2; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, move_about, (void *)(i + 1)), 0);
	EXPECT_EQ(chdir("/"), 0);
	for (int i = 0; i < MOVES; i++)
		if (!EXPECT(getcwd(cwd, sizeof(cwd)) &&
			    (!strcmp(cwd, "/") || !strcmp(cwd, "/proc/sys/kernel"))))
			break;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(chdir("/"), 0);
}

TEST(smp_working_directory_is_one_or_the_other)
{
	run(directory);
}
