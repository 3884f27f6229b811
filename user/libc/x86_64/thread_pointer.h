/* SPDX-License-Identifier: MIT */
/*
 * Thread-local data on x86_64 (ELF Handling For Thread-Local Storage, variant II): FS is the
 * address of a thread's part, whose first word says so itself; the data end there.
 */
#pragma once

static inline struct pthread *thread_self(void)
{
	struct pthread *self;

	__asm__("movq %%fs:0, %0" : "=r"(self));
	return self;
}

static inline struct tls_layout tls_layout(size_t size, size_t align)
{
	size_t data = (size + align - 1) & -align;

	return (struct tls_layout){
	    .below = data, .above = sizeof(struct pthread), .data = -(intptr_t)data};
}
