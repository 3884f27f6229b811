/* SPDX-License-Identifier: MIT */
/* boot/fdt.c: what it reads out of well-formed trees, and that no tree makes it read outside. */
#include "host.h"

#include "fdt_image.h"
#include "phys_memory.h"
#include <hotregs/fdt.h>

static struct fdt fdt;

static int open_tree(void)
{
	return fdt_open(&fdt, MEMORY_START, memory_window);
}

static int setup(void **state)
{
	memset(memory, 0xff, sizeof(memory));
	image_example();
	image_finish(memory);
	return open_tree();
}

static int teardown(void **state)
{
	memory_hide();
	return 0;
}

static struct fdt_node find(const char *path)
{
	struct fdt_node n;

	assert_true(fdt_find(&fdt, &n, path));
	return n;
}

static void finds_nodes_by_path(void **state)
{
	struct fdt_node n = find("/soc@7e000000/serial@7e215040");

	assert_int_equal(n.depth, 2);
	assert_string_equal(fdt_name(&fdt, &n), "serial@7e215040");
	n = find("/soc/bus/serial@500000180");
	assert_string_equal(fdt_name(&fdt, &n), "serial@500000180");
	n = find("/soc/serial"); /* the first of that name */
	assert_string_equal(fdt_name(&fdt, &n), "serial@7e201000");
	n = find("/");
	assert_int_equal(n.depth, 0);
	assert_string_equal(fdt_name(&fdt, &n), "");
	n = find("/chosen/");
	assert_string_equal(fdt_name(&fdt, &n), "chosen");

	assert_false(fdt_find(&fdt, &n, "/serial"));        /* not that high */
	assert_false(fdt_find(&fdt, &n, "/chosen/serial")); /* not below that one */
	assert_false(fdt_find(&fdt, &n, "/soc/ser"));
	assert_false(fdt_find(&fdt, &n, "/soc/serial@1"));
	assert_false(fdt_find(&fdt, &n, "soc"));
	assert_false(fdt_find(&fdt, &n, "/soc/bus/serial/none"));
}

static void walks_in_order_with_depth(void **state)
{
	static const struct {
		unsigned depth;
		const char *name;
	} expected[] = {{1, "chosen"},          {1, "memory@40000000"},  {1, "soc@7e000000"},
			{2, "serial@7e201000"}, {2, "serial@7e215040"},  {2, "intc@7e00b200"},
			{2, "bus@1000"},        {3, "serial@500000180"}, {3, "outside@2"},
			{2, "opaque"},          {3, "child@3"},          {1, "identity"},
			{2, "gic@10"}};
	struct fdt_node n;

	fdt_root(&fdt, &n);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(fdt_next(&fdt, &n));
		assert_int_equal(n.depth, expected[i].depth);
		assert_string_equal(fdt_name(&fdt, &n), expected[i].name);
	}
	assert_false(fdt_next(&fdt, &n));
	assert_string_equal(fdt_name(&fdt, &n), "gic@10"); /* it stays where it was */
}

static void finds_compatible_nodes_that_are_on(void **state)
{
	struct fdt_node n;

	fdt_root(&fdt, &n);
	assert_true(fdt_next_compatible(&fdt, &n, "arm,pl011"));
	assert_string_equal(fdt_name(&fdt, &n), "serial@7e201000");
	assert_true(fdt_next_compatible(&fdt, &n, "arm,pl011")); /* not the disabled one */
	assert_string_equal(fdt_name(&fdt, &n), "serial@500000180");
	assert_false(fdt_next_compatible(&fdt, &n, "arm,pl011"));
	fdt_root(&fdt, &n);
	assert_true(fdt_next_compatible(&fdt, &n, "arm,primecell"));
	fdt_root(&fdt, &n);
	assert_false(fdt_next_compatible(&fdt, &n, "arm,prime"));
}

