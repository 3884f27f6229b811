/* SPDX-License-Identifier: MIT */
/*
 * User memory on the real machine: copies of every size and place, faults in the middle of them,
 * copy on write, the sampler's reader, and no memory left.
 */
#include <hotregs/address_space.h>
#include <hotregs/string.h>

#include <arch/irq.h>
#include <arch/uaccess.h>

#include "ktest.h"

/* Four writable pages, a hole, one read-only page, a hole. */
#define WRITABLE     0x400000UL
#define WRITABLE_END (WRITABLE + 4 * PAGE_SIZE)
#define READ_ONLY    (WRITABLE_END + PAGE_SIZE)

/* Runs the test in an address space of its own. */
static struct mm *enter(void)
{
	const struct vma rw = {
	    .start = WRITABLE, .end = WRITABLE_END, .prot = MMU_READ | MMU_WRITE};
	const struct vma ro = {.start = READ_ONLY, .end = READ_ONLY + PAGE_SIZE, .prot = MMU_READ};
	struct mm *mm = mm_create();
	unsigned long flags;

	if (!EXPECT(!IS_ERR(mm)))
		return NULL;
	EXPECT_EQ(mm_add_vma(mm, &rw, NULL), 0);
	EXPECT_EQ(mm_add_vma(mm, &ro, NULL), 0);
	flags = irq_save();
	current->mm = mm;
	mm_switch(mm);
	irq_restore(flags);
	return mm;
}

static void leave(struct mm *mm)
{
	current->mm = NULL;
	mm_put(mm);
}

static void *user(unsigned long va)
{
	return (void *)va;
}

/* The size_t-wide pattern that tells each byte of a buffer from its neighbours. */
static void fill(u8 *p, size_t n, u8 seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = seed + i * 7;
}

KTEST(uaccess_copies_every_size_and_place)
{
	struct mm *mm = enter();
	struct user_reader reader = {0};
	u8 out[80], in[80], expected[80];
	unsigned long word;
	bool good = true;

	if (!mm)
		return;
	for (size_t n = 1; n <= 72 && good; n++) {
		/* Around a page boundary; both pages come into being by the copy. */
		unsigned long va = WRITABLE + (n % 3 + 1) * PAGE_SIZE - n;

		fill(out, sizeof(out), n);
		memset(in, 0xee, sizeof(in));
		memset(expected, 0xee, sizeof(expected));
		memcpy(expected, out + n % 8, n);
		good = EXPECT_EQ(copy_to_user(user(va), out + n % 8, n), 0) &&
		       EXPECT_EQ(copy_from_user(in, user(va), n), 0) &&
		       EXPECT(!memcmp(in, expected, sizeof(in)));
	}
	memcpy(&word, expected + 64, sizeof(word));
	EXPECT_EQ(copy_to_user(user(WRITABLE + 16), &word, sizeof(word)), 0);
	EXPECT(user_reader_word(&reader, WRITABLE + 16, &word));
	EXPECT(!memcmp(&word, expected + 64, sizeof(word)));
	leave(mm);
}

KTEST(uaccess_faults_are_errors)
{
	struct mm *mm = enter();
	u8 buf[64] = {0};
	u64 faults;

	if (!mm)
		return;
	EXPECT_EQ(copy_to_user(user(WRITABLE_END - 33), buf, 33), 0);
	EXPECT_EQ(copy_to_user(user(WRITABLE_END - 33), buf, 34), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(WRITABLE_END - 33), 34), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(WRITABLE_END), 1), -EFAULT);
	EXPECT_EQ(copy_to_user(user(READ_ONLY), buf, 8), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(READ_ONLY), 8), 0);
	EXPECT_EQ(copy_to_user(user(READ_ONLY), buf, 8), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(USER_END - 8), 16), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(WRITABLE), -1UL), -EFAULT);
	EXPECT_EQ(copy_from_user(buf, user(WRITABLE), -WRITABLE), -EFAULT);
	/*
	 * Where sleeping is not allowed a page that is not there yet is an error too. In
	 * parentheses it is the function alone: the check that is made of its callers would rightly
	 * object.
	 */
	faults = mm->faults_min;
	irq_disable();
	EXPECT_EQ((copy_to_user)(user(WRITABLE), buf, 8), -EFAULT);
	EXPECT_EQ((copy_to_user)(user(WRITABLE_END - 8), buf, 8), 0);
	irq_enable();
	EXPECT_EQ(mm->faults_min, faults);
	EXPECT_EQ(copy_to_user(user(WRITABLE), buf, 8), 0);
	EXPECT_EQ(mm->faults_min, faults + 1);
	leave(mm);
}

