/* SPDX-License-Identifier: MIT */
/*
 * Every way into the kernel and back. Each entry stores a whole struct pt_regs and leaves its
 * address, made odd, in RBP, so that a walker can tell a trap frame from a call's record.
 */
#include <asm/cpu_selectors.h>
#include <asm/offsets.h>

#define MSR_GS_BASE 0xc0000101
#define ENOSYS_RESULT -88
/* RF and TF: SYSRET cannot restore the first and would trap in the kernel on the second. */
#define FLAGS_NEED_IRET 0x10100
#define FLAGS_RF 0x10000

	.section .entry.text, "ax"

/* Everything below orig_ax in struct pt_regs. */
.macro PUSH_REGS ax=%rax
	pushq %rdi
	PUSH_REGS_AFTER_DI \ax
.endm

.macro PUSH_REGS_AFTER_DI ax=%rax
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq \ax
	pushq %r8
	pushq %r9
	pushq %r10
	pushq %r11
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
.endm

.macro POP_REGS
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	popq %r11
	popq %r10
	popq %r9
	popq %r8
	popq %rax
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
.endm

/*
 * SMAP's override, RFLAGS.AC, outlives the entry: a program may have set it, or a copy to or from
 * user memory was interrupted (Intel SDM vol. 3, 4.6.1).
 */
.macro CLEAR_AC
	cmpb $0, cpu_has_smap
	je .Lno_smap\@
	clac
.Lno_smap\@:
.endm

/*
 * SYSCALL (Intel SDM vol. 2): RIP is in RCX, RFLAGS in R11, RSP is still the user's, interrupts are
 * off by FMASK.
 */
	.globl syscall_entry
	.type syscall_entry, @function
syscall_entry:
	swapgs
	movq %rsp, %gs:CPU_USER_SP
	movq %gs:CPU_KERNEL_SP, %rsp
	pushq $USER_DS
	pushq %gs:CPU_USER_SP
	pushq %r11
	pushq $USER_CS
	pushq %rcx
	pushq %rax
	PUSH_REGS $ENOSYS_RESULT
	movq %rsp, %rdi
	leaq 1(%rsp), %rbp
	sti
	call do_syscall
	cli
	movq %gs:CPU_CURRENT, %rax
	movb %gs:CPU_NEED_RESCHED, %cl
	orb TASK_WORK(%rax), %cl
	jnz syscall_work
syscall_return:
	/* A return address above user space would fault inside the kernel on some CPUs. */
	cmpl $0x7fff, REGS_IP + 4(%rsp)
	ja return_by_iret
	testl $FLAGS_NEED_IRET, REGS_FLAGS(%rsp)
	jnz return_by_iret
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	addq $8, %rsp
	popq %r10
	popq %r9
	popq %r8
	popq %rax
	addq $8, %rsp
	popq %rdx
	popq %rsi
	popq %rdi
	movq 8(%rsp), %rcx  /* ip */
	movq 24(%rsp), %r11 /* flags */
	movq 32(%rsp), %rsp
	swapgs
	sysretq
syscall_work:
	movq %rsp, %rdi
	movl $1, %esi
	call exit_work
	jmp syscall_return
	.size syscall_entry, . - syscall_entry

/* void arch_return_to_user(void): leaves by the frame at the top of current's kernel stack. */
	.globl arch_return_to_user
	.type arch_return_to_user, @function
arch_return_to_user:
	movq %gs:CPU_KERNEL_SP, %rsp
	subq $REGS_SIZE, %rsp
	leaq 1(%rsp), %rbp
	movq %rsp, %rdi
	xorl %esi, %esi
	call exit_work
return_by_iret:
	swapgs
	POP_REGS
	addq $8, %rsp
	iretq
	.size arch_return_to_user, . - arch_return_to_user

/*
 * Exceptions and interrupts that run on the current task's kernel stack. The stub pushed an error
 * code (or zero) and RDI, and put the vector into EDI.
 */
	.globl trap_entry
	.type trap_entry, @function
trap_entry:
	PUSH_REGS_AFTER_DI
	cld
	CLEAR_AC
	movl %edi, %esi
	movq %rsp, %rdi
	leaq 1(%rsp), %rbp
	testb $3, REGS_CS(%rsp)
	jz 1f
	swapgs
	call trap_dispatch
	movq %gs:CPU_CURRENT, %rax
	movb %gs:CPU_NEED_RESCHED, %cl
	orb TASK_WORK(%rax), %cl
	jz return_by_iret
	movq %rsp, %rdi
	xorl %esi, %esi
	call exit_work
	jmp return_by_iret
1:	call trap_dispatch
	POP_REGS
	addq $8, %rsp
	iretq
	.size trap_entry, . - trap_entry

/*
 * Exceptions with a stack of their own (NMI, double fault, #DB) can strike between an entry and its
 * SWAPGS, so the mode says nothing about GS; its base does: struct cpu lies in the upper half.
 */
	.globl ist_entry
	.type ist_entry, @function
ist_entry:
	PUSH_REGS_AFTER_DI
	cld
	CLEAR_AC
	movl %edi, %esi
	movq %rsp, %rdi
	leaq 1(%rsp), %rbp
ist_stored:
	movl $MSR_GS_BASE, %ecx
	rdmsr
	xorl %ebx, %ebx
	testl %edx, %edx
	js 1f
	swapgs
	movl $1, %ebx
1:	call ist_dispatch
	testl %ebx, %ebx
	jz 1f
	swapgs
1:	POP_REGS
	addq $8, %rsp
	iretq
	.size ist_entry, . - ist_entry

/*
 * #DB, which a program's breakpoints raise: from user mode there is nothing to find out about GS.
 * What it leaves to be done may sleep, on the task's own stack.
 */
	.globl debug_entry
	.type debug_entry, @function
debug_entry:
	PUSH_REGS_AFTER_DI
	cld
	CLEAR_AC
	movl %edi, %esi
	movq %rsp, %rdi
	leaq 1(%rsp), %rbp
	testb $3, REGS_CS(%rsp)
	jz ist_stored
	swapgs
	call debug_exception
	cmpb $0, %gs:CPU_DEBUG_WORK
	je return_by_iret
	movb $0, %gs:CPU_DEBUG_WORK
	movq %rsp, %rsi
	movq %gs:CPU_KERNEL_SP, %rdi
	subq $REGS_SIZE, %rdi
	movl $(REGS_SIZE / 8), %ecx
	rep movsq
	jmp arch_return_to_user
	.size debug_entry, . - debug_entry

/*
 * #DB before the kernel can tell anybody: what was interrupted goes on, and an instruction that is
 * watched is executed now. DR7.GD is clear by then (Intel SDM vol. 3, 17.2.4).
 */
	.globl debug_ignored
	.type debug_ignored, @function
debug_ignored:
	orl $FLAGS_RF, 16(%rsp)
	iretq
	.size debug_ignored, . - debug_ignored

/*
 * One stub a vector, 16 bytes apart. Vectors 8, 10-14, 17, 21, 29 and 30 push an error code of their
 * own (Intel SDM vol. 3, table 6-1; AMD APM vol. 2, 8.2 for 29 and 30).
 */
	.globl trap_stubs
	.balign 16
trap_stubs:
vector = 0
.rept 256
	.balign 16
	.if (vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30)
	.else
	pushq $0
	.endif
	pushq %rdi
	movl $vector, %edi
	.if vector == 1
	jmp debug_entry
	.elseif (vector == 2) || (vector == 8)
	jmp ist_entry
	.else
	jmp trap_entry
	.endif
	vector = vector + 1
.endr

	.section .note.GNU-stack, "", @progbits
