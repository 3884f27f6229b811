/* SPDX-License-Identifier: MIT */
/* What a thread is made with. */
#include "thread.h"

#include <sched.h>
#include <unistd.h>

#define STACK_DEFAULT (256 * 1024)

int pthread_attr_init(pthread_attr_t *attr)
{
	*attr = (pthread_attr_t){
	    .stack_size = STACK_DEFAULT,
	    .guard_size = getpagesize(),
	    .detach_state = PTHREAD_CREATE_JOINABLE,
	    .inherit_sched = PTHREAD_INHERIT_SCHED,
	    .policy = SCHED_OTHER,
	};
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr UNUSED)
{
	return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
	if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
		return EINVAL;
	attr->detach_state = state;
	return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
	*state = attr->detach_state;
	return 0;
}

/* --- The stack --- */

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	if (size < PTHREAD_STACK_MIN)
		return EINVAL;
	attr->stack_size = size;
	return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
	*size = attr->stack_size;
	return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size)
{
	/* The thread's own data take some of it. */
	if (!stack || size < PTHREAD_STACK_MIN || size < 2 * thread_space())
		return EINVAL;
	attr->stack = stack;
	attr->stack_size = size;
	return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size)
{
	*stack = attr->stack;
	*size = attr->stack_size;
	return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size)
{
	attr->guard_size = size;
	return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size)
{
	*size = attr->guard_size;
	return 0;
}

/* --- Scheduling --- */

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
	if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)
		return EINVAL;
	attr->inherit_sched = inherit;
	return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit)
{
	*inherit = attr->inherit_sched;
	return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
	if (policy != SCHED_OTHER && policy != SCHED_FIFO && policy != SCHED_RR)
		return EINVAL;
	attr->policy = policy;
	return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy)
{
	*policy = attr->policy;
	return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param)
{
	if (param->sched_priority < 0 || param->sched_priority > UAPI_SCHED_PRIORITY_MAX)
		return EINVAL;
	attr->param = *param;
	return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param)
{
	*param = attr->param;
	return 0;
}

/* Threads compete with all others of the machine. */
int pthread_attr_setscope(pthread_attr_t *attr UNUSED, int scope)
{
	if (scope == PTHREAD_SCOPE_SYSTEM)
		return 0;
	return scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attr UNUSED, int *scope)
{
	*scope = PTHREAD_SCOPE_SYSTEM;
	return 0;
}
