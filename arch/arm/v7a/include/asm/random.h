/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/random.h: the architecture has no generator. */
#pragma once

static inline bool arch_random(unsigned long *word)
{
	return false;
}
