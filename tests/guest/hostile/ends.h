/* SPDX-License-Identifier: MIT */
/* What comes of a process that does what it may not. */
#pragma once

#include <signal.h>

/* Signals that end it, or nothing: the mask of what may come. */
#define NOTHING 1u
#define ILL     (1u << SIGILL)
#define TRAP    (1u << SIGTRAP)
#define FPE     (1u << SIGFPE)
#define BUS     (1u << SIGBUS)
#define SEGV    (1u << SIGSEGV)

/* Expects that a process which runs @body, named @what, ends as one of @expected. */
void expect_end(const char *what, void (*body)(void), unsigned expected);

/* Makes the @n system calls of these numbers; ends the process, by a status that says which, at the
 * first that does not fail with ENOSYS. For a @body. */
void make_absent_calls(const long numbers[], unsigned n);
