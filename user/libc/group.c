/* SPDX-License-Identifier: MIT */
/* Process groups and sessions. */
#include "libc.h"

#include <unistd.h>

int setpgid(pid_t pid, pid_t pgid)
{
	return SYSCALL(setpgid, pid, pgid);
}

int setpgrp(void)
{
	return setpgid(0, 0);
}

pid_t getpgid(pid_t pid)
{
	return SYSCALL(getpgid, pid);
}

pid_t getpgrp(void)
{
	return getpgid(0);
}

pid_t setsid(void)
{
	return SYSCALL(setsid);
}

pid_t getsid(pid_t pid)
{
	return SYSCALL(getsid, pid);
}
