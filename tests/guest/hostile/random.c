/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same for a seed on every machine. */
#include "hostile.h"

/* Steele, Lea and Flood's SplitMix64: any seed is a good one. */
uint64_t random_u64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
