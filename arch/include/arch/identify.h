/* SPDX-License-Identifier: MIT */
/* Architecture contract: what this architecture and its processors are called. */
#pragma once

#include <hotregs/types.h>

/*
 * What /proc/cpuinfo says of the CPU it is called on, as Linux does there, but for its number:
 * lines "name : value". Returns the length of it all, of which @size - 1 bytes are in @buf. Any
 * context.
 */
size_t arch_cpuinfo(char *buf, size_t size);
#define CPUINFO_MAX 512 /* bytes that hold it */

/* ARCH_NAME: as uname -m says it. */
#include <asm/identify.h>
