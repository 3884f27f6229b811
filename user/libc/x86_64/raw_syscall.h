/* SPDX-License-Identifier: MIT */
/* The system-call instruction of x86_64, as the compiler sees it. */
#pragma once

/*
 * Number in RAX, arguments in RDI RSI RDX R10 R8 R9, result in RAX; SYSCALL itself uses RCX and R11
 * (Intel SDM vol. 2, SYSCALL). The frame address is an operand so that the calling function has a
 * frame at this instruction: without one, a chain taken in the kernel would miss its caller.
 */
static inline __attribute__((always_inline)) long raw_syscall6(long nr, long a, long b, long c,
							       long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9),
			   "r"(__builtin_frame_address(0))
			 : "rcx", "r11", "memory");
	return nr;
}

static inline __attribute__((always_inline)) long raw_syscall3(long nr, long a, long b, long c)
{
	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"(a), "S"(b), "d"(c), "r"(__builtin_frame_address(0))
			 : "rcx", "r11", "memory");
	return nr;
}
