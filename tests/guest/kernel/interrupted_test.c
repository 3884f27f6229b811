/* SPDX-License-Identifier: MIT */
/*
 * The walker over functions that an interrupt struck anywhere, prologue and epilogue included: the
 * chain has every caller, and is the same seen from the handler, across the trap frame.
 */
#include <hotregs/cpu.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <hotregs/unwind.h>

#include <arch/mmu.h>
#include <arch/regs.h>

#include "ktest.h"

#define INTERRUPTS 3000
#define DEPTH      32

static struct timer timer;
static u32 nr_interrupts, nr_leaf, nr_wrong;
static unsigned long wrong_at; /* the last of them */
static bool done;

/* Functions of different shapes, the first calls the second and so on; struck_leaf calls nobody. */
static noinline int struck_leaf(int n)
{
	volatile int x = n;

	return x + 1;
}

static noinline int struck_variadic(int n, ...)
{
	int kept[4] = {n, n + 1, n + 2, n + 3};
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 4; i++)
		kept[i] += struck_leaf(va_arg(ap, int)) * n;
	va_end(ap);
	return kept[0] ^ kept[1] ^ kept[2] ^ kept[3];
}

static noinline int struck_early_return(int n)
{
	if (n & 1)
		return n;
	return struck_variadic(n, 1, 2, 3, 4) + struck_variadic(n + 1, 5, 6, 7, 8);
}

static noinline void struck_loop(void)
{
	for (int n = 0; !READ_ONCE(done); n++)
		struck_early_return(n);
}

static void walk(const struct pt_regs *regs, unsigned long ip[DEPTH])
{
	struct unwind u;
	int n = 0;

	memset(ip, 0, DEPTH * sizeof(*ip));
	if (!unwind_start(&u, current, regs))
		return;
	do
		ip[n++] = u.ip;
	while (n < DEPTH && unwind_next(&u));
}

/* Does the chain at @ip go from one of the functions above through all of its callers? */
static bool is_whole(const unsigned long *ip)
{
	static const char *const callers[] = {"struck_leaf", "struck_variadic",
					      "struck_early_return", "struck_loop",
					      "unwind_interrupted_anywhere"};
	const char *name = kallsyms_lookup(*ip, NULL, NULL);
	u32 at = 0;

	while (at < ARRAY_SIZE(callers) && (!name || strcmp(name, callers[at])))
		at++;
	if (at == ARRAY_SIZE(callers))
		return false;
	nr_leaf += at == 0;
	for (; at < ARRAY_SIZE(callers); at++) {
		name = kallsyms_lookup(*ip, NULL, NULL);
		if (!name || strcmp(name, callers[at]))
			return false;
		ip++;
	}
	return true;
}

/* Is @tail the end of the chain @ip? */
static bool ends_with(const unsigned long *ip, const unsigned long *tail)
{
	for (; *ip; ip++) {
		int n = 0;

		while (ip[n] && ip[n] == tail[n])
			n++;
		if (!ip[n] && !tail[n])
			return true;
	}
	return false;
}

static bool is_ours(unsigned long ip)
{
	const char *name = kallsyms_lookup(ip, NULL, NULL);

	return name && !strncmp(name, "struck_", strlen("struck_"));
}

static void strike(struct timer *t, struct pt_regs *regs)
{
	static unsigned long ip[DEPTH + 1], seen[DEPTH + 1];
	static struct pt_regs hot;

	walk(regs, ip);
	arch_hot_regs(&hot);
	walk(&hot, seen);
	/* The loop may not have begun yet, or somebody else may run. */
	if (is_ours(regs_ip(regs)) && (!is_whole(ip) || !ends_with(seen, ip))) {
		nr_wrong++;
		wrong_at = regs_ip(regs);
	}
	if (++nr_interrupts < INTERRUPTS)
		timer_arm(t, clock_ns() + 20000 + 16 * (nr_interrupts % 997));
	else
		WRITE_ONCE(done, true);
}

KTEST(unwind_interrupted_anywhere)
{
	nr_interrupts = nr_leaf = nr_wrong = 0;
	wrong_at = 0;
	done = false;
	timer_init(&timer, strike);
	timer_arm(&timer, clock_ns() + 10000);
	struck_loop();
	timer_cancel(&timer);
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(wrong_at, 0);
	EXPECT(nr_leaf > 0);
}

/* Assembly code, which leaves no record of its own, whatever it has in its registers. */
static noinline void struck_copying(void)
{
	static _Alignas(PAGE_SIZE) u8 to[PAGE_SIZE], zeros[PAGE_SIZE];

	while (!READ_ONCE(done))
		page_copy(to, zeros);
}

static bool is_function(unsigned long ip, const char *function)
{
	const char *name = kallsyms_lookup(ip, NULL, NULL);

	return name && !strcmp(name, function);
}

static void strike_copy(struct timer *t, struct pt_regs *regs)
{
	static unsigned long ip[DEPTH + 1];
	int n;

	walk(regs, ip);
	n = is_function(ip[0], "page_copy");
	nr_leaf += n;
	if (n || is_function(ip[0], "struck_copying"))
		nr_wrong += !is_function(ip[n], "struck_copying") ||
			    !is_function(ip[n + 1], "unwind_interrupted_copying");
	if (++nr_interrupts < INTERRUPTS / 10)
		timer_arm(t, clock_ns() + 20000 + 16 * (nr_interrupts % 997));
	else
		WRITE_ONCE(done, true);
}

KTEST(unwind_interrupted_copying)
{
	nr_interrupts = nr_leaf = nr_wrong = 0;
	done = false;
	timer_init(&timer, strike_copy);
	timer_arm(&timer, clock_ns() + 10000);
	struck_copying();
	timer_cancel(&timer);
	EXPECT_EQ(nr_wrong, 0);
}
