/* SPDX-License-Identifier: MIT */
/*
 * Every way into the kernel and back. Each entry stores a whole struct pt_regs on the Supervisor
 * stack, and at every call from here SP is its address: so a walker finds it.
 *
 * While a program runs, SP_svc points at orig_r0 of the frame at the top of its kernel stack, so that
 * SRS (ARM DDI 0406C, B9.3.16) puts PC and CPSR where the frame has them. CPSR.F is left alone.
 */
#include <asm/constants.h>
#include <asm/offsets.h>
#include <asm/psr.h>

	.section .entry.text, "ax"
	.fnstart
	.cantunwind

	.globl exception_vectors
	.balign 32
exception_vectors:
	b vector_unexpected /* reset: comes elsewhere */
	b vector_undefined
	b syscall_entry
	b vector_prefetch_abort
	b vector_data_abort
	b vector_unexpected /* Hyp mode's alone */
	b vector_irq
	b vector_unexpected /* FIQ: nobody has one yet */

/* From SP = &pc to a whole frame of a program; r0 = the frame, r1 = its CPSR. */
.macro STORE_USER_REGS
	sub sp, sp, #REGS_PC
	stmia sp, {r0-lr}^
	ldr r1, [sp, #REGS_CPSR]
	mov r0, sp
	tst r1, #CPSR_MODE & ~MODE_USR
.endm

/*
 * The interrupted code was the kernel's: what STORE_USER_REGS began ends at its SP and needs SP and
 * LR, a place for orig_r0, and alignment. The first store reaches as far down as any: if the stack
 * has no room, the frame is still as it was for stack_fault().
 */
.macro STORE_KERNEL_REGS
	str lr, [sp, #-8]
	ldmia sp, {r0, r1}
	str lr, [sp, #REGS_LR]
	add lr, sp, #REGS_ORIG_R0 /* the interrupted SP */
	sub sp, sp, #4
	bic sp, sp, #7
	stmia sp, {r0-r12}
	ldmdb lr, {r2-r4}
	mov r1, lr
	mvn r5, #0
	add r0, sp, #REGS_SP
	stmia r0, {r1-r5} /* sp, lr, pc, cpsr, orig_r0 */
	mov r0, sp
.endm

/* Asynchronous aborts are let in again: an exception may have masked them. */
.macro VECTOR name, lr_offset, handler
	.type vector_\name, %function
vector_\name:
	.if \lr_offset
	sub lr, lr, #\lr_offset
	.endif
	srsdb sp!, #MODE_SVC
	cpsie a, #MODE_SVC
	STORE_USER_REGS
	bne 1f
	mvn r1, #0
	str r1, [sp, #REGS_ORIG_R0]
	bl \handler
	b return_to_user
1:	STORE_KERNEL_REGS
	bl \handler
	b return_to_kernel
	.size vector_\name, . - vector_\name
.endm

	VECTOR irq, 4, irq_interrupt
	VECTOR undefined, 0, undefined_instruction
	VECTOR prefetch_abort, 4, prefetch_abort
	VECTOR unexpected, 0, unexpected_exception

/*
 * A data abort may mean that there is no stack to store anything on. So PC and CPSR go to Abort
 * mode's own stack, cpu->arch.abort_record, first: the second SRS then faults, comes back here, and
 * finds the record taken.
 */
	.type vector_data_abort, %function
vector_data_abort:
	sub lr, lr, #8
	srsia sp!, #MODE_ABT
	tst sp, #8
	beq no_stack
	srsdb sp!, #MODE_SVC
	sub sp, sp, #8
	cpsie a, #MODE_SVC
	STORE_USER_REGS
	bne 1f
	mvn r1, #0
	str r1, [sp, #REGS_ORIG_R0]
	bl data_abort
	b return_to_user
1:	STORE_KERNEL_REGS
	bl data_abort
	b return_to_kernel
no_stack:
	ldr sp, [sp, #ABORT_EMERGENCY_SP - 16]
	sub sp, sp, #REGS_SIZE
	stmia sp, {r0-r12}
	mov r0, sp
	cps #MODE_SVC
	str sp, [r0, #REGS_SP]
	str lr, [r0, #REGS_LR]
	mov sp, r0
	bl stack_fault
	udf #0
	.size vector_data_abort, . - vector_data_abort

/* Has current something to do before it goes back to user mode? */
.macro LOOK_FOR_WORK
	mrc p15, 0, r1, c13, c0, 4 /* TPIDRPRW */
	ldr r2, [r1, #CPU_CURRENT]
	ldrb r1, [r1, #CPU_NEED_RESCHED]
	ldrb r2, [r2, #TASK_WORK]
	orrs r1, r1, r2
.endm

	.type syscall_entry, %function
syscall_entry:
	str r0, [sp]
	srsdb sp!, #MODE_SVC
	sub sp, sp, #REGS_PC
	stmia sp, {r0-lr}^
	cpsie i
	mov r0, sp
	bl do_syscall
	cpsid i
	LOOK_FOR_WORK
	beq 1f
	mov r1, #1
	b 3f
	.size syscall_entry, . - syscall_entry

/* Interrupts off, SP = the frame. */
	.type return_to_user, %function
return_to_user:
	LOOK_FOR_WORK
	bne 2f
1:	clrex /* a reservation must not outlive the code that made it (A3.4.5) */
	ldmia sp, {r0-lr}^
	add sp, sp, #REGS_PC
	rfeia sp!
2:	mov r1, #0
3:	mov r0, sp
	bl exit_work
	b 1b
	.size return_to_user, . - return_to_user

	.type return_to_kernel, %function
return_to_kernel:
	clrex
	ldr r0, [sp, #REGS_CPSR]
	msr spsr_cxsf, r0
	ldmia sp, {r0-pc}^
	.size return_to_kernel, . - return_to_kernel

/* void arch_return_to_user(void): leaves by the frame at the top of current's kernel stack. */
	.globl arch_return_to_user
	.type arch_return_to_user, %function
arch_return_to_user:
	mrc p15, 0, r1, c13, c0, 4
	ldr r2, [r1, #CPU_CURRENT]
	ldr sp, [r2, #TASK_STACK]
	add sp, sp, #KERNEL_STACK_SIZE
	sub sp, sp, #REGS_SIZE
	b return_to_user
	.size arch_return_to_user, . - arch_return_to_user
	.fnend

	.section .note.GNU-stack, "", %progbits
