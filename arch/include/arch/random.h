/* SPDX-License-Identifier: MIT */
/* Architecture contract: random numbers of the processor's own. */
#pragma once

#include <hotregs/types.h>

/* A random word; false when the processor has no generator, or none ready. NMI-safe. */
static inline bool arch_random(unsigned long *word);

#include <asm/random.h>
