/* SPDX-License-Identifier: MIT */
/* What the parts of the C library's lower half share: how a system call is made and reported. */
#pragma once

#include <errno.h>
#include <raw_syscall.h>
#include <uapi/syscall.h>
#include <uapi/types.h>

/* Sets errno from a negative result; returns what a C function of that name returns. */
long syscall_failed(long result);

/* Results -4095..-1 are errors; everything else, addresses included, is a value. */
static inline __attribute__((always_inline)) long syscall_result(long result)
{
	return __builtin_expect((unsigned long)result >= -4095UL, 0) ? syscall_failed(result)
								     : result;
}

/* SYSCALL(read, fd, buf, n): up to three arguments of any scalar type; missing ones are 0. */
#define SYSCALL_(name, a, b, c, ...) \
	syscall_result(raw_syscall3(SYS_##name, (long)(a), (long)(b), (long)(c)))
#define SYSCALL(name, ...) SYSCALL_(name, ##__VA_ARGS__, 0, 0, 0, 0)
#define SYSCALL6(name, a, b, c, d, e, f)                                                    \
	syscall_result(raw_syscall6(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), \
				    (long)(e), (long)(f)))
