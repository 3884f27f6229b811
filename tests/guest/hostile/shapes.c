/* SPDX-License-Identifier: MIT */
/* The shapes of hostile stacks, one table; all of a stack is made of its seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../user/ktap.h"
#include "stacks.h"

/* The arena: 16 pages to write to, a hole, and a page of each kind that a stack may not be in. */
#define ARENA      0x40000000UL
#define ARENA_END  (ARENA + 16 * PAGE)
#define BEHIND     (ARENA_END + PAGE)
#define WRITE_ONLY (BEHIND + PAGE)
#define NO_ACCESS  (WRITE_ONLY + PAGE)
#define READ_ONLY  (NO_ACCESS + PAGE)
#define UNTOUCHED  (READ_ONLY + PAGE)
#define CHANGING   (UNTOUCHED + 4 * PAGE) /* by another thread */
#define LAST       (CHANGING + PAGE)

/* Return addresses that are none of any program here, so that each is known again. */
#define TAG      0x30000000UL
#define TAG_MASK 0xfff00000UL

#define WORD   sizeof(unsigned long)
/* A frame record on either side of what its frame pointer points at. */
#define RECORD (4 * WORD)

unsigned long shared_memory, own_ring;
static unsigned long stack_low;

static bool map(unsigned long at, unsigned long end, int prot)
{
	return mmap((void *)at, end - at, prot, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

/* The stack's lowest address, from /proc/self/maps. */
static unsigned long find_stack(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low = 0;
	char line[160];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]"))
			low = strtoul(line, NULL, 16);
	if (f)
		fclose(f);
	return low;
}

bool arena_map(void)
{
	const int rw = PROT_READ | PROT_WRITE;

	stack_low = find_stack();
	if (!stack_low || !map(ARENA, ARENA_END, rw) || !map(BEHIND, WRITE_ONLY, rw) ||
	    !map(WRITE_ONLY, NO_ACCESS, PROT_WRITE) || !map(NO_ACCESS, READ_ONLY, PROT_NONE) ||
	    !map(READ_ONLY, UNTOUCHED, PROT_READ) || !map(UNTOUCHED, LAST, rw))
		return false;
	memset((void *)ARENA, 0, ARENA_END - ARENA);
	memset((void *)BEHIND, 0, PAGE);
	*(volatile unsigned long *)WRITE_ONLY = TAG;
	return true;
}

/* What the last stack was made of, so that it does not become a part of the next one. */
static unsigned long written[1024];
static unsigned nr_written;

static void note(unsigned long at)
{
	if (nr_written < ARRAY_LENGTH(written))
		written[nr_written++] = at;
}

void arena_clean(void)
{
	while (nr_written) {
		unsigned long *at = (unsigned long *)written[--nr_written];

		at[-1] = at[0] = at[1] = 0;
	}
}

static unsigned long tag(struct random *r)
{
	return TAG | (random_u64(r) & ~TAG_MASK & 0xfffff);
}

/* Where a whole record can be written in [@low, @high). */
static unsigned long place(struct random *r, unsigned long low, unsigned long high)
{
	return low + RECORD + random_below(r, (high - low - 2 * RECORD) / WORD) * WORD;
}

static unsigned long kernel_address(struct random *r)
{
	unsigned long address = kernel_addresses[random_below(r, nr_kernel_addresses)];

	return random_below(r, 2) ? address : address + random_below(r, 512) * WORD;
}

/* What makes any word an address of the upper half, and the bits of a word that are an address. */
#ifdef __aarch64__
#define UPPER_HALF   (1UL << 55) /* the bits around it may be a signature's */
#define ADDRESS_BITS ((1UL << 47) - 1)
#else
#define UPPER_HALF   (~(~0UL >> 1))
#define ADDRESS_BITS (~1UL)
#endif

/* A word that a walker might take for something. */
static unsigned long odd_word(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0:
		return place(r, ARENA, ARENA_END) + random_below(r, WORD);
	case 1:
		return kernel_address(r);
	case 2:
		return random_below(r, 2 * USER_START);
	case 3:
		return -(unsigned long)random_below(r, 5000);
	case 4:
		return random_u64(r) | UPPER_HALF;
	default:
		return tag(r);
	}
}

