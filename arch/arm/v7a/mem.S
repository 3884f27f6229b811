/* SPDX-License-Identifier: MIT */
/*
 * Pages and words, in the fewest instructions: eight registers at a time. lr is none of them: when
 * it is 0 a walk takes the function for one that has called another, by a record: see
 * asm/unwind.h.
 */

	.text

.macro ZERO_EIGHT
	mov r2, #0
	mov r3, #0
	mov r4, #0
	mov r5, #0
	mov r6, #0
	mov r7, #0
	mov r8, #0
	mov r12, #0
.endm

/* void page_clear(void *page) */
	.globl page_clear
	.type page_clear, %function
page_clear:
	.fnstart
	push {r4-r8, lr}
	.save {r4-r8, lr}
	ZERO_EIGHT
	mov r1, #4096
1:	stmia r0!, {r2-r8, r12}
	stmia r0!, {r2-r8, r12}
	stmia r0!, {r2-r8, r12}
	stmia r0!, {r2-r8, r12}
	subs r1, r1, #128
	bne 1b
	pop {r4-r8, pc}
	.fnend
	.size page_clear, . - page_clear

/*
 * void page_copy(void *page, const void *src): @src may have any alignment, which the loads of one
 * register allow, those of several do not (ARM DDI 0406C, A3.2.1).
 */
	.globl page_copy
	.type page_copy, %function
page_copy:
	.fnstart
	push {r4-r9, lr}
	.save {r4-r9, lr}
	mov r2, #4096
	tst r1, #3
	bne 2f
1:	ldmia r1!, {r3-r9, r12}
	stmia r0!, {r3-r9, r12}
	ldmia r1!, {r3-r9, r12}
	stmia r0!, {r3-r9, r12}
	subs r2, r2, #64
	bne 1b
	pop {r4-r9, pc}
2:	ldr r3, [r1], #4
	ldr r4, [r1], #4
	ldr r5, [r1], #4
	ldr r6, [r1], #4
	stmia r0!, {r3-r6}
	subs r2, r2, #16
	bne 2b
	pop {r4-r9, pc}
	.fnend
	.size page_copy, . - page_copy

/* void words_copy(u64 *to, const u64 *from, size_t n) */
	.globl words_copy
	.type words_copy, %function
words_copy:
	.fnstart
	push {r4-r9, lr}
	.save {r4-r9, lr}
	subs r2, r2, #4
	blo 2f
1:	ldmia r1!, {r3-r9, r12}
	stmia r0!, {r3-r9, r12}
	subs r2, r2, #4
	bhs 1b
	/* What is left of them is less by four, which the two bits do not show. */
2:	tst r2, #2
	ldmne r1!, {r3-r6}
	stmne r0!, {r3-r6}
	tst r2, #1
	ldmne r1!, {r3-r4}
	stmne r0!, {r3-r4}
	pop {r4-r9, pc}
	.fnend
	.size words_copy, . - words_copy

/* void words_clear(u64 *to, size_t n) */
	.globl words_clear
	.type words_clear, %function
words_clear:
	.fnstart
	push {r4-r8, lr}
	.save {r4-r8, lr}
	ZERO_EIGHT
	subs r1, r1, #4
	blo 2f
1:	stmia r0!, {r2-r8, r12}
	subs r1, r1, #4
	bhs 1b
2:	tst r1, #2
	stmne r0!, {r2-r5}
	tst r1, #1
	stmne r0!, {r2-r3}
	pop {r4-r8, pc}
	.fnend
	.size words_clear, . - words_clear

	.section .note.GNU-stack, "", %progbits
