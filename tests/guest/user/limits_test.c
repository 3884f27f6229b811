/* SPDX-License-Identifier: MIT */
/* What a program meets where something is used up: the documented error or signal, and nobody else
 * pays. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define PAGE      4096UL
#define AREA      (64 * PAGE)
#define MAX_AREAS 4096
#define RW        (PROT_READ | PROT_WRITE)
#define SMALL_KB  (64L << 10)
#define LARGE_KB  (512L << 10)

static char *areas[MAX_AREAS];

static char *map(size_t size)
{
	char *p = mmap(NULL, size, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Twice the memory that there is, each part of it small enough to be given; how many AREAs. */
static unsigned map_too_much(void)
{
	unsigned n = 2 * free_memory_kb() * 1024 / AREA + 1;

	for (unsigned i = 0; i < n; i++)
		if (i == MAX_AREAS || !(areas[i] = map(AREA)))
			_exit(99);
	return n;
}

static void touch(char *area)
{
	for (size_t at = 0; at < AREA; at += PAGE)
		*(volatile char *)(area + at) = 1;
}

static void survive(int sig)
{
	(void)sig;
}

static void sleep_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* --- Memory --- */

/* No handler keeps it: none could do without the memory. */
static void take_all(void)
{
	unsigned n = map_too_much();

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, survive);
	for (unsigned i = 0; i < n; i++)
		touch(areas[i]);
	_exit(98);
}

/* Another process, which was there before: it still works, and is told so by one byte. */
static void take_all_beside(void)
{
	int to[2], from[2];
	pid_t other;
	char c;

	if (pipe(to) || pipe(from))
		_exit(1);
	other = fork();
	if (!other)
		_exit(read(to[0], &c, 1) == 1 && write(from[1], "b", 1) == 1 ? 42 : 1);
	if (WTERMSIG(in_child(take_all)) != SIGKILL)
		_exit(2);
	if (write(to[1], "a", 1) != 1 || read(from[0], &c, 1) != 1 || c != 'b')
		_exit(3);
	waitpid(other, &to[0], 0);
	_exit(WEXITSTATUS(to[0]) == 42 ? 0 : 4);
}

/* What is shared since a fork counts for the one who writes to it. */
static void write_to_shared(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		touch(areas[i]);
	_exit(0);
}

static void fork_large(void)
{
	unsigned n = free_memory_kb() * 1024 / AREA * 3 / 5;
	int status;
	pid_t child;

	for (unsigned i = 0; i < n; i++) {
		areas[i] = map(AREA);
		if (!areas[i])
			_exit(1);
		touch(areas[i]);
	}
	child = fork();
	if (!child)
		write_to_shared(n);
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
	    WTERMSIG(status) != SIGKILL)
		_exit(2);
	for (unsigned i = 0; i < n; i++)
		for (size_t at = 0; at < AREA; at += PAGE)
			if (areas[i][at] != 1)
				_exit(3);
	_exit(0);
}

/* Takes memory until there are only @kb left; where the rest of what was mapped begins. */
static char *leave_only(long kb)
{
	unsigned i = 0, n = map_too_much();
	size_t at = 0;

	for (long left = free_memory_kb() - kb; left > 0; left = free_memory_kb() - kb) {
		/* Half of it, since page tables will be needed, too. */
		for (long page = 0; page <= left / 8; page++) {
			*(volatile char *)(areas[i] + at) = 1;
			at += PAGE;
			if (at == AREA) {
				at = 0;
				i++;
			}
		}
	}
	return i + 1 < n ? areas[i + 1] : NULL;
}

/*
 * The kernel's own access to what was never touched: an error, or less than was asked for. First
 * with enough memory, so that the code is there the second time.
 */
