/* SPDX-License-Identifier: MIT */
/*
 * Thread-local data of variant I (ELF Handling For Thread-Local Storage): the thread pointer is the
 * address of two words of the library's own, behind which the data begin. A thread's part ends
 * there.
 */
#pragma once

static inline struct tls_layout tls_layout(size_t size, size_t align)
{
	size_t data = align > 2 * sizeof(void *) ? align : 2 * sizeof(void *);

	return (struct tls_layout){.below = sizeof(struct pthread),
				   .above = data + size,
				   .data = data,
				   .self = -(intptr_t)sizeof(struct pthread)};
}
