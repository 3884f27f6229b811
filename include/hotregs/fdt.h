/* SPDX-License-Identifier: MIT */
/*
 * Read-only access to a flattened device tree (Devicetree Specification 0.4, chapters 2 and 5),
 * where it lies. It comes from outside: fdt_open() looks at all of its structure once, and whatever
 * a tree says after that is only ever wrong, not dangerous. All functions: any context.
 */
#pragma once

#include <hotregs/boot_info.h>
#include <hotregs/string.h>

#define FDT_MAX_SIZE  (4U << 20)
#define FDT_MAX_DEPTH 16 /* of nodes inside each other */
#define FDT_MAX_CELLS 4  /* of an interrupt specifier */

/* A tree that has passed fdt_open(). All positions are offsets into blob. */
struct fdt {
	const u8 *blob;
	u32 size; /* of what there is in it; room behind that does not count */
	u32 structure, structure_end;
	u32 strings, strings_end;
	u32 reservations;
};

/* A node and the way to it: path[0] is the root, path[depth] the node itself. */
struct fdt_node {
	unsigned depth;
	u32 path[FDT_MAX_DEPTH];
};

/*
 * Checks the tree at physical address @pa, as @window shows it and must go on showing it. -ENOENT:
 * there is none, -EINVAL: a damaged one, or not all of it in reach.
 */
int fdt_open(struct fdt *fdt, phys_addr_t pa, phys_window_t window);

/* Entry @i of the memory reservation block (5.3); false: there is none. */
bool fdt_reservation(const struct fdt *fdt, u32 i, u64 *address, u64 *size);

/* The root; and the next node in the tree's order, children first. False: that was the last. */
static inline void fdt_root(const struct fdt *fdt, struct fdt_node *node)
{
	node->depth = 0;
	node->path[0] = fdt->structure;
}
bool fdt_next(const struct fdt *fdt, struct fdt_node *node);

/* String @i of a property that is a list of strings; NULL: there is none. */
const char *fdt_string(const struct fdt *fdt, const struct fdt_node *node, const char *name,
		       unsigned i);

/* Is what the node stands for there and ours to use (2.3.4)? */
static inline bool fdt_enabled(const struct fdt *fdt, const struct fdt_node *node)
{
	const char *status = fdt_string(fdt, node, "status", 0);

	return !status || !strcmp(status, "okay") || !strcmp(status, "ok");
}

/*
 * The next node that is compatible with @compatible (2.3.1) and not disabled:
 *	for (fdt_root(fdt, &node); fdt_next_compatible(fdt, &node, "arm,pl011");)
 */
bool fdt_next_compatible(const struct fdt *fdt, struct fdt_node *node, const char *compatible);

/* Finds a node by its path ("/soc/serial@7e201000"); unit addresses may be left out. */
bool fdt_find(const struct fdt *fdt, struct fdt_node *node, const char *path);

/* A node's name, unit address included; "" for the root. */
static inline const char *fdt_name(const struct fdt *fdt, const struct fdt_node *node)
{
	return (const char *)fdt->blob + node->path[node->depth] + sizeof(u32);
}

/* Property @name of @node: its bytes, and their number in *size; NULL: it has none. */
const void *fdt_property(const struct fdt *fdt, const struct fdt_node *node, const char *name,
			 u32 *size);

/* A property that is a number, of one or two cells; @otherwise when there is none. */
u64 fdt_number(const struct fdt *fdt, const struct fdt_node *node, const char *name, u64 otherwise);

/*
 * Entry @i of @node's registers, as the CPU addresses them: translated by the "ranges" of every bus
 * on the way (2.3.6, 2.3.8). False: no such entry, or the CPU does not reach it.
 */
bool fdt_reg(const struct fdt *fdt, const struct fdt_node *node, u32 i, u64 *address, u64 *size);

/*
 * Interrupt @i of @node: the cells of its specifier, in the terms of its controller (2.4.1).
 * Returns their number; 0: there is none.
 */
unsigned fdt_interrupt(const struct fdt *fdt, const struct fdt_node *node, u32 i,
		       u32 cells[FDT_MAX_CELLS]);
