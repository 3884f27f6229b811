/* SPDX-License-Identifier: MIT */
/* newlib's <sys/resource.h> and the priority of a process. */
#pragma once

#include_next <sys/resource.h>
#include <sys/types.h>

#define PRIO_PROCESS 0

/* @nice -20 (most urgent) .. 19; @who 0 is the caller. */
int setpriority(int which, id_t who, int nice);
int getpriority(int which, id_t who); /* -1 is a nice value, too: see errno */
