/* SPDX-License-Identifier: MIT */
/*
 * Short descriptors (ARM DDI 0406C, B3.5.1 and B3.7). Access flag and TEX remap are off; all is
 * domain 0, whose rights are checked. Assembly includes this too.
 */
#pragma once

#define L1_SHIFT 20
#define L2_SHIFT 12

/* First level: an entry for each 1 MiB. */
#define L1_TYPE      3
#define L1_TABLE     1
#define L1_SECTION   2
#define L1_TABLE_PXN (1 << 2)
#define L1_TABLE_AT  0xfffffc00 /* a table of the second level: 1 KiB */
#define SECTION_B    (1 << 2)
#define SECTION_C    (1 << 3)
#define SECTION_XN   (1 << 4)
#define SECTION_PL1  (1 << 10) /* AP[0] */
#define SECTION_USER (1 << 11) /* AP[1] */
#define SECTION_TEX0 (1 << 12)
#define SECTION_RO   (1 << 15) /* AP[2] */
#define SECTION_S    (1 << 16)
#define SECTION_AT   0xfff00000

/* Second level: an entry for each 4 KiB. */
#define PAGE_XN   (1 << 0)
#define PAGE_TYPE (1 << 1)
#define PAGE_B    (1 << 2)
#define PAGE_C    (1 << 3)
#define PAGE_PL1  (1 << 4)
#define PAGE_USER (1 << 5)
#define PAGE_TEX0 (1 << 6)
#define PAGE_RO   (1 << 9)
#define PAGE_S    (1 << 10)
#define PAGE_NG   (1 << 11) /* belongs to an ASID */
#define PAGE_AT   0xfffff000

/* Normal memory, write-back, write-allocate, shareable; and shareable Device memory. */
#define SECTION_NORMAL (SECTION_TEX0 | SECTION_C | SECTION_B | SECTION_S)
#define SECTION_DEVICE SECTION_B
#define PAGE_NORMAL    (PAGE_TEX0 | PAGE_C | PAGE_B | PAGE_S)
#define PAGE_DEVICE    PAGE_B

#define L1_ENTRIES         4096 /* of tables for the whole address space */
#define L2_ENTRIES         256
/* A page of memory holds the tables of so many neighbours. */
#define L2_TABLES_PER_PAGE 4

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

/* The first-level tables that TTBR1 shows; the boot code's until mmu_init(). */
extern u32 *kernel_l1;

static inline u32 *l1_entry(u32 *tables, unsigned long va)
{
	return &tables[va >> L1_SHIFT];
}

static inline u32 l2_index(unsigned long va)
{
	return va >> L2_SHIFT & (L2_ENTRIES - 1);
}
#endif
