/* SPDX-License-Identifier: MIT */
/* Assembly only: how every processor gets from 32-bit protected mode to 64-bit mode. */
/* clang-format off */
#pragma once

#include <asm/cpu_selectors.h>

#define KERNEL_IMAGE_BASE  0xffffffff80000000
#define KERNEL_STACK_SIZE  16384
#define PA(symbol)         ((symbol) - KERNEL_IMAGE_BASE)

/* In boot_gdt only; the others are where the kernel has them. */
#define BOOT_CS32 0x18

/* Intel SDM vol. 3: control registers 2.5, EFER 2.2.1. */
#define CR4_PAE    0x20
#define CR0_PE     0x1
#define CR0_WP     0x10000
#define CR0_PG     0x80000000
#define MSR_EFER   0xc0000080
#define EFER_LME   0x100
#define EFER_NXE   0x800

/*
 * The order of Intel SDM vol. 3, 9.8.5. Loads boot_pml4, which shows the caller where it is; a far
 * jump to 64-bit code has to follow. Changes EAX, ECX and EDX.
 */
.macro ENTER_LONG_MODE efer
	movl $CR4_PAE, %eax
	movl %eax, %cr4
	movl $PA(boot_pml4), %eax
	movl %eax, %cr3
	movl $MSR_EFER, %ecx
	rdmsr
	orl $\efer, %eax
	wrmsr
	movl $CR0_PE | CR0_WP | CR0_PG, %eax
	movl %eax, %cr0
.endm

/* The first 64-bit code: selectors that say nothing any more. Changes EAX. */
.macro SET_DATA_SEGMENTS
	movl $KERNEL_DS, %eax
	movl %eax, %ss
	xorl %eax, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %fs
	movl %eax, %gs
.endm
