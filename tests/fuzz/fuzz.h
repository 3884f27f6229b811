/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzing targets share. A target defines LLVMFuzzerTestOneInput(), in which a failed
 * check aborts, and fuzz_examples(): inputs that nobody would guess, which the corpus begins with.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <hotregs/boot_info.h>
#include <hotregs/types.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

void fuzz_examples(void);
/* Adds an input to the corpus, when there is one. */
void fuzz_add_example(const void *data, size_t size);

#define CHECK(cond)              \
	do {                     \
		if (!(cond))     \
			abort(); \
	} while (0)

/* --- Input that is taken from its beginning --- */
struct input {
	const u8 *data;
	size_t size;
};
/* The next @n bytes, zeroes when there are no more. */
void input_take(struct input *in, void *to, size_t n);
u32 input_u32(struct input *in);
u8 input_u8(struct input *in);

/* --- Blocks of exactly their size, so that ASan sees a read outside --- */
void *fuzz_copy(const void *data, size_t size);
/* Frees all that have been made, the windows too. */
void fuzz_free_copies(void);

/* Makes the bytes physical memory at @base, which fuzz_window() shows. */
void fuzz_memory(phys_addr_t base, const void *data, size_t size);
const void *fuzz_window(phys_addr_t pa, size_t size);

/* Reads all of it, so that ASan looks at it. */
void fuzz_read(const void *data, size_t size);
