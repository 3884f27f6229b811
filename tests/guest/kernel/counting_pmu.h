/* SPDX-License-Identifier: MIT */
/* What the unit of the test kernel says of itself. */
#pragma once

#include <hotregs/types.h>

/* Events that have been put on its counters, or taken off. */
u64 counting_changes(void);
