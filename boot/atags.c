/* SPDX-License-Identifier: MIT */
/* ATAGs: the list that boot loaders handed to 32-bit ARM kernels before there were device trees. */
#include <hotregs/board.h>
#include <hotregs/string.h>

/* Each begins with two words: its own size in words, and its tag. */
#define ATAG_NONE    0
#define ATAG_CORE    0x54410001 /* comes first, with or without three words */
#define ATAG_MEM     0x54410002 /* size, start; one for each bank */
#define ATAG_INITRD2 0x54420005 /* start, size */
#define ATAG_CMDLINE 0x54410009 /* a string */

#define MAX_WORDS 4096 /* of the whole list, which is hundreds */

static int parse_tag(struct boot_info *info, u32 tag, const u32 *data, u32 words)
{
	size_t n;

	switch (tag) {
	case ATAG_MEM:
		if (words < 2)
			return -EINVAL;
		if (data[0])
			boot_add_ram(info, data[1], (u64)data[1] + data[0]);
		return 0;
	case ATAG_INITRD2:
		if (words < 2)
			return -EINVAL;
		info->archive = (struct boot_region){.start = data[0], .size = data[1]};
		return 0;
	case ATAG_CMDLINE:
		n = strnlen((const char *)data, 4 * words);
		if (n == 4 * words || n >= sizeof(info->cmdline))
			return -EINVAL;
		memcpy(info->cmdline, data, n + 1);
		return 0;
	default:
		return 0;
	}
}

int atags_parse(struct boot_info *info, phys_addr_t pa, phys_window_t window)
{
	const u32 *head = pa % 4 == 0 ? window(pa, 8) : NULL, *tag;
	u32 left = MAX_WORDS, size;
	int err;

	if (!head || head[1] != ATAG_CORE || (head[0] != 2 && head[0] != 5))
		return -ENOENT;
	info->protocol = "ATAGs";
	while (head[1] != ATAG_NONE) {
		size = head[0];
		if (size < 2 || size > left)
			return -EINVAL;
		tag = window(pa, 4 * size);
		if (!tag)
			return -EINVAL;
		err = parse_tag(info, tag[1], tag + 2, size - 2);
		if (err)
			return err;
		left -= size;
		pa += 4 * size;
		head = window(pa, 8);
		if (!head)
			return -EINVAL;
	}
	return 0;
}
