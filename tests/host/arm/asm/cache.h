/* SPDX-License-Identifier: MIT */
/* The host's, and what ARM has beside: see asm/mmu.h here. */
#pragma once

#include_next <asm/cache.h>

void send_event(void);

static inline void complete_accesses(void)
{
}
