/* SPDX-License-Identifier: MIT */
/*
 * The functions that newlib has in assembly without unwind tables: a sample inside one of those
 * would not show who called it. Compiled, they have tables, and cost about the same. Weak, for a
 * program's own come first. An aligned word is never half in a page that is not there.
 */
#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;

/* Is one of the bytes of @w zero? */
static inline word has_zero(word w)
{
	return (w - 0x01010101) & ~w & 0x80808080;
}

static inline int unaligned(const void *p)
{
	return (uintptr_t)p & (sizeof(word) - 1);
}

/* What is left behind the last whole part is copied together with the end of that part. */
__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	const uint8_t *s = from;
	uint8_t *d = to;

	if (n >= 16) {
		for (; n > 16; n -= 16, s += 16, d += 16)
			vst1q_u8(d, vld1q_u8(s));
		vst1q_u8(d + n - 16, vld1q_u8(s + n - 16));
	} else if (n >= 8) {
		vst1_u8(d, vld1_u8(s));
		vst1_u8(d + n - 8, vld1_u8(s + n - 8));
	} else {
		while (n--)
			*d++ = *s++;
	}
	return to;
}

__attribute__((weak)) size_t strlen(const char *s)
{
	const char *p = s;

	for (; unaligned(p); p++)
		if (!*p)
			return p - s;
	while (!has_zero(*(const word *)p))
		p += sizeof(word);
	while (*p)
		p++;
	return p - s;
}

__attribute__((weak)) void *memchr(const void *from, int c, size_t n)
{
	const uint8_t *p = from, byte = c;
	const word all = byte * 0x01010101u;

	for (; n && unaligned(p); p++, n--)
		if (*p == byte)
			return (void *)p;
	for (; n >= sizeof(word) && !has_zero(*(const word *)p ^ all); n -= sizeof(word))
		p += sizeof(word);
	for (; n; p++, n--)
		if (*p == byte)
			return (void *)p;
	return NULL;
}

__attribute__((weak)) int strcmp(const char *a, const char *b)
{
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;

	for (; unaligned(x); x++, y++)
		if (*x != *y || !*x)
			return *x - *y;
	while (!unaligned(y) && *(const word *)x == *(const word *)y &&
	       !has_zero(*(const word *)x)) {
		x += sizeof(word);
		y += sizeof(word);
	}
	for (; *x == *y && *x; x++, y++)
		;
	return *x - *y;
}
