/* SPDX-License-Identifier: MIT */
/* The host's part of arch/words.h. */
#pragma once

static inline void clear_words(u64 *to, size_t n)
{
	while (n--)
		to[n] = 0;
}

static inline void copy_words(u64 *to, const u64 *from, size_t n)
{
	while (n--)
		to[n] = from[n];
}
