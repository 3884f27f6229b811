/* SPDX-License-Identifier: MIT */
/* drivers/video/screen.c on screens of several sizes: what is drawn where, and nothing elsewhere.
 */
#include <stdlib.h>

#include "host.h"

#include "../../drivers/video/screen.c"

#define START 0xe0000000UL

static u8 *memory; /* of exactly the screen's size, so that ASan catches a write outside */
static struct console *registered;
static u8 crtc_index, crtc_cursor;

void mmio_write16(volatile void *reg, u16 value)
{
	*(volatile u16 *)reg = value;
}

void mmio_write32(volatile void *reg, u32 value)
{
	*(volatile u32 *)reg = value;
}

void outb(u16 port, u8 value)
{
	if (port == 0x3d4)
		crtc_index = value;
	else if (port == 0x3d5 && crtc_index == 0x0a)
		crtc_cursor = value;
	else
		fail_msg("write of %#x to port %#x", value, port);
}

void *ioremap(phys_addr_t pa, size_t size)
{
	assert_int_equal(pa, START);
	memory = malloc(size);
	memset(memory, 0x5a, size);
	return memory;
}

void console_register(struct console *console)
{
	registered = console;
}

static void start(u32 width, u32 height, u32 pitch, u8 bits, bool text)
{
	registered = NULL;
	memset(&screen, 0, sizeof(screen));
	boot_info.framebuffer = (struct boot_framebuffer){START, pitch, width, height, bits, text};
	screen_start();
}

static int teardown(void **state)
{
	free(memory);
	memory = NULL;
	return 0;
}

static void print(const char *s)
{
	registered->write(s, strlen(s));
}

/* Row @row of a text screen, without the blanks at its end. */
static const char *text_row(u32 row)
{
	static char line[256];
	u32 n = 0;

	for (u32 column = 0; column < screen.columns; column++) {
		const u8 *cell = memory + row * screen.pitch + column * 2;

		assert_int_equal(cell[1], 0x07);
		line[column] = cell[0];
		if (cell[0] != ' ')
			n = column + 1;
	}
	line[n] = '\0';
	return line;
}

static bool pixel(u32 x, u32 y)
{
	u32 value;

	memcpy(&value, memory + y * screen.pitch + x * 4, 4);
	assert_true(value == 0 || value == UINT32_MAX);
	return value;
}

/* The character whose glyph, and nothing else, is in a cell; 0: none. */
static char read_cell(u32 column, u32 row)
{
	u32 scale = screen.scale, x0 = column * 6 * scale, y0 = row * 10 * scale;

	for (char c = ' '; c <= '~'; c++) {
		bool same = true;

		for (u32 y = 0; y < 10 * scale; y++)
			for (u32 x = 0; x < 6 * scale; x++) {
				u32 gx = x / scale, gy = y / scale;
				bool want = gx < 5 && gy < 9 && font[c - ' '][gy] >> (4 - gx) & 1;

				same &= pixel(x0 + x, y0 + y) == want;
			}
		if (same)
			return c;
	}
	return 0;
}

static void no_screen_no_console(void **state)
{
	start(0, 0, 0, 0, false);
	assert_null(registered);
	start(1024, 768, 3072, 24, false);
	assert_null(registered);
	start(4, 768, 4096, 32, false); /* narrower than a character */
	assert_null(registered);
	start(1024, 8, 4096, 32, false);
	assert_null(registered);
}

static void text_mode(void **state)
{
	start(80, 25, 160, 16, true);
	assert_int_equal(crtc_cursor & 0x20, 0x20);
	print("hello\r\nworld");
	assert_string_equal(text_row(0), "hello");
	assert_string_equal(text_row(1), "world");
	for (u32 row = 2; row < 25; row++)
		assert_string_equal(text_row(row), "");
	print("\b\b \bds\rW");
	assert_string_equal(text_row(1), "Words");
	print("\b\b\b\b!");
	assert_string_equal(text_row(1), "!ords");
}

static void full_screen_starts_over(void **state)
{
	char line[32];

	start(80, 25, 160, 16, true);
	for (int i = 0; i < 30; i++) {
		snprintf(line, sizeof(line), "line %d\r\n", i);
		print(line);
	}
	assert_string_equal(text_row(4), "line 29");
	assert_string_equal(text_row(5), "");
	assert_string_equal(text_row(6), "");
	assert_string_equal(text_row(7), "line 7");
	assert_string_equal(text_row(24), "line 24");
}

static void long_lines_wrap(void **state)
{
	start(80, 25, 160, 16, true);
	for (int i = 0; i < 100; i++)
		print(i < 80 ? "a" : "b");
	assert_int_equal(strlen(text_row(0)), 80);
	assert_string_equal(text_row(1), "bbbbbbbbbbbbbbbbbbbb");
}

static void what_has_no_glyph(void **state)
{
	start(80, 25, 160, 16, true);
	print("a\001\033b\xc3\xbc\xe2\x82\xac\x7f.");
	assert_string_equal(text_row(0), "ab???.");
	print("\r\n\ta\tb\r\n12345678\tc");
	assert_string_equal(text_row(1), "        a       b");
	assert_string_equal(text_row(2), "12345678        c");
	for (int i = 0; i < 20; i++)
		print("\t");
	print("end");
	assert_string_equal(text_row(3), "nd");
}

static void pixels(void **state)
{
	static const u32 sizes[][2] = {
	    {640, 480}, {800, 600}, {1280, 1024}, {1920, 1080}, {61, 27}};

	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 width = sizes[i][0], height = sizes[i][1];

		start(width, height, width * 4 + 64, 32, false);
		assert_int_equal(screen.scale, MAX(width / 640, 1U));
		for (int c = ' '; c <= '~'; c++)
			registered->write((const char[]){c}, 1);
		print("\r\nA");
		assert_int_equal(read_cell(0, screen.row), 'A');
		for (u32 column = 1; column < screen.columns; column++)
			assert_int_equal(read_cell(column, screen.row), ' ');
		if (screen.columns > 95)
			for (int c = ' '; c <= '~'; c++)
				assert_int_equal(read_cell(c - ' ', 0), c);
		teardown(NULL);
	}
}

/* Whatever is printed, nothing outside of the screen is written: ASan looks. */
static void anything_stays_on_the_screen(void **state)
{
	srand(5);
	start(333, 77, 333 * 4, 32, false);
	for (int i = 0; i < 20000; i++)
		registered->write((const char[]){rand()}, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(no_screen_no_console),
	    TEST(text_mode),
	    TEST(full_screen_starts_over),
	    TEST(long_lines_wrap),
	    TEST(what_has_no_glyph),
	    TEST(pixels),
	    TEST(anything_stays_on_the_screen),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
