/* SPDX-License-Identifier: MIT */
/* See ends.h. */
#include <sys/wait.h>

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
