/* SPDX-License-Identifier: MIT */
/* Host flavour of asm/cache.h: nothing is executed or shared with a device here. */
#pragma once

static inline void sync_icache(const void *start, size_t size)
{
}

static inline void dma_mb(void)
{
}

static inline void dma_wmb(void)
{
}

static inline void dma_rmb(void)
{
}
