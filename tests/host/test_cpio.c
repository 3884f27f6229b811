/* SPDX-License-Identifier: MIT */
/*
 * kernel/fs/cpio.c: a well-formed image, each way to be malformed, and many random ones. The image
 * is always the whole of an allocation, so that ASan sees a byte read beyond it.
 */
#include <stdlib.h>
#include <string.h>

#include "cpio_image.h"
#include "host.h"
#include <hotregs/fs.h>

#define DIR       (UAPI_S_IFDIR | 0755)
#define FILE_MODE (UAPI_S_IFREG | 0644)

/* "bin", "bin/a" with one byte, "empty", "big" with 5000 bytes. */
static void make_image(struct cpio_image *image)
{
	static u8 big[5000];

	memset(big, 0x5a, sizeof(big));
	image->size = 0;
	cpio_add(image, "bin", DIR, "", 0);
	cpio_add(image, "bin/a", FILE_MODE, "x", 1);
	cpio_add(image, "empty", FILE_MODE, "", 0);
	cpio_add(image, "big", FILE_MODE, big, sizeof(big));
	cpio_end(image);
}

/* Reads all entries of the image, touching every byte it is told of; how it ended, *nr entries. */
static int walk(const u8 *data, size_t size, int *nr)
{
	u8 *copy = malloc(size ? size : 1);
	struct archive_entry entry;
	size_t offset = 0, last;
	unsigned sum = 0;
	int err;

	memcpy(copy, data, size);
	for (*nr = 0;; ++*nr) {
		last = offset;
		err = cpio_next(copy, size, &offset, &entry);
		if (err)
			break;
		assert_true(offset > last); /* or it would never end */
		sum += strlen(entry.name);
		for (size_t i = 0; i < entry.size; i++)
			sum += entry.data[i];
	}
	assert_true(sum < UINT32_MAX); /* use it */
	free(copy);
	return err;
}

static void reads_every_entry(void **state)
{
	struct cpio_image image;
	struct archive_entry e;
	size_t offset = 0;

	make_image(&image);
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), 0);
	assert_string_equal(e.name, "bin");
	assert_int_equal(e.mode, DIR);
	assert_int_equal(e.size, 0);
	assert_int_equal(e.ino, 0x77);
	assert_int_equal(e.mtime, 0x5eaf00d5);
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), 0);
	assert_string_equal(e.name, "bin/a");
	assert_int_equal(e.mode, FILE_MODE);
	assert_int_equal(e.size, 1);
	assert_int_equal(e.data[0], 'x');
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), 0);
	assert_string_equal(e.name, "empty");
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), 0);
	assert_string_equal(e.name, "big");
	assert_int_equal(e.size, 5000);
	assert_int_equal(e.data[4999], 0x5a);
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), -ENOENT);
}

static void cut_anywhere_is_malformed(void **state)
{
	struct cpio_image image;
	size_t trailer;
	int nr;

	make_image(&image);
	/* The padding behind the trailer's name is no part of it. */
	trailer = image.size;
	while (!image.data[trailer - 2])
		trailer--;
	for (size_t size = 0; size < trailer; size++)
		assert_int_equal(walk(image.data, size, &nr), -EINVAL);
	assert_int_equal(walk(image.data, trailer, &nr), -ENOENT);
	assert_int_equal(nr, 4);
}

/* Overwrites field @field of the first header and expects the image to be refused. */
static void refused(int field, const char *digits)
{
	struct cpio_image image;
	int nr;

	make_image(&image);
	memcpy(image.data + 6 + 8 * field, digits, 8);
	assert_int_equal(walk(image.data, image.size, &nr), -EINVAL);
	assert_int_equal(nr, 0);
}

static void malformed_headers(void **state)
{
	struct cpio_image image;
	int nr;

	refused(6, "ffffffff"); /* size of the data */
	refused(6, "00002000");
	refused(6, "0000000g");
	refused(6, " 0000000");
	refused(1, "-0000001");
	refused(0, "0x000000");
	refused(5, "0000 000");
	refused(11, "00000000"); /* size of the name */
	refused(11, "ffffffff");
	refused(11, "00000003"); /* without its NUL */
	refused(11, "00000005"); /* with more than its NUL */
	make_image(&image);
	image.data[5] = '2'; /* the format with checksums */
	assert_int_equal(walk(image.data, image.size, &nr), -EINVAL);
}

static void an_offset_beyond_the_image_is_refused(void **state)
{
	struct cpio_image image;
	struct archive_entry e;
	size_t offset;

	make_image(&image);
	offset = image.size + 1;
	assert_int_equal(cpio_next(image.data, image.size, &offset, &e), -EINVAL);
}

static void random_damage_is_survived(void **state)
{
	static const char digits[] = "0123456789abcdefABCDEFg/\0\x7f";
	struct cpio_image image;
	int nr, sound = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		make_image(&image);
		for (int n = 1 + rand() % 4; n; n--) {
			/* Mostly in headers, where it matters. */
			size_t at = rand() % 2 ? rand() % 300 : rand() % (int)image.size;

			image.data[at] =
			    rand() % 4 ? digits[rand() % (sizeof(digits) - 1)] : rand();
		}
		sound +=
		    walk(image.data, image.size - (rand() % 8 ? 0 : rand() % 600), &nr) == -ENOENT;
		assert_true(nr <= 64);
	}
	assert_in_range(sound, 1, 19999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_every_entry),
	    cmocka_unit_test(cut_anywhere_is_malformed),
	    cmocka_unit_test(malformed_headers),
	    cmocka_unit_test(an_offset_beyond_the_image_is_refused),
	    cmocka_unit_test(random_damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
