/* SPDX-License-Identifier: MIT */
/* The futex call: who sleeps, who is woken, and what is refused. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <uapi/futex.h>
#include <uapi/types.h>
#include <unistd.h>

#include "ktap.h"

#define WAIT        (UAPI_FUTEX_WAIT | UAPI_FUTEX_PRIVATE)
#define WAKE        (UAPI_FUTEX_WAKE | UAPI_FUTEX_PRIVATE)
#define WAIT_BITSET (UAPI_FUTEX_WAIT_BITSET | UAPI_FUTEX_PRIVATE)
#define WAKE_BITSET (UAPI_FUTEX_WAKE_BITSET | UAPI_FUTEX_PRIVATE)

static uint32_t word;

static long futex(void *addr, int op, uint32_t value, const struct uapi_timespec *timeout,
		  uint32_t bits)
{
	return syscall(SYS_futex, addr, op, value, timeout, NULL, bits);
}

TEST(futex_refuses)
{
	const struct uapi_timespec wrong[] = {{-1, 0}, {0, -1}, {0, 1000000000}};
	char *readonly = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	word = 5;
	EXPECT_ERRNO(futex((char *)&word + 1, WAIT, 5, NULL, 0), EINVAL);
	EXPECT_ERRNO(futex((char *)&word + 2, WAKE, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(futex(bad_pointer, WAIT, 0, NULL, 0), EFAULT);
	EXPECT_ERRNO(futex(NULL, WAIT, 0, NULL, 0), EFAULT);
	EXPECT_ERRNO(futex((void *)-4096L, WAIT, 0, NULL, 0), EFAULT);
	EXPECT_ERRNO(futex((void *)-4096L, WAKE, 1, NULL, 0), EFAULT);
	EXPECT_ERRNO(futex((void *)-4L, WAKE, 1, NULL, 0), EFAULT);
	EXPECT_ERRNO(futex(&word, WAIT_BITSET, 5, NULL, 0), EINVAL);
	EXPECT_ERRNO(futex(&word, WAKE_BITSET, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(futex(&word, WAIT, 5, bad_pointer, 0), EFAULT);
	for (int i = 0; i < 3; i++)
		EXPECT_ERRNO(futex(&word, WAIT, 5, &wrong[i], 0), EINVAL);
	/* What is not done: requeueing, priority inheritance, a clock for a relative time. */
	for (int op = 2; op < 32; op++)
		if (op != UAPI_FUTEX_WAIT_BITSET && op != UAPI_FUTEX_WAKE_BITSET)
			EXPECT_ERRNO(futex(&word, op, 5, NULL, 1), ENOSYS);
	EXPECT_ERRNO(futex(&word, WAIT | UAPI_FUTEX_REALTIME, 5, NULL, 0), ENOSYS);
	EXPECT_ERRNO(futex(&word, 1 << 20, 5, NULL, 0), ENOSYS);
	/* Memory that can only be read will do. */
	EXPECT_ERRNO(futex(readonly, WAIT, 1, NULL, 0), EAGAIN);
	EXPECT_EQ(futex(readonly, WAKE, 1, NULL, 0), 0);
	munmap(readonly, 4096);
}

TEST(futex_value_differs)
{
	word = 5;
	EXPECT_ERRNO(futex(&word, WAIT, 6, NULL, 0), EAGAIN);
	EXPECT_ERRNO(futex(&word, UAPI_FUTEX_WAIT, 6, NULL, 0), EAGAIN);
	EXPECT_ERRNO(futex(&word, WAIT_BITSET, 6, NULL, 1), EAGAIN);
	EXPECT_EQ(futex(&word, WAKE, 100, NULL, 0), 0);
}

static struct uapi_timespec now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (struct uapi_timespec){ts.tv_sec, ts.tv_nsec};
}

static int64_t passed(struct uapi_timespec since)
{
	struct uapi_timespec t = now(CLOCK_MONOTONIC);

	return (t.sec - since.sec) * 1000000000LL + t.nsec - since.nsec;
}

static struct uapi_timespec later(clockid_t clock, int64_t ns)
{
	struct uapi_timespec t = now(clock);

	t.nsec += ns;
	t.sec += t.nsec / 1000000000;
	t.nsec %= 1000000000;
	return t;
}

