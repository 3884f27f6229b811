/* SPDX-License-Identifier: MIT */
/*
 * Tests that run inside the kernel and print KTAP. A test is a function; what it expects and does
 * not find is printed with file and line, and fails it. What this machine cannot show is skipped
 * with the reason.
 */
#pragma once

#include <hotregs/check.h>
#include <hotregs/types.h>

struct ktest {
	const char *name;
	void (*run)(void);
};

#define KTEST(id)                                                                    \
	static void id(void);                                                        \
	static const struct ktest ktest_##id __used __section(".ktest") = {#id, id}; \
	static void id(void)

/* Each evaluates to whether it held, so that a test may stop where going on makes no sense. */
#define EXPECT(cond) ktest_expect(cond, __FILE__, __LINE__, "%s", #cond)
#define EXPECT_EQ(a, b)                                                                        \
	({                                                                                     \
		s64 _a = (s64)(a), _b = (s64)(b);                                              \
		ktest_expect(_a == _b, __FILE__, __LINE__, "%s == %s: 0x%llx, 0x%llx", #a, #b, \
			     (u64)_a, (u64)_b);                                                \
	})
#define EXPECT_STR(a, b)                                                              \
	({                                                                            \
		const char *_a = (a), *_b = (b);                                      \
		ktest_expect(_a && !strcmp(_a, _b), __FILE__, __LINE__,               \
			     "%s is \"%s\", not \"%s\"", #a, _a ? _a : "(null)", _b); \
	})

/* @condition holds before patience, two thousand looks with a millisecond of sleep each, ends. */
#define COMES(condition)                                      \
	({                                                    \
		unsigned _left = 2000;                        \
                                                              \
		while (!(condition) && --_left)               \
			sleep_ns(1000000);                    \
		EXPECT(_left && "in time: " #condition != 0); \
	})

/* @statement makes one check fail (hotregs/check.h), whose message has @text in it. */
#define EXPECT_REPORT(text, statement)                                           \
	({                                                                       \
		check_expect();                                                  \
		statement;                                                       \
		ktest_expect_report(check_expected(), text, __FILE__, __LINE__); \
	})

bool ktest_expect_report(const char *message, const char *text, const char *file, int line);
bool ktest_expect(bool held, const char *file, int line, const char *fmt, ...) __printf(4, 5);

/* Marks the running test as skipped; return after it. */
void ktest_skip(const char *reason);

/* What "@name=" on the command line says, a number, or @otherwise. */
u64 ktest_number(const char *name, u64 otherwise);

/* Benchmarks of the kernel's own operations; prints "bench" lines. */
void kbench_run(void);

/* A chain as its symbols. */
#define CAPTURE_DEPTH 128
struct captured {
	pid_t tid;
	u64 ip; /* of the sample */
	u32 nr;
	u64 chain[CAPTURE_DEPTH];
};

/* Samples of one CPU-wide context-switches event with a handler of our own. */
#define CAPTURE_MAX 16
struct capture {
	struct perf_event *event;
	pid_t tid; /* whose switches; 0: everybody's */
	u32 nr;    /* samples seen, kept or not */
	struct captured sample[CAPTURE_MAX];
};

/* Opens @capture for the switches of @tid, with the exclusions given; false on failure (expected
 * 0). */
bool capture_start(struct capture *capture, pid_t tid, bool exclude_kernel, bool exclude_user);
void capture_stop(struct capture *capture);

/* Does the kernel chain of @s begin with the NULL-terminated list of symbols? */
bool captured_chain_is(const struct captured *s, const char *const *symbols);