static void reads_properties(void **state)
{
	struct fdt_node n = find("/chosen"), soc = find("/soc");
	u32 size;

	assert_string_equal(fdt_string(&fdt, &n, "bootargs", 0), "a=b -- c");
	assert_null(fdt_string(&fdt, &n, "bootargs", 1));
	assert_null(fdt_property(&fdt, &n, "boot", &size));
	assert_non_null(fdt_property(&fdt, &n, "bootargs", &size));
	assert_int_equal(size, 9);
	assert_int_equal(fdt_number(&fdt, &n, "linux,initrd-start", 1), 0x48000000);
	assert_int_equal(fdt_number(&fdt, &n, "linux,initrd-end", 1), 0x148001234);
	assert_int_equal(fdt_number(&fdt, &n, "bootargs", 5), 5); /* 9 bytes are no number */
	assert_int_equal(fdt_number(&fdt, &n, "none", 6), 6);
	/* A child's property is not its parent's. */
	assert_null(fdt_property(&fdt, &soc, "reg", &size));
	fdt_root(&fdt, &n);
	assert_string_equal(fdt_string(&fdt, &n, "compatible", 0), "test,board");
	assert_string_equal(fdt_string(&fdt, &n, "compatible", 1), "test,family");
	assert_null(fdt_string(&fdt, &n, "compatible", 2));
}

static void check_reg(const char *path, u32 i, u64 address, u64 size)
{
	struct fdt_node n = find(path);
	u64 a, s;

	assert_true(fdt_reg(&fdt, &n, i, &a, &s));
	assert_int_equal(a, address);
	assert_int_equal(s, size);
	assert_false(fdt_reg(&fdt, &n, 2, &a, &s));
	assert_false(fdt_reg(&fdt, &n, 0x40000000, &a, &s));
}

static void translates_addresses(void **state)
{
	struct fdt_node n;
	u64 a, s;

	check_reg("/memory", 0, 0x40000000, 0x10000000);
	check_reg("/memory", 1, 0x100000000, 0x20000000);
	check_reg("/soc/serial@7e201000", 0, 0x23f201000, 0x200);
	check_reg("/soc/serial@7e201000", 1, 0x50000800, 0x100);
	/* Two levels: 5:180 is 7e800080 on the outer bus. */
	check_reg("/soc/bus/serial", 0, 0x23f800080, 0x10);
	check_reg("/identity/gic", 0, 0x10, 0x20);

	n = find("/soc/bus/outside"); /* in none of the ranges */
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	n = find("/soc/opaque/child"); /* the bus has no ranges: an address in its own world */
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	n = find("/chosen");
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	fdt_root(&fdt, &n);
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
}

static void ends_of_ranges_are_exact(void **state)
{
	struct fdt_node n;
	u64 a, s;

	image_start();
	node("");
	cells("#address-cells", 1, 1);
	node("bus");
	cells("#address-cells", 1, 1);
	cells("ranges", 3, 0x100, 0x5000, 0x10);
	cells("#size-cells", 1, 1);
	node("in");
	cells("reg", 6, 0x100, 1, 0x10f, 1, 0x110, 1);
	end();
	node("below");
	cells("reg", 2, 0xff, 1);
	end();
	end();
	node("wrap");
	cells("#size-cells", 1, 1);
	cells("reg", 3, 0xfffffff0, 0x20, 0);
	end();
	end();
	image_finish(memory);
	assert_int_equal(open_tree(), 0);
	n = find("/bus/in");
	assert_true(fdt_reg(&fdt, &n, 0, &a, &s));
	assert_int_equal(a, 0x5000);
	assert_true(fdt_reg(&fdt, &n, 1, &a, &s));
	assert_int_equal(a, 0x500f);
	assert_false(fdt_reg(&fdt, &n, 2, &a, &s));
	n = find("/bus/below");
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	n = find("/wrap"); /* beyond 4 GiB is fine */
	assert_true(fdt_reg(&fdt, &n, 0, &a, &s));
}

