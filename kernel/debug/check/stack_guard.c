/* SPDX-License-Identifier: MIT */
/*
 * The value that the compiler puts between a function's arrays and what it returns by, and finds
 * changed when one of them was written past its end. The same for all tasks and CPUs: a processor's
 * register for it is the programs' on one architecture, and there is none on the other.
 */
#include <hotregs/boot_info.h>
#include <hotregs/main.h>
#include <hotregs/sched.h>

#include <arch/clock.h>
#include <arch/random.h>

#include "check.h"

/* Names that the compiler knows. */
extern unsigned long __stack_chk_guard;
void __stack_chk_fail(void);

unsigned long __stack_chk_guard __debug_data;

/* One round of mixing: every bit of @x changes about half of the result's. */
static u64 mix(u64 x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

/* What the processor's generator, the loader's and the clock have to give. */
__attribute__((no_stack_protector)) void check_stack_init(void)
{
	u64 seed = mix(boot_info.seed ^ mix(kernel_entry_cycles) ^ clock_cycles());
	unsigned long word;

	if (arch_random(&word))
		seed ^= word;
	/* A zero in it stops what copies strings too far. */
	__stack_chk_guard = (unsigned long)mix(seed) << 8;
}

/* Does not return: the caller's frame leads nowhere. It is not declared so, to be seen in chains.
 */
void __stack_chk_fail(void)
{
	const unsigned long caller = (unsigned long)__builtin_return_address(0);

	check_failed("the stack frame of %s was overwritten", place_name(caller).s);
	kthread_exit(); /* a test's */
}
