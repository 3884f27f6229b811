/* SPDX-License-Identifier: MIT */
/*
 * Where a program starts on x86_64. The kernel leaves argc at RSP, then argv[] and envp[], each
 * ending in NULL, as the System V ABI (AMD64 supplement, 3.4.1) has it. RBP zero marks the
 * outermost frame: every user chain ends here.
 */
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	(%rsp), %rdi
	leaq	8(%rsp), %rsi
	leaq	16(%rsp,%rdi,8), %rdx
	andq	$-16, %rsp
	call	__libc_start
	ud2
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
