/* SPDX-License-Identifier: MIT */
/*
 * Tests that run as a program in the guest and print KTAP: `guest-tests [pattern [scale]]`, '*'
 * standing for anything. What a test expects and does not find is printed with file and line.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

struct ktap_test {
	const char *name;
	void (*run)(void);
};

#define TEST(id)                                                      \
	static void id(void);                                         \
	static const struct ktap_test ktap_##id                       \
	    __attribute__((used, section("ktap_tests"))) = {#id, id}; \
	static void id(void)

/* Each evaluates to whether it held, so that a test may stop where going on makes no sense. */
#define EXPECT(cond) ktap_expect(cond, __FILE__, __LINE__, "%s (errno %d)", #cond, errno)
#define EXPECT_EQ(a, b)                                                                            \
	({                                                                                         \
		long long _a = (long long)(a), _b = (long long)(b);                                \
		ktap_expect(_a == _b, __FILE__, __LINE__, "%s == %s: %lld, %lld", #a, #b, _a, _b); \
	})
#define EXPECT_STR(a, b)                                                                         \
	({                                                                                       \
		const char *_a = (a), *_b = (b);                                                 \
		ktap_expect(!strcmp(_a, _b), __FILE__, __LINE__, "%s is \"%s\", not \"%s\"", #a, \
			    _a, _b);                                                             \
	})
/* The call fails with -1 and this errno. */
#define EXPECT_ERRNO(call, error)                                                               \
	({                                                                                      \
		long _r;                                                                        \
		errno = 0;                                                                      \
		_r = (long)(call);                                                              \
		ktap_expect(_r == -1 && errno == (error), __FILE__, __LINE__,                   \
			    "%s to fail with %s, not %ld, errno %d", #call, #error, _r, errno); \
	})

bool ktap_expect(bool held, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Marks the running test as skipped; return after it. */
void ktap_skip(const char *reason);

/* An address where nothing is ever mapped; volatile, so that no compiler warns of it. */
extern void *volatile bad_pointer;

/* The file of the running test program. */
extern char ktap_program[];

/* How many times as long a storm shall last, or a kernel takes that checks itself as it goes; 1
 * unless something else was asked for. */
extern int ktap_scale;

/* Runs @body in a child process and returns its wait status; -1 when there is no child. */
int in_child(void (*body)(void));
