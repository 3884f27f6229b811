/* SPDX-License-Identifier: MIT */
/* System calls by number, for those that have no C function. */
#pragma once

#include <uapi/syscall.h>

#define __NR_perf_event_open SYS_perf_event_open
#define __NR_gettid          SYS_gettid

long syscall(long nr, ...);
