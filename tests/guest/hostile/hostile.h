/* SPDX-License-Identifier: MIT */
/* What the tests of programs that mean harm share: random numbers that repeat, and addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../user/machine.h"

#define PAGE            4096UL
#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* Random numbers of a seed: the same ones on every machine. */
struct random {
	uint64_t state;
};

uint64_t random_u64(struct random *r);
/* 0 to @n - 1 */
static inline unsigned random_below(struct random *r, unsigned n)
{
	return random_u64(r) % n;
}

/* Addresses that no program may use, and where user space ends. Of the architecture. */
extern const unsigned long kernel_addresses[];
extern const unsigned nr_kernel_addresses;
#if UINTPTR_MAX > UINT32_MAX
#define USER_END 0x7ffffffff000UL
#else
#define USER_END 0x80000000UL
#endif
#define USER_START 0x10000UL
