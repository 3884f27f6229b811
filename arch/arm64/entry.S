/* SPDX-License-Identifier: MIT */
/*
 * Every way into the kernel and back. Each entry stores a whole struct pt_regs on SP_EL1's stack.
 *
 * While a program runs, SP_EL1 is the end of its kernel stack, where its frame goes. In the kernel
 * SP_EL0 is the running task (asm/percpu.h). x29 leads a walker on: it is 0 where a program was
 * interrupted, and points at the frame's own record where the kernel was.
 *
 * References: Arm ARM DDI 0487, D1.3.
 */
#include <asm/constants.h>
#include <asm/offsets.h>
#include <asm/pstate.h>

	.section .entry.text, "ax"

/* The vectors, 128 bytes each. */
.macro VECTOR target
	.balign 128
	b \target
.endm

	.globl exception_vectors
	.balign 2048
exception_vectors:
	VECTOR vector_unexpected /* on SP_EL0, which the kernel never is */
	VECTOR vector_unexpected
	VECTOR vector_unexpected
	VECTOR vector_unexpected
	VECTOR vector_kernel_sync
	VECTOR vector_kernel_irq
	VECTOR vector_unexpected /* FIQ: nobody has one yet */
	VECTOR vector_kernel_serror
	VECTOR vector_user_sync
	VECTOR vector_user_irq
	VECTOR vector_user_unexpected
	VECTOR vector_user_serror
	VECTOR vector_user_unexpected /* programs in AArch32 state, which are none */
	VECTOR vector_user_unexpected
	VECTOR vector_user_unexpected
	VECTOR vector_user_unexpected

