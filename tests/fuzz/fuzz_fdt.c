/* SPDX-License-Identifier: MIT */
/* boot/fdt.c: whatever lies where a tree should, reading it stays inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdt_image.h"
#include <hotregs/fdt.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Puts a tree into the corpus, the first directory that is named: nobody guesses one. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static u8 tree[16384];
	char path[256];
	size_t n;
	FILE *f;

	image_example();
	n = image_finish(tree);
	for (int i = 1; i < *argc; i++) {
		if ((*argv)[i][0] == '-')
			continue;
		snprintf(path, sizeof(path), "%s/example", (*argv)[i]);
		f = fopen(path, "wb");
		if (f && (fwrite(tree, 1, n, f) != n || fclose(f)))
			abort();
		break;
	}
	return 0;
}

/* What is shown is a block of exactly its size, so that ASan sees a read outside. */
static const u8 *input;
static size_t input_size, nr_shown;
static void *shown[2];

static const void *window(phys_addr_t pa, size_t size)
{
	void *copy;

	if (pa > input_size || size > input_size - pa)
		return NULL;
	copy = malloc(size ? size : 1);
	memcpy(copy, input + pa, size);
	return shown[nr_shown++] = copy;
}

static volatile u32 sink;

static void read_bytes(const u8 *p, size_t n)
{
	while (p && n--)
		sink += *p++;
}

static void read_node(const struct fdt *fdt, const struct fdt_node *node)
{
	static const char *const names[] = {"reg", "ranges", "compatible", "interrupts"};
	const char *s = fdt_name(fdt, node);
	u32 cells[FDT_MAX_CELLS], bytes;
	u64 address, size;

	read_bytes((const u8 *)s, strlen(s));
	for (u32 i = 0; i < 3; i++) {
		fdt_reg(fdt, node, i, &address, &size);
		fdt_interrupt(fdt, node, i, cells);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const u8 *p = fdt_property(fdt, node, names[i], &bytes);

		read_bytes(p, p ? bytes : 0);
		for (unsigned k = 0; (s = fdt_string(fdt, node, names[i], k)) && k < 4; k++)
			read_bytes((const u8 *)s, strlen(s));
		fdt_number(fdt, node, names[i], 0);
	}
}

static void read_tree(const struct fdt *fdt)
{
	struct fdt_node node;
	u64 address, size;

	for (u32 i = 0; i < 4; i++)
		fdt_reservation(fdt, i, &address, &size);
	fdt_root(fdt, &node);
	/* Reading a node may take a walk over all: with many nodes, not of each. */
	for (unsigned i = 0; i < 64; i++) {
		read_node(fdt, &node);
		if (!fdt_next(fdt, &node))
			break;
	}
	fdt_find(fdt, &node, "/soc/serial@7e201000");
	fdt_find(fdt, &node, "/a/b/c");
	fdt_root(fdt, &node);
	while (fdt_next_compatible(fdt, &node, "arm,pl011"))
		;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fdt fdt;

	input = data;
	input_size = size;
	if (!fdt_open(&fdt, 0, window))
		read_tree(&fdt);
	while (nr_shown)
		free(shown[--nr_shown]);
	return 0;
}
