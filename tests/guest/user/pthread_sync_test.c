/* SPDX-License-Identifier: MIT */
/* What threads wait for each other with: mutexes, conditions, barriers and the like. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define NR_THREADS 6
#define ROUNDS     100

static struct timespec in_ns(clockid_t clock, long ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void run_all(void *(*entry)(void *), void *arg)
{
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		EXPECT_EQ(pthread_create(&threads[i], NULL, entry, arg), 0);
	for (int i = 0; i < NR_THREADS; i++)
		EXPECT_EQ(pthread_join(threads[i], NULL), 0);
}

/* What @function(@object) returns in another thread. */
struct call {
	int (*function)(void *);
	void *object;
	int result;
};

static void *do_call(void *arg)
{
	struct call *call = arg;

	call->result = call->function(call->object);
	return NULL;
}

static int elsewhere(int (*function)(void *), void *object)
{
	struct call call = {function, object, -1};
	pthread_t thread;

	pthread_create(&thread, NULL, do_call, &call);
	pthread_join(thread, NULL);
	return call.result;
}

/* --- Mutexes --- */

static int trylock(void *mutex)
{
	int err = pthread_mutex_trylock(mutex);

	if (!err)
		pthread_mutex_unlock(mutex);
	return err;
}

static int unlock(void *mutex)
{
	return pthread_mutex_unlock(mutex);
}

static int timedlock(void *mutex)
{
	struct timespec soon = in_ns(CLOCK_REALTIME, 1000000);

	return pthread_mutex_timedlock(mutex, &soon);
}

static void init(pthread_mutex_t *mutex, int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	EXPECT_EQ(pthread_mutexattr_settype(&attr, type), 0);
	EXPECT_EQ(pthread_mutex_init(mutex, &attr), 0);
	pthread_mutexattr_destroy(&attr);
}

TEST(mutex_types)
{
	static const struct {
		int type, lock_again, trylock_again, timedlock_again, unlock_by_other;
	} rows[] = {
	    {PTHREAD_MUTEX_NORMAL, -1, EBUSY, ETIMEDOUT, -1}, /* would wait for ever; undefined */
	    {PTHREAD_MUTEX_RECURSIVE, 0, 0, 0, EPERM},
	    {PTHREAD_MUTEX_ERRORCHECK, EDEADLK, EBUSY, EDEADLK, EPERM},
	};
	pthread_mutex_t mutex;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int depth = 1;

		init(&mutex, rows[i].type);
		EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
		EXPECT_EQ(elsewhere(trylock, &mutex), EBUSY);
		EXPECT_EQ(elsewhere(timedlock, &mutex), ETIMEDOUT);
		if (rows[i].lock_again >= 0) {
			EXPECT_EQ(pthread_mutex_lock(&mutex), rows[i].lock_again);
			EXPECT_EQ(elsewhere(unlock, &mutex), rows[i].unlock_by_other);
			depth += !rows[i].lock_again;
		}
		EXPECT_EQ(pthread_mutex_trylock(&mutex), rows[i].trylock_again);
		EXPECT_EQ(timedlock(&mutex), rows[i].timedlock_again);
		depth += !rows[i].trylock_again + !rows[i].timedlock_again;
		EXPECT_EQ(pthread_mutex_destroy(&mutex), EBUSY);
		while (depth--) {
			EXPECT_EQ(elsewhere(trylock, &mutex), EBUSY);
			EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
		}
		EXPECT_EQ(elsewhere(trylock, &mutex), 0);
		if (rows[i].unlock_by_other >= 0)
			EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
		EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
	}
}

TEST(mutex_attributes)
{
	const struct timespec wrong = {0, 1000000000};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutexattr_t attr;
	int type;

	pthread_mutexattr_init(&attr);
	EXPECT_EQ(pthread_mutexattr_settype(&attr, 17), EINVAL);
	EXPECT_EQ(pthread_mutexattr_gettype(&attr, &type), 0);
	EXPECT_EQ(type, PTHREAD_MUTEX_DEFAULT);
	EXPECT_EQ(pthread_mutexattr_setpshared(&attr, 1), ENOTSUP);
	pthread_mutex_lock(&mutex);
	EXPECT_EQ(pthread_mutex_timedlock(&mutex, &wrong), EINVAL);
	pthread_mutex_unlock(&mutex);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared, inside;

static void *count_up(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(arg);
		if (inside++)
			shared = -1000000;
		int seen = shared;
		if (i % 8 == 0)
			sched_yield();
		shared = seen + 1;
		inside--;
		pthread_mutex_unlock(arg);
	}
	return NULL;
}

