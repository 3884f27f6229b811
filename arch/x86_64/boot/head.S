/* SPDX-License-Identifier: MIT */
/*
 * Where the boot processor starts, by one of two protocols that leave it in the same state, 32-bit
 * protected mode, flat segments, paging off, interrupts off: PVH (Xen, "x86/HVM direct boot ABI"),
 * EBX = physical address of the start-of-day structure; and Multiboot2 (specification 2.0, 3.3),
 * EAX = a magic number, EBX = physical address of the information. By BIOS and by UEFI, whose boot
 * services the loader has ended. Goes to 64-bit mode at the kernel's address, on tables that show
 * the first 4 GiB twice, and calls x86_64_start().
 *
 * What runs before paging is on is linked at its physical address, the rest of the image, whose
 * physical addresses PA() gives, at the kernel's.
 */
#include "long_mode.h"

#define MULTIBOOT2_MAGIC 0xe85250d6
#define MULTIBOOT2_I386  0

/* Page-table entries (Intel SDM vol. 3, 4.5). */
#define PTE_TABLE  0x3  /* present, writable */
#define PTE_2M     0x83 /* and a large page */

	.cfi_sections .debug_frame

	.section .note.pvh, "a", @note
	.balign 4
	.long 4, 4, 18 /* name and descriptor size; XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz "Xen"
	.long boot_entry

	/*
	 * Multiboot2 header, 3.1: within the file's first 32 KiB, each tag at a multiple of 8. A tag
	 * is a type, flags (1: optional) and its size.
	 */
	.section .multiboot2, "a"
	.balign 8
.Lmultiboot2_header:
	.long MULTIBOOT2_MAGIC, MULTIBOOT2_I386
	.long .Lmultiboot2_header_end - .Lmultiboot2_header
	.long -(MULTIBOOT2_MAGIC + MULTIBOOT2_I386 + (.Lmultiboot2_header_end - .Lmultiboot2_header))
	.balign 8
	.short 1, 0 /* information needed: command line, modules, memory map */
	.long 20, 1, 3, 6
	.balign 8
	.short 3, 0 /* where to enter, instead of the file's entry point */
	.long 12, multiboot2_entry
	.balign 8
	.short 5, 1 /* any screen with pixels of 32 bits will do, as will a text mode */
	.long 20, 0, 0, 32
	.balign 8
	.short 6, 0 /* modules begin on page boundaries */
	.long 8
	.balign 8
	.short 0, 0 /* end */
	.long 8
.Lmultiboot2_header_end:

	.section .boot.text, "ax"
	.code32
	.type multiboot2_entry, @function
multiboot2_entry:
	movl %eax, %edi
	jmp 1f
	.size multiboot2_entry, . - multiboot2_entry

	.globl boot_entry
	.type boot_entry, @function
boot_entry:
	xorl %edi, %edi /* by PVH */
1:	cli
	cld
	rdtsc /* before anything else: time begins here */
	movl %eax, %esi
	movl %edx, %ebp

	/* 2 MiB pages for 4 GiB, and one first table for both ends of the lower 2^47 bytes. */
	movl $PA(boot_pd), %edx
	movl $PTE_2M, %eax
1:	movl %eax, (%edx)
	addl $8, %edx
	addl $0x200000, %eax
	jnc 1b
	movl $PA(boot_pd) + PTE_TABLE, %eax
	movl %eax, PA(boot_pdpt)
	addl $0x1000, %eax
	movl %eax, PA(boot_pdpt) + 8
	addl $0x1000, %eax
	movl %eax, PA(boot_pdpt) + 16
	addl $0x1000, %eax
	movl %eax, PA(boot_pdpt) + 24
	movl $PA(boot_pdpt) + PTE_TABLE, PA(boot_pml4)           /* identity */
	movl $PA(boot_pdpt) + PTE_TABLE, PA(boot_pml4) + 256 * 8 /* DIRECT_MAP_BASE */
	movl $PA(boot_pdpt_high) + PTE_TABLE, PA(boot_pml4) + 511 * 8
	movl $PA(boot_pd) + PTE_TABLE, PA(boot_pdpt_high) + 510 * 8 /* KERNEL_IMAGE_BASE */

	ENTER_LONG_MODE EFER_LME
	lgdt PA(boot_gdtr)
	ljmp $KERNEL_CS, $1f

	.code64
1:	SET_DATA_SEGMENTS
	movq $boot_high, %rax
	jmp *%rax
	.size boot_entry, . - boot_entry

	.section .head.text, "ax"
	.type boot_high, @function
boot_high:
	.cfi_startproc
	.cfi_undefined rip /* debuggers end here */
	/* No frame lies above this one. */
	movq $boot_stack + KERNEL_STACK_SIZE, %rsp
	/* The mode switch left the upper halves undefined. */
	movl %edi, %edi
	movl %esi, %edx
	shlq $32, %rbp
	orq %rbp, %rdx
	movl %ebx, %esi
	xorl %ebp, %ebp
	call x86_64_start
	ud2
	.cfi_endproc
	.size boot_high, . - boot_high

	.section .rodata, "a"
	.balign 8
	.globl boot_gdt, boot_gdt_limit
boot_gdt:
	.quad 0
	.quad 0x00af9b000000ffff /* KERNEL_CS: 64-bit code */
	.quad 0x00cf93000000ffff /* KERNEL_DS */
	.quad 0x00cf9b000000ffff /* BOOT_CS32: 32-bit code */
boot_gdt_limit = . - boot_gdt - 1
boot_gdtr:
	.word boot_gdt_limit
	.long PA(boot_gdt)

	/* The loader has zeroed all of .bss (ELF specification, program header). */
	.section .bss.pages, "aw", @nobits
	.balign 4096
	.globl boot_pml4
boot_pml4:      .skip 4096
boot_pdpt:      .skip 4096
boot_pdpt_high: .skip 4096
boot_pd:        .skip 4 * 4096

	/* Becomes the idle task's stack. Without a page below it, once arch_init() has run. */
	.globl boot_stack, boot_stack_guard
boot_stack_guard: .skip 4096
boot_stack:       .skip KERNEL_STACK_SIZE

	.section .note.GNU-stack, "", @progbits