static void sizes_that_wrap_are_refused(void **state)
{
	struct fdt_node n;
	u64 a, s;

	image_start();
	node("");
	cells("#address-cells", 1, 2);
	cells("#size-cells", 1, 2);
	node("device");
	cells("reg", 8, ~0U, ~0U, 0, 1, ~0U, ~0U, 0, 2);
	end();
	end();
	image_finish(memory);
	assert_int_equal(open_tree(), 0);
	n = find("/device");
	assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	assert_false(fdt_reg(&fdt, &n, 1, &a, &s));
}

/* Cells that would not fit into 64 bits, or into a division. */
static void odd_cells_are_refused(void **state)
{
	static const u32 odd[][2] = {{0, 0},   {3, 2}, {0, 1},
				     {~0U, 1}, {1, 3}, {0x40000000, 0x40000000}};
	struct fdt_node n;
	u64 a, s;

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		image_start();
		node("");
		cells("#address-cells", 1, odd[i][0]);
		cells("#size-cells", 1, odd[i][1]);
		node("device");
		cells("reg", 8, 1, 2, 3, 4, 5, 6, 7, 8);
		end();
		end();
		image_finish(memory);
		assert_int_equal(open_tree(), 0);
		n = find("/device");
		assert_false(fdt_reg(&fdt, &n, 0, &a, &s));
	}
}

static void finds_interrupts(void **state)
{
	struct fdt_node n = find("/soc/serial");
	u32 c[FDT_MAX_CELLS];

	assert_int_equal(fdt_interrupt(&fdt, &n, 0, c), 2);
	assert_int_equal(c[0], 2);
	assert_int_equal(c[1], 25);
	assert_int_equal(fdt_interrupt(&fdt, &n, 1, c), 2);
	assert_int_equal(c[1], 26);
	assert_int_equal(fdt_interrupt(&fdt, &n, 2, c), 0);
	assert_int_equal(fdt_interrupt(&fdt, &n, 0x20000000, c), 0);
	/* The nearest interrupt-parent counts, and its controller's number of cells. */
	n = find("/soc/bus/serial");
	assert_int_equal(fdt_interrupt(&fdt, &n, 0, c), 1);
	assert_int_equal(c[0], 99);
	n = find("/chosen");
	assert_int_equal(fdt_interrupt(&fdt, &n, 0, c), 0);
}

static void broken_interrupt_parents_are_none(void **state)
{
	static const u32 count[] = {0, 5, ~0U, 0x40000000};
	struct fdt_node n;
	u32 c[FDT_MAX_CELLS];

	for (size_t i = 0; i < ARRAY_SIZE(count) + 2; i++) {
		image_start();
		node("");
		if (i != ARRAY_SIZE(count))
			cells("interrupt-parent", 1, i > ARRAY_SIZE(count) ? 9 : 1);
		node("gic");
		cells("phandle", 1, 1);
		cells("#interrupt-cells", 1, i < ARRAY_SIZE(count) ? count[i] : 1);
		end();
		node("device");
		cells("interrupts", 6, 1, 2, 3, 4, 5, 6);
		end();
		end();
		image_finish(memory);
		assert_int_equal(open_tree(), 0);
		n = find("/device");
		assert_int_equal(fdt_interrupt(&fdt, &n, 0, c), 0);
	}
}

static void reads_reservations(void **state)
{
	u64 a, s;

	assert_true(fdt_reservation(&fdt, 0, &a, &s));
	assert_int_equal(a, 0x1000);
	assert_int_equal(s, 0x2000);
	assert_true(fdt_reservation(&fdt, 1, &a, &s));
	assert_int_equal(a, 0x123456789a000);
	assert_false(fdt_reservation(&fdt, 2, &a, &s));
	assert_false(fdt_reservation(&fdt, 0x10000000, &a, &s));
	assert_false(fdt_reservation(&fdt, ~0U, &a, &s));
	put_u32(memory + 16, ~0U - 8); /* the block's place in the header */
	assert_int_equal(open_tree(), 0);
	assert_false(fdt_reservation(&fdt, 0, &a, &s));
}

