/* SPDX-License-Identifier: MIT */
/* Segment selectors. SYSCALL and SYSRET fix the order of the kernel's and the user's (Intel SDM
 * vol. 3, 5.8.8). Assembly includes this too. */
#pragma once

#define KERNEL_CS 0x08
#define KERNEL_DS 0x10
#define USER_DS   (0x18 | 3)
#define USER_CS   (0x20 | 3)
#define TSS_SEL   0x28