static void record(struct stack *s, unsigned long fp, unsigned long next)
{
	put_record(fp, next, tag(&s->random));
	note(fp);
}

/* Records that rise in [@low, @high), @n of them; the last one's frame pointer. */
static unsigned long rising(struct stack *s, unsigned long low, unsigned long high, unsigned n,
			    unsigned long end)
{
	unsigned long step = (high - low) / (n + 1) & -(2 * RECORD), fp = low + RECORD;

	s->regs.sp = low;
	s->regs.fp = fp;
	for (; n > 1; n--, fp += step)
		record(s, fp, fp + step);
	record(s, fp, end);
	return fp;
}

void make_deepest(struct stack *s)
{
	rising(s, ARENA, ARENA_END, 125, 0);
}

static void sound(struct stack *s)
{
	rising(s, ARENA, ARENA_END, 1 + random_below(&s->random, 100), 0);
}

static void cyclic(struct stack *s)
{
	unsigned n = 1 + random_below(&s->random, 20);
	unsigned long last = rising(s, ARENA, ARENA_END, n, 0);

	record(s, last, random_below(&s->random, 2) ? s->regs.fp : last);
}

static void falling(struct stack *s)
{
	unsigned long fp = place(&s->random, ARENA + PAGE, ARENA_END);

	s->regs.fp = fp;
	s->regs.sp = random_below(&s->random, 2) ? ARENA : fp - RECORD;
	for (unsigned n = 0; n < 10; n++, fp -= 2 * RECORD)
		record(s, fp, fp - 2 * RECORD);
}

static void misaligned(struct stack *s)
{
	unsigned long odd = 1 + random_below(&s->random, WORD - 1);
	unsigned long last = rising(s, ARENA, ARENA_END, 1 + random_below(&s->random, 5), 0);

	record(s, last, last + 2 * RECORD + odd);
	record(s, last + 3 * RECORD, 0);
	if (random_below(&s->random, 2))
		s->regs.fp += odd;
	if (random_below(&s->random, 2))
		s->regs.sp += odd;
}

/* The chain leads to @to; or begins there, or there is the stack pointer. */
static void lead(struct stack *s, unsigned long to)
{
	unsigned long last = rising(s, ARENA, ARENA_END, 1 + random_below(&s->random, 5), 0);

	switch (random_below(&s->random, 3)) {
	case 0:
		record(s, last, to);
		break;
	case 1:
		s->regs.fp = to;
		break;
	default:
		s->regs.sp = to;
	}
}

static void unmapped(struct stack *s)
{
	lead(s, place(&s->random, ARENA_END, BEHIND));
}

/* Across the end of what is mapped, and across its beginning. */
static void straddling(struct stack *s)
{
	long words = (long)random_below(&s->random, 5) - 2;

	lead(s, (random_below(&s->random, 2) ? ARENA_END : BEHIND) + words * (long)WORD);
}

static void kernel(struct stack *s)
{
	lead(s, kernel_address(&s->random));
	if (!random_below(&s->random, 4))
		s->regs.sp = kernel_address(&s->random);
}

static void wrapping(struct stack *s)
{
	lead(s, -(unsigned long)random_below(&s->random, 8 * WORD));
	/* From the end of all addresses on, what lies at their beginning is not far. */
	if (random_below(&s->random, 2)) {
		s->regs.sp = -(unsigned long)random_below(&s->random, 0x10000) & -WORD;
		s->regs.fp = random_below(&s->random, 0x10000) & -WORD;
	}
}

static void null(struct stack *s)
{
	s->of_others = true;
	lead(s, random_below(&s->random, 2 * USER_START));
}

static void write_only(struct stack *s)
{
	lead(s, place(&s->random, WRITE_ONLY, NO_ACCESS));
}

static void no_access(struct stack *s)
{
	lead(s, place(&s->random, NO_ACCESS, READ_ONLY));
}

static void read_only(struct stack *s)
{
	lead(s, place(&s->random, READ_ONLY, UNTOUCHED));
}

