/* SPDX-License-Identifier: MIT */
/* Our header's side of test_abi.c. */
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#define ABI_LIST abi_list_ours
#include "abi_list.h"

/* What grows with the years: compared by test_abi.c itself. */
const size_t abi_attr_size_ours = sizeof(struct perf_event_attr);
const size_t abi_config3_offset_ours = offsetof(struct perf_event_attr, config3);
