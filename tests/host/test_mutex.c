/* SPDX-License-Identifier: MIT */
/* Mutexes: who has one, who waits for it, and how urgent that makes whom. */
#include <pthread.h>
#include <unistd.h>

#include "host.h"
#include <hotregs/sched.h>
#include <hotregs/wait.h>

#include "../../kernel/sched/mutex.c"

static struct task first, second, third;
static struct task *woken;
static struct mutex mutex = MUTEX_INIT(mutex);
static struct mutex other = MUTEX_INIT(other);
static void (*meanwhile)(void);

bool wake_up_task(struct task *task)
{
	assert_true(lines.held);
	woken = task;
	return true;
}

void sched_requeue(struct task *task, unsigned priority)
{
	assert_true(lines.held);
	task->priority = priority;
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
	mutex_init(&other);
	first = (struct task){.priority = 5, .own_priority = 5};
	second = (struct task){.priority = 10, .own_priority = 10};
	third = (struct task){.priority = 20, .own_priority = 20};
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
	__atomic_store_n(&lines.held, 0, __ATOMIC_RELEASE);
	return NULL;
}

static pthread_t thread;

static void give_back_slowly(void)
{
	give_back();
	lines.held = 1;
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

/* @task waits for @m. */
static void wait_for(struct mutex *m, struct task *task)
{
	host_run_as(host_cpu, task);
	assert_false(mutex_take_or_queue(m));
}

static void give_back_as(struct mutex *m, struct task *task)
{
	host_run_as(host_cpu, task);
	mutex_unlock(m);
}

static void assert_priorities(unsigned a, unsigned b, unsigned c)
{
	assert_int_equal(first.priority, a);
	assert_int_equal(second.priority, b);
	assert_int_equal(third.priority, c);
}

static void as_urgent_as_who_waits(void **state)
{
	mutex_lock(&mutex);
	wait_for(&mutex, &second);
	assert_priorities(10, 10, 20);
	wait_for(&mutex, &third);
	assert_priorities(20, 10, 20);
	give_back_as(&mutex, &first);
	assert_ptr_equal(woken, &third);
	assert_priorities(5, 10, 20);
	give_back_as(&mutex, &third);
	assert_ptr_equal(woken, &second);
	give_back_as(&mutex, &second);
	assert_int_equal(mutex.owner, 0);
	assert_priorities(5, 10, 20);
}

static void passed_on_along_a_chain(void **state)
{
	mutex_lock(&mutex);
	host_run_as(host_cpu, &second);
	mutex_lock(&other);
	wait_for(&mutex, &second);
	wait_for(&other, &third);
	assert_priorities(20, 20, 20);
	/* And taken back, all along it. */
	assert_int_equal(sched_set_priority(&third, 1), 0);
	assert_priorities(10, 10, 1);
	assert_int_equal(sched_set_priority(&second, 2), 0);
	assert_priorities(5, 2, 1);
}

/* The new owner is as urgent as who still waits, also as that changes. */
static void new_owner_is_as_urgent(void **state)
{
	mutex_lock(&mutex);
	wait_for(&mutex, &third);
	wait_for(&mutex, &second);
	give_back_as(&mutex, &first);
	assert_ptr_equal(mutex_owner(&mutex), &third);
	assert_int_equal(sched_set_priority(&third, 1), 0);
	assert_priorities(5, 10, 10);
	give_back_as(&mutex, &third);
	assert_priorities(5, 10, 1);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(nobody_waits),
	    TEST(handed_over),
	    TEST(nobody_goes_on_before_he_is_woken),
	    TEST(as_urgent_as_who_waits),
	    TEST(passed_on_along_a_chain),
	    TEST(new_owner_is_as_urgent),
	};

	return cmocka_run_group_tests_name("mutexes", tests, NULL, NULL);
}
