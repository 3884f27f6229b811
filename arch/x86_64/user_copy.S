/* SPDX-License-Identifier: MIT */
/*
 * The instructions that touch user memory. Each is listed in __ex_table with the place where to go
 * on when its page fault cannot be resolved, or it is refused by a general protection exception. With SMAP (Intel SDM vol. 3, 4.6.1) the AC flag opens
 * user memory to them. All have a frame, so that a chain through their faults is whole.
 */
#include <asm/uaccess.h>

#define EFAULT 14

	.text

.macro USER_ACCESS_BEGIN
	cmpb $0, cpu_has_smap(%rip)
	je .Lopen\@
	stac
.Lopen\@:
.endm

.macro USER_ACCESS_END
	cmpb $0, cpu_has_smap(%rip)
	je .Lclosed\@
	clac
.Lclosed\@:
.endm

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
	.type \name, @function
	.balign 16
\name:
	pushq %rbp
	movq %rsp, %rbp
	/* n <= END and START <= address <= END - n */
	movabsq $UACCESS_END, %rax
	subq %rdx, %rax
	jb .Loutside_\name
	cmpq %rax, \user
	ja .Loutside_\name
	cmpq $UACCESS_START, \user
	jb .Loutside_\name
	movq %rdx, %rcx
	USER_ACCESS_BEGIN
	shrq $3, %rcx
.Lwords_\name:
	rep movsq
	movl %edx, %ecx
	andl $7, %ecx
.Lbytes_\name:
	rep movsb
	xorl %eax, %eax
.Lend_\name:
	USER_ACCESS_END
	popq %rbp
	ret
.Lfault_\name:
	movl $-EFAULT, %eax
	jmp .Lend_\name
.Loutside_\name:
	movl $-EFAULT, %eax
	popq %rbp
	ret
	.size \name, . - \name
	ON_FAULT .Lwords_\name, .Lfault_\name
	ON_FAULT .Lbytes_\name, .Lfault_\name
.endm

	COPY_USER copy_from_user, %rsi
	COPY_USER copy_to_user, %rdi

/* int NAME(void *image): \insn, of 512 bytes in user memory, whose range has been checked. */
.macro USER_FPU name, insn
	.globl \name
	.type \name, @function
	.balign 16
\name:
	pushq %rbp
	movq %rsp, %rbp
	xorl %eax, %eax
	USER_ACCESS_BEGIN
.Limage_\name:
	\insn (%rdi)
.Lend_\name:
	USER_ACCESS_END
	popq %rbp
	ret
.Lfault_\name:
	movl $-EFAULT, %eax
	jmp .Lend_\name
	.size \name, . - \name
	ON_FAULT .Limage_\name, .Lfault_\name
.endm

	USER_FPU fpu_to_user, fxsave64
	USER_FPU fpu_from_user, fxrstor64

/* bool arch_user_word(u32 *value, const u32 *addr) */
	.globl arch_user_word
	.type arch_user_word, @function
	.balign 16
arch_user_word:
	pushq %rbp
	movq %rsp, %rbp
	movl $1, %eax
	USER_ACCESS_BEGIN
.Lsingle:
	movl (%rsi), %ecx
.Lsingle_end:
	USER_ACCESS_END
	movl %ecx, (%rdi)
	popq %rbp
	ret
.Lsingle_fault:
	xorl %eax, %eax
	jmp .Lsingle_end
	.size arch_user_word, . - arch_user_word
	ON_FAULT .Lsingle, .Lsingle_fault

/*
 * long arch_user_string_copy(char *dst, const char *src, size_t max): copies up to the first NUL, or max
 * bytes. Returns how many bytes precede the NUL, max when there is none, or -EFAULT. The caller has
 * checked the range. An aligned word lies in one page, so reading past the NUL faults nowhere else.
 */
	.globl arch_user_string_copy
	.type arch_user_string_copy, @function
	.balign 16
arch_user_string_copy:
	pushq %rbp
	movq %rsp, %rbp
	movabsq $0x0101010101010101, %r8
	movq %r8, %r9
	shlq $7, %r9
	xorl %eax, %eax
	USER_ACCESS_BEGIN
.Lstring_next:
	cmpq %rdx, %rax
	jae .Lstring_end
	leaq (%rsi, %rax), %rcx
	testb $7, %cl
	jz .Lstring_words
.Lstring_byte:
	movb (%rsi, %rax), %cl
	movb %cl, (%rdi, %rax)
	testb %cl, %cl
	jz .Lstring_end
	incq %rax
	jmp .Lstring_next
.Lstring_words:
	leaq 8(%rax), %rcx
	cmpq %rdx, %rcx
	ja .Lstring_tail
.Lstring_word:
	movq (%rsi, %rax), %r10
	/* (w - 0x01...) & ~w & 0x80... is not zero when a byte of w is. */
	movq %r10, %r11
	subq %r8, %r11
	movq %r10, %rcx
	notq %rcx
	andq %rcx, %r11
	testq %r9, %r11
	jnz .Lstring_byte
	movq %r10, (%rdi, %rax)
	addq $8, %rax
	jmp .Lstring_words
.Lstring_tail:
	cmpq %rdx, %rax
	jae .Lstring_end
	jmp .Lstring_byte
.Lstring_fault:
	movq $-EFAULT, %rax
.Lstring_end:
	USER_ACCESS_END
	popq %rbp
	ret
	.size arch_user_string_copy, . - arch_user_string_copy
	ON_FAULT .Lstring_byte, .Lstring_fault
	ON_FAULT .Lstring_word, .Lstring_fault

	.section .note.GNU-stack, "", @progbits
