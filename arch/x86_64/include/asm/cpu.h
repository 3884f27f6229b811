/* SPDX-License-Identifier: MIT */
/* x86_64 part of struct cpu: descriptor tables and the stacks that exceptions switch to. */
#pragma once

#include <hotregs/types.h>

/* Task state segment (Intel SDM vol. 3, 7.7). ist[] indexes are IST_* - 1. */
struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3, iomap_base;
} __packed;

enum { IST_NMI = 1, IST_DOUBLE_FAULT, IST_DEBUG, NR_IST = 3 };
#define IST_STACK_SIZE 8192UL

/* Selectors; SYSCALL and SYSRET fix the order of the kernel and the user ones (SDM vol. 3, 5.8.8).
 */
#define KERNEL_CS 0x08
#define KERNEL_DS 0x10
#define USER_DS   (0x18 | 3)
#define USER_CS   (0x20 | 3)
#define TSS_SEL   0x28

struct arch_cpu {
	unsigned long kernel_sp; /* top of current's kernel stack; system-call entry loads it */
	unsigned long user_sp;   /* scratch of system-call entry */
	struct tss tss;
	u64 gdt[7] __aligned(16);
	u32 apic_id;
	u8 *ist_stack[NR_IST]; /* lowest addresses */
};
