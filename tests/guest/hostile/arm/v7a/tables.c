/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for unwind tables: a program may lie in its file's, and about where they are. See
 * programs/tables.S for what each of its functions has.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../user/ktap.h"
#include "../../../user/samples.h"
#include "../../bystander.h"
#include "../../hostile.h"

#define NR_FUNCTIONS 512
#define RING_PAGES   64

/* What a page fault and its sample may cost, in 256 instructions: 127 frames' opcodes and words, as
 * many as the walker takes from tables. */
#define COST_MAX 240

static struct bystander bystander;
static struct record record;

/* May a chain of the program have it: a place of its own, or one of the words that are nowhere? */
static bool entry_allowed(uint64_t entry)
{
	return (entry >= 0x10000 && entry < 0x400000) || (entry & 0xfff00000) == 0x30000000;
}

static unsigned frames_seen;
static bool check(const struct sample *s)
{
	uint64_t user = chain_after(s, PERF_CONTEXT_USER), frames = 0;

	for (uint64_t i = 0; i < s->nr; i++) {
		frames += s->chain[i] < PERF_CONTEXT_MAX;
		if (i >= user && !entry_allowed(s->chain[i])) {
			chain_print(s);
			return EXPECT(!"a user frame that is none of the program's");
		}
	}
	frames_seen += frames;
	return EXPECT(frames <= PERF_MAX_STACK_DEPTH) && EXPECT(user < s->nr);
}

/* Waits for a byte, and becomes @path. */
static pid_t start(const char *path, int *go)
{
	char *const argv[] = {"tables", NULL}, *const none[] = {NULL};
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (read(ends[0], &c, 1) == 1)
			execve(path, argv, none);
		_exit(255);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static bool drain(struct recorder *r, pid_t pid, unsigned *samples)
{
	struct sample s;

	while (recorder_next_sample(r, pid, &record, &s)) {
		++*samples;
		if (!check(&s))
			return false;
	}
	return true;
}

/* Those of the kernel that users run. */
static bool costs_are_bounded(int status)
{
	return WEXITSTATUS(status) < COST_MAX || (ktap_scale > 1 && WEXITSTATUS(status) <= 250);
}

static void sample_program(const char *path)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct recorder switches, faults;
	frames_seen = 0;
	unsigned nr_switches = 0, nr_faults = 0;
	int go = -1, status = -1;
	pid_t pid = start(path, &go);
	bool good = true;

	attr.disabled = attr.enable_on_exec = 1;
	if (!EXPECT(pid > 0) || !EXPECT(recorder_open(&switches, &attr, pid, -1, RING_PAGES)))
		return;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	if (!EXPECT(recorder_open(&faults, &attr, pid, -1, RING_PAGES)))
		return;
	EXPECT_EQ(write(go, "x", 1), 1);
	while (!waitpid(pid, &status, WNOHANG)) {
		good = good && drain(&switches, pid, &nr_switches) &&
		       drain(&faults, pid, &nr_faults) && bystander_watch(&bystander);
		sched_yield();
	}
	good = good && drain(&switches, pid, &nr_switches) && drain(&faults, pid, &nr_faults);
	printf("# %s: %u and %u samples, %d instructions each, %u frames\n", path, nr_switches,
	       nr_faults, 256 * WEXITSTATUS(status), frames_seen);
	ktap_expect(good && WIFEXITED(status) && costs_are_bounded(status) &&
			nr_switches >= NR_FUNCTIONS && nr_faults >= NR_FUNCTIONS,
		    __FILE__, __LINE__, "%s to be sampled and to end, not with status 0x%x", path,
		    status);
	recorder_close(&switches);
	recorder_close(&faults);
	close(go);
}

TEST(c10_hostile_unwind_tables)
{
	static const char *const lies[] = {"none", "work",  "order", "alignment",
					   "size", "place", "links", "code"};

	if (!bystander_start(&bystander, NULL))
		return;
	for (unsigned i = 0; i < ARRAY_LENGTH(lies); i++) {
		char path[64];

		snprintf(path, sizeof(path), "/bin/hostile-tables-%s", lies[i]);
		sample_program(path);
	}
	bystander_end(&bystander);
}
