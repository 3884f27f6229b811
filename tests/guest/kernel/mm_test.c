/* SPDX-License-Identifier: MIT */
/* Memory on the real machine: what is writable is not executable, guards are holes, nothing leaks.
 */
#include <hotregs/cpu.h>
#include <hotregs/mm.h>
#include <hotregs/string.h>

#include <arch/mmu.h>
#include <arch/uaccess.h>

#include "ktest.h"

static int some_data = 1;

/* The MMU_* rights of a kernel address; 0: not mapped. */
static unsigned rights(unsigned long va)
{
	phys_addr_t pa;
	unsigned prot = 0;

	return mmu_lookup(&kernel_mmu, va, &pa, &prot) ? prot : 0;
}

KTEST(mm_kernel_is_w_xor_x)
{
	static const char text[] = "read-only";
	phys_addr_t pa;
	unsigned prot;

	EXPECT_EQ(rights((unsigned long)rights), MMU_READ | MMU_EXEC);
	EXPECT_EQ(rights((unsigned long)text), MMU_READ);
	EXPECT_EQ(rights((unsigned long)&some_data), MMU_READ | MMU_WRITE);
	EXPECT_EQ(rights(current->stack), MMU_READ | MMU_WRITE);
	/* The same code seen through the direct map. */
	if (EXPECT(mmu_lookup(&kernel_mmu, (unsigned long)rights, &pa, &prot)))
		EXPECT_EQ(rights((unsigned long)phys_to_virt(pa)), MMU_READ);
}

KTEST(mm_stack_has_a_guard_page)
{
	EXPECT_EQ(rights(current->stack - 1), 0);
	EXPECT_EQ(rights(current->stack + KERNEL_STACK_SIZE), 0);
}

KTEST(mm_null_is_not_mapped)
{
	EXPECT_EQ(rights(0), 0);
	EXPECT_EQ(rights(0x100000), 0);
}

KTEST(mm_vmap_gives_everything_back)
{
	size_t before;
	u8 *va;

	vmap_free(vmap_alloc(64), 64); /* page tables stay */
	before = page_nr_free();
	va = vmap_alloc(64);
	if (!EXPECT(va))
		return;
	for (size_t i = 0; i < 64 * PAGE_SIZE; i += 64)
		if (!EXPECT_EQ(va[i], 0))
			break;
	va[0] = va[64 * PAGE_SIZE - 1] = 1;
	EXPECT_EQ(rights((unsigned long)va - 1), 0);
	EXPECT_EQ(rights((unsigned long)va + 64 * PAGE_SIZE), 0);
	vmap_free(va, 64);
	EXPECT_EQ(rights((unsigned long)va), 0);
	EXPECT_EQ(page_nr_free(), before);
}

KTEST(mm_user_pointers_are_refused)
{
	u8 byte;

	EXPECT_EQ(copy_from_user(&byte, (void *)&some_data, 1), -EFAULT);
	EXPECT_EQ(copy_to_user((void *)&some_data, &byte, 1), -EFAULT);
	EXPECT_EQ(copy_from_user(&byte, (void *)USER_END, 1), -EFAULT);
	EXPECT_EQ(copy_from_user(&byte, (void *)-1UL, 1), -EFAULT);
	EXPECT_EQ(copy_from_user(&byte, NULL, 1), -EFAULT);
	EXPECT_EQ(some_data, 1);
}

KTEST(mm_user_reader_never_faults)
{
	static const unsigned long bad[] = {
	    0, 0x400000, USER_END - 8, USER_END, USER_END + PAGE_SIZE, -8UL};
	struct user_reader reader = {0};
	unsigned long word;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(!user_reader_word(&reader, bad[i], &word));
	EXPECT(!user_reader_word(&reader, (unsigned long)&some_data & ~7UL, &word));
}

#define AREA 128 /* bytes */

/* Are @n bytes @first, or what @from has there, and those around them what they were? */
static bool area_is(const u8 *area, size_t at, size_t n, u8 first, const u8 *from)
{
	for (size_t i = 0; i < AREA; i++) {
		bool inside = i >= at && i < at + n;
		u8 wanted = !inside ? 0xee : from ? from[i - at] : first;

		if (area[i] != wanted)
			return false;
	}
	return true;
}

/* How words are moved differs between machines and alignments. */
KTEST(mm_memory_functions_keep_to_their_areas)
{
	static u8 area[AREA] __attribute__((aligned(8))), from[AREA] __attribute__((aligned(8)));

	for (size_t i = 0; i < AREA; i++)
		from[i] = i * 7 + 1;
	for (size_t at = 0; at < 9; at++)
		for (size_t n = 0; n <= AREA - 16; n++) {
			const u8 *source = from + (at * 3 + n) % 8;

			for (size_t i = 0; i < AREA; i++)
				area[i] = 0xee;
			memset(area + at, 0x5a, n);
			if (!EXPECT(area_is(area, at, n, 0x5a, NULL)))
				return;
			memcpy(area + at, source, n);
			if (!EXPECT(area_is(area, at, n, 0, source)))
				return;
			memcpy(area + at, from + at % 4, n);
			if (!EXPECT(area_is(area, at, n, 0, from + at % 4)))
				return;
		}
}
