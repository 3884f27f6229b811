/* SPDX-License-Identifier: MIT */
/* What the vector registers hold during a call. */
#include "fuzz.h"

#define WORDS_4(n)  0x3c, (n), (n) ^ 0x5a, 0x40
#define WORDS_16(n) WORDS_4(n), WORDS_4(n + 1), WORDS_4(n + 2), WORDS_4(n + 3)
#define WORDS_64(n) WORDS_16(n), WORDS_16(n + 4), WORDS_16(n + 8), WORDS_16(n + 12)

const uint8_t fpu_pattern[NR_FPU_BYTES] __attribute__((aligned(16))) = {
    WORDS_64(0),  WORDS_64(16), WORDS_64(32), WORDS_64(48),
#if NR_FPU_BYTES > 256
    WORDS_64(64), WORDS_64(80), WORDS_64(96), WORDS_64(112),
#endif
};
