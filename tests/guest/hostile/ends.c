/* SPDX-License-Identifier: MIT */
/* See ends.h. */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "ends.h"

void expect_end(const char *what, void (*body)(void), unsigned expected)
{
	int status = in_child(body);

	ktap_expect(WIFSIGNALED(status) ? expected >> WTERMSIG(status) & 1
					: expected & NOTHING && status == 0,
		    __FILE__, __LINE__, "%s to end as one of 0x%x, not with status 0x%x", what,
		    expected, status);
}

void make_absent_calls(const long numbers[], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		errno = 0;
		if (syscall(numbers[i]) != -1 || errno != ENOSYS)
			_exit(1 + i);
	}
}
