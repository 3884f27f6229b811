/* SPDX-License-Identifier: MIT */
/* Shows physical memory: md [-b|-h|-w|-g] ADDRESS [COUNT], numbers in hexadecimal, as U-Boot's. */
#include <ctype.h>

#include "physical.h"

#define LINE          16 /* bytes of a line */
#define DEFAULT_COUNT 0x40

static bool read_object(const volatile uint8_t *volatile at, uint64_t *volatile value)
{
	if (sigsetjmp(aborted, 1))
		return false;
	switch (width) {
	case 1:
		*value = *at;
		break;
	case 2:
		*value = *(const volatile uint16_t *)at;
		break;
	case 4:
		*value = *(const volatile uint32_t *)at;
		break;
	default:
		*value = *(const volatile uint64_t *)at;
	}
	return true;
}

/* A line's objects, and its bytes as text. */
static void print_line(uint64_t address, const uint8_t *bytes, size_t n)
{
	printf("%08llx:", (unsigned long long)address);
	for (size_t i = 0; i < LINE; i += width) {
		uint64_t value = 0;

		if (i < n) {
			memcpy(&value, bytes + i, width); /* little-endian, as memory is */
			printf(" %0*llx", (int)width * 2, (unsigned long long)value);
		} else {
			printf(" %*s", (int)width * 2, "");
		}
	}
	printf("    ");
	for (size_t i = 0; i < n; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	putchar('\n');
}

/* Shows @count objects; 0, or 1 when that was told not to be possible. */
static int show(int fd, uint64_t address, uint64_t count)
{
	volatile uint8_t *page = NULL;
	uint8_t bytes[LINE];
	uint64_t start = address;
	size_t n = 0;

	for (; count; count--, address += width) {
		uint64_t value;

		if (!page || address % PAGE == 0)
			page = map_page(fd, address, PROT_READ, page);
		if (!page || !read_object(page + address % PAGE, &value)) {
			if (n)
				print_line(start, bytes, n);
			if (page)
				tell_abort(address);
			return 1;
		}
		memcpy(bytes + n, &value, width);
		n += width;
		if (n < LINE && count > 1)
			continue;
		print_line(start, bytes, n);
		start += n;
		n = 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t address;

	program = "md";
	if (!take_width(&argc, &argv) || argc < 2 || argc > 3) {
		fputs("usage: md [-b|-h|-w|-g] ADDRESS [COUNT]\n"
		      "objects of 1, 2, 4 (default) or 8 bytes; numbers are hexadecimal\n",
		      stderr);
		return 2;
	}
	address = address_of(argv[1]);
	return show(open_memory(O_RDONLY), address, argc > 2 ? number(argv[2]) : DEFAULT_COUNT);
}
