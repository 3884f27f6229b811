/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a failed check: the end of the machine, or what a test was waiting for. A report
 * is less: it is printed and counted, and fails the run at its end.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/unwind.h>

#include "check.h"

static bool stopped;
static u32 reports;

static struct {
	bool armed;
	u32 failures;
	char message[1024];
} expected;

/* Keeps the message if a test expects one. */
static bool keep(const char *fmt, va_list ap)
{
	if (!expected.armed)
		return false;
	if (!expected.failures++)
		vsnprintf(expected.message, sizeof(expected.message), fmt, ap);
	return true;
}

bool check_failed(const char *fmt, ...)
{
	char message[sizeof(expected.message)];
	va_list ap;
	bool kept;

	if (stopped)
		return true;
	va_start(ap, fmt);
	kept = keep(fmt, ap);
	va_end(ap);
	if (kept)
		return false;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	panic("check failed: %s", message);
}

void check_report(const char *fmt, ...)
{
	struct pt_regs here = {0};
	va_list ap;
	bool kept;

	va_start(ap, fmt);
	kept = keep(fmt, ap);
	va_end(ap);
	if (kept)
		return;
	__atomic_fetch_add(&reports, 1, __ATOMIC_RELAXED);
	va_start(ap, fmt);
	vprintk(fmt, ap);
	va_end(ap);
	printk("\n");
	if (!nr_cpus)
		return; /* nothing to find a stack by yet */
	arch_hot_regs(&here);
	print_backtrace(current, &here);
}

u32 check_reports(void)
{
	return __atomic_load_n(&reports, __ATOMIC_RELAXED);
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
