/* SPDX-License-Identifier: MIT */
/* Futexes, as the rest of the kernel uses them. */
#pragma once

#include <hotregs/types.h>

/* Before the first process. */
void futex_init(void);

/* Wakes everybody who waits at @addr of the current task's memory. May sleep. */
void futex_wake_all(u32 __user *addr);
