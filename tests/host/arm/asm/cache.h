/* SPDX-License-Identifier: MIT */
/* The host's, and what ARM has beside: see asm/mmu.h here. */
#pragma once

#include <hotregs/types.h>

#include_next <asm/cache.h>

void send_event(void);

static inline void complete_accesses(void)
{
}

/* test_asid.c's */
void tlb_flush_local(void);
void stores_before_walks(void);
void unload_user_tables(u32 empty);
void load_user_tables(u32 empty, u32 ttbr0, u32 asid);
