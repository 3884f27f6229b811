/* SPDX-License-Identifier: MIT */
/* Forking: of several threads only the caller is copied, so it holds the library's locks meanwhile.
 */
#include "thread.h"

#include <stdlib.h>
#include <unistd.h>

struct handlers {
	struct handlers *earlier, *later;
	void (*prepare)(void), (*parent)(void), (*child)(void);
};

static struct lock handlers_lock;
static struct handlers *first, *last;

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	struct handlers *h = malloc(sizeof(*h));

	if (!h)
		return ENOMEM;
	lock_acquire(&handlers_lock);
	*h = (struct handlers){
	    .earlier = last, .prepare = prepare, .parent = parent, .child = child};
	*(last ? &last->later : &first) = h;
	last = h;
	lock_release(&handlers_lock);
	return 0;
}

/* The last one first. */
static void run_prepare(void)
{
	for (struct handlers *h = last; h; h = h->earlier)
		if (h->prepare)
			h->prepare();
}

static void run_after(bool child)
{
	for (struct handlers *h = first; h; h = h->later) {
		void (*handler)(void) = child ? h->child : h->parent;

		if (handler)
			handler();
	}
}

pid_t fork(void)
{
	/* One that was always alone excludes nobody: so it need not write to pages that it then
	 * has to copy. That others have ended is not enough: they give back their stacks later. */
	bool threads = threads_ever();
	long pid;

	if (threads)
		lock_acquire(&handlers_lock);
	run_prepare();
	if (threads)
		library_locks_acquire();
	pid = raw_syscall3(SYS_fork, 0, 0, 0);
	if (!pid && threads)
		threads_forked();
	if (threads)
		library_locks_release();
	run_after(!pid);
	if (threads)
		lock_release(&handlers_lock);
	return syscall_result(pid);
}
