/* SPDX-License-Identifier: MIT */
/*
 * A system call with every register known, and which of them changed; x86_64. SYSCALL itself uses
 * RCX and R11 (Intel SDM vol. 2, SYSCALL), RAX has the result; all others are the program's.
 */
#define NR 0
#define ARG(n) (8 + 8 * (n))
#define FP 56
#define RESULT 64
#define CHANGED 72
#define FPU 80

#define RBX_VALUE $0x1badb002deadbee1
#define R12_VALUE $0x1badb002deadbee2
#define R13_VALUE $0x1badb002deadbee3
#define R14_VALUE $0x1badb002deadbee4
#define R15_VALUE $0x1badb002deadbee5

/* \reg should be \value: if not, bit \bit of RCX. */
	.macro	compare reg, value, bit
	movabsq	\value, %r11
	cmpq	%r11, \reg
	je	1f
	orl	$1 << \bit, %ecx
1:
	.endm

/* \reg should be what argument \n was. */
	.macro	compare_arg reg, n
	cmpq	ARG(\n)(%rax), \reg
	je	1f
	orl	$1 << \n, %ecx
1:
	.endm

	.globl	enter
	.type	enter, @function
enter:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rdi

	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu	fpu_pattern + 16 * \n, %xmm\n
	.endr
	movq	%rdi, %rax
	movq	ARG(0)(%rax), %rdi
	movq	ARG(1)(%rax), %rsi
	movq	ARG(2)(%rax), %rdx
	movq	ARG(3)(%rax), %r10
	movq	ARG(4)(%rax), %r8
	movq	ARG(5)(%rax), %r9
	movq	FP(%rax), %rbp
	movq	NR(%rax), %rax
	movabsq	RBX_VALUE, %rbx
	movabsq	R12_VALUE, %r12
	movabsq	R13_VALUE, %r13
	movabsq	R14_VALUE, %r14
	movabsq	R15_VALUE, %r15
	syscall

	movq	%rax, %rcx
	movq	(%rsp), %rax
	movq	%rcx, RESULT(%rax)
	xorl	%ecx, %ecx
	compare_arg %rdi, 0
	compare_arg %rsi, 1
	compare_arg %rdx, 2
	compare_arg %r10, 3
	compare_arg %r8, 4
	compare_arg %r9, 5
	compare	%rbx, RBX_VALUE, 6
	compare	%r12, R12_VALUE, 7
	compare	%r13, R13_VALUE, 8
	compare	%r14, R14_VALUE, 9
	compare	%r15, R15_VALUE, 10
	cmpq	FP(%rax), %rbp
	je	2f
	orl	$1 << 11, %ecx
2:	movq	%rcx, CHANGED(%rax)
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu	%xmm\n, FPU + 16 * \n(%rax)
	.endr
	popq	%rdi
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	enter, . - enter

	.globl	thread_pointer
	.type	thread_pointer, @function
thread_pointer:
	movq	%fs:0, %rax
	ret
	.size	thread_pointer, . - thread_pointer

	.globl	spin_on
	.type	spin_on, @function
spin_on:
	movq	%rdi, %rsp
	movq	%rsi, %rbp
1:	jmp	1b
	.size	spin_on, . - spin_on
	.section .note.GNU-stack, "", @progbits