static void untouched(struct stack *s)
{
	lead(s, place(&s->random, UNTOUCHED, CHANGING));
}

static void guard_page(struct stack *s)
{
	s->of_others = true;
	lead(s, place(&s->random, stack_low - 2 * PAGE, stack_low + PAGE));
}

static void end_of_user_space(struct stack *s)
{
	s->of_others = true;
	lead(s, USER_END - random_below(&s->random, 64) * WORD);
}

static void code(struct stack *s)
{
	s->of_others = true;
	lead(s, (unsigned long)place & -WORD);
}

static void deep(struct stack *s)
{
	rising(s, ARENA, ARENA_END, 100 + random_below(&s->random, 400), 0);
}

static void returns(struct stack *s)
{
	unsigned long fp = ARENA + RECORD;

	s->regs.sp = ARENA;
	s->regs.fp = fp;
	for (unsigned n = 0; n < 140; n++, fp += 2 * RECORD) {
		put_record(fp, fp + 2 * RECORD, n < 2 ? tag(&s->random) : odd_word(&s->random));
		note(fp);
	}
	for (unsigned n = 1; n < 4; n++) {
		((unsigned long *)ARENA)[n] = odd_word(&s->random);
		note(ARENA + n * WORD);
	}
}

static void random_memory(struct stack *s)
{
	unsigned long *at = (unsigned long *)place(&s->random, ARENA, ARENA_END - PAGE);

	s->regs.sp = (unsigned long)at;
	s->regs.fp = (unsigned long)(at + random_below(&s->random, 8));
	for (unsigned i = 0; i < 64; i++) {
		unsigned long fp = (unsigned long)(at + i + 2 + random_below(&s->random, 8));

		at[i] = random_below(&s->random, 2) ? odd_word(&s->random) : fp;
		note((unsigned long)(at + i));
	}
}

static void random_registers(struct stack *s)
{
	s->of_others = true;
	s->regs.sp = odd_word(&s->random);
	s->regs.fp = odd_word(&s->random);
}

static void changing(struct stack *s)
{
	s->of_others = true;
	rising(s, shared_memory, shared_memory + PAGE, 1 + random_below(&s->random, 50), 0);
}

void arena_scribble(struct random *r)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned long at = place(r, CHANGING, CHANGING + PAGE);

		*(volatile unsigned long *)at =
		    random_below(r, 2) ? odd_word(r) : at + random_below(r, 16) * WORD;
	}
}

static void changing_by_thread(struct stack *s)
{
	s->of_others = true;
	rising(s, CHANGING, CHANGING + PAGE, 1 + random_below(&s->random, 50), 0);
}

static void in_its_own_ring(struct stack *s)
{
	s->of_others = true;
	rising(s, own_ring, own_ring + PAGE, 1 + random_below(&s->random, 50), 0);
}

const struct shape shapes[] = {
    {"sound", sound},
    {"cyclic", cyclic},
    {"falling", falling},
    {"misaligned", misaligned},
    {"unmapped", unmapped},
    {"straddling", straddling},
    {"kernel", kernel},
    {"wrapping", wrapping},
    {"null", null},
    {"write-only", write_only},
    {"no access", no_access},
    {"read-only", read_only},
    {"untouched", untouched},
    {"guard page", guard_page},
    {"end of user space", end_of_user_space},
    {"code", code},
    {"deep", deep},
    {"return addresses", returns},
    {"random memory", random_memory},
    {"random registers", random_registers},
    {"changing under another process", changing},
    {"changing under another thread", changing_by_thread},
    {"in its own ring", in_its_own_ring},
};
const unsigned nr_shapes = ARRAY_LENGTH(shapes);

bool stack_entry_allowed(const struct stack *stack, uint64_t entry)
{
	extern const char __executable_start[], etext[];

	if (entry < USER_START || entry >= USER_END)
		return false;
	return stack->of_others || (entry & TAG_MASK) == TAG || (entry >= ARENA && entry < LAST) ||
	       entry < 2 * USER_START || entry == (stack->regs.lr & ADDRESS_BITS) ||
	       (entry >= (uintptr_t)__executable_start && entry < (uintptr_t)etext);
}
