/* SPDX-License-Identifier: MIT */
/*
 * The newc ("new portable ASCII") cpio format, read in place. Nothing in the image is believed
 * before it has been checked against the image's size.
 */
#include <hotregs/fs.h>
#include <hotregs/string.h>

/* A header is a magic number and 13 fields of eight hexadecimal digits; the name follows it, then
 * the data, each padded so that what follows starts at a multiple of four. */
#define MAGIC       "070701"
#define MAGIC_SIZE  6
#define HEADER_SIZE (MAGIC_SIZE + 13 * 8)
#define ALIGNMENT   4

enum field { INO, MODE, UID, GID, NLINK, MTIME, FILESIZE, NAMESIZE = 11 };

static int hex_digit(u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20; /* to lower case */
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_field(const u8 *header, enum field field, u32 *value)
{
	const u8 *digits = header + MAGIC_SIZE + 8 * field;

	*value = 0;
	for (int i = 0; i < 8; i++) {
		int digit = hex_digit(digits[i]);

		if (digit < 0)
			return -EINVAL;
		*value = *value << 4 | digit;
	}
	return 0;
}

int cpio_next(const u8 *image, size_t size, size_t *offset, struct archive_entry *entry)
{
	size_t pos = *offset;
	const u8 *header = image + pos;
	u32 ino, mode, mtime, data_size, name_size;

	if (pos > size || size - pos < HEADER_SIZE || memcmp(header, MAGIC, MAGIC_SIZE) ||
	    read_field(header, INO, &ino) || read_field(header, MODE, &mode) ||
	    read_field(header, MTIME, &mtime) || read_field(header, FILESIZE, &data_size) ||
	    read_field(header, NAMESIZE, &name_size))
		return -EINVAL;
	pos += HEADER_SIZE;
	if (!name_size || name_size > size - pos)
		return -EINVAL;
	entry->name = (const char *)image + pos;
	if (strnlen(entry->name, name_size) != name_size - 1)
		return -EINVAL;
	if (!strcmp(entry->name, "TRAILER!!!"))
		return -ENOENT;
	pos = ALIGN_UP(pos + name_size, ALIGNMENT);
	if (pos > size || data_size > size - pos)
		return -EINVAL;
	entry->data = image + pos;
	entry->size = data_size;
	entry->mode = mode;
	entry->mtime = mtime;
	entry->ino = ino;
	*offset = ALIGN_UP(pos + data_size, ALIGNMENT);
	return 0;
}
