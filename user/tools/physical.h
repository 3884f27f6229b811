/* SPDX-License-Identifier: MIT */
/* What md and mw share: their arguments, and reaching physical memory through /dev/mem. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ULL

static const char *program;
static unsigned width = 4; /* bytes of an object */
static sigjmp_buf aborted;

/* Where the bus says no: back to where the access was to be made. */
static void on_abort(int signal)
{
	(void)signal;
	siglongjmp(aborted, 1);
}

/* Takes a -b, -h, -w or -g off the arguments; false: some other option. */
static bool take_width(int *argc, char ***argv)
{
	static const char letters[] = "bhwg";
	const char *arg = *argc > 1 ? (*argv)[1] : "", *letter;

	if (*arg != '-')
		return true;
	letter = arg[1] && !arg[2] ? strchr(letters, arg[1]) : NULL;
	if (!letter)
		return false;
	width = 1U << (letter - letters);
	++*argv;
	--*argc;
	return true;
}

/* A hexadecimal number, with 0x before it or not; ends the program when it is none. */
static uint64_t number(const char *s)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(s, &end, 16);
	if (end == s || *end || errno || *s == '-') {
		fprintf(stderr, "%s: %s: not a hexadecimal number\n", program, s);
		exit(2);
	}
	return n;
}

/* An address, of an object as wide as they are. */
static uint64_t address_of(const char *s)
{
	uint64_t address = number(s);

	if (address % width) {
		fprintf(stderr, "%s: %s: not a multiple of %u\n", program, s, width);
		exit(2);
	}
	return address;
}

static int open_memory(int flags)
{
	struct sigaction action = {.sa_handler = on_abort};
	int fd = open("/dev/mem", flags);

	if (fd < 0) {
		fprintf(stderr, "%s: /dev/mem: %s\n", program, strerror(errno));
		exit(1);
	}
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	return fd;
}

/* The page around @address, instead of the one at @old; NULL: it cannot be mapped, which is told.
 */
static volatile uint8_t *map_page(int fd, uint64_t address, int prot, volatile uint8_t *old)
{
	uint64_t page = address & ~(PAGE - 1);
	void *map = MAP_FAILED;

	if (old)
		munmap((void *)old, PAGE);
	errno = EINVAL;
	if ((unsigned long)page == page)
		map = mmap(NULL, PAGE, prot, MAP_SHARED, fd, (unsigned long)page);
	if (map != MAP_FAILED)
		return map;
	fprintf(stderr, "%s: %llx: %s\n", program, (unsigned long long)address, strerror(errno));
	return NULL;
}

static void tell_abort(uint64_t address)
{
	fflush(stdout);
	fprintf(stderr, "%s: %llx: nothing answers there (the access was aborted)\n", program,
		(unsigned long long)address);
}
