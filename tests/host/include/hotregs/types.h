/* SPDX-License-Identifier: MIT */
/* The kernel's types.h among the host's headers: the C library's word for inline gives way. */
#pragma once

#include <features.h>

#undef __always_inline
#include_next <hotregs/types.h>
