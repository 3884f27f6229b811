/* SPDX-License-Identifier: MIT */
/* One function for each group of EHABI opcodes, and for each form a table entry can have. */
	.syntax unified
	.arm
	.text

.macro opcodes name, bytes:vararg
	.globl \name
	.type \name, %function
\name:
	.fnstart
	nop
	.unwind_raw 0, \bytes
	.fnend
.endm

	opcodes up_and_down, 0x00, 0x3f, 0x40, 0x7f
	opcodes far_up, 0xb2, 0x00, 0xb2, 0x81, 0x01, 0xb2, 0xff, 0xff, 0x03
	opcodes from_register, 0x90, 0x94, 0x97, 0x9b, 0x9c, 0x9e
	opcodes pop_mask, 0x80, 0x01, 0x84, 0x83, 0x8f, 0xff
	opcodes pop_row, 0xa0, 0xa3, 0xa7, 0xa8, 0xab, 0xaf
	opcodes pop_arguments, 0xb1, 0x0f, 0xb1, 0x05
	opcodes vfp_fstmx, 0xb3, 0x82, 0xb3, 0x0f, 0xb8, 0xbf
	opcodes vfp, 0xc8, 0x00, 0xc8, 0x0f, 0xc9, 0x33, 0xd0, 0xd7
	opcodes wmmx, 0xc0, 0xc5, 0xc6, 0x00, 0xc6, 0x23, 0xc7, 0x01, 0xc7, 0x0f
	opcodes authenticated, 0xb4, 0xb5
	opcodes short_finish, 0x00, 0xb0
	opcodes refused, 0x80, 0x00
	opcodes spare_b1_00, 0xb1, 0x00
	opcodes spare_b1_10, 0xb1, 0x10
	opcodes spare_b6, 0xb6
	opcodes spare_b7, 0xb7
	opcodes spare_c7, 0xc7, 0x00
	opcodes spare_ca, 0xca
	opcodes spare_cf, 0xcf
	opcodes spare_d8, 0xd8
	opcodes spare_e0, 0xe0
	opcodes spare_ff, 0xff
	opcodes reserved_9d, 0x9d
	opcodes reserved_9f, 0x9f

	.globl personality_2
	.type personality_2, %function
personality_2:
	.fnstart
	nop
	.save {r4-r7, lr}
	.pad #0x1234
	.personalityindex 2
	.handlerdata
	.word 0
	.fnend

	.globl personality_own
	.type personality_own, %function
personality_own:
	.fnstart
	nop
	.save {r4, lr}
	.personality routine
	.handlerdata
	.word 0x12345678
	.fnend

	.globl routine
	.type routine, %function
routine:
	.fnstart
	.cantunwind
	nop
	.fnend

	.globl __aeabi_unwind_cpp_pr0, __aeabi_unwind_cpp_pr1, __aeabi_unwind_cpp_pr2
__aeabi_unwind_cpp_pr0:
__aeabi_unwind_cpp_pr1:
__aeabi_unwind_cpp_pr2:
	nop
