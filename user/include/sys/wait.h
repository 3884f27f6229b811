/* SPDX-License-Identifier: MIT */
/* newlib's <sys/wait.h>, wait4() and processes that go on. */
#pragma once

#include_next <sys/wait.h>

#define WCONTINUED      8
#define WIFCONTINUED(w) ((w) == 0xffff)

struct rusage;

/* @usage must be NULL: the kernel keeps no such account. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);
