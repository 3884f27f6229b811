/* SPDX-License-Identifier: MIT */
/* From the first instruction to main(), and from its return to the end of the process. */
#include "thread.h"

#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv, char **envp);
void __libc_start(int argc, char **argv, char **envp);
void __libc_init_array(void); /* newlib: runs constructors */
void __libc_fini_array(void);
void _init(void);
void _fini(void);

/*
 * exit() under a declaration that lets it return: a call that cannot would be the last instruction
 * here, and the return address, which chains show, would lie behind this function.
 */
void exit_process(int status) __asm__("exit");

/* newlib calls these around the arrays; no toolchain of ours puts code there. */
void _init(void)
{
}

void _fini(void)
{
}

void __libc_start(int argc, char **argv, char **envp)
{
	tls_start(__builtin_alloca(tls_space()));
	environ = envp;
	atexit(__libc_fini_array);
	__libc_init_array();
	exit_process(main(argc, argv, envp));
	__builtin_trap();
}

void _exit(int status)
{
	SYSCALL(exit, status);
	__builtin_unreachable();
}
