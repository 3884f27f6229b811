/* SPDX-License-Identifier: MIT */
/* newlib's feature macros, and the options of POSIX that this system adds to a bare target's. */
#ifndef HOTREGS_SYS_FEATURES_H
#define HOTREGS_SYS_FEATURES_H

#include_next <sys/features.h>

#define _POSIX_TIMERS          1
#define _POSIX_MONOTONIC_CLOCK 200112L
#define _POSIX_CPUTIME         200112L
#define _POSIX_THREAD_CPUTIME  200112L

#endif
