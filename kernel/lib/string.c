/* SPDX-License-Identifier: MIT */
/*
 * Memory and string functions. The memory ones move eight bytes an instruction: the kernel has no
 * vector registers, and x86's string instructions count one instruction an iteration wherever
 * instructions are counted.
 */
#include <hotregs/string.h>

/*
 * Packed, so that the compiler chooses how this machine reads a word at any address; may_alias,
 * because the objects copied have types of their own.
 */
struct word64 {
	u64 v;
} __attribute__((packed, may_alias));
struct word32 {
	u32 v;
} __attribute__((packed, may_alias));
struct word16 {
	u16 v;
} __attribute__((packed, may_alias));

static __always_inline u64 load64(const u8 *p)
{
	return ((const struct word64 *)p)->v;
}

static __always_inline void store64(u8 *p, u64 v)
{
	((struct word64 *)p)->v = v;
}

static __always_inline u32 load32(const u8 *p)
{
	return ((const struct word32 *)p)->v;
}

static __always_inline void store32(u8 *p, u32 v)
{
	((struct word32 *)p)->v = v;
}

static __always_inline u16 load16(const u8 *p)
{
	return ((const struct word16 *)p)->v;
}

static __always_inline void store16(u8 *p, u16 v)
{
	((struct word16 *)p)->v = v;
}

/*
 * A 32-bit processor moves several registers at once, but only where addresses are multiples of
 * four. This is how a compiler is brought to do so.
 */
struct aligned64 {
	u64 v;
} __attribute__((packed, aligned(4), may_alias));
struct block {
	u32 v[8];
} __attribute__((may_alias));

static __always_inline bool by_blocks(const void *a, const void *b)
{
	return sizeof(long) < sizeof(u64) && !(((unsigned long)a | (unsigned long)b) & 3);
}

/* Fewer than eight bytes: two words that may overlap. All is read before anything is written, so
 * the areas may overlap as well. */
static __always_inline void copy_small(u8 *d, const u8 *s, size_t n)
{
	if (n >= 4) {
		u32 first = load32(s), last = load32(s + n - 4);

		store32(d, first);
		store32(d + n - 4, last);
	} else if (n >= 2) {
		u16 first = load16(s), last = load16(s + n - 2);

		store16(d, first);
		store16(d + n - 2, last);
	} else if (n) {
		*d = *s;
	}
}

/*
 * At least eight bytes, rising; right for overlapping areas too when @d is below @s: a store only
 * reaches source bytes already read, and the last word is read before the first store.
 */
static __always_inline void copy_up(u8 *d, const u8 *s, size_t n)
{
	u64 last = load64(s + n - 8);
	u8 *d_last = d + n - 8;

	for (; n >= 64; n -= 64, d += 64, s += 64) {
		store64(d, load64(s));
		store64(d + 8, load64(s + 8));
		store64(d + 16, load64(s + 16));
		store64(d + 24, load64(s + 24));
		store64(d + 32, load64(s + 32));
		store64(d + 40, load64(s + 40));
		store64(d + 48, load64(s + 48));
		store64(d + 56, load64(s + 56));
	}
	if (n > 32) {
		store64(d, load64(s));
		store64(d + 8, load64(s + 8));
		store64(d + 16, load64(s + 16));
		store64(d + 24, load64(s + 24));
		n -= 32, d += 32, s += 32;
	}
	if (n > 16) {
		store64(d, load64(s));
		store64(d + 8, load64(s + 8));
		n -= 16, d += 16, s += 16;
	}
	if (n > 8)
		store64(d, load64(s));
	store64(d_last, last);
}

/* The mirror of copy_up(), for @d above @s. */
static __always_inline void copy_down(u8 *d, const u8 *s, size_t n)
{
	u64 first = load64(s);

	for (; n > 8; n -= 8)
		store64(d + n - 8, load64(s + n - 8));
	store64(d, first);
}

void *memcpy(void *dst, const void *src, size_t n)
{
	u8 *d = dst;
	const u8 *s = src;

	if (n < 8) {
		copy_small(d, s, n);
		return dst;
	}
	if (by_blocks(d, s))
		for (; n >= sizeof(struct block) + 8; n -= sizeof(struct block),
						      d += sizeof(struct block),
						      s += sizeof(struct block))
			*(struct block *)d = *(const struct block *)s;
	copy_up(d, s, n);
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	if (n < 8)
		copy_small(dst, src, n);
	else if ((unsigned long)dst - (unsigned long)src < n)
		copy_down(dst, src, n);
	else
		copy_up(dst, src, n);
	return dst;
}

static __always_inline void fill_word(u8 *d, u64 v, bool aligned)
{
	if (aligned)
		((struct aligned64 *)d)->v = v;
	else
		store64(d, v);
}

/* At least eight bytes. */
static __always_inline void fill(u8 *d, u64 v, size_t n, bool aligned)
{
	u8 *d_last = d + n - 8;

	/* In a pair of registers. */
	keep_value(v);
	for (; n >= 64; n -= 64, d += 64) {
		fill_word(d, v, aligned);
		fill_word(d + 8, v, aligned);
		fill_word(d + 16, v, aligned);
		fill_word(d + 24, v, aligned);
		fill_word(d + 32, v, aligned);
		fill_word(d + 40, v, aligned);
		fill_word(d + 48, v, aligned);
		fill_word(d + 56, v, aligned);
	}
	if (n > 32) {
		fill_word(d, v, aligned);
		fill_word(d + 8, v, aligned);
		fill_word(d + 16, v, aligned);
		fill_word(d + 24, v, aligned);
		n -= 32, d += 32;
	}
	if (n > 16) {
		fill_word(d, v, aligned);
		fill_word(d + 8, v, aligned);
		n -= 16, d += 16;
	}
	if (n > 8)
		fill_word(d, v, aligned);
	store64(d_last, v);
}

void *memset(void *dst, int c, size_t n)
{
	u64 v = (u8)c * 0x0101010101010101ULL;
	u8 *d = dst;

	if (n >= 8) {
		if (by_blocks(d, d))
			fill(d, v, n, true);
		else
			fill(d, v, n, false);
	} else if (n >= 4) {
		store32(d, v);
		store32(d + n - 4, v);
	} else if (n >= 2) {
		store16(d, v);
		store16(d + n - 2, v);
	} else if (n) {
		*d = v;
	}
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *x = a, *y = b;

	for (; n >= 8 && load64(x) == load64(y); n -= 8, x += 8, y += 8)
		;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return end - s;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return (u8)*a - (u8)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--, a++, b++)
		;
	return n ? (u8)*a - (u8)*b : 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	for (;; s++) {
		if (*s == (char)c)
			found = s;
		if (!*s)
			return (char *)found;
	}
}

size_t strlcpy(char *dst, const char *src, size_t size)
{
	size_t n = strlen(src);

	if (size) {
		size_t copied = MIN(n, size - 1);

		memcpy(dst, src, copied);
		dst[copied] = '\0';
	}
	return n;
}

/* The value of digit @c, or something no base has. */
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

unsigned long strtoul(const char *s, const char **end)
{
	unsigned base = 10;
	unsigned long value = 0;

	/* "0x" with no digit behind is the number 0, followed by an x. */
	if (s[0] == '0' && (s[1] | ('a' - 'A')) == 'x' && digit_value(s[2]) < 16) {
		base = 16;
		s += 2;
	}
	for (unsigned digit; (digit = digit_value(*s)) < base; s++)
		value = value * base + digit;
	if (end)
		*end = s;
	return value;
}