.macro STORE_MOST
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	stp x8, x9, [sp, #64]
	stp x10, x11, [sp, #80]
	stp x12, x13, [sp, #96]
	stp x14, x15, [sp, #112]
	stp x16, x17, [sp, #128]
	stp x18, x19, [sp, #144]
	stp x20, x21, [sp, #160]
	stp x22, x23, [sp, #176]
	stp x24, x25, [sp, #192]
	stp x26, x27, [sp, #208]
	stp x28, x29, [sp, #224]
	mrs x22, elr_el1
	mrs x23, spsr_el1
.endm

/* A whole frame of a program; SP_EL0 becomes the running task. */
.macro STORE_USER_REGS
	stp x0, x1, [sp, #-REGS_SIZE]!
	STORE_MOST
	mrs x21, sp_el0
	mrs x20, tpidr_el1
	stp x30, x21, [sp, #REGS_LR]
	stp x22, x23, [sp, #REGS_PC]
	ldr x19, [x20, #CPU_CURRENT]
	msr sp_el0, x19
	mov x29, #0
.endm

/* The same of the kernel's, with a record. */
.macro STORE_KERNEL_REGS
	stp x0, x1, [sp, #-REGS_SIZE]!
	STORE_MOST
	add x21, sp, #REGS_SIZE
	mov x20, #-1
	stp x30, x21, [sp, #REGS_LR]
	stp x22, x23, [sp, #REGS_PC]
	str x20, [sp, #REGS_ORIG_X0]
	stp x29, x22, [sp, #REGS_RECORD]
	add x29, sp, #REGS_RECORD
.endm

/* From x22 = PC, x23 = PSTATE; what is left of the frame, and the stack given up. */
.macro LOAD_REGS
	msr elr_el1, x22
	msr spsr_el1, x23
	ldp x2, x3, [sp, #16]
	ldp x4, x5, [sp, #32]
	ldp x6, x7, [sp, #48]
	ldp x8, x9, [sp, #64]
	ldp x10, x11, [sp, #80]
	ldp x12, x13, [sp, #96]
	ldp x14, x15, [sp, #112]
	ldp x16, x17, [sp, #128]
	ldp x18, x19, [sp, #144]
	ldp x20, x21, [sp, #160]
	ldp x22, x23, [sp, #176]
	ldp x24, x25, [sp, #192]
	ldp x26, x27, [sp, #208]
	ldp x28, x29, [sp, #224]
	ldr x30, [sp, #REGS_LR]
	ldp x0, x1, [sp], #REGS_SIZE
	/* The exclusive monitor is cleared by it (B2.12.2): none outlives the code that set it. */
	eret
.endm

.macro ENTRY name
	.type vector_\name, %function
vector_\name:
.endm

.macro END name
	.size vector_\name, . - vector_\name
.endm

/* Interrupts of the kernel; SErrors are let in again, debug exceptions by the handlers. */
.macro KERNEL_INTERRUPT name, handler
	ENTRY \name
	STORE_KERNEL_REGS
	msr daifclr, #DAIF_A
	mov x0, sp
	bl \handler
	b return_to_kernel
	END \name
.endm

.macro USER_INTERRUPT name, handler
	ENTRY \name
	STORE_USER_REGS
	mov x20, #-1
	str x20, [sp, #REGS_ORIG_X0]
	msr daifclr, #DAIF_A
	mov x0, sp
	bl \handler
	b return_to_user
	END \name
.endm

	KERNEL_INTERRUPT kernel_irq, irq_interrupt
	KERNEL_INTERRUPT kernel_serror, serror_interrupt
	KERNEL_INTERRUPT unexpected, unexpected_exception
	USER_INTERRUPT user_irq, irq_interrupt
	USER_INTERRUPT user_serror, serror_interrupt
	USER_INTERRUPT user_unexpected, unexpected_exception

/*
 * An abort may mean that there is no stack to store anything on. The first store of an entry is the one
 * at the lowest address: if that is what has just failed, this would fail there, too. The one register
 * that is free meanwhile is one that programs can read, but none of those runs.
 */
	ENTRY kernel_sync
	msr tpidrro_el0, x0
	mrs x0, far_el1
	sub x0, sp, x0
	cmp x0, #REGS_SIZE
	b.ls near_stack
has_stack:
	mrs x0, tpidrro_el0
	msr tpidrro_el0, xzr
	STORE_KERNEL_REGS
	msr daifclr, #DAIF_A
	mov x0, sp
	mrs x1, esr_el1
	bl kernel_exception
	b return_to_kernel
	/* FAR_EL1 may be of an older abort, or of a watchpoint: is there room on the running task's
	 * stack? */
near_stack:
	mrs x0, tpidr_el1
	ldr x0, [x0, #CPU_CURRENT]
	ldr x0, [x0, #TASK_STACK]
	sub x0, sp, x0
	sub x0, x0, #REGS_SIZE
	cmp x0, #KERNEL_STACK_SIZE
	b.lo has_stack
	/* On the emergency stack, whose begin takes SP's place. */
	mrs x0, tpidr_el1
	ldr x0, [x0, #CPU_EMERGENCY_SP]
	sub x0, x0, #REGS_SIZE
	stp x1, x2, [x0, #8]
	mov x1, sp
	mov sp, x0
	mrs x2, tpidrro_el0
	str x2, [sp]
	mov x2, x1
	ldr x1, [sp, #8]
	str x2, [sp, #REGS_SP]
	ldr x2, [sp, #16]
	STORE_MOST
	ldr x21, [sp, #REGS_SP]
	stp x30, x21, [sp, #REGS_LR]
	stp x22, x23, [sp, #REGS_PC]
	stp x29, x22, [sp, #REGS_RECORD]
	add x29, sp, #REGS_RECORD
	mov x0, sp
	bl stack_fault
	brk #0
	END kernel_sync

/* Has current something to do before it goes back to user mode? */
.macro LOOK_FOR_WORK
	mrs x1, tpidr_el1
	mrs x2, sp_el0
	ldrb w1, [x1, #CPU_NEED_RESCHED]
	ldrb w2, [x2, #TASK_WORK]
	orr w1, w1, w2
.endm

	ENTRY user_sync
	STORE_USER_REGS
	mrs x1, esr_el1
	lsr x2, x1, #26 /* EC */
	cmp x2, #0x15   /* SVC */
	b.eq syscall_entry
	mov x20, #-1
	str x20, [sp, #REGS_ORIG_X0]
	mov x0, sp
	msr daifclr, #DAIF_A
	bl user_exception
	b return_to_user
	END user_sync

	.type syscall_entry, %function
syscall_entry:
	ldrb w21, [x20, #CPU_STEPPING]
	str x0, [sp, #REGS_ORIG_X0]
	cbnz w21, 2f
1:	mov x0, sp
	msr daifclr, #DAIF_D | DAIF_A | DAIF_I
	bl do_syscall
	msr daifset, #DAIF_I
	LOOK_FOR_WORK
	cbz w1, leave_to_user
	mov w1, #1
	b do_work
2:	mov x0, sp
	bl step_put_off
	b 1b
	.size syscall_entry, . - syscall_entry

/* Interrupts off, SP = the frame. */
	.type return_to_user, %function
return_to_user:
	LOOK_FOR_WORK
	cbz w1, leave_to_user
	mov w1, #0
do_work:
	mov x0, sp
	bl exit_work
leave_to_user:
	ldp x22, x23, [sp, #REGS_PC]
	ldr x21, [sp, #REGS_SP]
	/* Or an exception would change them again. */
	msr daifset, #0xf
	msr sp_el0, x21
	LOAD_REGS
	.size return_to_user, . - return_to_user

	.type return_to_kernel, %function
return_to_kernel:
	msr daifset, #0xf
	ldp x22, x23, [sp, #REGS_PC]
	LOAD_REGS
	.size return_to_kernel, . - return_to_kernel

/* void arch_return_to_user(void): leaves by the frame at the top of current's kernel stack. */
	.globl arch_return_to_user
	.type arch_return_to_user, %function
arch_return_to_user:
	mrs x0, sp_el0
	ldr x0, [x0, #TASK_STACK]
	add x0, x0, #KERNEL_STACK_SIZE
	sub sp, x0, #REGS_SIZE
	mov x29, #0
	b return_to_user
	.size arch_return_to_user, . - arch_return_to_user

	.section .note.GNU-stack, "", %progbits
