/* SPDX-License-Identifier: MIT */
/*
 * Host part of arch/mmu.h for the tests of kernel/mm: physical memory is an array of the test's,
 * with a reserved beginning and an end that the boot tables do not reach, and loading page tables
 * is seen by the test.
 */
#pragma once

#define ARENA_SIZE (32UL << 20)
#define ARENA_HIGH (24UL << 20) /* from here on it is not mapped at boot */
extern unsigned char arena[];

#define USER_START      0x0000000000010000UL
#define USER_END        0x00007ffffffff000UL
#define DIRECT_MAP_BASE 0UL
#define VMAP_START      0xffffc00000000000UL
#ifndef VMAP_END
#define VMAP_END 0xffffc08000000000UL
#endif
#define KERNEL_IMAGE_BASE 0UL
#define RAM_RESERVED_END  ((unsigned long)arena + 0x10000)
#define BOOT_MAP_END      ((unsigned long)arena + ARENA_HIGH)

#define MMU_FLUSH_BROADCASTS false

void host_mmu_load(const struct mmu *mmu);

static inline void mmu_load(struct mmu *mmu)
{
	host_mmu_load(mmu);
}
