/* SPDX-License-Identifier: MIT */
/* boot/fdt.c: whatever lies where a tree should, reading it stays inside. */
#include "fdt_image.h"
#include "fuzz.h"
#include <hotregs/fdt.h>

void fuzz_examples(void)
{
	static u8 tree[16384];

	image_example();
	fuzz_add_example(tree, image_finish(tree));
}

static void read_node(const struct fdt *fdt, const struct fdt_node *node)
{
	static const char *const names[] = {"reg", "ranges", "compatible", "interrupts"};
	const char *s = fdt_name(fdt, node);
	u32 cells[FDT_MAX_CELLS], bytes;
	u64 address, size;

	fuzz_read(s, strlen(s));
	for (u32 i = 0; i < 3; i++) {
		fdt_reg(fdt, node, i, &address, &size);
		fdt_interrupt(fdt, node, i, cells);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const u8 *p = fdt_property(fdt, node, names[i], &bytes);

		fuzz_read(p, p ? bytes : 0);
		for (unsigned k = 0; (s = fdt_string(fdt, node, names[i], k)) && k < 4; k++)
			fuzz_read(s, strlen(s));
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

	fuzz_memory(0, data, size);
	if (!fdt_open(&fdt, 0, fuzz_window))
		read_tree(&fdt);
	fuzz_free_copies();
	return 0;
}
