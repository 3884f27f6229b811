/* SPDX-License-Identifier: MIT */
/* newlib's <sched.h> and the one function of it that a bare target leaves out. */
#pragma once

#include_next <sched.h>

int sched_yield(void);
