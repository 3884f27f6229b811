/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for threads: they begin with any stack and thread-local data, and end by writing to
 * wherever the program has said.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "ends.h"
#include "hostile.h"

static unsigned long odd_address(unsigned n)
{
	static unsigned long read_only;

	if (!read_only)
		read_only =
		    (unsigned long)mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	switch (n) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return -4ul;
	case 3:
		return USER_END;
	case 4:
		return USER_END - 2;
	case 5:
		return read_only;
	default:
		return kernel_addresses[n - 6];
	}
}

#define NR_ODD (6 + nr_kernel_addresses)

static void *end_with(void *address)
{
	syscall(SYS_thread_set_clear_tid, address);
	syscall(SYS_thread_exit, 0);
	return NULL;
}

/* Nobody is told of their end, the C library neither: so they are a process of their own. */
static void end_threads(void)
{
	pthread_t thread;

	for (unsigned n = 0; n < NR_ODD; n++) {
		if (pthread_create(&thread, NULL, end_with, (void *)odd_address(n)))
			_exit(1);
		for (int i = 0; i < 3; i++)
			sched_yield();
	}
	_exit(0);
}

static void spin(void)
{
	for (;;)
		sched_yield();
}

static unsigned which;

/* A thread that uses its stack or its data at once ends the process; this one only yields. */
static void begin_with_stack(void)
{
	uint32_t tid;

	if (syscall(SYS_thread_create, spin, 0, odd_address(which), 0, &tid) < 0)
		_exit(1);
	for (int i = 0; i < 5; i++)
		sched_yield();
	_exit(0);
}

static void begin_with_data(void)
{
	static char stack[PAGE] __attribute__((aligned(16)));
	unsigned long tls = odd_address(which);
	uint32_t tid;
	long created = syscall(SYS_thread_create, spin, 0, stack + sizeof(stack), tls, &tid);

	if (tls >= USER_END ? created >= 0 || errno != EPERM : created < 0)
		_exit(1);
	for (int i = 0; i < 5; i++)
		sched_yield();
	_exit(0);
}

static void everything(void *arg)
{
	(void)arg;
	expect_end("threads that end", end_threads, NOTHING);
	for (which = 0; which < NR_ODD; which++) {
		expect_end("a stack", begin_with_stack, NOTHING | SEGV | BUS);
		expect_end("thread-local data", begin_with_data, NOTHING | SEGV);
	}
}

TEST(c10_hostile_threads)
{
	leaves_nothing("threads", everything, NULL, 1);
}
