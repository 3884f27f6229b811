/* SPDX-License-Identifier: MIT */
/*
 * A PC's screen as console, output only, as the boot loader left it: a VGA text mode, or pixels of
 * 32 bits. Video memory is written and never read, which is slow: where the screen is full, output
 * goes on at its top, and a blank line shows where it is.
 */
#include <hotregs/boot_info.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>

#include "font.h"

/* A glyph and what is between it and its neighbours, in pixels of the font. */
#define CELL_WIDTH  (FONT_WIDTH + 1)
#define CELL_HEIGHT (FONT_HEIGHT + 1)
#define SCALE_WIDTH                                                                  \
	640 /* for each so many of the screen's pixels, the font's are larger by one \
	     */

#define TAB_WIDTH 8U

#define TEXT_GREY        0x0700 /* light grey on black */
#define CRTC_INDEX       0x3d4
#define CRTC_DATA        0x3d5
#define CRTC_CURSOR      0x0a
#define CRTC_CURSOR_NONE 0x20

static struct {
	volatile u8 *memory;
	u32 pitch, scale;
	u32 columns, rows;
	u32 column, row; /* of the next character */
	void (*draw)(u32 column, u32 row, u8 c);
} screen;

static void draw_text(u32 column, u32 row, u8 c)
{
	mmio_write16(screen.memory + row * screen.pitch + column * 2, TEXT_GREY | c);
}

static void draw_pixels(u32 column, u32 row, u8 c)
{
	const u8 *glyph = font[c - FONT_FIRST];
	u32 scale = screen.scale;
	volatile u8 *line = screen.memory + (size_t)row * CELL_HEIGHT * scale * screen.pitch +
			    column * CELL_WIDTH * scale * sizeof(u32);

	for (u32 y = 0; y < CELL_HEIGHT * scale; y++, line += screen.pitch) {
		u32 bits = y / scale < FONT_HEIGHT ? glyph[y / scale] << 1 : 0;

		for (u32 x = 0; x < CELL_WIDTH * scale; x++)
			mmio_write32(line + x * sizeof(u32),
				     bits >> (CELL_WIDTH - 1 - x / scale) & 1 ? UINT32_MAX : 0);
	}
}

static void clear_row(u32 row)
{
	for (u32 column = 0; column < screen.columns; column++)
		screen.draw(column, row, ' ');
}

static void new_line(void)
{
	screen.column = 0;
	screen.row = (screen.row + 1) % screen.rows;
	clear_row((screen.row + 1) % screen.rows);
}

static void put(u8 c)
{
	/* Another context may come between: wherever it writes, this stays on the screen. */
	u32 column = screen.column % screen.columns, row = screen.row;

	if (c == '\n') {
		new_line();
		return;
	}
	if (c == '\r' || c == '\b') {
		screen.column = c == '\b' && column ? column - 1 : 0;
		return;
	}
	if (c == '\t') {
		screen.column = MIN(ALIGN_UP(column + 1, TAB_WIDTH), screen.columns - 1);
		return;
	}
	if (c < FONT_FIRST || (c >= 0x80 && c < 0xc0))
		return; /* a control character, or not the first byte of one in UTF-8 */
	screen.draw(column, row, c <= FONT_LAST ? c : '?');
	screen.column = column + 1;
	if (screen.column == screen.columns)
		new_line();
}

static void screen_write(const char *s, size_t n)
{
	while (n--)
		put(*s++);
}

static void use_text(const struct boot_framebuffer *fb)
{
	screen.columns = fb->width;
	screen.rows = fb->height;
	screen.draw = draw_text;
	outb(CRTC_INDEX, CRTC_CURSOR);
	outb(CRTC_DATA, CRTC_CURSOR_NONE);
}

static void use_pixels(const struct boot_framebuffer *fb)
{
	screen.scale = MAX(fb->width / SCALE_WIDTH, 1U);
	screen.columns = fb->width / (CELL_WIDTH * screen.scale);
	screen.rows = fb->height / (CELL_HEIGHT * screen.scale);
	screen.draw = draw_pixels;
}

static void screen_start(void)
{
	static struct console console = {.name = "screen", .write = screen_write};
	const struct boot_framebuffer *fb = &boot_info.framebuffer;

	if (!fb->height)
		return;
	if (!fb->text && fb->bits != 32) {
		printk("screen: not used, its pixels have %u bits\n", fb->bits);
		return;
	}
	if (fb->text)
		use_text(fb);
	else
		use_pixels(fb);
	screen.pitch = fb->pitch;
	if (screen.columns && screen.rows > 1)
		screen.memory = ioremap(fb->start, (size_t)fb->pitch * fb->height);
	if (!screen.memory) {
		printk("screen: not used, too small, or no memory to map it\n");
		return;
	}
	for (u32 row = 0; row < screen.rows; row++)
		clear_row(row);
	console_register(&console);
	printk("screen: console of %u columns and %u rows\n", screen.columns, screen.rows);
}
INITCALL(0, screen_start); /* what comes next may panic */
