/* SPDX-License-Identifier: MIT */
/* Steps over instructions that have struck, wherever these go on; and what wide accesses strike. */
#include "../arm_steps.h"

/* Every instruction, by its place; what they compute tells whether one went astray. */
extern uint8_t walk_begin[], walk_end[];
unsigned walk_code(unsigned a, unsigned b);

__asm__(".type walk_code, %function\n"
	"walk_code:\n"
	"walk_begin:\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	sub sp, sp, #16\n"
	"	mov w4, #0\n"
	"1:	add w4, w4, w1\n"
	"	subs w0, w0, #1\n"
	"	b.ne 1b\n"
	"	bl 3f\n"
	"	adr x5, 2f\n"
	"	str x5, [sp]\n"
	"	add x6, sp, #0\n"
	"	ldr x7, [x6]\n"
	"	str w4, [x6, #8]\n"
	"	br x7\n"
	"	udf #0\n"
	"2:	ldr w0, [x6, #8]\n"
	"	cinc w0, w0, eq\n"
	"	add sp, sp, #16\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	"3:	cbz w0, 4f\n"
	"	udf #0\n"
	"4:	tbz w0, #3, 5f\n"
	"	udf #0\n"
	"5:	cmp w0, #0\n"
	"	ret\n"
	"walk_end:\n");

TEST(arm64_steps_go_on_where_instructions_do)
{
	uint64_t strikes = 0;

	for (uint8_t *at = walk_begin; at < walk_end; at += 4) {
		int fd = count(HW_BREAKPOINT_X, at, sizeof(long));

		if (!EXPECT(fd >= 0))
			return;
		if (!EXPECT_EQ(walk_code(3, 7), 22))
			printf("# at offset %d\n", (int)(at - walk_begin));
		strikes += value(fd);
	}
	EXPECT_EQ(strikes, 3 + 9 + 7 + 5 + 4);
}

__asm__(".type add_exclusively, %function\n"
	"add_exclusively:\n"
	"add_begins:\n"
	"	dmb ish\n"
	"1:	ldxr w2, [x0]\n"
	"	add w3, w2, w1\n"
	"	stxr w4, w3, [x0]\n"
	"	cbnz w4, 1b\n"
	"	mov w0, w2\n"
	"add_ends:\n"
	"	ret\n");

__asm__(".type store_there, %function\n"
	"store_there:\n"
	"store_at:\n"
	"	str w1, [x0]\n"
	"	ret\n");

/* One access, several watched words, and what lies beside them. */
TEST(arm64_wide_accesses_strike_all_that_they_touch)
{
	static uint64_t words[8] __attribute__((aligned(64)));
	int first = count(HW_BREAKPOINT_W, &words[0], 8),
	    second = count(HW_BREAKPOINT_W, &words[1], 4);
	int byte = count(HW_BREAKPOINT_RW, (char *)&words[3] + 1, 1);

	if (!EXPECT(first >= 0 && second >= 0 && byte >= 0))
		return;
	for (int i = 0; i < 10; i++) {
		__asm__ volatile("stp xzr, xzr, [%0]" ::"r"(words) : "memory");
		__asm__ volatile("stp q0, q1, [%0]" ::"r"(words) : "memory"); /* all */
		__asm__ volatile("ldp x2, x3, [%0, #16]" ::"r"(words) : "x2", "x3");
	}
	EXPECT_EQ(value(first), 20);
	EXPECT_EQ(value(second), 20);
	EXPECT_EQ(value(byte), 20);
}
