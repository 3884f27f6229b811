/* SPDX-License-Identifier: MIT */
/* The numbers that all choices are made with: SplitMix64, as its authors published it. */
#include "fuzz.h"

static uint64_t state;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

void rand_seed(uint64_t a, uint64_t b, uint64_t c)
{
	state = mix(mix(mix(a) + b) + c);
}

uint64_t rand64(void)
{
	return mix(state += 0x9e3779b97f4a7c15ULL);
}

uint32_t rand32(void)
{
	return rand64() >> 32;
}

uint32_t below(uint32_t n)
{
	return (uint64_t)rand32() * n >> 32;
}

bool one_in(uint32_t n)
{
	return !below(n);
}
