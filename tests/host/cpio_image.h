/* SPDX-License-Identifier: MIT */
/* Makes newc cpio images for tests. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hotregs/types.h>

struct cpio_image {
	u8 data[8192];
	size_t size;
};

static inline void cpio_append(struct cpio_image *image, const void *data, size_t n)
{
	if (sizeof(image->data) - image->size < n + 4)
		abort();
	memcpy(image->data + image->size, data, n);
	image->size += n;
	while (image->size % 4)
		image->data[image->size++] = 0;
}

static inline void cpio_add(struct cpio_image *image, const char *name, u32 mode, const void *data,
			    u32 size)
{
	char header[512];
	int n = snprintf(header, sizeof(header),
			 "070701%08x%08x%08x%08x%08x%08X%08x%08x%08x%08x%08x%08x%08x%s", 0x77, mode,
			 0, 0, 1, 0x5EAF00D5, size, 0, 0, 0, 0, (u32)strlen(name) + 1, 0, name);

	cpio_append(image, header, n + 1);
	cpio_append(image, data, size);
}

static inline void cpio_end(struct cpio_image *image)
{
	cpio_add(image, "TRAILER!!!", 0, "", 0);
}
