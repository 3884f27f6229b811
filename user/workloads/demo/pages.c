/* SPDX-License-Identifier: MIT */
/* A process whose work is page faults: it maps memory, writes to each page once, and gives it back.
 */
#include "demo.h"

#include <sys/mman.h>
#include <time.h>

#define PAGE 4096

static NOINLINE void touch_page(volatile char *page)
{
	*page = 1;
}

static NOINLINE int touch_fresh_pages(int pages)
{
	char *area =
	    mmap(0, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return 1;
	for (int i = 0; i < pages; i++)
		touch_page(area + i * PAGE);
	return munmap(area, pages * PAGE);
}

NOINLINE int fault_pages(int rounds, int pages)
{
	struct timespec pause = {.tv_nsec = 15000000};

	while (rounds--) {
		if (touch_fresh_pages(pages))
			return 1;
		nanosleep(&pause, 0);
	}
	return 0;
}
