/* SPDX-License-Identifier: MIT */
/* What the supervisor says at the end, in lines that tools/fuzz reads. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static void report_call(uint32_t nr)
{
	const struct call_count *c = &shared->calls[nr];

	printf("fuzz-call %u %s %u %u %u ", (unsigned)nr,
	       nr == NR_BAD      ? "(none)"
	       : nr == NR_MEMORY ? "(memory)"
	       : calls[nr]       ? calls[nr]->name
				 : "?",
	       (unsigned)c->calls, (unsigned)c->successes, (unsigned)c->hung);
	for (unsigned error = 0; error < 8 * sizeof(c->errnos); error++)
		if (c->errnos[error / 32] & 1U << error % 32)
			printf("%u,", error);
	printf("\n");
}

static void report_bits(const char *name, const struct bit_count *counts, unsigned n)
{
	for (unsigned bit = 0; bit < n; bit++)
		if (counts[bit].done || counts[bit].refused)
			printf("fuzz-bit %s %u %u %u\n", name, bit, (unsigned)counts[bit].done,
			       (unsigned)counts[bit].refused);
}

void report(unsigned batches)
{
	printf(
	    "\nfuzz-report seed=%u ops=%u batches=%u woken=%u ended=%u naps=%u samples=%u digest=%016llx\n",
	    (unsigned)shared->seed, (unsigned)shared->ops, batches, (unsigned)shared->woken,
	    (unsigned)shared->ended, (unsigned)shared->naps, (unsigned)shared->samples,
	    (unsigned long long)shared->digest);
	for (uint32_t nr = 0; nr <= NR_MEMORY; nr++)
		report_call(nr);
	report_bits("flags", shared->flags, 64);
	report_bits("sample_type", shared->sample_type, 64);
	report_bits("read_format", shared->read_format, 64);
	report_bits("ioctl", shared->requests, ARRAY_SIZE(shared->requests));
	printf("fuzz-end\n");
}

/* The operations themselves tools/fuzz reads out of the machine's memory, also after a panic. */
void report_failure(void)
{
	printf("\nfuzz-failed seed=%u batch=%u op=%u: %s\n", (unsigned)shared->seed,
	       (unsigned)shared->batch, (unsigned)shared->ops, shared->failure);
	fflush(stdout);
	raw(SYS_exit, 1);
	for (;;)
		;
}
