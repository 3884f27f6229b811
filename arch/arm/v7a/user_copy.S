/* SPDX-License-Identifier: MIT */
/*
 * The instructions that touch user memory. Each is listed in __ex_table with the place where to go
 * on when its fault cannot be resolved. They are plain loads and stores: a program's pages give the
 * kernel no right that the program lacks, and no other page lies below USER_END, which is checked.
 * In lr there is never anything but where to return: see mem.S.
 */
#include <asm/uaccess.h>

#define EFAULT 14

	.text

/* Two 32-bit offsets from themselves. */
.macro ON_FAULT insn, fixup
	.pushsection __ex_table, "a"
	.balign 4
	.long \insn - .
	.long \fixup - .
	.popsection
.endm

/* int NAME(void *dst, const void *src, size_t n): \user is the one in user memory. */
.macro COPY_USER name, user
	.globl \name
	.type \name, %function
\name:
	.fnstart
	push {r4-r9, lr}
	.save {r4-r9, lr}
	/* n <= END and START <= address <= END - n */
	rsbs r3, r2, #UACCESS_END
	cmphs r3, \user
	cmphs \user, #UACCESS_START
	blo .Lfault_\name
	orr r3, r0, r1
	tst r3, #3
	bne .Lfew_\name
.Lmany_\name:
	subs r2, r2, #32
	blo .Lmost_\name
.Lload_\name:
	ldmia r1!, {r3-r9, r12}
.Lstore_\name:
	stmia r0!, {r3-r9, r12}
	b .Lmany_\name
.Lmost_\name:
	add r2, r2, #32
.Lfew_\name:
	/* A single register may be loaded and stored at any address. */
	subs r2, r2, #4
	blo .Llast_\name
.Lload4_\name:
	ldr r3, [r1], #4
.Lstore4_\name:
	str r3, [r0], #4
	b .Lfew_\name
.Llast_\name:
	adds r2, r2, #4
	beq .Lend_\name
.Lload1_\name:
	ldrb r3, [r1], #1
.Lstore1_\name:
	strb r3, [r0], #1
	subs r2, r2, #1
	bne .Lload1_\name
.Lend_\name:
	mov r0, #0
	pop {r4-r9, pc}
.Lfault_\name:
	mvn r0, #EFAULT - 1
	pop {r4-r9, pc}
	.fnend
	.size \name, . - \name
	ON_FAULT .Lload_\name, .Lfault_\name
	ON_FAULT .Lstore_\name, .Lfault_\name
	ON_FAULT .Lload4_\name, .Lfault_\name
	ON_FAULT .Lstore4_\name, .Lfault_\name
	ON_FAULT .Lload1_\name, .Lfault_\name
	ON_FAULT .Lstore1_\name, .Lfault_\name
.endm

	COPY_USER copy_from_user, r1
	COPY_USER copy_to_user, r0

/* bool arch_user_word(u32 *value, const u32 *addr) */
	.globl arch_user_word
	.type arch_user_word, %function
arch_user_word:
	.fnstart
.Lsingle:
	ldr r1, [r1]
	str r1, [r0]
	mov r0, #1
	bx lr
.Lsingle_fault:
	mov r0, #0
	bx lr
	.fnend
	.size arch_user_word, . - arch_user_word
	ON_FAULT .Lsingle, .Lsingle_fault

/* bool arm_user_store(u32 *addr, u32 value) */
	.globl arm_user_store
	.type arm_user_store, %function
arm_user_store:
	.fnstart
.Lsingle_store:
	str r1, [r0]
	mov r0, #1
	bx lr
	.fnend
	.size arm_user_store, . - arm_user_store
	ON_FAULT .Lsingle_store, .Lsingle_fault

/*
 * long arch_user_string_copy(char *dst, const char *src, size_t max): copies up to the first NUL, or max
 * bytes. Returns how many bytes precede the NUL, max when there is none, or -EFAULT. The caller has
 * checked the range. An aligned word lies in one page, so reading past the NUL faults nowhere else.
 */
	.globl arch_user_string_copy
	.type arch_user_string_copy, %function
arch_user_string_copy:
	.fnstart
	push {r4-r6, lr}
	.save {r4-r6, lr}
	ldr r4, =0x01010101
	mov r3, #0
.Lstring_next:
	cmp r3, r2
	bhs .Lstring_end
	add r12, r1, r3
	tst r12, #3
	beq .Lstring_words
.Lstring_byte:
	ldrb r12, [r1, r3]
	strb r12, [r0, r3]
	cmp r12, #0
	beq .Lstring_end
	add r3, r3, #1
	b .Lstring_next
.Lstring_words:
	add r12, r3, #4
	cmp r12, r2
	bhi .Lstring_rest
.Lstring_word:
	ldr r5, [r1, r3]
	/* (w - 0x01...) & ~w & 0x80... is not zero when a byte of w is. */
	sub r6, r5, r4
	bic r6, r6, r5
	tst r6, r4, lsl #7
	bne .Lstring_byte
	str r5, [r0, r3]
	mov r3, r12
	b .Lstring_words
.Lstring_rest:
	cmp r3, r2
	blo .Lstring_byte
	b .Lstring_end
.Lstring_fault:
	mvn r3, #EFAULT - 1
.Lstring_end:
	mov r0, r3
	pop {r4-r6, pc}
	.fnend
	.size arch_user_string_copy, . - arch_user_string_copy
	ON_FAULT .Lstring_byte, .Lstring_fault
	ON_FAULT .Lstring_word, .Lstring_fault

	.section .note.GNU-stack, "", %progbits
