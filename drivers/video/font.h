/* SPDX-License-Identifier: MIT */
/* The console's glyphs, for screens that have none of their own. */
#pragma once

#include <hotregs/types.h>

#define FONT_FIRST  ' '
#define FONT_LAST   '~'
#define FONT_WIDTH  5
#define FONT_HEIGHT 9

/* A row's leftmost pixel is bit FONT_WIDTH - 1. */
extern const u8 font[FONT_LAST - FONT_FIRST + 1][FONT_HEIGHT];
