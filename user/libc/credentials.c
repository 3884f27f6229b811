/* SPDX-License-Identifier: MIT */
/*
 * Whose the process is. It has one user number, so the real and the effective one are the same; of
 * groups there is one, 0.
 */
#include "libc.h"

#include <unistd.h>

_Static_assert((uid_t)-1 == UAPI_UID_MAX + 1, "uid_t");

uid_t getuid(void)
{
	return SYSCALL(getuid);
}

uid_t geteuid(void)
{
	return getuid();
}

gid_t getgid(void)
{
	return 0;
}

gid_t getegid(void)
{
	return 0;
}

int setuid(uid_t uid)
{
	return SYSCALL(setuid, uid);
}

/* A privilege can not be put aside and taken back: EPERM for any number but the own. */
int seteuid(uid_t uid)
{
	if (uid == getuid())
		return 0;
	errno = uid > UAPI_UID_MAX ? EINVAL : EPERM;
	return -1;
}

int setreuid(uid_t real, uid_t effective)
{
	if (real == (uid_t)-1 && effective == (uid_t)-1)
		return 0;
	/* Of -1 and a number, that is the other one as it is. */
	if (real != effective)
		return seteuid(real == (uid_t)-1 ? effective : real);
	return setuid(real);
}
