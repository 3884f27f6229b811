/* SPDX-License-Identifier: MIT */
/*
 * Unwind tables in the compact model name these two (ARM IHI 0038, 9.2). The kernel reads such
 * tables by itself, and nothing in C calls them. Weak, so that a program that throws gets libgcc's.
 */
	.weak	__aeabi_unwind_cpp_pr0
	.weak	__aeabi_unwind_cpp_pr1
	.type	__aeabi_unwind_cpp_pr0, %function
	.type	__aeabi_unwind_cpp_pr1, %function
__aeabi_unwind_cpp_pr0:
__aeabi_unwind_cpp_pr1:
	.fnstart
	bx	lr
	.fnend
	.size	__aeabi_unwind_cpp_pr0, . - __aeabi_unwind_cpp_pr0
	.size	__aeabi_unwind_cpp_pr1, . - __aeabi_unwind_cpp_pr1
	.section .note.GNU-stack, "", %progbits
