/* SPDX-License-Identifier: MIT */
/*
 * Physical memory for tests of boot/: what a parser asks to see it gets as a block of exactly that
 * size, so that ASan catches a read outside.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <hotregs/boot_info.h>

#define MEMORY_START 0x7000UL
#define MEMORY_SIZE  16384UL

static u8 memory[MEMORY_SIZE]; /* physical MEMORY_START and up */
static void *shown[65536];
static unsigned nr_shown;

static const void *memory_window(phys_addr_t pa, size_t size)
{
	void *copy;

	if (pa < MEMORY_START || pa - MEMORY_START > MEMORY_SIZE ||
	    size > MEMORY_SIZE - (pa - MEMORY_START) || nr_shown == ARRAY_SIZE(shown))
		return NULL;
	copy = malloc(size);
	memcpy(copy, memory + (pa - MEMORY_START), size);
	return shown[nr_shown++] = copy;
}

/* Frees what has been shown. */
static void memory_hide(void)
{
	while (nr_shown)
		free(shown[--nr_shown]);
}