TEST(futex_timeouts)
{
	const struct uapi_timespec relative = {0, 3000000}, none = {0, 0};
	struct uapi_timespec start = now(CLOCK_MONOTONIC), until;

	word = 5;
	EXPECT_ERRNO(futex(&word, WAIT, 5, &relative, 0), ETIMEDOUT);
	EXPECT(passed(start) >= 3000000);
	EXPECT_ERRNO(futex(&word, WAIT, 5, &none, 0), ETIMEDOUT);

	start = now(CLOCK_MONOTONIC);
	until = later(CLOCK_MONOTONIC, 3000000);
	EXPECT_ERRNO(futex(&word, WAIT_BITSET, 5, &until, ~0U), ETIMEDOUT);
	EXPECT(passed(start) >= 3000000);
	until = later(CLOCK_REALTIME, 3000000);
	EXPECT_ERRNO(futex(&word, WAIT_BITSET | UAPI_FUTEX_REALTIME, 5, &until, ~0U), ETIMEDOUT);
	EXPECT(passed(start) >= 6000000);
	/* Long ago, by both clocks. */
	EXPECT_ERRNO(futex(&word, WAIT_BITSET, 5, &none, ~0U), ETIMEDOUT);
	EXPECT_ERRNO(futex(&word, WAIT_BITSET | UAPI_FUTEX_REALTIME, 5, &none, ~0U), ETIMEDOUT);
	EXPECT_EQ(futex(&word, WAKE, 100, NULL, 0), 0); /* nobody was left in the queue */
}

struct waiter {
	uint32_t *word;
	uint32_t bits;
	pthread_t thread;
	volatile int woken;
};

static volatile int order;

static void *wait_once(void *arg)
{
	struct waiter *w = arg;

	if (futex(w->word, WAIT_BITSET, 0, NULL, w->bits) == 0)
		w->woken = ++order;
	else
		w->woken = -1;
	return NULL;
}

/* Starts @w and lets it fall asleep. */
static void start(struct waiter *w)
{
	w->woken = 0;
	pthread_create(&w->thread, NULL, wait_once, w);
	for (int i = 0; i < 5; i++)
		sched_yield();
}

static void settle(void)
{
	for (int i = 0; i < 10; i++)
		sched_yield();
}

TEST(futex_wakes_in_order)
{
	struct waiter w[5];

	word = 0;
	order = 0;
	for (int i = 0; i < 5; i++) {
		w[i] = (struct waiter){&word, ~0U, 0, 0};
		start(&w[i]);
	}
	EXPECT_EQ(futex(&word, WAKE, 0, NULL, 0), 0);
	EXPECT_EQ(futex(&word, WAKE, 2, NULL, 0), 2);
	settle();
	EXPECT(w[0].woken == 1 && w[1].woken == 2 && !w[2].woken);
	EXPECT_EQ(futex(&word + 1, WAKE, 9, NULL, 0), 0); /* another word */
	EXPECT_EQ(futex(&word, WAKE, 9, NULL, 0), 3);
	for (int i = 0; i < 5; i++) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(w[i].woken, i + 1);
	}
}

TEST(futex_bits_select)
{
	struct waiter w[3] = {{&word, 1, 0, 0}, {&word, 2, 0, 0}, {&word, 6, 0, 0}};

	word = 0;
	order = 0;
	for (int i = 0; i < 3; i++)
		start(&w[i]);
	EXPECT_EQ(futex(&word, WAKE_BITSET, 9, NULL, 8), 0);
	EXPECT_EQ(futex(&word, WAKE_BITSET, 9, NULL, 2), 2);
	settle();
	EXPECT(!w[0].woken && w[1].woken && w[2].woken);
	EXPECT_EQ(futex(&word, WAKE, 9, NULL, 0), 1);
	for (int i = 0; i < 3; i++)
		pthread_join(w[i].thread, NULL);
}

/* A page that is not there yet is looked at all the same. */
TEST(futex_faults_its_page_in)
{
	uint32_t *page =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct waiter w = {page, ~0U, 0, 0};

	EXPECT_ERRNO(futex(page + 8, WAIT, 1, NULL, 0), EAGAIN);
	munmap(page, 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w.word = page;
	order = 0;
	start(&w);
	EXPECT_EQ(futex(page, WAKE, 1, NULL, 0), 1);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(w.woken, 1);
	munmap(page, 4096);
}

/* What two processes have at the same address is not the same word. */
TEST(futex_is_of_one_process)
{
	struct waiter w = {&word, ~0U, 0, 0};
	int status;

	word = 0;
	order = 0;
	start(&w);
	fflush(stdout);
	if (!fork())
		_exit(futex(&word, WAKE, 9, NULL, 0));
	wait(&status);
	EXPECT_EQ(status, 0);
	EXPECT(!w.woken);
	EXPECT_EQ(futex(&word, WAKE, 9, NULL, 0), 1);
	pthread_join(w.thread, NULL);
}
