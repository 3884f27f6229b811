/* SPDX-License-Identifier: MIT */
/*
 * Starting a task on an empty stack, taking hot registers, moving VFP registers: what C cannot say.
 */
#include <asm/offsets.h>
#include <asm/psr.h>

	.cfi_sections .debug_frame
	.text

/*
 * Where the first switch to a task returns to: arch_thread_init() put entry in r4, its argument in
 * r5 and zero in fp. Every chain ends here.
 */
	.globl thread_start
	.type thread_start, %function
thread_start:
	.fnstart
	.cantunwind
	.cfi_startproc
	.cfi_undefined lr /* the same for debuggers */
	mov r0, r4
	mov r1, r5
	bl task_begin
	udf #0
	.cfi_endproc
	.fnend
	.size thread_start, . - thread_start

/*
 * void arch_hot_regs(struct pt_regs *regs): PC, SP and FP as they will be when this returns. LR is
 * not stored: by its zero a walker knows that PC is a return address.
 */
	.globl arch_hot_regs
	.type arch_hot_regs, %function
arch_hot_regs:
	.fnstart
	str fp, [r0, #REGS_FP]
	str sp, [r0, #REGS_SP]
	str lr, [r0, #REGS_PC]
	mov r1, #MODE_SVC
	str r1, [r0, #REGS_CPSR]
	bx lr
	.fnend
	.size arch_hot_regs, . - arch_hot_regs

	.fpu neon-vfpv4

/* void vfp_save(struct vfp_state *state), void vfp_restore(const struct vfp_state *state) */
	.globl vfp_save
	.type vfp_save, %function
vfp_save:
	.fnstart
	vstmia r0!, {d0-d15}
	vstmia r0!, {d16-d31}
	vmrs r1, fpscr
	str r1, [r0]
	bx lr
	.fnend
	.size vfp_save, . - vfp_save

	.globl vfp_restore
	.type vfp_restore, %function
vfp_restore:
	.fnstart
	vldmia r0!, {d0-d15}
	vldmia r0!, {d16-d31}
	ldr r1, [r0]
	vmsr fpscr, r1
	bx lr
	.fnend
	.size vfp_restore, . - vfp_restore

	.section .note.GNU-stack, "", %progbits
