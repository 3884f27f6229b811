/* SPDX-License-Identifier: MIT */
/* Architecture contract: the only ways to touch user memory. */
#pragma once

#include <hotregs/check.h>
#include <hotregs/types.h>

struct pt_regs;

/*
 * Copy to or from the current task's user memory, resolving page faults; 0 or -EFAULT (range
 * outside user space, no such mapping, no right, out of memory). May sleep.
 */
int copy_from_user(void *dst, const void __user *src, size_t n);
int copy_to_user(void __user *dst, const void *src, size_t n);

/* What is checked of every caller stands here, since the functions themselves are the
 * architecture's. */
#ifdef CHECKS
#define copy_from_user(dst, src, n) (might_sleep(), copy_from_user(dst, src, n))
#define copy_to_user(dst, src, n)   (might_sleep(), copy_to_user(dst, src, n))
#endif

/*
 * Copies a NUL-terminated string of at most @size-1 characters; returns its length, -EFAULT, or
 * -ENAMETOOLONG. May sleep.
 */
ssize_t strncpy_from_user(char *dst, const char __user *src, size_t size);

/*
 * Reads an aligned 32-bit word of the current task's memory, at an address in user space, in one
 * access. Call with interrupts off: then a page fault is not resolved. False: there was one.
 */
bool arch_user_word(u32 *value, const u32 __user *addr);

/*
 * What strncpy_from_user() is made of: copies up to the first NUL, or @max bytes, of a range that
 * is in user space. Returns how many bytes precede the NUL, @max when there is none, or -EFAULT.
 */
long arch_user_string_copy(char *dst, const char __user *src, size_t max);

/*
 * The exception table (kernel/mm/uaccess.c): pairs of 32-bit offsets from themselves, in section
 * __ex_table, of an instruction that touches user memory and of where to go on when its fault can
 * not be resolved. Is @regs at such an instruction? Moves it there; false: it is not. Any context.
 */
bool extable_covers(const struct pt_regs *regs);
bool extable_fixup(struct pt_regs *regs);

/* Is [addr, addr+n) inside user space, without wrapping? */
static inline bool user_range_ok(unsigned long addr, size_t n);

/*
 * Reads user memory for a sampler: walks the loaded page tables and reads through the direct map,
 * so it can neither fault nor sleep. The cache makes a second read of the same page a compare.
 */
struct user_reader {
	unsigned long page; /* cached user page */
	const u8 *data;     /* where the direct map shows it; NULL: none */
};

/* One aligned machine word at @addr; false when it is not mapped readable for user. NMI-safe. */
static inline bool user_reader_word(struct user_reader *r, unsigned long addr, unsigned long *word);

/* Finds @addr's page for user_reader_word(). NMI-safe. */
bool user_reader_map(struct user_reader *r, unsigned long addr);

/*
 * Copies what is there now of the @n bytes at @src in the loaded address space, by such a reader:
 * neither faults nor sleeps. Returns how many bytes precede the first page that is not mapped
 * readable for user. NMI-safe.
 */
size_t copy_from_user_nofault(void *dst, unsigned long src, size_t n);

#include <arch/mmu.h>

static inline bool user_range_ok(unsigned long addr, size_t n)
{
	return n <= USER_END && addr <= USER_END - n && addr >= USER_START;
}

static inline bool user_reader_word(struct user_reader *r, unsigned long addr, unsigned long *word)
{
	if (unlikely((addr & PAGE_MASK) != r->page || !r->data) && !user_reader_map(r, addr))
		return false;
	*word = *(const unsigned long *)(r->data + (addr & ~PAGE_MASK));
	return true;
}