static void read_into_nothing(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	bool right = true;

	for (int round = 0; round < 2; round++) {
		char *area = round ? leave_only(AREA / 2048) : map(AREA);
		ssize_t all = read(fd, area, AREA);
		int all_errno = errno;
		ssize_t last = read(fd, area + AREA - PAGE, PAGE);
		int last_errno = errno;

		munmap(round ? areas[0] : area, AREA); /* for what may follow */
		if (round)
			right &= (all == -1 ? all_errno == EFAULT : all < (ssize_t)AREA) &&
				 last == -1 && last_errno == EFAULT;
		else
			right &= all == (ssize_t)AREA && last == (ssize_t)PAGE;
	}
	_exit(!right);
}

static void *nothing(void *arg)
{
	return arg;
}

static void expect_refusals(void)
{
	char *const argv[] = {"true", NULL};
	struct flock lock = {.l_type = F_WRLCK};
	pthread_t thread;
	int fds[2], err;
	pid_t pid;

	if (map(AREA) || errno != ENOMEM)
		_exit(10);
	if ((long)sbrk(AREA) != -1 || errno != ENOMEM)
		_exit(11);
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid > 0 || errno != ENOMEM)
		_exit(12);
	err = pthread_create(&thread, NULL, nothing, NULL);
	if (err != EAGAIN && err != ENOMEM)
		_exit(13);
	if (open("/tmp/none", O_WRONLY | O_CREAT, 0666) != -1 || errno != ENOSPC)
		_exit(14);
	if (mkdir("/tmp/none", 0777) != -1 || errno != ENOSPC)
		_exit(15);
	fds[0] = open("/tmp/limits", O_RDWR);
	if (fds[0] >= 0 && (write(fds[0], areas[0], AREA) != -1 || errno != ENOSPC))
		_exit(16);
	if (fds[0] >= 0 && (fcntl(fds[0], F_SETLK, &lock) != -1 || errno != ENOLCK))
		_exit(17);
	execv("/bin/true", argv);
	if (errno != ENOMEM)
		_exit(18);
}

static void ask_without_memory(void)
{
	int fd = open("/tmp/limits", O_RDWR | O_CREAT, 0666);

	in_child(expect_refusals);
	leave_only(128); /* half of which is init's */
	expect_refusals();
	close(fd);
	_exit(0);
}

/* So that it takes less time: a process that has most of a large memory, until @fd is closed. */
static void keep_most(int fd)
{
	char c;

	leave_only(free_memory_kb() / 4);
	read(fd, &c, 1);
	_exit(0);
}

static pid_t start_keeper(int *fd)
{
	int ends[2];
	pid_t pid;

	if (!EXPECT(pipe(ends) == 0))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		keep_most(ends[0]);
	}
	close(ends[0]);
	*fd = ends[1];
	return pid;
}

/* Each body, in a child, twice: it ends well, and after the second time there is as much as before.
 */
static void use_up_memory(void)
{
	static const struct {
		const char *what;
		void (*body)(void);
	} rows[] = {
	    {"who asks ends", take_all_beside},
	    {"after a fork", fork_large},
	    {"in a system call", read_into_nothing},
	    {"errors of calls", ask_without_memory},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int first = in_child(rows[i].body), second;
		long before = free_memory_kb(), after;

		second = in_child(rows[i].body);
		after = free_memory_kb();
		ktap_expect(!first && !second && before > 0 && after == before, __FILE__, __LINE__,
			    "%s: status 0x%x, then 0x%x; free %ld kB, then %ld kB", rows[i].what,
			    first, second, before, after);
	}
}

TEST(limits_out_of_memory)
{
	long free_kb = free_memory_kb();
	int fd = -1, file;
	pid_t keeper = 0;

	if (free_kb > LARGE_KB) {
		ktap_skip("so much memory takes long to use up");
		return;
	}
	file = open("/tmp/limits", O_RDWR | O_CREAT, 0666);
	if (free_kb > SMALL_KB)
		keeper = start_keeper(&fd);
	for (int i = 0; keeper && i < 1000 && free_memory_kb() > free_kb / 4; i++)
		sleep_ms(10);
	use_up_memory();
	if (keeper) {
		close(fd);
		EXPECT_EQ(waitpid(keeper, NULL, 0), keeper);
	}
	close(file);
	EXPECT_EQ(unlink("/tmp/limits"), 0);
}