TEST(mutex_excludes)
{
	for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ERRORCHECK; type++) {
		shared = inside = 0;
		init(&mutex, type);
		run_all(count_up, &mutex);
		EXPECT_EQ(shared, NR_THREADS * ROUNDS);
		EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
	}
}

static void *lock_later(void *arg)
{
	struct timespec later = in_ns(CLOCK_REALTIME, 500000000);

	return (void *)(uintptr_t)pthread_mutex_timedlock(arg, &later);
}

TEST(mutex_timedlock_gets_it)
{
	pthread_t thread;
	void *err;

	init(&mutex, PTHREAD_MUTEX_NORMAL);
	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, lock_later, &mutex);
	for (int i = 0; i < 5; i++)
		sched_yield();
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, &err);
	EXPECT(!err);
	pthread_mutex_unlock(&mutex);
}

/* --- Conditions --- */

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items, taken, waiting;

static void *take_item(void *arg)
{
	pthread_mutex_lock(&mutex);
	waiting++;
	while (!items)
		pthread_cond_wait(&cond, &mutex);
	items--;
	taken++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void put_items(int n, int (*tell)(pthread_cond_t *))
{
	pthread_mutex_lock(&mutex);
	items += n;
	tell(&cond);
	pthread_mutex_unlock(&mutex);
}

static int taken_now(void)
{
	int n;

	for (int i = 0; i < 20; i++)
		sched_yield();
	pthread_mutex_lock(&mutex);
	n = taken;
	pthread_mutex_unlock(&mutex);
	return n;
}

TEST(cond_signal_and_broadcast)
{
	pthread_t threads[NR_THREADS];

	items = taken = waiting = 0;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, take_item, NULL);
	while (waiting < NR_THREADS)
		sched_yield();
	EXPECT_EQ(taken_now(), 0);
	put_items(1, pthread_cond_signal);
	EXPECT_EQ(taken_now(), 1);
	put_items(2, pthread_cond_broadcast);
	EXPECT_EQ(taken_now(), 3);
	put_items(NR_THREADS, pthread_cond_broadcast);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(taken, NR_THREADS);
	EXPECT_EQ(items, 3);
	EXPECT_EQ(pthread_cond_destroy(&cond), 0);
}

static int turn;

static void *take_turns(void *arg)
{
	int me = (uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != me)
			pthread_cond_wait(&cond, &mutex);
		turn = !me;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

/* No signal is lost, whenever it comes: or this never ends. */
TEST(cond_ping_pong)
{
	pthread_t a, b;

	turn = 0;
	pthread_cond_init(&cond, NULL);
	pthread_create(&a, NULL, take_turns, (void *)0);
	pthread_create(&b, NULL, take_turns, (void *)1);
	EXPECT_EQ(pthread_join(a, NULL), 0);
	EXPECT_EQ(pthread_join(b, NULL), 0);
	EXPECT_EQ(turn, 0);
}

static void *signal_at_once(void *arg)
{
	put_items(1, pthread_cond_signal);
	return arg;
}

/* An urgent thread waits for the mutex: so it signals between its release and the sleep. */
TEST(cond_signal_before_the_sleep)
{
	const struct sched_param param = {.sched_priority = 5};
	struct timespec late = in_ns(CLOCK_REALTIME, 500000000);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_RR);
	pthread_attr_setschedparam(&attr, &param);
	pthread_cond_init(&cond, NULL);
	items = 0;
	pthread_mutex_lock(&mutex);
	EXPECT_EQ(pthread_create(&thread, &attr, signal_at_once, NULL), 0);
	while (!items)
		if (!EXPECT_EQ(pthread_cond_timedwait(&cond, &mutex, &late), 0))
			break;
	EXPECT_EQ(items, 1);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

TEST(cond_timedwait)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
	const struct timespec wrong = {0, -1};
	pthread_condattr_t attr;
	pthread_cond_t timed;
	clockid_t clock;

	pthread_condattr_init(&attr);
	EXPECT_EQ(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 2; i++) {
		struct timespec until, after, past = {1, 0};

		EXPECT_EQ(pthread_condattr_setclock(&attr, clocks[i]), 0);
		EXPECT_EQ(pthread_condattr_getclock(&attr, &clock), 0);
		EXPECT_EQ(clock, clocks[i]);
		pthread_cond_init(&timed, &attr);
		until = in_ns(clocks[i], 2000000);
		EXPECT_EQ(pthread_cond_timedwait(&timed, &mutex, &until), ETIMEDOUT);
		clock_gettime(clocks[i], &after);
		EXPECT(after.tv_sec > until.tv_sec ||
		       (after.tv_sec == until.tv_sec && after.tv_nsec >= until.tv_nsec));
		/* It was taken again. */
		EXPECT_EQ(elsewhere(trylock, &mutex), EBUSY);
		if (i == 0 || after.tv_sec > 1)
			EXPECT_EQ(pthread_cond_timedwait(&timed, &mutex, &past), ETIMEDOUT);
		EXPECT_EQ(pthread_cond_timedwait(&timed, &mutex, &wrong), EINVAL);
	}
	pthread_mutex_unlock(&mutex);
}

