/* SPDX-License-Identifier: MIT */
/* Which arguments of which system calls are pointers: a row a call, in pointers_table.c. */
#pragma once

#include "hostile.h"

enum arg_kind {
	ARG_VALUE,   /* no pointer */
	ARG_IN,      /* the kernel reads size bytes there */
	ARG_OUT,     /* it writes up to size bytes there */
	ARG_INOUT,   /* both */
	ARG_STRING,  /* a path or a name */
	ARG_STRINGS, /* a NULL-terminated array of such */
	ARG_ADDRESS, /* where no memory is touched: one of the kernel's is refused with the row's
			errno */
};

#define ARG_NULL    1  /* NULL means something else */
#define ARG_ALIGNED 2  /* EINVAL for one that is not */
#define ARG_BYTES   4  /* they are moved as far as they can be */
#define ARG_UNREAD  8  /* only where it is matters */
#define ARG_INVALID 16 /* what is there is refused, with EINVAL */

struct arg {
	enum arg_kind kind;
	long value;  /* or one of enum standard_fd */
	size_t size; /* bytes behind a pointer */
	unsigned flags;
	const void *content; /* what is there to be read; NULL: zeroes */
};

/* Values of arguments that stand for descriptors the test has open, its own number, and a timer's.
 */
enum standard_fd {
	FD_PIPE_READ = -1000,
	FD_PIPE_WRITE,
	FD_EVENT,
	FD_DIRECTORY,
	FD_FILE,
	FD_SCRATCH, /* a file to be written */
	FD_ZERO,
	FD_SELF,
	FD_TIMER,
	FD_END
};

struct row {
	int nr;
	const char *name;
	struct arg arg[6];
	int error;            /* for a bad address; 0: EFAULT */
	bool blocks;          /* with good pointers */
	void (*before)(void); /* makes it ready */
	void (*after)(long result,
		      const void *good); /* undoes it; @good is the last good pointer */
};

extern const struct row rows[];
extern const unsigned nr_rows;

/* The descriptors behind enum standard_fd. */
extern int standard_fds[FD_END - FD_PIPE_READ];
static inline int standard_fd(enum standard_fd which)
{
	return standard_fds[which - FD_PIPE_READ];
}
