/* SPDX-License-Identifier: MIT */
/*
 * Flattened device trees (Devicetree Specification 0.4). A node is an offset, and the way to it is
 * kept with it: nothing recurses, and nobody has to look for a parent.
 */
#include <hotregs/fdt.h>

/* Offsets in the header (5.2), all of which is there since version 17; and tokens (5.4.1). */
enum { MAGIC = 0, TOTAL_SIZE = 4, STRUCTURE = 8, STRINGS = 12, RESERVATIONS = 16, VERSION = 20 };
enum { LAST_COMPATIBLE = 24, STRINGS_SIZE = 32, STRUCTURE_SIZE = 36, HEADER_SIZE = 40 };
enum { BEGIN_NODE = 1, END_NODE, PROP, NOP, END = 9 };

/* A token; offset and bytes of the node's name or the property's value; and the property's name. */
struct token {
	u32 tag, data, size, name;
};

/* A number of so many big-endian cells, at most two. */
static u64 read_cells(const u8 *p, u32 cells)
{
	u64 value = 0;

	for (cells *= 4; cells; cells--)
		value = value << 8 | *p++;
	return value;
}

/* Reads the token at *at and moves on to the next one; false when it is not whole. */
static bool read_token(const struct fdt *f, u32 *at, struct token *t)
{
	const u8 *p = f->blob + *at;
	u32 left = f->structure_end - *at;

	if (left < 4)
		return false;
	*t = (struct token){.tag = read_cells(p, 1), .data = *at + 4};
	if (t->tag == BEGIN_NODE) {
		t->size = strnlen((const char *)p + 4, left - 4) + 1;
	} else if (t->tag == PROP) {
		if (left < 12 || read_cells(p + 8, 1) >= f->strings_end - f->strings)
			return false;
		t->data += 8;
		t->size = read_cells(p + 4, 1);
		t->name = f->strings + read_cells(p + 8, 1);
	}
	/* The structure ends on a multiple of 4: what fits does so when it is aligned, too. */
	if (t->size > f->structure_end - t->data)
		return false;
	*at = t->data + ALIGN_UP(t->size, 4);
	return true;
}

/* One tree of whole tokens (5.4.2), not too deep; names are strings if the last one is. */
static bool structure_valid(const struct fdt *f)
{
	u32 at = f->structure, roots = 0, depth = 0;
	struct token t = {0};

	while (read_token(f, &at, &t) && t.tag != END) {
		roots += t.tag == BEGIN_NODE && depth == 0;
		depth += (t.tag == BEGIN_NODE) - (t.tag == END_NODE);
		if (t.tag < BEGIN_NODE || t.tag > NOP || depth > FDT_MAX_DEPTH)
			return false;
	}
	return t.tag == END && roots == 1 && depth == 0 &&
	       read_cells(f->blob + f->structure, 1) == BEGIN_NODE &&
	       (f->strings == f->strings_end || !f->blob[f->strings_end - 1]);
}

/* A block of the tree, its position and size at these offsets of the header; false: not inside. */
static bool get_block(const struct fdt *f, u32 position, u32 size, u32 *from, u32 *to)
{
	*from = read_cells(f->blob + position, 1);
	*to = *from + (u32)read_cells(f->blob + size, 1);
	return *from <= *to && *to <= f->size;
}

int fdt_open(struct fdt *f, phys_addr_t pa, phys_window_t window)
{
	f->blob = window(pa, HEADER_SIZE);
	if (!f->blob || read_cells(f->blob + MAGIC, 1) != 0xd00dfeed)
		return -ENOENT;
	f->size = read_cells(f->blob + TOTAL_SIZE, 1);
	f->reservations = read_cells(f->blob + RESERVATIONS, 1);
	if (f->size < HEADER_SIZE || f->size > FDT_MAX_SIZE ||
	    read_cells(f->blob + VERSION, 1) < 17 ||
	    read_cells(f->blob + LAST_COMPATIBLE, 1) > 17 ||
	    !get_block(f, STRUCTURE, STRUCTURE_SIZE, &f->structure, &f->structure_end) ||
	    !get_block(f, STRINGS, STRINGS_SIZE, &f->strings, &f->strings_end) ||
	    (f->structure | f->structure_end) % 4)
		return -EINVAL;
	/* What may lie behind, often a lot, is room to put something in. */
	f->size = MAX(f->structure_end, f->strings_end);
	f->blob = window(pa, f->size);
	return f->blob && structure_valid(f) ? 0 : -EINVAL;
}

bool fdt_reservation(const struct fdt *f, u32 i, u64 *address, u64 *size)
{
	if (f->reservations > f->size || (f->size - f->reservations) / 16 <= i)
		return false;
	*address = read_cells(f->blob + f->reservations + 16 * i, 2);
	*size = read_cells(f->blob + f->reservations + 16 * i + 8, 2);
	return *address || *size;
}