/* --- Once --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void)
{
	int seen = initialised;

	for (int i = 0; i < 10; i++)
		sched_yield();
	initialised = seen + 1;
}

static void *use_once(void *arg)
{
	pthread_once(&once, initialise);
	if (initialised != 1)
		*(int *)arg = 1;
	return NULL;
}

TEST(once_runs_once)
{
	int bad = 0;

	run_all(use_once, &bad);
	EXPECT_EQ(initialised, 1);
	EXPECT_EQ(bad, 0);
}

/* --- Locks for readers and writers --- */

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static int tryrd(void *lock)
{
	int err = pthread_rwlock_tryrdlock(lock);

	if (!err)
		pthread_rwlock_unlock(lock);
	return err;
}

static int trywr(void *lock)
{
	int err = pthread_rwlock_trywrlock(lock);

	if (!err)
		pthread_rwlock_unlock(lock);
	return err;
}

static int timedrd(void *lock)
{
	struct timespec soon = in_ns(CLOCK_REALTIME, 1000000);

	return pthread_rwlock_timedrdlock(lock, &soon);
}

static int timedwr(void *lock)
{
	struct timespec soon = in_ns(CLOCK_REALTIME, 1000000);

	return pthread_rwlock_timedwrlock(lock, &soon);
}

static int unlock_rw(void *lock)
{
	return pthread_rwlock_unlock(lock);
}

TEST(rwlock_states)
{
	EXPECT_EQ(pthread_rwlock_unlock(&rw), EPERM);
	EXPECT_EQ(pthread_rwlock_rdlock(&rw), 0);
	EXPECT_EQ(pthread_rwlock_rdlock(&rw), 0);
	EXPECT_EQ(elsewhere(tryrd, &rw), 0);
	EXPECT_EQ(elsewhere(trywr, &rw), EBUSY);
	EXPECT_EQ(elsewhere(timedwr, &rw), ETIMEDOUT);
	EXPECT_EQ(elsewhere(tryrd, &rw), 0); /* the writer that gave up keeps nobody out */
	EXPECT_EQ(pthread_rwlock_destroy(&rw), EBUSY);
	EXPECT_EQ(pthread_rwlock_unlock(&rw), 0);
	EXPECT_EQ(pthread_rwlock_unlock(&rw), 0);
	EXPECT_EQ(pthread_rwlock_wrlock(&rw), 0);
	EXPECT_EQ(pthread_rwlock_rdlock(&rw), EDEADLK);
	EXPECT_EQ(pthread_rwlock_wrlock(&rw), EDEADLK);
	EXPECT_EQ(elsewhere(tryrd, &rw), EBUSY);
	EXPECT_EQ(elsewhere(timedrd, &rw), ETIMEDOUT);
	EXPECT_EQ(elsewhere(unlock_rw, &rw), EPERM);
	EXPECT_EQ(pthread_rwlock_unlock(&rw), 0);
	EXPECT_EQ(elsewhere(trywr, &rw), 0);
	EXPECT_EQ(pthread_rwlock_destroy(&rw), 0);
}

