/* SPDX-License-Identifier: MIT */
/* /proc/slabinfo: what the kernel's objects are and how many, in Linux's format. */
#include <unistd.h>

#include "ktap.h"

struct slab {
	unsigned long active, all, size, per_slab, active_slabs, slabs;
};

/* All sizes added up, each line seen to be consistent; false: there is a line that is not. */
static bool read_slabs(struct slab *sum)
{
	FILE *f = fopen("/proc/slabinfo", "r");
	char line[200], name[32];
	unsigned lines = 0;

	memset(sum, 0, sizeof(*sum));
	if (!EXPECT(f))
		return false;
	if (!EXPECT(fgets(line, sizeof(line), f)) ||
	    !EXPECT_STR(line, "slabinfo - version: 2.1\n") ||
	    !EXPECT(fgets(line, sizeof(line), f)) || !EXPECT(line[0] == '#'))
		return false;
	for (; fgets(line, sizeof(line), f); lines++) {
		struct slab s;

		if (!EXPECT_EQ(
			sscanf(line, "%31s %lu %lu %lu %lu 1 : tunables 0 0 0 : slabdata %lu %lu 0",
			       name, &s.active, &s.all, &s.size, &s.per_slab, &s.active_slabs,
			       &s.slabs),
			7))
			break;
		EXPECT(!strncmp(name, "kmalloc-", 8) || !strcmp(name, "vmap_area"));
		EXPECT(s.active <= s.active_slabs * s.per_slab);
		EXPECT(s.active_slabs <= s.slabs && s.all == s.slabs * s.per_slab);
		EXPECT(s.size * s.per_slab <= 4096);
		sum->active += s.active;
	}
	fclose(f);
	return EXPECT(lines > 8);
}

TEST(slabinfo_counts_objects)
{
	struct slab before, during, after;
	int ends[16][2];

	if (!read_slabs(&before))
		return;
	for (int i = 0; i < 16; i++)
		EXPECT(!pipe(ends[i]));
	read_slabs(&during);
	for (int i = 0; i < 16; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
	read_slabs(&after);
	/* The pipe itself, and a file for each end. */
	EXPECT(during.active >= before.active + 3 * 16);
	EXPECT_EQ(after.active, before.active);
}
