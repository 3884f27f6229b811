/* SPDX-License-Identifier: MIT */
/* Runs the kernel's tests and ends the machine with the verdict: 0, or 1 when one failed. */
#include <hotregs/boot_info.h>
#include <hotregs/main.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>

#include <arch/power.h>

#include "ktest.h"

extern const struct ktest __ktests_start[], __ktests_end[];

static const char *skip_reason;
static bool failed;

bool ktest_expect(bool held, const char *file, int line, const char *fmt, ...)
{
	char message[256];
	va_list ap;

	if (held)
		return true;
	failed = true;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	printk("# %s:%d: expected %s\n", file, line, message);
	return false;
}

bool ktest_expect_report(const char *message, const char *text, const char *file, int line)
{
	for (const char *s = message; s && *s; s++)
		if (!strncmp(s, text, strlen(text)))
			return true;
	return ktest_expect(false, file, line, "a check to fail with \"%s\", and none else: %s",
			    text, message ? message : "not one did");
}

void ktest_skip(const char *reason)
{
	skip_reason = reason;
}

u64 ktest_number(const char *name, u64 otherwise)
{
	char text[24];
	u64 n = 0;

	if (cmdline_get(name, text, sizeof(text)) < 0)
		return otherwise;
	for (const char *p = text; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + *p - '0';
	return n;
}

/* Does @name match @pattern, in which '*' stands for anything? */
static bool glob_match(const char *pattern, const char *name)
{
	for (; *pattern; pattern++, name++) {
		if (*pattern == '*') {
			do
				if (glob_match(pattern + 1, name))
					return true;
			while (*name++);
			return false;
		}
		if (*pattern != *name)
			return false;
	}
	return !*name;
}

/*
 * Most tests are about what happens on one processor: who runs first, who has slept by now. Those
 * called smp_*, and those of moves, have all there are. What a test starts inherits it.
 */
static void choose_cpus(const char *test)
{
	bool all = glob_match("smp_*", test) || glob_match("c02_*", test);

	sched_set_affinity(current, all ? AFFINITY_ALL : CPU_MASK(0));
}

/* Runs one test and looks for what it left behind. */
static void run_test(const struct ktest *test, unsigned number)
{
	size_t before = kmalloc_in_use();
	u32 reports = check_reports();

	failed = false;
	skip_reason = NULL;
	choose_cpus(test->name);
	test->run();
	EXPECT_EQ(kmalloc_in_use(), before);
	EXPECT_EQ(check_reports(), reports);
	if (skip_reason && !failed)
		printk("ok %u %s # SKIP %s\n", number, test->name, skip_reason);
	else
		printk("%s %u %s\n", failed ? "not ok" : "ok", number, test->name);
}

static void nothing(void *arg)
{
}

/* As many kernel stacks at once as any test needs: what describes their addresses stays for ever.
 */
static void warm_up(void)
{
	struct task *task[8];

	for (size_t i = 0; i < ARRAY_SIZE(task); i++)
		task[i] = kthread_start("warm-up", nothing, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(task); i++)
		kthread_join(task[i]);
	vmap_free(vmap_alloc(64), 64); /* as mm_test.c asks for */
}

static void run_tests(const char *pattern)
{
	unsigned chosen = 0, number = 0;
	bool any_failed = false;

	for (const struct ktest *t = __ktests_start; t < __ktests_end; t++)
		chosen += glob_match(pattern, t->name);
	warm_up();
	printk("KTAP version 1\n1..%u\n", chosen);
	for (const struct ktest *t = __ktests_start; t < __ktests_end; t++) {
		if (!glob_match(pattern, t->name))
			continue;
		run_test(t, ++number);
		any_failed |= failed;
	}
	arch_power_off(any_failed || !chosen || check_reports());
}

static void test_thread(void *arg)
{
	char pattern[64];

	if (!cmdline_get("kbench", pattern, sizeof(pattern))) {
		sched_set_affinity(current, CPU_MASK(0));
		kbench_run();
		arch_power_off(0);
	}
	cmdline_get("ktest", pattern, sizeof(pattern));
	run_tests(pattern[0] ? pattern : "*");
}

bool test_image_start(void)
{
	char value[64];

	if (cmdline_get("ktest", value, sizeof(value)) == -ENOENT &&
	    cmdline_get("kbench", value, sizeof(value)) == -ENOENT)
		return false;
	if (IS_ERR(kthread_start("ktest", test_thread, NULL)))
		panic("no memory for the test thread");
	return true;
}