static int readers, writers, wrong;

static void *read_and_write(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if ((i + (uintptr_t)pthread_self() / 64) % 4) {
			pthread_rwlock_rdlock(&rw);
			__atomic_add_fetch(&readers, 1, __ATOMIC_RELAXED);
			wrong |= writers;
			if (i % 16 == 0)
				sched_yield();
			__atomic_sub_fetch(&readers, 1, __ATOMIC_RELAXED);
		} else {
			pthread_rwlock_wrlock(&rw);
			wrong |= readers | writers++;
			sched_yield();
			writers--;
		}
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}

TEST(rwlock_excludes)
{
	pthread_rwlock_init(&rw, NULL);
	run_all(read_and_write, NULL);
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(pthread_rwlock_destroy(&rw), 0);
}

/* --- Barriers and spin locks --- */

static pthread_barrier_t barrier;
static int phase[NR_THREADS], serial, ahead, next_index;

static void *go_through(void *arg)
{
	int me = __atomic_fetch_add(&next_index, 1, __ATOMIC_RELAXED);

	for (int i = 1; i <= 20; i++) {
		phase[me] = i;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
		for (int n = 0; n < NR_THREADS; n++)
			ahead |= phase[n] < i;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

TEST(barrier_holds_back)
{
	EXPECT_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
	EXPECT_EQ(pthread_barrier_init(&barrier, NULL, NR_THREADS), 0);
	run_all(go_through, NULL);
	EXPECT_EQ(ahead, 0);
	EXPECT_EQ(serial, 40);
	EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
}

static pthread_spinlock_t spin;

static void *count_spinning(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_spin_lock(&spin);
		int seen = shared;
		if (i % 8 == 0)
			sched_yield();
		shared = seen + 1;
		pthread_spin_unlock(&spin);
	}
	return arg;
}

TEST(spin_lock)
{
	shared = 0;
	EXPECT_EQ(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	run_all(count_spinning, NULL);
	EXPECT_EQ(shared, NR_THREADS * ROUNDS);
	EXPECT_EQ(pthread_spin_trylock(&spin), 0);
	EXPECT_EQ(pthread_spin_trylock(&spin), EBUSY);
	EXPECT_EQ(pthread_spin_unlock(&spin), 0);
}

/* --- Semaphores --- */

static sem_t sem, done;

static void *consume(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		while (sem_wait(&sem))
			;
		__atomic_add_fetch(&shared, 1, __ATOMIC_RELAXED);
	}
	sem_post(&done);
	return arg;
}

TEST(semaphores)
{
	struct timespec soon = in_ns(CLOCK_REALTIME, 1000000);
	pthread_t threads[NR_THREADS];
	int value;

	EXPECT_ERRNO(sem_init(&sem, 1, 0), ENOSYS);
	EXPECT_ERRNO(sem_init(&sem, 0, SEM_VALUE_MAX + 1U), EINVAL);
	EXPECT_EQ(sem_init(&sem, 0, SEM_VALUE_MAX), 0);
	EXPECT_ERRNO(sem_post(&sem), EOVERFLOW);
	EXPECT_EQ(sem_init(&sem, 0, 1), 0);
	EXPECT_EQ(sem_init(&done, 0, 0), 0);
	EXPECT_EQ(sem_trywait(&sem), 0);
	EXPECT_ERRNO(sem_trywait(&sem), EAGAIN);
	EXPECT_ERRNO(sem_timedwait(&sem, &soon), ETIMEDOUT);
	shared = 0;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i < NR_THREADS * ROUNDS; i++) {
		EXPECT_EQ(sem_post(&sem), 0);
		if (i % 7 == 0)
			sched_yield();
	}
	for (int i = 0; i < NR_THREADS; i++)
		EXPECT_EQ(sem_wait(&done), 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(shared, NR_THREADS * ROUNDS);
	EXPECT_EQ(sem_getvalue(&sem, &value), 0);
	EXPECT_EQ(value, 0);
}
