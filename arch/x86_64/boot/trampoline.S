/* SPDX-License-Identifier: MIT */
/*
 * Where the other processors start: in real mode, at the beginning of a page below 1 MiB that their
 * start-up interrupt names (Intel SDM vol. 3, 8.4.3). smp.c copies ap_trampoline there, wherever
 * that is. It goes the way of boot/head.S, on the same page tables, whose identity mapping a
 * processor leaves with its second jump for the kernel's own tables and for smp_begin().
 */
#include "long_mode.h"

/* How far @label is from where the page begins. */
#define AT(label) (label - ap_trampoline)

	.section .rodata, "a"
	.code16
	.globl ap_trampoline, ap_trampoline_end
	.balign 16
ap_trampoline:
	cli
	cld
	movw %cs, %ax
	movw %ax, %ds
	/* Where does it run? The far jumps need to know. Whoever comes later writes the same. */
	movzwl %ax, %ebx
	shll $4, %ebx
	leal AT(.Lprotected)(%ebx), %eax
	movl %eax, AT(.Lto_protected)
	leal AT(.Llong)(%ebx), %eax
	movl %eax, AT(.Lto_long)
	lgdtl AT(.Lgdtr)
	movl $CR0_PE, %eax
	movl %eax, %cr0
	ljmpl *AT(.Lto_protected)

	.code32
.Lprotected:
	movl $KERNEL_DS, %eax
	movl %eax, %ds
	movl %eax, %ss
	/* The kernel's tables forbid execution, which is an error in an entry until this is set. */
	ENTER_LONG_MODE EFER_LME | EFER_NXE
	ljmpl *AT(.Lto_long)(%ebx)

	.code64
.Llong:
	SET_DATA_SEGMENTS
	movq $ap_high, %rax
	jmp *%rax

	.balign 4
.Lto_protected:
	.long 0
	.word BOOT_CS32
	.balign 4
.Lto_long:
	.long 0
	.word KERNEL_CS
	.balign 4
	.word 0
.Lgdtr:
	.word boot_gdt_limit
	.long PA(boot_gdt)
ap_trampoline_end:

	.section .head.text, "ax"
	.type ap_high, @function
ap_high:
	.cfi_startproc
	.cfi_undefined rip /* debuggers end here */
	movq kernel_mmu, %rax
	movq %rax, %cr3
	/* Bits 31-24 of EBX are what the interrupt controllers call this processor (SDM vol. 2). */
	movl $1, %eax
	xorl %ecx, %ecx
	cpuid
	shrl $24, %ebx
	movq ap_starts(,%rbx,8), %rdi
	testq %rdi, %rdi
	jz 1f
	/* No frame lies above this one. */
	movq (%rdi), %rsp
	addq $KERNEL_STACK_SIZE, %rsp
	xorl %ebp, %ebp
	call smp_begin
	ud2
1:	hlt /* interrupts are off: nobody called it */
	jmp 1b
	.cfi_endproc
	.size ap_high, . - ap_high

	.section .note.GNU-stack, "", @progbits
