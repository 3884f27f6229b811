/* SPDX-License-Identifier: MIT */
/* Threads: their beginning and end, what they have of their own, and what becomes of their process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define NR_THREADS 8
#define PAGE       4096

static pid_t gettid(void)
{
	return syscall(SYS_gettid);
}

/* A thread that runs @entry(@arg), which it is no failure of the test to make. */
static pthread_t start(void *(*entry)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, entry, arg))
		_exit(90);
	return thread;
}

static void *twice(void *arg)
{
	return (char *)arg + (uintptr_t)arg;
}

TEST(thread_join_gets_the_result)
{
	pthread_t threads[NR_THREADS];
	void *result;

	for (uintptr_t i = 0; i < NR_THREADS; i++)
		EXPECT_EQ(pthread_create(&threads[i], NULL, twice, (void *)i), 0);
	for (uintptr_t i = 0; i < NR_THREADS; i++) {
		EXPECT_EQ(pthread_join(threads[i], &result), 0);
		EXPECT_EQ((uintptr_t)result, 2 * i);
	}
}

static pthread_t seen_self;
static pid_t seen_pid, seen_tid;

static void *look_at_self(void *arg)
{
	seen_self = pthread_self();
	seen_pid = getpid();
	seen_tid = gettid();
	pthread_exit(arg);
}

TEST(thread_numbers)
{
	pthread_t thread = start(look_at_self, &seen_tid);
	void *result;

	EXPECT_EQ(pthread_join(thread, &result), 0);
	EXPECT(result == &seen_tid);
	EXPECT(pthread_equal(thread, seen_self));
	EXPECT(!pthread_equal(thread, pthread_self()));
	EXPECT_EQ(seen_pid, getpid());
	EXPECT(seen_tid != getpid() && seen_tid > 1);
	EXPECT_EQ(gettid(), getpid());
	EXPECT_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}

/* --- What each has of its own --- */

static __thread int initialised = 42;
static __thread char zeroed[3000];
static __thread long long aligned __attribute__((aligned(64)));

static void *use_own_data(void *arg)
{
	uintptr_t id = (uintptr_t)arg;
	bool good =
	    initialised == 42 && !zeroed[0] && !zeroed[2999] && (uintptr_t)&aligned % 64 == 0;

	for (int i = 0; i < 20; i++) {
		initialised = errno = id + i;
		memset(zeroed, id + i, sizeof(zeroed));
		sched_yield();
		good &= initialised == (int)id + i && errno == (int)id + i &&
			zeroed[1500] == (char)(id + i);
	}
	return (void *)good;
}

TEST(thread_local_data_and_errno)
{
	pthread_t threads[NR_THREADS];
	void *good;

	/* More than once: a second thread on the same stack begins anew. */
	for (int round = 0; round < 3; round++) {
		for (uintptr_t i = 0; i < NR_THREADS; i++)
			threads[i] = start(use_own_data, (void *)(100 + i));
		errno = 7;
		for (int i = 0; i < NR_THREADS; i++) {
			pthread_join(threads[i], &good);
			EXPECT(good);
		}
		EXPECT_EQ(errno, 7);
	}
	EXPECT_EQ(initialised, 42);
	EXPECT_EQ(zeroed[0], 0);
}

static void *tokens_and_numbers(void *arg)
{
	char text[32], *save = text, number[32];
	int n = 0;

	snprintf(text, sizeof(text), "%s", (char *)arg);
	for (char *word = strtok(save, "-"); word; word = strtok(NULL, "-")) {
		n = n * 10 + atoi(word);
		sched_yield();
	}
	snprintf(number, sizeof(number), "%.3f", n / 8.0);
	return (void *)(uintptr_t)(strtod(number, NULL) * 8 == n ? n : -1);
}

/* strtok() and the conversion of floating-point numbers keep data between calls. */
TEST(thread_library_is_safe)
{
	pthread_t a = start(tokens_and_numbers, "1-2-3-4"),
		  b = start(tokens_and_numbers, "8-7-6-5");
	void *result;

	pthread_join(a, &result);
	EXPECT_EQ((uintptr_t)result, 1234);
	pthread_join(b, &result);
	EXPECT_EQ((uintptr_t)result, 8765);
}

