/* SPDX-License-Identifier: MIT */
/* Writes physical memory: mw [-b|-h|-w|-g] ADDRESS VALUE [COUNT], numbers in hexadecimal, as
 * U-Boot's. */
#include "physical.h"

/* Waits until the write has reached its device, so that an abort is this program's. */
static void settle(void)
{
#if defined(__arm__) || defined(__aarch64__)
	__asm__ volatile("dsb sy" ::: "memory");
#else
	__sync_synchronize();
#endif
}

static bool write_object(volatile uint8_t *volatile at, volatile uint64_t value)
{
	if (sigsetjmp(aborted, 1))
		return false;
	switch (width) {
	case 1:
		*at = value;
		break;
	case 2:
		*(volatile uint16_t *)at = value;
		break;
	case 4:
		*(volatile uint32_t *)at = value;
		break;
	default:
		*(volatile uint64_t *)at = value;
	}
	settle();
	return true;
}

int main(int argc, char **argv)
{
	volatile uint8_t *page = NULL;
	uint64_t address, value, count;
	int fd;

	program = "mw";
	if (!take_width(&argc, &argv) || argc < 3 || argc > 4) {
		fputs("usage: mw [-b|-h|-w|-g] ADDRESS VALUE [COUNT]\n"
		      "objects of 1, 2, 4 (default) or 8 bytes; numbers are hexadecimal\n",
		      stderr);
		return 2;
	}
	address = address_of(argv[1]);
	value = number(argv[2]);
	count = argc > 3 ? number(argv[3]) : 1;
	if (width < 8 && value >> (8 * width)) {
		fprintf(stderr, "mw: %s: more than %u bytes\n", argv[2], width);
		return 2;
	}
	fd = open_memory(O_RDWR);
	for (; count; count--, address += width) {
		if (!page || address % PAGE == 0)
			page = map_page(fd, address, PROT_READ | PROT_WRITE, page);
		if (page && write_object(page + address % PAGE, value))
			continue;
		if (page)
			tell_abort(address);
		return 1;
	}
	return 0;
}
