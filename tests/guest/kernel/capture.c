/* SPDX-License-Identifier: MIT */
/* Captures the context-switch samples of a thread through a handler, as kernel code would. */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include "ktest.h"

static void capture_handler(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	struct capture *capture = perf_event_context(event);
	struct captured *s;
	struct callchain chain;

	if (capture->tid && current->tid != capture->tid)
		return;
	if (capture->nr++ >= CAPTURE_MAX)
		return;
	s = &capture->sample[capture->nr - 1];
	s->tid = current->tid;
	s->ip = data->ip;
	chain = (struct callchain){s->chain, 0, CAPTURE_DEPTH};
	perf_callchain(event, regs, &chain);
	s->nr = chain.nr;
}

bool capture_start(struct capture *capture, pid_t tid, bool exclude_kernel, bool exclude_user)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	    .sample_period = 1,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	    .exclude_kernel = exclude_kernel,
	    .exclude_user = exclude_user,
	};

	memset(capture, 0, sizeof(*capture));
	capture->tid = tid;
	capture->event = perf_event_create_kernel_counter(&attr, 0, NULL, capture_handler, capture);
	return EXPECT_EQ(IS_ERR(capture->event) ? PTR_ERR(capture->event) : 0, 0);
}

void capture_stop(struct capture *capture)
{
	perf_event_release(capture->event);
}

bool captured_chain_is(const struct captured *s, const char *const *symbols)
{
	bool same = EXPECT(s->nr > 1) && EXPECT_EQ(s->chain[0], PERF_CONTEXT_KERNEL) &&
		    EXPECT_EQ(s->ip, s->chain[1]);

	for (u32 i = 1; same && symbols[i - 1]; i++)
		same = EXPECT(i < s->nr) &&
		       EXPECT_STR(kallsyms_lookup(s->chain[i], NULL, NULL), symbols[i - 1]);
	return same;
}
