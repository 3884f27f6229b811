/* SPDX-License-Identifier: MIT */
/* The units that count events, by the type that perf_event_attr names; and what they may touch. */
#include "event.h"

static struct perf_pmu *fixed[PERF_TYPE_MAX] = {[PERF_TYPE_SOFTWARE] = &perf_software};
static struct list_head pmus = LIST_HEAD_INIT(pmus); /* of other types */

struct perf_pmu *perf_pmu_find(u32 type)
{
	struct perf_pmu *pmu;

	if (likely(type < PERF_TYPE_MAX))
		return fixed[type];
	list_for_each (pmu, &pmus, node)
		if (pmu->type == type)
			return pmu;
	return NULL;
}

int perf_pmu_register(struct perf_pmu *pmu)
{
	if (perf_pmu_find(pmu->type))
		return -EEXIST;
	if (pmu->type < PERF_TYPE_MAX)
		fixed[pmu->type] = pmu;
	else
		list_add_tail(&pmu->node, &pmus);
	return 0;
}

const struct perf_event_attr *perf_event_attr(const struct perf_event *event)
{
	return &event->attr;
}

struct perf_counter *perf_event_counter(struct perf_event *event)
{
	return &event->counter;
}

void perf_event_count_add(struct perf_event *event, u64 n)
{
	event->count += n;
}
