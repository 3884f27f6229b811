/* SPDX-License-Identifier: MIT */
/* The heap's end and memory mappings. */
#include "libc.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel answers with the break in force, which is the old one when it refuses. */
void *sbrk(ptrdiff_t increment)
{
	static unsigned long end;

	if (!end)
		end = raw_syscall3(SYS_brk, 0, 0, 0);

	unsigned long old = end, wanted = old + increment;

	if (increment) {
		end = raw_syscall3(SYS_brk, wanted, 0, 0);
		if (end != wanted) {
			errno = ENOMEM;
			return (void *)-1;
		}
	}
	return (void *)old;
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)SYSCALL6(mmap, addr, len, prot, flags, fd, offset);
}

int munmap(void *addr, size_t len)
{
	return SYSCALL(munmap, addr, len);
}
