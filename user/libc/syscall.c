/* SPDX-License-Identifier: MIT */
/* syscall(2), and where errors of all system calls become errno. */
#include "libc.h"

#include <stdarg.h>
#include <sys/syscall.h>

__attribute__((noinline)) long syscall_failed(long result)
{
	errno = -result;
	return -1;
}

long syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return syscall_result(raw_syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]));
}
