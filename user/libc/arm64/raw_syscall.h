/* SPDX-License-Identifier: MIT */
/* The system-call instruction of AArch64, as the compiler sees it. */
#pragma once

/*
 * Number in x8, arguments in x0-x5, result in x0; nothing else changes. x30 is said to change, so
 * that the calling function has a whole frame record at this instruction: without one, a chain
 * taken in the kernel would miss its caller.
 */
static inline __attribute__((always_inline)) long raw_syscall6(long nr, long a, long b, long c,
							       long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5),
			   "r"(__builtin_frame_address(0))
			 : "x30", "memory");
	return x0;
}

static inline __attribute__((always_inline)) long raw_syscall3(long nr, long a, long b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(__builtin_frame_address(0))
			 : "x30", "memory");
	return x0;
}
