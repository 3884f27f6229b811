/* SPDX-License-Identifier: MIT */
/*
 * The kernel's string.h among the host's headers: functions of the same name but another meaning
 * get a name of their own, and those that agree are the C library's, which ASan watches.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#undef strchr
#undef strrchr
#define strtoul hotregs_strtoul
#define strlcpy hotregs_strlcpy
#include_next <hotregs/string.h>