/* --- Processes --- */

static void bomb(void)
{
	setpgid(0, 0);
	for (;;)
		fork();
}

static void bomb_unprivileged(void)
{
	if (setuid(1000))
		_exit(1);
	bomb();
}

static long running_tasks(void)
{
	FILE *f = fopen("/proc/loadavg", "r");
	long n = -1;

	if (!f || fscanf(f, "%*s %*s %*s %*d/%ld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/* Is a fork refused, as it is where there are too many processes? */
static bool no_room(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid < 0 && (errno == EAGAIN || errno == ENOMEM);
}

static void fork_as_user(void)
{
	_exit(setuid(1000) ? 2 : !no_room());
}

/* For others there is none, and for the privileged user there is. */
static bool no_room_for_others(void)
{
	return in_child(fork_as_user) == 0;
}

/* Lets it grow until there is no room for one more, and ends all of it by one signal. */
static void defuse(void (*body)(void), bool (*is_grown)(void))
{
	long before = running_tasks();
	pid_t group;

	/* Or it would get one turn in as many as there are tasks. */
	EXPECT_EQ(setpriority(PRIO_PROCESS, 0, -20), 0);
	fflush(stdout);
	group = fork();
	if (!group) {
		setpriority(PRIO_PROCESS, 0, 0);
		body();
	}
	if (!EXPECT(group > 0))
		return;
	for (int i = 0; i < 100 && !is_grown(); i++)
		sleep_ms(5);
	EXPECT(is_grown());
	EXPECT(running_tasks() > before + 5);
	EXPECT_EQ(kill(-group, SIGKILL), 0);
	EXPECT_EQ(waitpid(group, NULL, 0), group);
	for (int i = 0; i < 100 && running_tasks() > before; i++)
		sleep_ms(10);
	EXPECT(running_tasks() <= before); /* a thread of before may have gone meanwhile */
	EXPECT_ERRNO(kill(-group, 0), ESRCH);
	EXPECT_EQ(setpriority(PRIO_PROCESS, 0, 0), 0);
}

TEST(limits_fork_bomb)
{
	long before;

	defuse(bomb,
	       no_room); /* the kernel keeps page tables for as many stacks as there ever were */
	before = free_memory_kb();
	defuse(bomb_unprivileged, no_room_for_others);
	EXPECT_EQ(free_memory_kb(), before);
}

/* --- Descriptors --- */

static void use_up_descriptors(void)
{
	int fds[2], n = 0, last = -1, fd;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
		last = fd;
		n++;
	}
	EXPECT_EQ(errno, EMFILE);
	EXPECT_EQ(last, sysconf(_SC_OPEN_MAX) - 1);
	EXPECT_ERRNO(dup(0), EMFILE);
	EXPECT_ERRNO(fcntl(0, F_DUPFD, 0), EMFILE);
	EXPECT_ERRNO(fcntl(0, F_DUPFD, 64), EINVAL);
	EXPECT_ERRNO(dup2(0, 64), EBADF);
	EXPECT_ERRNO(pipe(fds), EMFILE);
	/* One is not enough for a pipe, and is still there. */
	EXPECT_EQ(close(last), 0);
	EXPECT_ERRNO(pipe(fds), EMFILE);
	EXPECT_EQ(dup(0), last);
	for (; n; n--)
		EXPECT_EQ(close(last--), 0);
}

TEST(limits_descriptors)
{
	long before;

	use_up_descriptors();
	before = free_memory_kb();
	use_up_descriptors();
	EXPECT_EQ(free_memory_kb(), before);
}
