/* SPDX-License-Identifier: MIT */
/*
 * Steps over instructions that have struck: wherever these go on; exclusive accesses; two strikes
 * of one instruction; and signals in between.
 */
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../ktap.h"
#include "../samples.h"

static int count(uint32_t type, const void *addr, uint64_t len)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = PERF_ATTR_SIZE_VER5,
				       .bp_type = type,
				       .bp_addr = (uintptr_t)addr,
				       .bp_len = len};

	return perf_event_open(&attr, 0, -1, -1, 0);
}

static uint64_t value(int fd)
{
	uint64_t n = -1;

	EXPECT_EQ(read(fd, &n, sizeof(n)), sizeof(n));
	close(fd);
	return n;
}

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

/* As a library's lock does it; the load strikes, and the exchange comes about. */
TEST(arm64_steps_leave_exclusive_accesses_whole)
{
	static uint32_t word;
	int rw = count(HW_BREAKPOINT_RW, &word, 4);
	int w;

	if (!EXPECT(rw >= 0))
		return;
	for (uint32_t i = 0; i < 100; i++) {
		EXPECT_EQ(__atomic_fetch_add(&word, 1, __ATOMIC_RELAXED), i);
		uint32_t other = 1000;

		/* Left by the branch. */
		EXPECT(!__atomic_compare_exchange_n(&word, &other, 7, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED));
	}
	/* Loads strike; the stores are stepped over with them. */
	EXPECT_EQ(value(rw), 200);
	w = count(HW_BREAKPOINT_W, &word, 4);
	for (uint32_t i = 0; i < 100; i++)
		__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
	EXPECT_EQ(value(w), 100);
	EXPECT_EQ(__atomic_load_n(&word, __ATOMIC_RELAXED), 200);
}

static uint32_t target;

extern uint8_t store_at[];
void store_there(uint32_t *at, uint32_t what);

__asm__(".type store_there, %function\n"
	"store_there:\n"
	"store_at:\n"
	"	str w1, [x0]\n"
	"	ret\n");

/* The instruction, its store, and both again. */
TEST(arm64_one_instruction_strikes_twice)
{
	int x = count(HW_BREAKPOINT_X, store_at, 8), w = count(HW_BREAKPOINT_W, &target, 4);

	if (!EXPECT(x >= 0 && w >= 0))
		return;
	for (uint32_t i = 0; i < 1000; i++) {
		store_there(&target, i);
		EXPECT_EQ(target, i);
	}
	EXPECT_EQ(value(x), 1000);
	EXPECT_EQ(value(w), 1000);
}

static volatile unsigned signals;
static uint32_t *page;

static void on_fault(int sig)
{
	(void)sig;
	signals++;
	store_there(&target, 9);
	mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* A fault and its signal between the strike and the instruction, which the handler executes, too.
 */
TEST(arm64_steps_survive_signals)
{
	int fd;

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!EXPECT(page != MAP_FAILED))
		return;
	signal(SIGSEGV, on_fault);
	fd = count(HW_BREAKPOINT_X, store_at, 8);
	EXPECT(fd >= 0);
	store_there(page, 5);
	EXPECT_EQ(*page, 5);
	EXPECT_EQ(target, 9);
	EXPECT_EQ(signals, 1);
	signal(SIGSEGV, SIG_DFL);
	EXPECT_EQ(value(fd), 2);
	munmap(page, 4096);
}

TEST(arm64_reads_alone_are_told_from_writes)
{
	int r = count(HW_BREAKPOINT_R, &target, 4), w = count(HW_BREAKPOINT_W, &target, 4);

	if (!EXPECT(r >= 0 && w >= 0))
		return;
	for (int i = 0; i < 10; i++)
		*(volatile uint32_t *)&target = 1;
	for (int i = 0; i < 7; i++)
		(void)*(volatile uint32_t *)&target;
	EXPECT_EQ(value(r), 7);
	EXPECT_EQ(value(w), 10);
}

/* Bytes of one to eight, anywhere in two doublewords: exactly these strike. */
TEST(arm64_bytes_are_watched_exactly)
{
	static volatile uint8_t bytes[24] __attribute__((aligned(16)));

	for (unsigned first = 0; first < 16; first++) {
		for (unsigned len = 1; len <= 8; len++) {
			int fd = count(HW_BREAKPOINT_W, (const void *)(bytes + first), len);

			if (!EXPECT(fd >= 0))
				return;
			for (unsigned i = 0; i < sizeof(bytes); i++)
				bytes[i] = i;
			if (!EXPECT_EQ(value(fd), len))
				printf("# %u bytes from %u on\n", len, first);
		}
	}
}

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
