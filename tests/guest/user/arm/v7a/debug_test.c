/* SPDX-License-Identifier: MIT */
/*
 * Steps over instructions that have struck: wherever these go on, in ARM and Thumb state; exclusive
 * accesses; signals in between; and what is not a program's to execute.
 */
#include <stdlib.h>
#include <string.h>

#include "../../arm_steps.h"

/*
 * Every instruction of each, by its place; what they compute tells whether one went astray. r0 and
 * r1 come in; the end is at the last label.
 */
extern uint8_t walk_arm[], walk_arm_end[], walk_thumb[], walk_thumb_end[];
unsigned walk_arm_code(unsigned a, unsigned b), walk_thumb_code(unsigned a, unsigned b);

__asm__(".arm\n"
	".type walk_arm_code, %function\n"
	"walk_arm_code:\n"
	"walk_arm:\n"
	"	push {r4, r5, lr}\n"
	"	mov r4, #0\n"
	"1:	add r4, r4, r1\n"
	"	subs r0, r0, #1\n"
	"	bne 1b\n"
	"	bl 3f\n"
	"	adr r5, 2f\n"
	"	mov pc, r5\n"
	"	udf #0\n"
	"2:	mov r0, r4\n"
	"	addne r0, r0, #100\n"
	"	addeq r0, r0, #1\n"
	"	pop {r4, r5, pc}\n"
	"3:	cmp r0, #0\n"
	"	bxeq lr\n"
	"	udf #0\n"
	"walk_arm_end:\n"
	".thumb\n"
	".syntax unified\n"
	".type walk_thumb_code, %function\n"
	".thumb_func\n"
	"walk_thumb_code:\n"
	"walk_thumb:\n"
	"	push {r4, r5, lr}\n"
	"	movs r4, #0\n"
	"1:	add r4, r1\n"
	"	subs r0, #1\n"
	"	cmp r0, #0\n"
	"	bne 1b\n"
	"	cbz r0, 2f\n"
	"	udf #0\n"
	"2:	ittee eq\n"
	"	addeq r4, #1\n"
	"	moveq r5, #1\n"
	"	addne r4, #100\n"
	"	movne r5, #0\n"
	"	tbb [pc, r5]\n"
	"4:	.byte (5f - 4b) / 2, (6f - 4b) / 2\n"
	"5:	udf #0\n"
	"6:	mov.w r0, r4\n"
	"	pop.w {r4, r5, pc}\n"
	"walk_thumb_end:\n"
	".arm\n");

/* Strikes of all the instructions of @n calls, each by itself; data among them strikes never. */
static uint64_t walk(uint8_t *from, uint8_t *to, unsigned step, uint64_t thumb_len,
		     unsigned (*code)(unsigned, unsigned))
{
	uint64_t strikes = 0;

	for (uint8_t *at = from; at < to; at += step) {
		int fd = count(HW_BREAKPOINT_X, at, thumb_len);

		if (!EXPECT(fd >= 0))
			return 0;
		if (!EXPECT_EQ(code(3, 7), 22))
			printf("# at offset %d\n", (int)(at - from));
		strikes += value(fd);
	}
	return strikes;
}

TEST(arm_steps_go_on_where_instructions_do)
{
	EXPECT_EQ(walk(walk_arm, walk_arm_end, 4, 4, walk_arm_code), 2 + 9 + 3 + 4 + 2);
	EXPECT_EQ(walk(walk_thumb, walk_thumb_end, 2, 2, walk_thumb_code), 2 + 12 + 1 + 5 + 1 + 2);
}

__asm__(".arm\n"
	".type add_exclusively, %function\n"
	"add_exclusively:\n"
	"add_begins:\n"
	"	dmb ish\n"
	"1:	ldrex r2, [r0]\n"
	"	add r3, r2, r1\n"
	"	strex r12, r3, [r0]\n"
	"	cmp r12, #0\n"
	"	bne 1b\n"
	"	mov r0, r2\n"
	"add_ends:\n"
	"	bx lr\n");

__asm__(".arm\n"
	".type store_there, %function\n"
	"store_there:\n"
	"store_at:\n"
	"	str r1, [r0]\n"
	"	bx lr\n");

/* 0: there is none of this name. */
static unsigned long kernel_symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[256], found[128];
	unsigned long addr, at = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %127s", &addr, found) == 2 && !strcmp(found, name))
			at = addr;
	if (f)
		fclose(f);
	return at;
}

/* Calls @code, having told where the stack is. */
void call_kernel(unsigned long code, unsigned long *sp);

__asm__(".arm\n"
	".type call_kernel, %function\n"
	"call_kernel:\n"
	"	push {r4, lr}\n"
	"	str sp, [r1]\n"
	"	blx r0\n"
	"	pop {r4, pc}\n");

static unsigned long faulted_pc, faulted_sp;

static void return_from_kernel(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	signals++;
	faulted_pc = uc->uc_mcontext.arm_pc;
	faulted_sp = uc->uc_mcontext.arm_sp;
	uc->uc_mcontext.arm_pc = uc->uc_mcontext.arm_lr;
}

/* A function of the kernel's pushes registers: it must not do so for who can not execute it. */
TEST(arm_kernel_code_is_no_program_s_to_step)
{
	const struct sigaction action = {.sa_sigaction = return_from_kernel,
					 .sa_flags = SA_SIGINFO};
	unsigned long code = kernel_symbol("pipe_read"), sp;
	int fd = count(HW_BREAKPOINT_X, (void *)code, 4), ends[2];
	char byte = 0;

	if (!EXPECT(code && fd >= 0))
		return;
	sigaction(SIGSEGV, &action, NULL);
	signals = 0;
	for (unsigned i = 1; i <= 100; i++) {
		call_kernel(code, &sp);
		EXPECT_EQ(signals, i);
		EXPECT_EQ(faulted_pc, code);
		EXPECT_EQ(faulted_sp, sp);
	}
	signal(SIGSEGV, SIG_DFL);
	/* It is still the kernel's. */
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(write(ends[1], &byte, 1), 1);
	EXPECT_EQ(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	EXPECT_EQ(value(fd), 1);
}

/* What the processor tells is one address, or another one: the instruction knows. */
TEST(arm_wide_accesses_strike_all_that_they_touch)
{
	static uint32_t words[8] __attribute__((aligned(64)));
	int first = count(HW_BREAKPOINT_W, &words[0], 4),
	    third = count(HW_BREAKPOINT_W, &words[2], 4);
	int byte = count(HW_BREAKPOINT_RW, (char *)&words[3] + 1, 1);

	if (!EXPECT(first >= 0 && third >= 0 && byte >= 0))
		return;
	for (int i = 0; i < 10; i++) {
		__asm__ volatile("stmia %0, {r0-r3}" ::"r"(words) : "memory"); /* all */
		__asm__ volatile("strd r2, r3, [%0, #8]" ::"r"(words)
				 : "memory"); /* the last two */
		__asm__ volatile("ldmib %0, {r0-r3}" ::"r"(words) : "r0", "r1", "r2", "r3");
		/* None, though QEMU has those strike that lie below in the same page. */
		__asm__ volatile("vst1.32 {d0}, [%0]" ::"r"(&words[5]) : "memory");
	}
	EXPECT_EQ(value(first), 10);
	EXPECT_EQ(value(third), 20);
	EXPECT_EQ(value(byte), 30);
}
