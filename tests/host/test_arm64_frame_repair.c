/* SPDX-License-Identifier: MIT */
/*
 * arch/arm64/frame_repair.c: functions as compilers write them (Arm ARM DDI 0487, C6.2), and for
 * each instruction whether somebody interrupted there has the caller in x30.
 */
#include "host.h"

#include <frame_repair.h>

#define BASE 0x400000UL

/* An instruction, and is x30 the return address before it is executed? */
struct place {
	u32 insn;
	bool live;
};

static const struct place with_record[] = {
    {0xa9be7bfd, true},  /* stp x29, x30, [sp, #-32]! */
    {0x910003fd, true},  /* mov x29, sp */
    {0xf9000bf3, false}, /* str x19, [sp, #16] */
    {0xb4000060, false}, /* cbz x0, +12 */
    {0x94000100, false}, /* bl */
    {0xd63f0020, false}, /* blr x1 */
    {0xf9400bf3, false}, /* ldr x19, [sp, #16] */
    {0xa8c27bfd, false}, /* ldp x29, x30, [sp], #32 */
    {0xd65f03c0, true},  /* ret */
};

/* The record at the top of the frame, and signed. */
static const struct place clangs[] = {
    {0xd503233f, true},  /* paciasp */
    {0xd10103ff, true},  /* sub sp, sp, #64 */
    {0xa9037bfd, true},  /* stp x29, x30, [sp, #48] */
    {0x9100c3fd, true},  /* add x29, sp, #48 */
    {0x97ffff00, false}, /* bl */
    {0xa9437bfd, false}, /* ldp x29, x30, [sp, #48] */
    {0x910103ff, true},  /* add sp, sp, #64 */
    {0xd50323bf, true},  /* autiasp */
    {0xd65f03c0, true},  /* ret */
};

static const struct place leaf[] = {
    {0xb40000a0, true},  /* cbz x0, +20 */
    {0xf8408401, true},  /* ldr x1, [x0], #8 */
    {0xf100043f, true},  /* cmp x1, #1 */
    {0x54ffffc1, true},  /* b.ne -8 */
    {0x14000002, true},  /* b +8 */
    {0xd4200000, false}, /* brk */
    {0xd65f0bff, true},  /* retaa */
};

/* A system call is nothing special, and no frame is made where it is not needed. */
static const struct place shrink_wrapped[] = {
    {0x34000040, true},  /* cbz w0, +8: past the early return */
    {0xd65f03c0, true},  /* ret */
    {0xa9bf7bfd, true},  /* stp x29, x30, [sp, #-16]! */
    {0x910003fd, true},  /* mov x29, sp */
    {0xd4000001, false}, /* svc #0 */
    {0xd61f0200, false}, /* br x16 */
};

struct text {
	struct code_reader reader;
	const struct place *place;
	unsigned nr, from;
};

static bool read(struct code_reader *reader, unsigned long addr, u32 *insn)
{
	const struct text *t = container_of(reader, struct text, reader);
	unsigned long n = (addr - BASE) / 4;

	if (addr < BASE || n >= t->nr || n < t->from)
		return false;
	*insn = t->place[n].insn;
	return true;
}

static void check(const struct place *place, unsigned nr)
{
	struct text text = {{read}, place, nr, 0};

	for (unsigned i = 0; i < nr; i++)
		if (caller_is_in_lr(&text.reader, BASE + 4 * i, 0x500000) != place[i].live)
			fail_msg("instruction %u of %u", i, nr);
}

static void each_place_has_its_caller(void **state)
{
	check(with_record, ARRAY_SIZE(with_record));
	check(clangs, ARRAY_SIZE(clangs));
	check(leaf, ARRAY_SIZE(leaf));
	check(shrink_wrapped, ARRAY_SIZE(shrink_wrapped));
}

/* A page that is not there yet: its function was called just now, or it was not. */
static void function_that_has_not_begun(void **state)
{
	static const struct place call[] = {{0x94000003, false}, {0xd503201f, false}};
	struct text text = {{read}, call, ARRAY_SIZE(call), 0};

	assert_true(caller_is_in_lr(&text.reader, BASE + 12, BASE + 4));
	assert_false(caller_is_in_lr(&text.reader, BASE + 16, BASE + 4));
	assert_false(caller_is_in_lr(&text.reader, BASE + 12, BASE + 8));
	assert_false(caller_is_in_lr(&text.reader, BASE + 12, BASE + 6));
	assert_false(caller_is_in_lr(&text.reader, BASE + 12, 0));
}

/* Code is what a program wrote: no loop is followed for ever. */
static void loops_end(void **state)
{
	static const struct place loop[] = {{0x14000000, false}};
	static const struct place wide[] = {{0xd503201f, false}, {0x17ffffff, false}};
	struct text text = {{read}, loop, 1, 0}, other = {{read}, wide, 2, 0};

	assert_false(caller_is_in_lr(&text.reader, BASE, 0x500000));
	assert_false(caller_is_in_lr(&other.reader, BASE, 0x500000));
	assert_false(caller_is_in_lr(&other.reader, BASE + 2, 0x500000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_place_has_its_caller),
	    cmocka_unit_test(function_that_has_not_begun),
	    cmocka_unit_test(loops_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
