/* SPDX-License-Identifier: MIT */
/* Operations of futex(2), with Linux's numbers. All others are ENOSYS. */
#pragma once

#define UAPI_FUTEX_WAIT        0 /* timeout: for so long */
#define UAPI_FUTEX_WAKE        1 /* up to value waiters; returns how many */
#define UAPI_FUTEX_WAIT_BITSET 9 /* timeout: until then; woken by a wake that has one of bits */
#define UAPI_FUTEX_WAKE_BITSET 10

/* Options of an operation. */
#define UAPI_FUTEX_PRIVATE  128 /* the threads that use it are of one process */
#define UAPI_FUTEX_REALTIME 256 /* WAIT_BITSET's timeout is by CLOCK_REALTIME, not MONOTONIC */

#define UAPI_FUTEX_ALL_BITS 0xffffffff /* what WAIT and WAKE have */
