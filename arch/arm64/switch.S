/* SPDX-License-Identifier: MIT */
/*
 * Starting a task on an empty stack, taking hot registers, moving SIMD registers: what C cannot say.
 */
#include <asm/offsets.h>
#include <asm/pstate.h>

	.text

/*
 * Where the first switch to a task returns to: arch_thread_init() left entry and its argument on the
 * stack, and zero for x29. Every chain ends here.
 */
	.globl thread_start
	.type thread_start, %function
thread_start:
	ldp x0, x1, [sp], #16
	mov x30, #0
	bl task_begin
	brk #0
	.size thread_start, . - thread_start

/*
 * void arch_hot_regs(struct pt_regs *regs): PC, SP and FP as they will be when this returns. LR is
 * not stored: by its zero a walker knows that the function has a record.
 */
	.globl arch_hot_regs
	.type arch_hot_regs, %function
arch_hot_regs:
	mov x1, sp
	mov x2, #MODE_EL1H
	str x29, [x0, #REGS_FP]
	stp x30, x2, [x0, #REGS_PC]
	str x1, [x0, #REGS_SP]
	ret
	.size arch_hot_regs, . - arch_hot_regs

	.arch_extension simd

/* void fpsimd_save(struct fpsimd_state *state), void fpsimd_restore(const struct fpsimd_state *state) */
	.globl fpsimd_save
	.type fpsimd_save, %function
fpsimd_save:
	mrs x1, fpsr
	mrs x2, fpcr
	stp q0, q1, [x0]
	stp q2, q3, [x0, #32]
	stp q4, q5, [x0, #64]
	stp q6, q7, [x0, #96]
	stp q8, q9, [x0, #128]
	stp q10, q11, [x0, #160]
	stp q12, q13, [x0, #192]
	stp q14, q15, [x0, #224]
	stp q16, q17, [x0, #256]
	stp q18, q19, [x0, #288]
	stp q20, q21, [x0, #320]
	stp q22, q23, [x0, #352]
	stp q24, q25, [x0, #384]
	stp q26, q27, [x0, #416]
	stp q28, q29, [x0, #448]
	stp q30, q31, [x0, #480]!
	stp w1, w2, [x0, #32]
	ret
	.size fpsimd_save, . - fpsimd_save

	.globl fpsimd_restore
	.type fpsimd_restore, %function
fpsimd_restore:
	ldp q0, q1, [x0]
	ldp q2, q3, [x0, #32]
	ldp q4, q5, [x0, #64]
	ldp q6, q7, [x0, #96]
	ldp q8, q9, [x0, #128]
	ldp q10, q11, [x0, #160]
	ldp q12, q13, [x0, #192]
	ldp q14, q15, [x0, #224]
	ldp q16, q17, [x0, #256]
	ldp q18, q19, [x0, #288]
	ldp q20, q21, [x0, #320]
	ldp q22, q23, [x0, #352]
	ldp q24, q25, [x0, #384]
	ldp q26, q27, [x0, #416]
	ldp q28, q29, [x0, #448]
	ldp q30, q31, [x0, #480]!
	ldp w1, w2, [x0, #32]
	msr fpsr, x1
	msr fpcr, x2
	ret
	.size fpsimd_restore, . - fpsimd_restore

	.section .note.GNU-stack, "", %progbits
