/* SPDX-License-Identifier: MIT */
/*
 * Whose a process is, and what that lets it do. There is one user number a process: 0 is
 * privileged, fork passes it on, exec keeps it, and who has given the privilege up does not get it
 * back.
 */
#include <hotregs/syscalls.h>

#include "proc.h"

bool process_privileged(void)
{
	return !current->process || !READ_ONCE(current->process->uid);
}

enum memory_claim process_claim(void)
{
	const struct task *task = current;

	/* Without init the machine ends, so nobody else can take its memory. */
	if (!task || !task->process || task->process == init_process)
		return CLAIM_SYSTEM;
	return process_privileged() ? CLAIM_PRIVILEGED : CLAIM_USER;
}

int process_may_access(const struct task *target)
{
	if (!target->process)
		return -EPERM;
	if (process_privileged() || target->process->uid == current->process->uid)
		return 0;
	return -EPERM;
}

long sys_getuid(void)
{
	return current->process->uid;
}

long sys_setuid(uid_t uid)
{
	if (uid > UAPI_UID_MAX)
		return -EINVAL;
	if (!process_privileged() && uid != current->process->uid)
		return -EPERM;
	WRITE_ONCE(current->process->uid, uid);
	return 0;
}
