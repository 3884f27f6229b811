/* SPDX-License-Identifier: MIT */
/* Numbers that C and assembly share. */
#pragma once

#define IMAGE_LINK        0xffffffff80000000 /* linker/arm64.ld has this number, */
#define IMAGE_MAX         0x800000           /* and what the boot page tables reach */
#define KERNEL_STACK_SIZE 16384

/*
 * Translation (Arm ARM DDI 0487, D17.2.139, TCR_EL1): pages of 4 KiB; TTBR0 shows the lower 47
 * bits, TTBR1 the upper 48; walks are write-back, write-allocate, inner shareable; ASIDs of 8 bits.
 */
#define TCR_T0SZ      17
#define TCR_T1SZ      (16 << 16)
#define TCR_WALKS     (0x35 << 8 | 0x35 << 24) /* IRGN, ORGN = 1, SH = 3; of both */
#define TCR_TG1_4K    (2 << 30)
#define TCR_IPS_SHIFT 32
#define TCR_IPS_48    5 /* the most that descriptors of 4 KiB pages have without LPA2 */

/* MAIR_EL1 (D17.2.97): 0: Normal, write-back, write-allocate; 1: Device-nGnRE. */
#define MAIR 0x04ff
