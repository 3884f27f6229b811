/* SPDX-License-Identifier: MIT */
/* The kernel's page tables, entry by entry: what no look-up of single addresses would find. */
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>

#include <asm/pte.h>

#include "../../../../arch/common/page_tables.h"

#include "../ktest.h"

static struct {
	size_t pages, user, writable_and_executable, executable;
} found;

/* Looks at every entry below @table, whose entries resolve the bits from @shift up. */
static void walk(const u64 *table, unsigned shift, unsigned from)
{
	for (unsigned i = from; i < PTES_PER_TABLE; i++) {
		u64 pte = table[i];

		if (!(pte & PTE_PRESENT))
			continue;
		found.user += !!(pte & PTE_USER);
		if (shift > PT_SHIFT && !(pte & PTE_LARGE)) {
			walk(phys_to_virt(pte & PTE_ADDRESS), shift - LEVEL_BITS, 0);
			continue;
		}
		found.pages++;
		found.executable += !(pte & PTE_NX);
		found.writable_and_executable += pte & PTE_WRITE && !(pte & PTE_NX);
	}
}

KTEST(x86_no_page_is_writable_and_executable)
{
	extern const char __image_start[], _etext[];
	const u64 *root = phys_to_virt(kernel_mmu.root);
	size_t text_pages = (_etext - __image_start + PAGE_SIZE - 1) / PAGE_SIZE;

	walk(root, PML4_SHIFT, PTES_PER_TABLE / 2);
	EXPECT(found.pages > text_pages);
	EXPECT_EQ(found.writable_and_executable, 0);
	EXPECT_EQ(found.user, 0);
	/* The image's text is all that can be executed. */
	EXPECT_EQ(found.executable, text_pages);
	/* The lower half belongs to programs. */
	for (unsigned i = 0; i < PTES_PER_TABLE / 2; i++)
		EXPECT_EQ(root[i], 0);
}

KTEST(x86_all_memory_is_in_the_direct_map)
{
	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		const struct boot_region *ram = &boot_info.ram[i];
		phys_addr_t ends[] = {ram->start, ram->start + ram->size - 1};

		for (int end = 0; end < 2; end++) {
			phys_addr_t pa;
			unsigned prot;

			if (!EXPECT(mmu_lookup(&kernel_mmu, (unsigned long)phys_to_virt(ends[end]),
					       &pa, &prot)))
				continue;
			EXPECT_EQ(pa, ends[end]);
			/* The image's text, at the start of a region, is read-only there too. */
			EXPECT_EQ(prot & ~MMU_WRITE, MMU_READ);
		}
	}
}
