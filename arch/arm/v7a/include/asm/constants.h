/* SPDX-License-Identifier: MIT */
/* Numbers that C and assembly share. */
#pragma once

#define IMAGE_LINK        0xf0000000 /* linker/arm_v7a.ld has this number, too */
#define KERNEL_STACK_SIZE 8192

/*
 * What TTBR0 and TTBR1 say of the walks: write-back, write-allocate, and outer shareable (NOS = 0),
 * which is what S = 1 means in descriptors without TEX remap (ARM DDI 0406C, B3.8.2, B4.1.154).
 */
#define TTBR_WALKS 0x4a