static void *churn(void *arg)
{
	unsigned random = (uintptr_t)arg;
	char *block[16] = {};

	for (int i = 0; i < 400; i++) {
		random = random * 1103515245 + 12345;
		char **p = &block[random >> 16 & 15];

		if (*p && **p != (char)(uintptr_t)arg)
			return (void *)1;
		free(*p);
		*p = malloc(1 + (random >> 20 & 511));
		**p = (char)(uintptr_t)arg;
		if (i % 16 == 0)
			sched_yield();
	}
	for (int i = 0; i < 16; i++)
		free(block[i]);
	return NULL;
}

TEST(thread_malloc)
{
	pthread_t threads[4];
	void *bad;

	for (uintptr_t i = 0; i < 4; i++)
		threads[i] = start(churn, (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &bad);
		EXPECT(!bad);
	}
}

static void *floating(void *arg)
{
	double x = *(double *)arg;

	for (int i = 0; i < 200; i++) {
		x = x * 1.5 + 1;
		if (i % 10 == 0)
			sched_yield();
		x = (x - 1) / 1.5;
	}
	*(double *)arg = x;
	return NULL;
}

TEST(thread_floating_point_is_its_own)
{
	double value[4] = {1, 2, 4, 8};
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		threads[i] = start(floating, &value[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		EXPECT(value[i] > (1 << i) - 1e-9 && value[i] < (1 << i) + 1e-9);
	}
}

/* --- Stacks --- */

static void *where_is_stack(void *arg)
{
	return arg ? arg : __builtin_frame_address(0);
}

TEST(thread_stack_of_its_own_choice)
{
	static char stack[64 * 1024] __attribute__((aligned(16)));
	pthread_attr_t attr;
	pthread_t thread;
	void *where;

	pthread_attr_init(&attr);
	EXPECT_EQ(pthread_attr_setstacksize(&attr, 100), EINVAL);
	EXPECT_EQ(pthread_attr_setstack(&attr, stack, 64), EINVAL);
	EXPECT_EQ(pthread_attr_setstack(&attr, stack, sizeof(stack)), 0);
	EXPECT_EQ(pthread_create(&thread, &attr, where_is_stack, NULL), 0);
	EXPECT_EQ(pthread_join(thread, &where), 0);
	EXPECT((char *)where > stack && (char *)where < stack + sizeof(stack));
}

static int descend(int n)
{
	volatile char frame[1024];

	frame[0] = n;
	return n ? descend(n - 1) + frame[0] : 0;
}

static void *use_stack(void *arg)
{
	descend((uintptr_t)arg);
	return arg;
}

TEST(thread_stack_size)
{
	pthread_attr_t attr;
	pthread_t thread;
	size_t size = 0;

	pthread_attr_init(&attr);
	pthread_attr_getstacksize(&attr, &size);
	EXPECT(size >= 256 * 1024);
	EXPECT_EQ(pthread_attr_setstacksize(&attr, 2 << 20), 0);
	EXPECT_EQ(pthread_create(&thread, &attr, use_stack, (void *)1500), 0);
	EXPECT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(pthread_attr_setstacksize(&attr, PTRDIFF_MAX), 0);
	EXPECT_EQ(pthread_create(&thread, &attr, use_stack, NULL), EAGAIN);
}

static void overflow_in_thread(void)
{
	pthread_join(start(use_stack, (void *)100000), NULL);
	_exit(0);
}

/* The guard ends the process, and with it the other threads. */
TEST(thread_stack_overflow_is_fatal)
{
	int status = in_child(overflow_in_thread);

	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* --- Detaching --- */

static volatile int detached_ran;

static void *count_detached(void *arg)
{
	__atomic_add_fetch(&detached_ran, 1, __ATOMIC_RELAXED);
	return arg;
}

TEST(thread_detach)
{
	pthread_attr_t attr;
	pthread_t thread;

	detached_ran = 0;
	pthread_attr_init(&attr);
	EXPECT_EQ(pthread_attr_setdetachstate(&attr, 99), EINVAL);
	EXPECT_EQ(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(pthread_create(&thread, &attr, count_detached, NULL), 0);
		thread = start(count_detached, NULL);
		if (i % 2)
			sched_yield(); /* it may have ended already */
		EXPECT_EQ(pthread_detach(thread), 0);
	}
	while (detached_ran < 40)
		sched_yield();
	EXPECT_EQ(detached_ran, 40);
}

static void *wait_for_go(void *arg)
{
	while (!__atomic_load_n((volatile int *)arg, __ATOMIC_RELAXED))
		sched_yield();
	return NULL;
}

TEST(thread_detached_cannot_be_joined)
{
	volatile int go = 0;
	pthread_t thread = start(wait_for_go, (void *)&go);

	EXPECT_EQ(pthread_detach(thread), 0);
	EXPECT_EQ(pthread_detach(thread), EINVAL);
	EXPECT_EQ(pthread_join(thread, NULL), EINVAL);
	go = 1;
}

/* --- Cleaning up --- */

static int cleaned[4];

static void clean(void *arg)
{
	static int order;

	cleaned[(uintptr_t)arg] = ++order;
}

static void *leave_in_the_middle(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	pthread_cleanup_push(clean, (void *)2);
	pthread_cleanup_push(clean, (void *)3);
	pthread_cleanup_pop(0);
	pthread_exit(arg);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

TEST(thread_cleanup_handlers)
{
	pthread_join(start(leave_in_the_middle, NULL), NULL);
	EXPECT_EQ(cleaned[2], 1);
	EXPECT_EQ(cleaned[1], 2);
	EXPECT_EQ(cleaned[3], 0);
}

static pthread_key_t key, plain_key;
static int destroyed, rounds;

static void destroy(void *value)
{
	destroyed += *(int *)value;
	if (rounds-- > 0)
		pthread_setspecific(key, value);
}

static void *use_keys(void *arg)
{
	if (pthread_getspecific(key) || pthread_getspecific(plain_key))
		return (void *)1;
	pthread_setspecific(key, arg);
	pthread_setspecific(plain_key, arg);
	sched_yield();
	return pthread_getspecific(key) == arg ? NULL : (void *)2;
}

TEST(thread_keys)
{
	int five = 5;
	void *bad;

	EXPECT_EQ(pthread_key_create(&key, destroy), 0);
	EXPECT_EQ(pthread_key_create(&plain_key, NULL), 0);
	for (rounds = 0; rounds < 3; rounds++) {
		int again = rounds;

		destroyed = 0;
		pthread_join(start(use_keys, &five), &bad);
		EXPECT(!bad);
		EXPECT_EQ(destroyed, 5 * (again + 1));
		rounds = again;
	}
	EXPECT_EQ(pthread_setspecific(key, &five), 0);
	EXPECT_EQ(pthread_key_delete(key), 0);
	EXPECT_EQ(pthread_setspecific(key, &five), EINVAL);
	EXPECT_EQ(pthread_key_delete(key), EINVAL);
	/* The new key has the old one's place, and not its value. */
	EXPECT_EQ(pthread_key_create(&key, NULL), 0);
	EXPECT(!pthread_getspecific(key));
	pthread_key_delete(key);
	pthread_key_delete(plain_key);
}

TEST(thread_keys_run_out)
{
	pthread_key_t keys[1000];
	int n = 0;

	while (n < 1000 && !pthread_key_create(&keys[n], NULL))
		n++;
	EXPECT(n >= 100 && n < 1000);
	EXPECT_EQ(pthread_key_create(&key, NULL), EAGAIN);
	while (n--)
		EXPECT_EQ(pthread_key_delete(keys[n]), 0);
}

/* --- Names --- */

TEST(thread_names)
{
	volatile int go = 0;
	pthread_t thread = start(wait_for_go, (void *)&go);
	char name[16], own[16];

	EXPECT_EQ(pthread_getname_np(pthread_self(), own, sizeof(own)), 0);
	EXPECT_EQ(pthread_getname_np(thread, name, sizeof(name)), 0);
	EXPECT_STR(name, own); /* its maker's */
	EXPECT_EQ(pthread_setname_np(thread, "fifteen letters"), 0);
	EXPECT_EQ(pthread_setname_np(thread, "sixteen letters!"), ERANGE);
	EXPECT_EQ(pthread_getname_np(thread, name, sizeof(name)), 0);
	EXPECT_STR(name, "fifteen letters");
	EXPECT_EQ(pthread_getname_np(thread, name, 15), ERANGE);
	EXPECT_EQ(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
	EXPECT_STR(name, own);
	EXPECT_ERRNO(syscall(SYS_thread_setname, 1, "init"), ESRCH);
	EXPECT_ERRNO(syscall(SYS_thread_setname, gettid(), bad_pointer), EFAULT);
	go = 1;
	pthread_join(thread, NULL);
}

/* --- /proc --- */

static bool read_line(char *line, size_t size, const char *format, pid_t pid, pid_t tid)
{
	char path[64];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), format, (int)pid, (int)tid);
	f = fopen(path, "r");
	ok = f && fgets(line, size, f);
	if (f)
		fclose(f);
	line[ok ? strcspn(line, "\n") : 0] = '\0';
	return ok;
}

/* Which numbers there are in directory @path, of those two; 4: others. */
static int numbers_in(const char *path, pid_t a, pid_t b)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int found = 0;

	while (dir && (entry = readdir(dir))) {
		int number = atoi(entry->d_name);

		if (number)
			found |= number == a ? 1 : number == b ? 2 : 4;
	}
	if (dir)
		closedir(dir);
	return found;
}

TEST(thread_directory)
{
	volatile int go = 0;
	pthread_t thread = start(wait_for_go, (void *)&go);
	char line[64];
	pid_t tid;

	pthread_setname_np(thread, "listed");
	for (tid = getpid() + 1; tid < 32768; tid++)
		if (read_line(line, sizeof(line), "/proc/%d/task/%d/comm", getpid(), tid))
			break;
	EXPECT_STR(line, "listed");
	EXPECT_EQ(numbers_in("/proc/self/task", getpid(), tid), 3);
	EXPECT_EQ(numbers_in("/proc", getpid(), tid) & 3, 1); /* where the processes are */
	EXPECT(read_line(line, sizeof(line), "/proc/%d/comm", tid, 0));
	EXPECT(!read_line(line, sizeof(line), "/proc/%d/task/%d/comm", tid, tid));
	EXPECT(!read_line(line, sizeof(line), "/proc/self/task/1/comm", 0, 0));
	EXPECT(!read_line(line, sizeof(line), "/proc/self/task/self/comm", 0, 0));
	EXPECT(!read_line(line, sizeof(line), "/proc/self/tasks", 0, 0));
	go = 1;
	pthread_join(thread, NULL);
}

/* --- Times --- */

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void *burn(void *arg)
{
	while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < 30000000)
		for (volatile int i = 0; i < 10000; i++)
			;
	return arg;
}

TEST(thread_process_time_is_the_sum)
{
	uint64_t before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t own = nanoseconds(CLOCK_THREAD_CPUTIME_ID), sum;
	pthread_t a = start(burn, NULL), b = start(burn, NULL);

	pthread_join(a, NULL);
	pthread_join(b, NULL);
	/* Those who have ended count as well. */
	sum = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before;
	EXPECT(sum >= 50000000 && sum < 200000000);
	EXPECT(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - own < 30000000);
}

/* --- Wrong arguments --- */

TEST(thread_create_refuses)
{
	void *entry = (void *)twice;
	uint32_t tid;

	EXPECT_ERRNO(syscall(SYS_thread_create, entry, 0L, 0L, 0L, bad_pointer), EFAULT);
	EXPECT_ERRNO(syscall(SYS_thread_create, entry, 0L, 0L, 0L, NULL), EFAULT);
	EXPECT_ERRNO(syscall(SYS_thread_create, -4096L, 0L, 0L, 0L, &tid), EFAULT);
	EXPECT_ERRNO(syscall(SYS_thread_create, entry, 0L, 0L, -1L, &tid), EPERM);
	EXPECT_ERRNO(syscall(SYS_thread_set_tls, -4096L), EPERM);
}
