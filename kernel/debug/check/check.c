/* SPDX-License-Identifier: MIT */
/* What becomes of a failed check: the end of the machine, or what a test was waiting for. */
#include <hotregs/printk.h>

#include "check.h"

static bool stopped;

static struct {
	bool armed;
	u32 failures;
	char message[1024];
} expected;

bool check_failed(const char *fmt, ...)
{
	char message[sizeof(expected.message)];
	va_list ap;

	if (stopped)
		return true;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (!expected.armed)
		panic("check failed: %s", message);
	if (!expected.failures++)
		__builtin_memcpy(expected.message, message, sizeof(message));
	return false;
}

void check_stop(void)
{
	stopped = true;
}

bool check_stopped(void)
{
	return stopped;
}

void check_expect(void)
{
	expected.failures = 0;
	expected.armed = true;
}

const char *check_expected(void)
{
	expected.armed = false;
	return expected.failures == 1 ? expected.message : NULL;
}
