/* SPDX-License-Identifier: MIT */
/*
 * The instructions that touch user memory. Each is listed in __ex_table with the place where to go on
 * when its fault cannot be resolved. They are unprivileged loads and stores (Arm ARM DDI 0487, C3.2.5),
 * which have the rights of a program: so they are let through where PAN (D8.4.3) keeps the kernel from
 * programs' pages, and the kernel's own are out of their reach. None of these functions has a frame.
 */
#include <asm/uaccess.h>

#define EFAULT 14

	.text

/* Two 32-bit offsets from themselves. */
.macro ON_FAULT fixup, insn:vararg
9:	\insn
	.pushsection __ex_table, "a"
	.balign 4
	.long 9b - .
	.long \fixup - .
	.popsection
.endm

/* The range of x2 bytes at \addr is in user space, or else there is a fault. Changes x3. */
.macro CHECK_RANGE addr, fault
	mov x3, #UACCESS_END
	subs x3, x3, x2
	b.lo \fault
	cmp \addr, x3
	b.hi \fault
	cmp \addr, #UACCESS_START
	b.lo \fault
.endm

/* int copy_from_user(void *dst, const void *src, size_t n) */
	.globl copy_from_user
	.type copy_from_user, %function
copy_from_user:
	CHECK_RANGE x1, .Lfrom_fault
1:	subs x2, x2, #32
	b.lo 2f
	ON_FAULT .Lfrom_fault, ldtr x3, [x1]
	ON_FAULT .Lfrom_fault, ldtr x4, [x1, #8]
	ON_FAULT .Lfrom_fault, ldtr x5, [x1, #16]
	ON_FAULT .Lfrom_fault, ldtr x6, [x1, #24]
	add x1, x1, #32
	stp x3, x4, [x0], #16
	stp x5, x6, [x0], #16
	b 1b
	/* The lower bits are still right. */
2:	tbz x2, #4, 3f
	ON_FAULT .Lfrom_fault, ldtr x3, [x1]
	ON_FAULT .Lfrom_fault, ldtr x4, [x1, #8]
	add x1, x1, #16
	stp x3, x4, [x0], #16
3:	tbz x2, #3, 4f
	ON_FAULT .Lfrom_fault, ldtr x3, [x1]
	add x1, x1, #8
	str x3, [x0], #8
4:	tbz x2, #2, 5f
	ON_FAULT .Lfrom_fault, ldtr w3, [x1]
	add x1, x1, #4
	str w3, [x0], #4
5:	tbz x2, #1, 6f
	ON_FAULT .Lfrom_fault, ldtrh w3, [x1]
	add x1, x1, #2
	strh w3, [x0], #2
6:	tbz x2, #0, 7f
	ON_FAULT .Lfrom_fault, ldtrb w3, [x1]
	strb w3, [x0]
7:	mov x0, #0
	ret
.Lfrom_fault:
	mov x0, #-EFAULT
	ret
	.size copy_from_user, . - copy_from_user

/* int copy_to_user(void *dst, const void *src, size_t n) */
	.globl copy_to_user
	.type copy_to_user, %function
copy_to_user:
	CHECK_RANGE x0, .Lto_fault
1:	subs x2, x2, #32
	b.lo 2f
	ldp x3, x4, [x1], #16
	ldp x5, x6, [x1], #16
	ON_FAULT .Lto_fault, sttr x3, [x0]
	ON_FAULT .Lto_fault, sttr x4, [x0, #8]
	ON_FAULT .Lto_fault, sttr x5, [x0, #16]
	ON_FAULT .Lto_fault, sttr x6, [x0, #24]
	add x0, x0, #32
	b 1b
2:	tbz x2, #4, 3f
	ldp x3, x4, [x1], #16
	ON_FAULT .Lto_fault, sttr x3, [x0]
	ON_FAULT .Lto_fault, sttr x4, [x0, #8]
	add x0, x0, #16
3:	tbz x2, #3, 4f
	ldr x3, [x1], #8
	ON_FAULT .Lto_fault, sttr x3, [x0]
	add x0, x0, #8
4:	tbz x2, #2, 5f
	ldr w3, [x1], #4
	ON_FAULT .Lto_fault, sttr w3, [x0]
	add x0, x0, #4
5:	tbz x2, #1, 6f
	ldrh w3, [x1], #2
	ON_FAULT .Lto_fault, sttrh w3, [x0]
	add x0, x0, #2
6:	tbz x2, #0, 7f
	ldrb w3, [x1]
	ON_FAULT .Lto_fault, sttrb w3, [x0]
7:	mov x0, #0
	ret
.Lto_fault:
	mov x0, #-EFAULT
	ret
	.size copy_to_user, . - copy_to_user

/* bool arch_user_word(u32 *value, const u32 *addr) */
	.globl arch_user_word
	.type arch_user_word, %function
arch_user_word:
	ON_FAULT .Lword_fault, ldtr w1, [x1]
	str w1, [x0]
	mov w0, #1
	ret
.Lword_fault:
	mov w0, #0
	ret
	.size arch_user_word, . - arch_user_word

/*
 * long arch_user_string_copy(char *dst, const char *src, size_t max): copies up to the first NUL, or max
 * bytes. Returns how many bytes precede the NUL, max when there is none, or -EFAULT. The caller has
 * checked the range. An aligned word lies in one page, so reading past the NUL faults nowhere else.
 */
	.globl arch_user_string_copy
	.type arch_user_string_copy, %function
arch_user_string_copy:
	mov x3, #0
	mov x6, #0x0101010101010101
1:	cmp x3, x2
	b.hs 4f
	tst x1, #7
	b.eq 3f
2:	ON_FAULT .Lstring_fault, ldtrb w4, [x1]
	strb w4, [x0, x3]
	cbz w4, 4f
	add x1, x1, #1
	add x3, x3, #1
	b 1b
3:	add x5, x3, #8
	cmp x5, x2
	b.hi 2b
	ON_FAULT .Lstring_fault, ldtr x4, [x1]
	/* (w - 0x01...) & ~w & 0x80... is not zero when a byte of w is. */
	sub x7, x4, x6
	bic x7, x7, x4
	tst x7, #0x8080808080808080
	b.ne 2b
	str x4, [x0, x3]
	add x1, x1, #8
	mov x3, x5
	b 1b
.Lstring_fault:
	mov x3, #-EFAULT
4:	mov x0, x3
	ret
	.size arch_user_string_copy, . - arch_user_string_copy

	.section .note.GNU-stack, "", %progbits
