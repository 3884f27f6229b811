/* SPDX-License-Identifier: MIT */
/* What user_copy.S shares with C: its limits, and what ARM alone needs. */
#pragma once

/* USER_START and USER_END as assembly can read them; uaccess.c asserts that they agree. */
#define UACCESS_START 0x10000
#define UACCESS_END   0x80000000

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

/* Stores a word of the current task's, as arch_user_word() loads one; at any alignment. */
bool arm_user_store(u32 __user *addr, u32 value);
#endif
