/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for pointers: at every boundary of the address space, for every pointer of every
 * system call, a bad one is EFAULT, and a good one is written to as far as it should be.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <uapi/types.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "pointers.h"

#define RW (PROT_READ | PROT_WRITE)

/* Two pages, a hole, a page; a page that can not be written, and one that can not be read. */
static char *pages, *hole, *behind, *read_only, *no_access;
#define PATTERN 0x5a

/* The good pointer of each argument is on a page of its own. */
static char *buffers;

static char *map(size_t size, int prot)
{
	return mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool set_up(void)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int *fds = standard_fds;

	pages = map(4 * PAGE, RW);
	hole = pages + 2 * PAGE;
	behind = pages + 3 * PAGE;
	read_only = map(PAGE, PROT_READ);
	no_access = map(PAGE, PROT_NONE);
	buffers = map(6 * PAGE, RW);
	fds[FD_EVENT - FD_PIPE_READ] = perf_event_open(&attr, 0, -1, -1, 0);
	fds[FD_DIRECTORY - FD_PIPE_READ] = open("/bin", O_RDONLY);
	fds[FD_FILE - FD_PIPE_READ] = open(ktap_program, O_RDONLY);
	fds[FD_SCRATCH - FD_PIPE_READ] = open("/scratch", O_RDWR | O_CREAT, 0600);
	unlink("/scratch");
	fds[FD_ZERO - FD_PIPE_READ] = open("/dev/zero", O_RDONLY);
	fds[FD_SELF - FD_PIPE_READ] = getpid();
	fds[FD_TIMER - FD_PIPE_READ] = syscall(SYS_timer_create, UAPI_CLOCK_MONOTONIC, NULL);
	for (int fd = FD_EVENT; fd < FD_END; fd++)
		if (!EXPECT(standard_fd(fd) >= 0))
			return false;
	/* The hole last: or it would be where the next mapping goes. */
	return EXPECT(pages != MAP_FAILED) && EXPECT(no_access != MAP_FAILED) &&
	       EXPECT_EQ(pipe(fds), 0) && EXPECT_EQ(munmap(hole, PAGE), 0);
}

static void tear_down(void)
{
	for (int fd = FD_PIPE_READ; fd < FD_SELF; fd++)
		close(standard_fd(fd));
	syscall(SYS_timer_delete, standard_fd(FD_TIMER));
	munmap(pages, 2 * PAGE);
	munmap(behind, PAGE);
	munmap(read_only, PAGE);
	munmap(no_access, PAGE);
	munmap(buffers, 6 * PAGE);
}

static bool is_pointer(const struct arg *arg)
{
	return arg->kind != ARG_VALUE;
}

/* Puts what is to be read at @at, which has room for it. */
static void fill(const struct arg *arg, char *at)
{
	memset(at, 0, arg->size);
	if (arg->content)
		memcpy(at, arg->content, arg->size);
}

/* The call of @row, with argument @n as @value and good ones for all others: -errno, or the result.
 */
