/* SPDX-License-Identifier: MIT */
/*
 * Thread-local data on ARM (Addenda to the ABI, "Thread Local Storage": variant I): TPIDRURO is the
 * address of two words of the library's own, behind which the data begin. A thread's part ends
 * there.
 */
#pragma once

static inline struct pthread *thread_self(void)
{
	struct pthread *tp;

	__asm__("mrc p15, 0, %0, c13, c0, 3" : "=r"(tp));
	return tp - 1;
}

static inline struct tls_layout tls_layout(size_t size, size_t align)
{
	size_t data = align > 2 * sizeof(void *) ? align : 2 * sizeof(void *);

	return (struct tls_layout){.below = sizeof(struct pthread),
				   .above = data + size,
				   .data = data,
				   .self = -(intptr_t)sizeof(struct pthread)};
}