/* Are @n bytes at @va out of reach for every way to user memory? */
static void expect_refused(unsigned long va, size_t n)
{
	u8 buf[64] = {0};

	EXPECT_EQ(copy_from_user(buf, user(va), n), -EFAULT);
	EXPECT_EQ(copy_to_user(user(va), buf, n), -EFAULT);
	EXPECT(!user_range_ok(va, n));
}

/* Whatever lies beyond the ends of user space, none of it is a program's: not even if it is mapped.
 */
KTEST(uaccess_ends_of_user_space)
{
	const unsigned long below = USER_START - PAGE_SIZE, last = USER_END - PAGE_SIZE;
	const struct vma top = {.start = last, .end = USER_END, .prot = MMU_READ | MMU_WRITE};
	struct mm *mm = enter();
	struct user_reader reader = {0};
	unsigned long word = 5;
	char text[8];
	void *page;

	if (!mm)
		return;
	EXPECT_EQ(mm_add_vma(mm, &top, NULL), 0);
	page = page_alloc_zeroed(0);
	EXPECT_EQ(mmu_map(&mm->mmu, below, virt_to_phys(page), MMU_READ | MMU_WRITE | MMU_USER), 0);
	EXPECT_EQ(copy_to_user(user(USER_END - 8), &word, sizeof(word)), 0);
	expect_refused(USER_END - 7, 8);
	expect_refused(USER_END, 1);
	expect_refused(USER_START - 1, 1);
	expect_refused(below, 8);
	EXPECT_EQ(strncpy_from_user(text, user(below), sizeof(text)), -EFAULT);
	EXPECT_EQ(strncpy_from_user(text, user(USER_END), sizeof(text)), -EFAULT);
	EXPECT(!user_reader_word(&reader, below, &word));
	EXPECT(!user_reader_word(&reader, USER_END, &word));
	EXPECT(user_reader_word(&reader, USER_END - sizeof(long), &word));
	EXPECT_EQ(mmu_unmap(&mm->mmu, below), virt_to_phys(page));
	mmu_flush(below, below + PAGE_SIZE);
	page_free(page, 0);
	leave(mm);
}

KTEST(uaccess_strings_end_where_they_end)
{
	static const char text[] = "/a/path/of/some/length/to/cross/words";
	struct mm *mm = enter();
	char copy[64];
	bool good = true;

	if (!mm)
		return;
	for (size_t n = 0; n < sizeof(text) && good; n++) {
		/* The NUL is the last byte before the hole: nothing may be read behind it. */
		unsigned long va = WRITABLE_END - n - 1;

		memset(copy, 'x', sizeof(copy));
		good = EXPECT_EQ(copy_to_user(user(va), text + sizeof(text) - n - 1, n + 1), 0) &&
		       EXPECT_EQ(strncpy_from_user(copy, user(va), sizeof(copy)), n) &&
		       EXPECT(!strcmp(copy, text + sizeof(text) - n - 1)) &&
		       EXPECT_EQ(strncpy_from_user(copy, user(va), n + 1), n) &&
		       EXPECT_EQ(strncpy_from_user(copy, user(va), n), -ENAMETOOLONG);
	}
	memset(copy, 'x', sizeof(copy));
	EXPECT_EQ(copy_to_user(user(WRITABLE_END - 20), copy, 20), 0);
	EXPECT_EQ(strncpy_from_user(copy, user(WRITABLE_END - 20), sizeof(copy)), -EFAULT);
	EXPECT_EQ(strncpy_from_user(copy, user(WRITABLE_END - 20), 20), -ENAMETOOLONG);
	EXPECT_EQ(strncpy_from_user(copy, text, sizeof(copy)), -EFAULT);
	EXPECT_EQ(strncpy_from_user(copy, NULL, sizeof(copy)), -EFAULT);
	EXPECT_EQ(strncpy_from_user(copy, user(USER_END), sizeof(copy)), -EFAULT);
	leave(mm);
}

KTEST(uaccess_fork_copies_on_write)
{
	struct mm *mm = enter(), *child;
	u64 value = 1, seen;
	unsigned long flags;

	if (!mm)
		return;
	EXPECT_EQ(copy_to_user(user(WRITABLE), &value, 8), 0);
	child = mm_fork(mm);
	if (!EXPECT(!IS_ERR(child))) {
		leave(mm);
		return;
	}
	EXPECT_EQ(copy_from_user(&seen, user(WRITABLE), 8), 0);
	value = 2;
	EXPECT_EQ(copy_to_user(user(WRITABLE), &value, 8), 0);
	EXPECT_EQ(copy_from_user(&seen, user(WRITABLE), 8), 0);
	EXPECT_EQ(seen, 2);
	flags = irq_save();
	current->mm = child;
	mm_switch(child);
	irq_restore(flags);
	EXPECT_EQ(copy_from_user(&seen, user(WRITABLE), 8), 0);
	EXPECT_EQ(seen, 1);
	EXPECT_EQ(mm_resident_pages(child), 1);
	mm_put(mm);
	leave(child);
}

