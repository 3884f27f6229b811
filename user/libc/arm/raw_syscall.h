/* SPDX-License-Identifier: MIT */
/* The system-call instruction of ARM, as the compiler sees it. */
#pragma once

#ifdef __thumb__
#error "r7 has the number, and is the frame pointer of Thumb code: call the C library, or use -marm"
#endif

/*
 * Number in R7, arguments in R0-R5, result in R0; nothing else changes. The frame address is an
 * operand, and LR is said to change, so that the calling function has a whole frame record at this
 * instruction: without one, a chain taken in the kernel would miss its caller.
 */
static inline __attribute__((always_inline)) long raw_syscall6(long nr, long a, long b, long c,
							       long d, long e, long f)
{
	register long r7 __asm__("r7") = nr;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;
	register long r4 __asm__("r4") = e;
	register long r5 __asm__("r5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5),
			   "r"(__builtin_frame_address(0))
			 : "lr", "memory");
	return r0;
}

static inline __attribute__((always_inline)) long raw_syscall3(long nr, long a, long b, long c)
{
	register long r7 __asm__("r7") = nr;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;

	__asm__ volatile("svc #0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(__builtin_frame_address(0))
			 : "lr", "memory");
	return r0;
}
