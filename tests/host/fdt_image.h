/* SPDX-License-Identifier: MIT */
/*
 * Writes flattened device trees for tests, from the specification's chapter 5: the calls are the
 * tree's text from top to bottom; and one with everything in it that is read.
 */
#pragma once

#include <stdarg.h>
#include <string.h>

#include <hotregs/types.h>

static struct {
	u8 structure[8192], strings[2048], reservations[512];
	size_t structure_size, strings_size, reservations_size;
} image;

static void put_u32(u8 *p, u32 value)
{
	for (int i = 0; i < 4; i++)
		p[i] = value >> (24 - 8 * i);
}

static void image_word(u32 value)
{
	put_u32(image.structure + image.structure_size, value);
	image.structure_size += 4;
}

static void image_bytes(const void *p, size_t n)
{
	memcpy(image.structure + image.structure_size, p, n);
	memset(image.structure + image.structure_size + n, 0, 3);
	image.structure_size += (n + 3) & ~(size_t)3;
}

static void image_start(void)
{
	memset(&image, 0, sizeof(image));
}

static void node(const char *name)
{
	image_word(1);
	image_bytes(name, strlen(name) + 1);
}

static void end(void)
{
	image_word(2);
}

static u32 name_offset(const char *name)
{
	size_t at = 0, n = strlen(name) + 1;

	while (at < image.strings_size) {
		if (!strcmp((char *)image.strings + at, name))
			return at;
		at += strlen((char *)image.strings + at) + 1;
	}
	memcpy(image.strings + at, name, n);
	image.strings_size += n;
	return at;
}

static void property(const char *name, const void *value, size_t size)
{
	image_word(3);
	image_word(size);
	image_word(name_offset(name));
	image_bytes(value, size);
}

static void string(const char *name, const char *value)
{
	property(name, value, strlen(value) + 1);
}

/* A property of @n cells. */
static void cells(const char *name, unsigned n, ...)
{
	u8 value[256];
	va_list ap;

	va_start(ap, n);
	for (unsigned i = 0; i < n; i++)
		put_u32(value + 4 * i, va_arg(ap, u32));
	va_end(ap);
	property(name, value, 4 * n);
}

static void reservation(u64 address, u64 size)
{
	u8 *p = image.reservations + image.reservations_size;

	put_u32(p, address >> 32);
	put_u32(p + 4, address);
	put_u32(p + 8, size >> 32);
	put_u32(p + 12, size);
	image.reservations_size += 16;
}

/* Ends the tree and puts it together at @p; returns its size. */
static size_t image_finish(u8 *p)
{
	const u32 reservations = 40, structure = reservations + image.reservations_size + 16;
	u32 strings, total;

	image_word(9);
	strings = structure + image.structure_size;
	total = strings + image.strings_size;
	memset(p, 0, total);
	put_u32(p, 0xd00dfeed);
	put_u32(p + 4, total);
	put_u32(p + 8, structure);
	put_u32(p + 12, strings);
	put_u32(p + 16, reservations);
	put_u32(p + 20, 17);
	put_u32(p + 24, 16);
	put_u32(p + 32, image.strings_size);
	put_u32(p + 36, image.structure_size);
	memcpy(p + reservations, image.reservations, image.reservations_size);
	memcpy(p + structure, image.structure, image.structure_size);
	memcpy(p + strings, image.strings, image.strings_size);
	return total;
}

/* A board with a bus in a bus, both translating, as a Raspberry Pi's and deeper. */
static inline void image_example(void)
{
	image_start();
	reservation(0x1000, 0x2000);
	reservation(0x123456789a000, 0x1000);
	node("");
	property("compatible", "test,board\0test,family", 23);
	cells("#address-cells", 1, 2);
	cells("#size-cells", 1, 2);
	cells("interrupt-parent", 1, 7);
	node("chosen");
	string("bootargs", "a=b -- c");
	cells("linux,initrd-start", 1, 0x48000000);
	cells("linux,initrd-end", 2, 1, 0x48001234);
	end();
	node("memory@40000000");
	string("device_type", "memory");
	cells("reg", 8, 0, 0x40000000, 0, 0x10000000, 1, 0, 0, 0x20000000);
	end();
	image_word(4); /* NOP */
	node("soc@7e000000");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	cells("ranges", 8, 0x40000000, 0, 0x50000000, 0x1000, 0x7e000000, 2, 0x3f000000, 0x1000000);
	node("serial@7e201000");
	property("compatible", "arm,pl011\0arm,primecell", 24);
	cells("reg", 4, 0x7e201000, 0x200, 0x40000800, 0x100);
	cells("interrupts", 4, 2, 25, 2, 26);
	end();
	node("serial@7e215040");
	string("compatible", "arm,pl011");
	string("status", "disabled");
	end();
	node("intc@7e00b200");
	cells("phandle", 1, 7);
	cells("#interrupt-cells", 1, 2);
	end();
	node("bus@1000");
	cells("#address-cells", 1, 2);
	cells("#size-cells", 1, 1);
	cells("ranges", 4, 5, 0x100, 0x7e800000, 0x1000);
	cells("interrupt-parent", 1, 8);
	node("serial@500000180");
	string("compatible", "arm,pl011");
	string("status", "okay");
	cells("reg", 3, 5, 0x180, 0x10);
	cells("interrupts", 1, 99);
	end();
	node("outside@2");
	cells("reg", 3, 0, 0x180, 0x10);
	end();
	end();
	node("opaque");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 0);
	node("child@3");
	cells("reg", 1, 3);
	end();
	end();
	end();
	node("identity");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	property("ranges", "", 0);
	node("gic@10");
	cells("phandle", 1, 8);
	cells("#interrupt-cells", 1, 1);
	cells("reg", 2, 0x10, 0x20);
	end();
	end();
	end();
}