bool fdt_next(const struct fdt *f, struct fdt_node *node)
{
	u32 at = node->path[node->depth], start;
	unsigned depth = node->depth + 1;
	struct token t;

	read_token(f, &at, &t); /* the node's own beginning */
	while (start = at, read_token(f, &at, &t) && t.tag != BEGIN_NODE && t.tag != END)
		depth -= t.tag == END_NODE;
	if (t.tag != BEGIN_NODE)
		return false;
	node->depth = depth;
	node->path[depth] = start;
	return true;
}

const void *fdt_property(const struct fdt *f, const struct fdt_node *node, const char *name,
			 u32 *size)
{
	u32 at = node->path[node->depth];
	struct token t;

	read_token(f, &at, &t);
	while (read_token(f, &at, &t) && (t.tag == PROP || t.tag == NOP)) {
		*size = t.size;
		if (t.tag == PROP && !strcmp((const char *)f->blob + t.name, name))
			return f->blob + t.data;
	}
	return NULL;
}

const char *fdt_string(const struct fdt *f, const struct fdt_node *node, const char *name,
		       unsigned i)
{
	u32 size, n;
	const char *s = fdt_property(f, node, name, &size);

	for (; s && (n = strnlen(s, size)) < size; s += n + 1, size -= n + 1)
		if (!i--)
			return s;
	return NULL;
}

u64 fdt_number(const struct fdt *f, const struct fdt_node *node, const char *name, u64 otherwise)
{
	u32 size;
	const u8 *p = fdt_property(f, node, name, &size);

	return p && (size == 4 || size == 8) ? read_cells(p, size / 4) : otherwise;
}

bool fdt_next_compatible(const struct fdt *f, struct fdt_node *node, const char *compatible)
{
	while (fdt_next(f, node)) {
		const char *s;

		for (unsigned i = 0; (s = fdt_string(f, node, "compatible", i)); i++)
			if (!strcmp(s, compatible) && fdt_enabled(f, node))
				return true;
	}
	return false;
}

bool fdt_find(const struct fdt *f, struct fdt_node *node, const char *path)
{
	fdt_root(f, node);
	while (*path++ == '/' && *path) {
		unsigned depth = node->depth + 1;
		const char *name, *end = strchr(path, '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);

		do {
			if (!fdt_next(f, node) || node->depth < depth)
				return false;
			name = fdt_name(f, node);
		} while (node->depth > depth || strncmp(name, path, n) ||
			 (name[n] && name[n] != '@'));
		path += n;
	}
	return path[-1] == '/' || !path[-1];
}

/* Turns an address of @cells on a bus into one of @up_cells on its parent: "ranges" (2.3.8). */
static bool translate(const u8 *p, u32 bytes, u32 cells, u32 size_cells, u32 up_cells, u64 *address)
{
	u32 entry = 4 * (cells + up_cells + size_cells);

	for (; bytes >= entry; bytes -= entry, p += entry) {
		u64 offset = *address - read_cells(p, cells);

		if (offset < read_cells(p + 4 * (cells + up_cells), size_cells)) {
			*address = read_cells(p + 4 * cells, up_cells) + offset;
			return true;
		}
	}
	return false;
}

bool fdt_reg(const struct fdt *f, const struct fdt_node *node, u32 i, u64 *address, u64 *size)
{
	struct fdt_node at = *node;
	u32 bytes, cells = 0, size_cells = 0;

	while (at.depth) { /* from the node to the bus that it is on, then from bus to bus */
		u32 below = cells, size_below = size_cells;
		const u8 *p = fdt_property(f, &at, below ? "ranges" : "reg", &bytes);

		at.depth--;
		cells = fdt_number(f, &at, "#address-cells", 2);
		size_cells = fdt_number(f, &at, "#size-cells", 1);
		if (!p || cells - 1 >= 2 || size_cells > 2)
			return false; /* or more than 64 bits */
		if (!below) {
			if (bytes / (4 * (cells + size_cells)) <= i)
				return false;
			p += i * 4 * (cells + size_cells);
			*address = read_cells(p, cells);
			*size = read_cells(p + 4 * cells, size_cells);
		} else if (bytes && !translate(p, bytes, below, size_below, cells, address)) {
			return false;
		}
	}
	return cells && *address + *size >= *address;
}

unsigned fdt_interrupt(const struct fdt *f, const struct fdt_node *node, u32 i,
		       u32 cells[FDT_MAX_CELLS])
{
	struct fdt_node at = *node;
	u32 phandle, bytes, n;
	const u8 *p = fdt_property(f, node, "interrupts", &bytes);

	while (!(phandle = fdt_number(f, &at, "interrupt-parent", 0)) && at.depth)
		at.depth--;
	for (fdt_root(f, &at); fdt_number(f, &at, "phandle", 0) != phandle;)
		if (!fdt_next(f, &at))
			return 0;
	n = fdt_number(f, &at, "#interrupt-cells", 0);
	if (!p || !phandle || n - 1 >= FDT_MAX_CELLS || bytes / (4 * n) <= i)
		return 0;
	for (u32 c = 0; c < n; c++)
		cells[c] = read_cells(p + 4 * (i * n + c), 1);
	return n;
}
