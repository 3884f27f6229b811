/* SPDX-License-Identifier: MIT */
/* Places in the kernel, named for a report. */
#include <hotregs/printk.h>
#include <hotregs/unwind.h>

#include "check.h"

struct place_name place_name(unsigned long ip)
{
	unsigned long offset;
	const char *name = kallsyms_lookup(ip, &offset, NULL);
	struct place_name place;

	if (name)
		snprintf(place.s, sizeof(place.s), "%s+0x%lx", name, offset);
	else
		snprintf(place.s, sizeof(place.s), "0x%lx", ip);
	return place;
}
