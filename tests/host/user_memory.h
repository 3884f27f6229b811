/* SPDX-License-Identifier: MIT */
/* User memory for tests of code that copies: all memory is user's, but for one bad range. */
#pragma once

#include <string.h>

#include <arch/uaccess.h>

static const u8 *bad_start, *bad_end; /* cannot be accessed */

static inline bool is_bad(const void *p, size_t n)
{
	return (const u8 *)p < bad_end && (const u8 *)p + n > bad_start;
}

int copy_to_user(void __user *dst, const void *src, size_t n)
{
	if (is_bad(dst, n))
		return -EFAULT;
	memcpy(dst, src, n);
	return 0;
}

int copy_from_user(void *dst, const void __user *src, size_t n)
{
	if (is_bad(src, n))
		return -EFAULT;
	memcpy(dst, src, n);
	return 0;
}