static void no_tree_and_damaged_ones_differ(void **state)
{
	size_t total = image_finish(memory);

	put_u32(memory, 0xd00dfeee);
	assert_int_equal(open_tree(), -ENOENT);
	assert_int_equal(fdt_open(&fdt, 1, memory_window), -ENOENT);
	assert_int_equal(fdt_open(&fdt, MEMORY_START + MEMORY_SIZE - 39, memory_window), -ENOENT);
	put_u32(memory, 0xd00dfeed);
	for (u32 size = 0; size < total; size += 4) { /* cut anywhere */
		put_u32(memory + 4, size);
		assert_int_equal(open_tree(), -EINVAL);
	}
	put_u32(memory + 4, 1 << 20); /* room behind it need not be seen */
	assert_int_equal(open_tree(), 0);
	assert_int_equal(fdt.size, total);
	put_u32(memory + 32, MEMORY_SIZE); /* what is in it must be */
	assert_int_equal(open_tree(), -EINVAL);
	put_u32(memory + 32, image.strings_size);
	put_u32(memory + 4, FDT_MAX_SIZE + 1);
	assert_int_equal(open_tree(), -EINVAL);
	put_u32(memory + 4, ~0U);
	assert_int_equal(open_tree(), -EINVAL);
	put_u32(memory + 4, total);
	put_u32(memory + 20, 16); /* versions without, and beyond, what is known */
	assert_int_equal(open_tree(), -EINVAL);
	put_u32(memory + 20, 18);
	put_u32(memory + 24, 18);
	assert_int_equal(open_tree(), -EINVAL);
	put_u32(memory + 24, 17);
	assert_int_equal(open_tree(), 0);
}

static void blocks_must_lie_inside(void **state)
{
	static const u32 field[] = {8, 12, 32, 36}; /* the two blocks' places and sizes */
	static const u32 wrong[] = {~0U, ~0U - 3, 0x80000000, MEMORY_SIZE};

	for (size_t f = 0; f < ARRAY_SIZE(field); f++)
		for (size_t w = 0; w < ARRAY_SIZE(wrong); w++) {
			setup(NULL);
			put_u32(memory + field[f], wrong[w]);
			assert_int_equal(open_tree(), -EINVAL);
		}
	setup(NULL);
	memory[11] += 2; /* a structure block at an odd place */
	assert_int_equal(open_tree(), -EINVAL);
	setup(NULL);
	memory[35] -= 1; /* names of which the last does not end */
	assert_int_equal(open_tree(), -EINVAL);
}

