/* SPDX-License-Identifier: MIT */
/*
 * What tests of breakpoints in the kernel and in programs share: accesses of every size,
 * instructions that lie side by side, and which bytes a breakpoint watches, as docs/abi.md says it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Do breakpoints for instructions take the slots of those for data? Are reads told alone? */
#ifdef __x86_64__
#define SLOTS_ARE_SHARED true
#define READS_ALONE      false
#else
#define SLOTS_ARE_SHARED false
#define READS_ALONE      true
#endif

/* --- Data --- */

#define ACCESS_MAX 8 /* bytes */

#ifdef __arm__
#define LOAD_8(at)  __asm__ volatile("ldrd r2, r3, [%0]" ::"r"(at) : "r2", "r3", "memory")
#define STORE_8(at) __asm__ volatile("strd r2, r3, [%0]" ::"r"(at) : "memory")
#else
#define LOAD_8(at)  (void)*(const volatile uint64_t *)(at)
#define STORE_8(at) (void)(*(volatile uint64_t *)(at) = 0)
#endif

static inline void load_data(const volatile void *at, unsigned size)
{
	if (size == 1)
		(void)*(const volatile uint8_t *)at;
	else if (size == 2)
		(void)*(const volatile uint16_t *)at;
	else if (size == 4)
		(void)*(const volatile uint32_t *)at;
	else
		LOAD_8(at);
}

static inline void store_data(volatile void *at, unsigned size)
{
	if (size == 1)
		*(volatile uint8_t *)at = 0;
	else if (size == 2)
		*(volatile uint16_t *)at = 0;
	else if (size == 4)
		*(volatile uint32_t *)at = 0;
	else
		STORE_8(at);
}

/* One instruction; @at is a multiple of @size, 1, 2, 4 or 8. */
static inline void access_data(volatile void *at, unsigned size, bool write)
{
	if (write)
		store_data(at, size);
	else
		load_data(at, size);
}

/* From the first byte that is watched to behind the last one, and the slots that this takes. */
struct watched {
	uintptr_t first, end;
	unsigned slots;
};

/* Is it what one slot watches? */
static inline bool is_block(uintptr_t first, uintptr_t end)
{
#ifndef __x86_64__
	return first / 8 == (end - 1) / 8;
#else
	return end - first <= 8 && !((end - first) & (end - first - 1)) &&
	       first % (end - first) == 0;
#endif
}

/* Two blocks that watch the fewest bytes beside the range; on ARM none are. */
static inline struct watched watched_by(uintptr_t first, unsigned len)
{
	uintptr_t last = first + len - 1;
	struct watched least = {first, first + len, 0};

#ifdef __x86_64__
	least.end += 2 * ACCESS_MAX;
	for (uintptr_t a = 1; a <= 8; a *= 2)
		for (uintptr_t b = 1; b <= 8; b *= 2) {
			uintptr_t low = first & -a, high = last & -b;

			if (high >= low && high <= low + a && high + b >= low + a &&
			    high + b - low < least.end - least.first)
				least = (struct watched){low, high + b, 0};
		}
#endif
	(void)last;
	least.slots = is_block(least.first, least.end) ? 1 : 2;
	return least;
}

static inline bool touches(const struct watched *w, const volatile void *at, unsigned size)
{
	return (uintptr_t)at < w->end && (uintptr_t)at + size > w->first;
}

/* The first of the values of bp_type that there are for data here; HW_BREAKPOINT_RW is the last. */
#define FIRST_ACCESS_TYPE (READS_ALONE ? HW_BREAKPOINT_R : HW_BREAKPOINT_W)

/* --- Instructions --- */

/*
 * side_by_side: each returns. Those of x86_64 are a byte each; on ARMv7-A three are of ARM, three
 * of Thumb. store_word() begins with the one that stores four bytes; count_down() has two that go
 * round @n times.
 */
#define INSTRUCTIONS 6
extern const char side_by_side[], count_down_branch[];
void store_word(volatile void *at);
void count_down(unsigned long n);
#ifdef __arm__
__asm__(".pushsection .text\n"
	".balign 8\n"
	".arm\n"
	"side_by_side:\n"
	"	bx lr; bx lr; bx lr\n"
	".thumb\n"
	"	bx lr; bx lr; bx lr; nop\n"
	".arm\n"
	".type store_word, %function\n"
	"store_word:\n"
	"	str r0, [r0]; bx lr\n"
	".type count_down, %function\n"
	"count_down:\n"
	"	subs r0, r0, #1\n"
	"count_down_branch:\n"
	"	bne count_down; bx lr\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".balign 8\n"
	"side_by_side:\n"
	"	ret; ret; ret; ret; ret; ret\n"
	".type store_word, %function\n"
	"store_word:\n"
	"	str w0, [x0]; ret\n"
	".type count_down, %function\n"
	"count_down:\n"
	"	subs x0, x0, #1\n"
	"count_down_branch:\n"
	"	b.ne count_down; ret\n"
	".popsection\n");
#else
__asm__(".pushsection .text\n"
	"side_by_side:\n"
	"	ret; ret; ret; ret; ret; ret\n"
	"store_word:\n"
	"	movl $1, (%rdi); ret\n"
	"count_down:\n"
	"	decq %rdi\n"
	"count_down_branch:\n"
	"	jnz count_down; ret\n"
	".popsection\n");
#endif

/* As a pointer to it as a function is. */
static inline uintptr_t instruction(unsigned i)
{
#ifdef __arm__
	return (uintptr_t)side_by_side + (i < 3 ? 4 * i : 12 + 2 * (i - 3) + 1);
#elif defined(__aarch64__)
	return (uintptr_t)side_by_side + 4 * i;
#else
	return (uintptr_t)side_by_side + i;
#endif
}

static inline uintptr_t instruction_address(unsigned i)
{
#ifdef __arm__
	return instruction(i) & ~(uintptr_t)1;
#else
	return instruction(i);
#endif
}

/* May bp_len be @len? On ARM 2 says that it is a Thumb instruction. */
static inline bool may_be_long(unsigned i, unsigned len)
{
#ifdef __arm__
	return i >= 3 || len != 2;
#else
	(void)i, (void)len;
	return true;
#endif
}

static inline void execute(unsigned i)
{
	((void (*)(void))instruction(i))();
}

/* --- The processor --- */

/* Is one of several slots reported, where they watch different ranges? So QEMU does on x86_64. */
static inline bool reports_one_slot(void)
{
#ifdef __x86_64__
	uint32_t ax = 0x40000000, bx, cx = 0, dx;

	__asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
	return bx == 0x54474354; /* "TCGT" */
#else
	return false;
#endif
}
