/* SPDX-License-Identifier: MIT */
/* What the checks share. */
#pragma once

#include <hotregs/check.h>

/* Has the machine panicked? Then nothing is checked. Any context. */
bool check_stopped(void);

/* Prints what is wrong and the way there, and counts it. Any context. */
void check_report(const char *fmt, ...) __printf(1, 2);

/* A place in the kernel as people read it, with the function's name. Any context. */
struct place_name {
	char s[64];
};
struct place_name place_name(unsigned long ip);
