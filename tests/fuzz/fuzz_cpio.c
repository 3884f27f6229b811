/* SPDX-License-Identifier: MIT */
/* kernel/fs/cpio.c: whatever an archive says, its entries lie in it, and reading it gets on. */
#include "cpio_image.h"
#include "fuzz.h"
#include <hotregs/fs.h>

void fuzz_examples(void)
{
	struct cpio_image image = {};

	cpio_add(&image, "bin", UAPI_S_IFDIR | 0755, "", 0);
	cpio_add(&image, "bin/true", UAPI_S_IFREG | 0755, "contents", 8);
	cpio_end(&image);
	fuzz_add_example(image.data, image.size);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u8 *image = fuzz_copy(data, size);
	struct archive_entry entry;
	size_t offset = 0, before = 0;
	int err;

	while (!(err = cpio_next(image, size, &offset, &entry))) {
		CHECK(offset > before);
		before = offset;
		fuzz_read(entry.name, strlen(entry.name) + 1);
		CHECK(entry.data >= image && entry.size <= (size_t)(image + size - entry.data));
		fuzz_read(entry.data, entry.size);
	}
	CHECK(err == -ENOENT || err == -EINVAL);
	fuzz_free_copies();
	return 0;
}
