/* SPDX-License-Identifier: MIT */
/* A part of arch/words.h: four at a time, where addressing them is free. */
#pragma once

static inline void copy_four_words(u64 *to, const u64 *from)
{
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
	to[3] = from[3];
}

static inline void clear_words(u64 *to, size_t n)
{
	for (; n >= 4; n -= 4, to += 4)
		to[0] = to[1] = to[2] = to[3] = 0;
	while (n--)
		*to++ = 0;
}

static inline void copy_words(u64 *to, const u64 *from, size_t n)
{
	if (unlikely(n < 4)) {
		while (n--)
			to[n] = from[n];
		return;
	}
	/* The last four may be copied in part again. */
	for (; n > 4; n -= 4)
		copy_four_words(&to[n - 4], &from[n - 4]);
	copy_four_words(to, from);
}
