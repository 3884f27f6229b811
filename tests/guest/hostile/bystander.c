/* SPDX-License-Identifier: MIT */
/* See bystander.h. */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "bystander.h"

#define RING_PAGES 64

static struct record record;

static void __attribute__((noreturn)) run(struct bystander *b, void (*between)(void))
{
	uint64_t yields = 0;
	char c;

	/* Not before it is watched. */
	if (read(b->to[0], &c, 1) != 1)
		_exit(1);
	fcntl(b->to[0], F_SETFL, O_NONBLOCK);
	for (; read(b->to[0], &c, 1) < 0; yields++) {
		if (between)
			between();
		sched_yield();
	}
	_exit(write(b->from[1], &yields, sizeof(yields)) != sizeof(yields));
}

bool bystander_start(struct bystander *b, void (*between)(void))
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);

	*b = (struct bystander){0};
	if (!EXPECT_EQ(pipe(b->to), 0) || !EXPECT_EQ(pipe(b->from), 0))
		return false;
	fflush(stdout);
	b->pid = fork();
	if (!b->pid)
		run(b, between);
	if (!EXPECT(b->pid > 0) ||
	    !EXPECT(recorder_open(&b->recorder, &attr, b->pid, -1, RING_PAGES)))
		return false;
	attr.sample_period = 0;
	b->counter = perf_event_open(&attr, b->pid, -1, -1, 0);
	if (!EXPECT(b->counter >= 0) || !EXPECT_EQ(write(b->to[1], "x", 1), 1))
		return false;
	/* Until it has all of its memory. */
	for (int i = 0; i < 10; i++)
		sched_yield();
	return bystander_watch(b);
}

bool bystander_watch(struct bystander *b)
{
	bool right = true;
	struct sample s;

	while (right && recorder_next_sample(&b->recorder, b->pid, &record, &s)) {
		b->samples++;
		if (strcmp(symbol_of(s.ip), "sys_sched_yield"))
			continue;
		b->yields++;
		if (!b->nr) {
			b->nr = s.nr;
			memcpy(b->chain, s.chain, s.nr * sizeof(*s.chain));
			EXPECT(chain_after(&s, PERF_CONTEXT_USER) + 2 < s.nr);
		}
		right = EXPECT_EQ(s.nr, b->nr) &&
			EXPECT(!memcmp(s.chain, b->chain, s.nr * sizeof(*s.chain)));
	}
	return right;
}

uint64_t bystander_end(struct bystander *b)
{
	uint64_t yields = 0, counted = 0;
	int status;

	EXPECT_EQ(write(b->to[1], "x", 1), 1);
	EXPECT_EQ(read(b->from[0], &yields, sizeof(yields)), sizeof(yields));
	EXPECT_EQ(waitpid(b->pid, &status, 0), b->pid);
	bystander_watch(b);
	EXPECT_EQ(read(b->counter, &counted, sizeof(counted)), sizeof(counted));
	EXPECT_EQ(b->samples, counted);
	close(b->counter);
	recorder_close(&b->recorder);
	for (int i = 0; i < 2; i++) {
		close(b->to[i]);
		close(b->from[i]);
	}
	/* Where there was somebody to yield to. */
	EXPECT(b->yields <= yields);
	return b->yields;
}
