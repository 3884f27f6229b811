/* SPDX-License-Identifier: MIT */
/* newlib's <sys/wait.h> and wait4(). */
#pragma once

#include_next <sys/wait.h>

struct rusage;

/* @usage must be NULL: the kernel keeps no such account. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);
