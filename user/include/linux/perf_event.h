/* SPDX-License-Identifier: MIT */
/* The documented name of the performance-event ABI. */
#pragma once

#include <uapi/perf_event.h>