/* Structures that tokens can be made into and trees cannot. */
static void structure_must_be_one_tree(void **state)
{
	static const u8 end_early[] = {1, 9}, no_root[] = {9}, two_roots[] = {1, 2, 1, 2, 9},
			closed_twice[] = {1, 2, 2, 9}, no_end[] = {1, 2}, unknown[] = {1, 5, 2, 9},
			unknown_high[] = {1, 10, 2, 9}, padded[] = {4, 1, 2, 9},
			zero[] = {1, 0, 2, 9}, fine[] = {1, 4, 1, 2, 4, 2, 4, 9, 77};
	static const struct {
		const u8 *token;
		size_t n;
		int result;
	} cases[] = {
	    {end_early, sizeof(end_early), -EINVAL},
	    {no_root, sizeof(no_root), -EINVAL},
	    {two_roots, sizeof(two_roots), -EINVAL},
	    {closed_twice, sizeof(closed_twice), -EINVAL},
	    {no_end, sizeof(no_end), -EINVAL},
	    {unknown, sizeof(unknown), -EINVAL},
	    {unknown_high, sizeof(unknown_high), -EINVAL},
	    {padded, sizeof(padded), -EINVAL},
	    {zero, sizeof(zero), -EINVAL},
	    {fine, sizeof(fine), 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		image_start();
		for (size_t t = 0; t < cases[i].n; t++) {
			image_word(cases[i].token[t]);
			if (cases[i].token[t] == 1)
				image_bytes("", 1);
		}
		image_finish(memory);
		put_u32(memory + 36, image.structure_size - 4); /* without the END put behind */
		assert_int_equal(open_tree(), cases[i].result);
	}
}

static void depth_is_bounded(void **state)
{
	for (unsigned depth = FDT_MAX_DEPTH - 1; depth <= FDT_MAX_DEPTH + 1; depth++) {
		struct fdt_node n;

		image_start();
		for (unsigned i = 0; i < depth; i++)
			node(i ? "n" : "");
		for (unsigned i = 0; i < depth; i++)
			end();
		image_finish(memory);
		assert_int_equal(open_tree(), depth <= FDT_MAX_DEPTH ? 0 : -EINVAL);
		if (depth > FDT_MAX_DEPTH)
			continue;
		fdt_root(&fdt, &n);
		for (unsigned i = 1; i < depth; i++)
			assert_true(fdt_next(&fdt, &n));
		assert_int_equal(n.depth, depth - 1);
		assert_false(fdt_next(&fdt, &n));
	}
}

/* Asks a tree everything there is to ask. ASan watches what that reads. */
static void read_all(void)
{
	static const char *const names[] = {"reg", "ranges", "compatible", "phandle", "status"};
	static volatile size_t sink;
	struct fdt_node n;
	u32 c[FDT_MAX_CELLS], size;
	u64 a, s;

	for (u32 i = 0; i < 8; i++)
		fdt_reservation(&fdt, i, &a, &s);
	fdt_root(&fdt, &n);
	do {
		sink += strlen(fdt_name(&fdt, &n));
		for (u32 i = 0; i < 3; i++) {
			fdt_reg(&fdt, &n, i, &a, &s);
			fdt_interrupt(&fdt, &n, i, c);
		}
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			const u8 *p = fdt_property(&fdt, &n, names[i], &size);
			const char *text = fdt_string(&fdt, &n, names[i], 1);

			for (u32 b = 0; p && b < size; b++)
				sink += p[b];
			if (text)
				sink += strlen(text);
			fdt_number(&fdt, &n, names[i], 0);
		}
	} while (fdt_next(&fdt, &n));
	fdt_find(&fdt, &n, "/soc/bus/serial@500000180");
	fdt_root(&fdt, &n);
	while (fdt_next_compatible(&fdt, &n, "arm,pl011"))
		;
}

static void mutated_trees_are_harmless(void **state)
{
	unsigned opened = 0;

	srand(1);
	for (int round = 0; round < 60000; round++) {
		size_t total;

		image_example();
		total = image_finish(memory);
		for (int flips = 1 + rand() % 4; flips; flips--) {
			size_t at = rand() % total;

			switch (rand() % 4) {
			case 0:
				memory[at] = rand();
				break;
			case 1:
				memory[at] ^= 1 << rand() % 8;
				break;
			case 2: /* a word that is meaningful somewhere */
				put_u32(memory + (at & ~3UL), rand() % 10);
				break;
			default:
				put_u32(memory + (at & ~3UL), ~0U - rand() % 64);
			}
		}
		if (!open_tree()) {
			opened++;
			read_all();
		}
		memory_hide();
	}
	/* Else most of the above was never run. */
	assert_in_range(opened, 10000, 59000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(finds_nodes_by_path),
	    TEST(walks_in_order_with_depth),
	    TEST(finds_compatible_nodes_that_are_on),
	    TEST(reads_properties),
	    TEST(translates_addresses),
	    TEST(ends_of_ranges_are_exact),
	    TEST(sizes_that_wrap_are_refused),
	    TEST(odd_cells_are_refused),
	    TEST(finds_interrupts),
	    TEST(broken_interrupt_parents_are_none),
	    TEST(reads_reservations),
	    TEST(no_tree_and_damaged_ones_differ),
	    TEST(blocks_must_lie_inside),
	    TEST(structure_must_be_one_tree),
	    TEST(depth_is_bounded),
	    TEST(mutated_trees_are_harmless),
	};

	return cmocka_run_group_tests_name("fdt", tests, NULL, NULL);
}
