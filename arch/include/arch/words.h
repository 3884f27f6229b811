/* SPDX-License-Identifier: MIT */
/* Architecture contract: copying and clearing a few words, where every instruction counts. */
#pragma once

#include <hotregs/types.h>

/* Copies @n words, from 0 on, to where none of them is. Any context. */
static inline void copy_words(u64 *to, const u64 *from, size_t n);

/* Clears @n words, from 0 on. Any context. */
static inline void clear_words(u64 *to, size_t n);

#include <asm/words.h>