static long call_with(const struct row *row, unsigned n, unsigned long value)
{
	long a[6] = {0}, result;

	for (unsigned i = 0; i < 6; i++) {
		const struct arg *arg = &row->arg[i];

		a[i] = arg->value;
		if (a[i] >= FD_PIPE_READ && a[i] < FD_END)
			a[i] = standard_fd(a[i]);
		if (i == n) {
			a[i] = value;
		} else if (is_pointer(arg)) {
			a[i] = (long)(buffers + i * PAGE + 64);
			fill(arg, (char *)a[i]);
		}
	}
	if (row->before)
		row->before();
	errno = 0;
	result = syscall(row->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	return result == -1 && errno ? -errno : result;
}

static void finish(const struct row *row, long result, const void *good)
{
	if (row->after)
		row->after(result, good);
}

static void expect(bool held, const struct row *row, unsigned n, unsigned long value, long result)
{
	ktap_expect(held, __FILE__, __LINE__, "%s, argument %u, %#lx: not %ld", row->name, n, value,
		    result);
}

/* An address that is none of the program's, for argument @n. */
static void try_bad(const struct row *row, unsigned n, unsigned long address)
{
	long result = call_with(row, n, address);

	expect(result == -(row->error ? row->error : EFAULT), row, n, address, result);
	finish(row, result, buffers);
}

static void try_bad_addresses(const struct row *row, unsigned n)
{
	const struct arg *arg = &row->arg[n];
	unsigned long size = arg->size ? arg->size : 1;

	for (unsigned i = 0; i < nr_kernel_addresses; i++)
		try_bad(row, n, kernel_addresses[i] & -(arg->kind == ARG_ADDRESS ? PAGE : 1));
	if (arg->kind == ARG_ADDRESS)
		return;
	if (!(arg->flags & ARG_NULL))
		try_bad(row, n, 0);
	try_bad(row, n, 8);
	try_bad(row, n, USER_START - ((size + 3) & -4ul));
	try_bad(row, n, USER_START - PAGE);
	try_bad(row, n, USER_END);
	try_bad(row, n, -(size & -4ul));
	try_bad(row, n, -(size & -4ul) - 4);
	try_bad(row, n, (unsigned long)hole);
	try_bad(row, n, (unsigned long)behind - 4);
	if (!(arg->flags & ARG_UNREAD))
		try_bad(row, n, (unsigned long)no_access);
	/* All there is to be read there is zeroes. */
	if (arg->kind == ARG_OUT || (arg->kind == ARG_INOUT && !arg->content))
		try_bad(row, n, (unsigned long)read_only);
}

/* From a page into the hole behind it. */
static void try_crossing(const struct row *row, unsigned n)
{
	const struct arg *arg = &row->arg[n];
	unsigned long step = arg->flags & ARG_ALIGNED ? 4 : 1,
		      most = arg->size > 64 ? 64 : arg->size;

	for (unsigned long inside = step; inside < most; inside += step) {
		char *at = hole - inside;
		long result;

		memset(pages, PATTERN, 2 * PAGE);
		/* A string that does not end before the hole. */
		if (arg->kind != ARG_STRING && arg->content)
			memcpy(at, arg->content, inside);
		else if (arg->kind != ARG_STRING)
			memset(at, 0, inside);
		else if (arg->size - 1 <= inside)
			break;
		result = call_with(row, n, (unsigned long)at);
		expect(result == -EFAULT ||
			   (arg->flags & ARG_BYTES && result > 0 && result <= (long)inside),
		       row, n, (unsigned long)at, result);
		finish(row, result, buffers);
		/* What lies before it is as it was. */
		for (char *p = pages; p < at; p++)
			if (*p != PATTERN) {
				expect(false, row, n, (unsigned long)p, *p);
				break;
			}
	}
}

/* At several places of a page, its end the last; nothing around is touched. */
static void try_good(const struct row *row, unsigned n)
{
	const struct arg *arg = &row->arg[n];
	char *const places[] = {pages,
				pages + 64 + 1,
				pages + 64 + 2,
				pages + 64 + 7,
				pages + PAGE - arg->size / 2,
				hole - arg->size};

	for (unsigned i = 0; i < ARRAY_LENGTH(places); i++) {
		char *at = places[i];
		bool touched = false;
		long result;

		memset(pages, PATTERN, 2 * PAGE);
		fill(arg, at);
		result = call_with(row, n, (unsigned long)at);
		expect(result != -EFAULT &&
			   (result != -EINVAL || arg->flags & (ARG_ALIGNED | ARG_INVALID)),
		       row, n, (unsigned long)at, result);
		for (char *p = pages; p < hole; p++)
			touched |= (p < at || p >= at + arg->size) && *p != PATTERN;
		expect(!touched, row, n, (unsigned long)at, result);
		finish(row, result, at);
	}
}

static bool has_address(const struct row *row)
{
	for (unsigned i = 0; i < 6; i++)
		if (row->arg[i].kind == ARG_ADDRESS)
			return true;
	return false;
}

TEST(c10_pointers_of_every_call)
{
	bool listed[NR_SYSCALLS] = {false};

	if (!set_up())
		return;
	for (const struct row *row = rows; row < rows + nr_rows; row++) {
		listed[row->nr] = true;
		for (unsigned n = 0; n < 6; n++) {
			if (!is_pointer(&row->arg[n]))
				continue;
			try_bad_addresses(row, n);
			if (row->arg[n].kind == ARG_ADDRESS)
				continue;
			try_crossing(row, n);
			/* With an address of its own it would do something. */
			if (!has_address(row) && !row->blocks)
				try_good(row, n);
		}
	}
	for (int nr = 0; nr < NR_SYSCALLS; nr++)
		ktap_expect(listed[nr], __FILE__, __LINE__,
			    "system call %d to have a row in pointers_table.c", nr);
	tear_down();
}
