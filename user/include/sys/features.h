/* SPDX-License-Identifier: MIT */
/* newlib's feature macros, and the options of POSIX that this system adds to a bare target's. */
#ifndef HOTREGS_SYS_FEATURES_H
#define HOTREGS_SYS_FEATURES_H

#include_next <sys/features.h>

#define _POSIX_TIMERS           1
#define _POSIX_MONOTONIC_CLOCK  200112L
#define _POSIX_CLOCK_SELECTION  200112L
#define _POSIX_CPUTIME          200112L
#define _POSIX_THREAD_CPUTIME   200112L
#define _POSIX_TIMEOUTS         200112L
#define _POSIX_SEMAPHORES       200112L
#define _POSIX_JOB_CONTROL      1
#define _POSIX_REALTIME_SIGNALS 200112L

#define _POSIX_THREADS                    200112L
#define _POSIX_THREAD_SAFE_FUNCTIONS      200112L
#define _POSIX_THREAD_ATTR_STACKADDR      200112L
#define _POSIX_THREAD_ATTR_STACKSIZE      200112L
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200112L
#define _POSIX_PRIORITY_SCHEDULING        200112L
#define _POSIX_BARRIERS                   200112L
#define _POSIX_READER_WRITER_LOCKS        200112L
#define _POSIX_SPIN_LOCKS                 200112L
#define _UNIX98_THREAD_MUTEX_ATTRIBUTES   1

#endif
