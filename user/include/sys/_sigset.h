/* SPDX-License-Identifier: MIT */
/* In place of newlib's, whose set has not room for all signals where a long has 32 bits. */
#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_

typedef unsigned long long __sigset_t; /* number n is bit n-1 */

#endif
