/* SPDX-License-Identifier: MIT */
/* Threads: making, joining, detaching and ending them. */
#include "thread.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { GATE_OPEN, GATE_SHUT, GATE_CANCELLED }; /* struct pthread.start_gate */

void __thread_start(struct pthread *self);
void __thread_main(struct pthread *self);
void __sinit(struct _reent *reent);

uint32_t pthread_count = 1;

pthread_t pthread_self(void)
{
	return thread_self();
}

int pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

pid_t thread_number(const struct pthread *thread)
{
	/* The only thread that need not have its number yet is the first one, as long as it is
	 * alone.
	 */
	pid_t tid = __atomic_load_n(&thread->tid, __ATOMIC_RELAXED);

	return tid || thread != thread_self() ? tid : (pid_t)raw_syscall3(SYS_gettid, 0, 0, 0);
}

/* Lets others wait for the end of the calling thread, which was not made by pthread_create(). */
static void adopt_self(struct pthread *self)
{
	self->tid = raw_syscall3(SYS_thread_set_clear_tid, (long)&self->tid, 0, 0);
}

bool threads_ever(void)
{
	return thread_self()->tid;
}

void threads_forked(void)
{
	pthread_count = 1;
	stacks_forked();
	file_locks_forked();
	adopt_self(thread_self());
}

/* The last one ends the process, as if by exit(0). */
static void leave(struct pthread *self)
{
	uint32_t state;

	if (!__atomic_sub_fetch(&pthread_count, 1, __ATOMIC_ACQ_REL))
		exit(0);
	state = __atomic_exchange_n(&self->state, THREAD_ENDED, __ATOMIC_ACQ_REL);
	/* From here on somebody may take over its memory as soon as its number is cleared. */
	if (state == THREAD_DETACHED)
		thread_release(self);
	raw_syscall3(SYS_thread_exit, 0, 0, 0);
	__builtin_trap();
}

void pthread_exit(void *result)
{
	struct pthread *self = thread_self();

	self->result = result;
	while (self->cleanup)
		_pthread_cleanup_pop(self->cleanup, 1);
	keys_destroy();
	reent_free();
	leave(self);
	__builtin_trap();
}

void __thread_main(struct pthread *self)
{
	if (self->start_gate != GATE_OPEN) {
		while (__atomic_load_n(&self->start_gate, __ATOMIC_ACQUIRE) == GATE_SHUT)
			futex_wait(&self->start_gate, GATE_SHUT);
		if (self->start_gate == GATE_CANCELLED)
			leave(self);
	}
	pthread_exit(self->start(self->arg));
}

/* The thread that @attr describes, and where its stack begins. 0 or EAGAIN. */
static int alloc(const pthread_attr_t *attr, struct pthread **thread, char **sp)
{
	if (!attr->stack) {
		*thread = thread_alloc(attr->stack_size, attr->guard_size, sp);
		return *thread ? 0 : EAGAIN;
	}
	*thread = thread_place((char *)attr->stack + attr->stack_size, sp);
	return 0;
}

/* Gives @thread, which waits, its policy, and lets it go on or end. 0, or sched_setscheduler()'s.
 */
static int set_scheduling(struct pthread *thread, const pthread_attr_t *attr)
{
	long err = raw_syscall3(SYS_sched_setscheduler, thread->tid, attr->policy,
				attr->param.sched_priority);

	__atomic_store_n(&thread->start_gate, err ? GATE_CANCELLED : GATE_OPEN, __ATOMIC_RELEASE);
	futex_wake(&thread->start_gate, 1);
	if (err)
		pthread_join(thread, NULL);
	return -err;
}

/* Starts @thread. Its end, or an error here, gives back what it is made of. */
static int start(struct pthread *thread, const pthread_attr_t *attr, char *sp)
{
	bool explicit = attr->inherit_sched == PTHREAD_EXPLICIT_SCHED;
	long tid;
	int err;

	if (explicit)
		thread->start_gate = GATE_SHUT;
	__atomic_add_fetch(&pthread_count, 1, __ATOMIC_RELAXED);
	tid = raw_syscall6(SYS_thread_create, (long)__thread_start, (long)thread, (long)sp,
			   tls_pointer(thread), (long)&thread->tid, 0);
	if (tid < 0) {
		__atomic_sub_fetch(&pthread_count, 1, __ATOMIC_RELAXED);
		thread_release(thread);
		return EAGAIN;
	}
	err = explicit ? set_scheduling(thread, attr) : 0;
	if (!err && attr->detach_state == PTHREAD_CREATE_DETACHED)
		err = pthread_detach(thread);
	return err;
}

int pthread_create(pthread_t *result, const pthread_attr_t *attr, void *(*entry)(void *), void *arg)
{
	struct pthread *self = thread_self(), *thread;
	pthread_attr_t defaults;
	char *sp;
	int err;

	if (!self->tid) {
		adopt_self(self);
		/* So that what threads print is there when the process ends, whoever printed first.
		 */
		__sinit(_GLOBAL_REENT);
	}
	if (!attr) {
		pthread_attr_init(&defaults);
		attr = &defaults;
	}
	err = alloc(attr, &thread, &sp);
	if (err)
		return err;
	thread->start = entry;
	thread->arg = arg;
	*result = thread;
	return start(thread, attr, sp);
}

/* Waits until the kernel has let go of @thread's memory. */
static void wait_gone(struct pthread *thread)
{
	uint32_t tid;

	while ((tid = __atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE)))
		futex_wait(&thread->tid, tid);
}

int pthread_join(pthread_t thread, void **result)
{
	if (thread == thread_self())
		return EDEADLK;
	if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_DETACHED)
		return EINVAL;
	wait_gone(thread);
	if (result)
		*result = thread->result;
	thread_release(thread);
	return 0;
}

int pthread_detach(pthread_t thread)
{
	uint32_t state = THREAD_JOINABLE;

	if (__atomic_compare_exchange_n(&thread->state, &state, THREAD_DETACHED, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 0;
	if (state == THREAD_DETACHED)
		return EINVAL;
	thread_release(thread); /* it has ended: nobody else will */
	return 0;
}

void _pthread_cleanup_push(struct _pthread_cleanup_context *context, void (*routine)(void *),
			   void *arg)
{
	struct pthread *self = thread_self();

	context->_routine = routine;
	context->_arg = arg;
	context->_previous = self->cleanup;
	self->cleanup = context;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_context *context, int execute)
{
	thread_self()->cleanup = context->_previous;
	if (execute)
		context->_routine(context->_arg);
}
