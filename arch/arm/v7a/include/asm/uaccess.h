/* SPDX-License-Identifier: MIT */
/* What user_copy.S and uaccess.c share. */
#pragma once

/* USER_START and USER_END as assembly can read them; uaccess.c asserts that they agree. */
#define UACCESS_START 0x10000
#define UACCESS_END   0x80000000
