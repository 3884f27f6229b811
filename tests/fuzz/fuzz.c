/* SPDX-License-Identifier: MIT */
/* The corpus, and memory that is no larger than it was said to be. */
#include <stdio.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *corpus;

/* The corpus is the first directory that is named. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	for (int i = 1; i < *argc && !corpus; i++)
		if ((*argv)[i][0] != '-')
			corpus = (*argv)[i];
	fuzz_examples();
	return 0;
}

void fuzz_add_example(const void *data, size_t size)
{
	static unsigned nr;
	char path[512];
	FILE *f;

	if (!corpus)
		return;
	snprintf(path, sizeof(path), "%s/example%u", corpus, nr++);
	f = fopen(path, "wb");
	/* What follows the corpus may be one input, to be tried alone. */
	if (f && (fwrite(data, 1, size, f) != size || fclose(f)))
		abort();
}

/* --- Input --- */

void input_take(struct input *in, void *to, size_t n)
{
	size_t have = MIN(n, in->size);

	memset(to, 0, n);
	if (have)
		memcpy(to, in->data, have);
	in->data += have;
	in->size -= have;
}

u32 input_u32(struct input *in)
{
	u32 value;

	input_take(in, &value, sizeof(value));
	return value;
}

u8 input_u8(struct input *in)
{
	u8 value;

	input_take(in, &value, sizeof(value));
	return value;
}

/* --- Copies --- */

struct copy {
	struct copy *next;
	void *block;
};
static struct copy *copies;

void *fuzz_copy(const void *data, size_t size)
{
	struct copy *copy = malloc(sizeof(*copy));

	CHECK(copy);
	*copy = (struct copy){copies, malloc(size ? size : 1)};
	copies = copy;
	CHECK(copy->block);
	if (size)
		memcpy(copy->block, data, size);
	return copy->block;
}

void fuzz_free_copies(void)
{
	while (copies) {
		struct copy *next = copies->next;

		free(copies->block);
		free(copies);
		copies = next;
	}
}

static struct {
	phys_addr_t base;
	const u8 *data;
	size_t size;
} memory;

void fuzz_memory(phys_addr_t base, const void *data, size_t size)
{
	memory.base = base;
	memory.data = data;
	memory.size = size;
}

const void *fuzz_window(phys_addr_t pa, size_t size)
{
	if (pa < memory.base || pa - memory.base > memory.size ||
	    size > memory.size - (pa - memory.base))
		return NULL;
	return fuzz_copy(memory.data + (pa - memory.base), size);
}

void fuzz_read(const void *data, size_t size)
{
	for (const u8 *p = data; size--; p++)
		__asm__ volatile("" ::"r"(*p));
}
