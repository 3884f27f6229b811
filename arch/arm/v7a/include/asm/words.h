/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/words.h: in mem.S, by loads and stores of many registers. */
#pragma once

void words_copy(u64 *to, const u64 *from, size_t n);

void words_clear(u64 *to, size_t n);

static inline void clear_words(u64 *to, size_t n)
{
	words_clear(to, n);
}

static inline void copy_words(u64 *to, const u64 *from, size_t n)
{
	words_copy(to, from, n);
}
