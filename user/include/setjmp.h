/* SPDX-License-Identifier: MIT */
/* newlib's <setjmp.h>, and jumps that take the signal mask along. */
#ifndef HOTREGS_SETJMP_H
#define HOTREGS_SETJMP_H

#include_next <setjmp.h>
#include <sys/_sigset.h>
#include <sys/cdefs.h>

typedef struct {
	jmp_buf registers;
	int has_mask;
	__sigset_t mask;
} sigjmp_buf[1];

__BEGIN_DECLS
void __sigjmp_save(sigjmp_buf env, int save_mask);
void siglongjmp(sigjmp_buf env, int value) __attribute__((__noreturn__));
__END_DECLS

/* A macro, for setjmp() returns into the frame of its caller. */
#define sigsetjmp(env, save_mask) (__sigjmp_save(env, save_mask), setjmp((env)->registers))

#endif