KTEST(uaccess_reader_takes_memory_only)
{
	struct mm *mm = enter();
	struct user_reader reader = {0};
	unsigned long word = 5;

	if (!mm)
		return;
	EXPECT(!user_reader_word(&reader, WRITABLE, &word)); /* not there yet */
	EXPECT_EQ(copy_to_user(user(WRITABLE), &word, sizeof(word)), 0);
	EXPECT(user_reader_word(&reader, WRITABLE, &word));
	EXPECT(!user_reader_word(&reader, WRITABLE + PAGE_SIZE, &word));
	EXPECT(user_reader_word(&reader, WRITABLE, &word)); /* the cache has survived */
	/* Device registers, and a kernel page, in the user's half. */
	EXPECT_EQ(mmu_map(&mm->mmu, READ_ONLY, 0xfee00000, MMU_READ | MMU_USER | MMU_DEVICE), 0);
	EXPECT(!user_reader_word(&reader, READ_ONLY, &word));
	EXPECT_EQ(mmu_map(&mm->mmu, READ_ONLY, 0x100000, MMU_READ), 0);
	EXPECT(!user_reader_word(&reader, READ_ONLY, &word));
	mmu_unmap(&mm->mmu, READ_ONLY);
	leave(mm);
}

KTEST(uaccess_nofault_copies_what_is_there)
{
	struct mm *mm = enter();
	unsigned long end = WRITABLE + 2 * PAGE_SIZE; /* of what will be there */
	u8 out[64], in[128], zeroes[64] = {0};
	u64 faults;

	if (!mm)
		return;
	EXPECT_EQ(copy_from_user_nofault(in, WRITABLE, 1), 0); /* not there yet */
	fill(out, sizeof(out), 3);
	EXPECT_EQ(copy_to_user(user(WRITABLE + PAGE_SIZE - 31), out, sizeof(out)), 0);
	faults = mm->faults_min;
	/* Across two pages, at no word's address; and from the last bytes into the hole. */
	EXPECT_EQ(copy_from_user_nofault(in, WRITABLE + PAGE_SIZE - 31, sizeof(out)), sizeof(out));
	EXPECT(!memcmp(in, out, sizeof(out)));
	memset(in, 0xee, sizeof(in));
	EXPECT_EQ(copy_from_user_nofault(in, end - 5, sizeof(in)), 5);
	EXPECT(!memcmp(in, zeroes, 5));
	EXPECT_EQ(in[5], 0xee);
	EXPECT_EQ(copy_from_user_nofault(in, WRITABLE, 0), 0);
	/* Never the kernel's memory, and never around the end of the address space. */
	EXPECT_EQ(copy_from_user_nofault(in, (unsigned long)out, 8), 0);
	EXPECT_EQ(copy_from_user_nofault(in, USER_END - 8, 64), 0);
	EXPECT_EQ(copy_from_user_nofault(in, -8UL, 64), 0);
	EXPECT_EQ(copy_from_user_nofault(in, 0, 8), 0);
	EXPECT_EQ(mm->faults_min, faults);
	leave(mm);
}

KTEST(uaccess_without_memory_is_an_error)
{
	void *taken = NULL, *page;
	size_t free_before, objects_before;
	struct mm *mm;
	u64 value = 1;

	leave(enter()); /* what stays allocated for ever is now */
	free_before = page_nr_free();
	objects_before = kmalloc_in_use();
	mm = enter();
	if (!mm)
		return;
	while ((page = page_alloc(0)))
		page_chain_add(&taken, page);
	EXPECT_EQ(copy_to_user(user(WRITABLE), &value, 8), -EFAULT);
	EXPECT_EQ(mm_fault(mm, WRITABLE, MMU_WRITE, NULL), -ENOMEM);
	EXPECT_EQ(PTR_ERR(mm_fork(mm)), -ENOMEM);
	EXPECT(!vmap_alloc(4));
	while ((page = taken)) {
		taken = page_link(page);
		page_free(page, 0);
	}
	EXPECT_EQ(copy_to_user(user(WRITABLE), &value, 8), 0);
	leave(mm);
	EXPECT_EQ(page_nr_free(), free_before);
	EXPECT_EQ(kmalloc_in_use(), objects_before);
}
