/* SPDX-License-Identifier: MIT */
/* Mutexes: who has one, and who waits for it. */
#include <pthread.h>
#include <unistd.h>

#include "host.h"
#include <hotregs/sched.h>
#include <hotregs/wait.h>

static struct task first, second;
static struct task *woken;
static struct mutex mutex = MUTEX_INIT(mutex);
static void (*meanwhile)(void);

bool wake_up_task(struct task *task)
{
	assert_true(mutex.waiters.lock.held);
	woken = task;
	return true;
}

/* Others run while somebody sleeps. */
void schedule(void)
{
	struct task *sleeper = current;
	void (*func)(void) = meanwhile;

	assert_non_null(func);
	meanwhile = NULL;
	func();
	host_run_as(host_cpu, sleeper);
}

static int set_up(void **state)
{
	host_run_as(cpus, &first);
	woken = NULL;
	mutex_init(&mutex);
	return 0;
}

static void nobody_waits(void **state)
{
	mutex_lock(&mutex);
	assert_int_equal(mutex.owner, (unsigned long)&first);
	mutex_unlock(&mutex);
	assert_int_equal(mutex.owner, 0);
	assert_null(woken);
}

static void give_back(void)
{
	assert_int_equal(mutex.owner, (unsigned long)&first | MUTEX_WAITED);
	host_run_as(host_cpu, &first);
	mutex_unlock(&mutex);
	assert_ptr_equal(woken, &second);
}

static void handed_over(void **state)
{
	mutex_lock(&mutex);
	host_run_as(host_cpu, &second);
	meanwhile = give_back;
	mutex_lock(&mutex);
	assert_int_equal(mutex.owner, (unsigned long)&second);
	mutex_unlock(&mutex);
	assert_int_equal(mutex.owner, 0);
}

/* Who hands it over is slow: it still holds the lock of the waiters. */
static bool let_go;

static void *slow(void *arg)
{
	usleep(50000);
	__atomic_store_n(&let_go, true, __ATOMIC_RELAXED);
	__atomic_store_n(&mutex.waiters.lock.held, 0, __ATOMIC_RELEASE);
	return NULL;
}

static pthread_t thread;

static void give_back_slowly(void)
{
	give_back();
	mutex.waiters.lock.held = 1;
	assert_int_equal(pthread_create(&thread, NULL, slow, NULL), 0);
}

static void nobody_goes_on_before_he_is_woken(void **state)
{
	let_go = false;
	mutex_lock(&mutex);
	host_run_as(host_cpu, &second);
	meanwhile = give_back_slowly;
	mutex_lock(&mutex);
	assert_true(__atomic_load_n(&let_go, __ATOMIC_RELAXED));
	pthread_join(thread, NULL);
	mutex_unlock(&mutex);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(nobody_waits),
	    TEST(handed_over),
	    TEST(nobody_goes_on_before_he_is_woken),
	};

	return cmocka_run_group_tests_name("mutexes", tests, NULL, NULL);
}
