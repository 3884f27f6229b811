/* SPDX-License-Identifier: MIT */
/* Contract C5 for kernel threads: an event that excludes the kernel sees nothing of them, and its
 * handler, default or not, is never called. */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include "ktest.h"

static struct capture capture;

/* Switches of this kernel thread that an event with these exclusions samples, of @switches. */
static u32 samples_with(bool exclude_kernel, bool exclude_user, u64 *count)
{
	if (!capture_start(&capture, current->tid, exclude_kernel, exclude_user))
		return 0;
	for (int i = 0; i < 3; i++)
		sleep_ns(1000000);
	*count = perf_event_read(capture.event, NULL, NULL);
	capture_stop(&capture);
	return capture.nr;
}

KTEST(c05_kernel_thread_is_sampled)
{
	u64 count;

	EXPECT_EQ(samples_with(false, false, &count), 3);
	EXPECT(count >= 3);
	EXPECT_EQ(samples_with(false, true, &count), 3);
}

KTEST(c05_excluded_kernel_hides_kernel_threads)
{
	u64 count;

	EXPECT_EQ(samples_with(true, false, &count), 0);
	EXPECT_EQ(count, 0);
	EXPECT_EQ(samples_with(true, true, &count), 0);
	EXPECT_EQ(count, 0);
}
