/* SPDX-License-Identifier: MIT */
/* The kernel's page tables, entry by entry: what no look-up of single addresses would find. */
#include <hotregs/mm.h>

#include <asm/pte.h>

#include "../../../../arch/common/page_tables.h"
#include "../ktest.h"

static struct {
	size_t pages, user, writable_and_executable, executable, executable_by_programs, stale;
} found;

/* Looks at every entry below @table, whose entries resolve the bits from @shift up. */
static void walk(const u64 *table, unsigned shift, unsigned from)
{
	for (unsigned i = from; i < PTES_PER_TABLE; i++) {
		u64 pte = table[i];

		if (!(pte & PTE_VALID))
			continue;
		if (shift > PAGE_SHIFT && pte_is_table(pte)) {
			walk(phys_to_virt(pte & PTE_ADDRESS), shift - LEVEL_BITS, 0);
			continue;
		}
		found.pages++;
		found.user += !!(pte & PTE_USER);
		found.executable += !(pte & PTE_PXN);
		found.executable_by_programs += !(pte & PTE_UXN);
		found.writable_and_executable += !(pte & (PTE_PXN | PTE_READ_ONLY));
		found.stale += !(pte & PTE_ACCESSED);
	}
}

KTEST(arm64_no_page_is_writable_and_executable)
{
	const u64 *root = phys_to_virt(kernel_mmu.root);

	found = (typeof(found)){};
	walk(root, TOP_SHIFT, 0);
	EXPECT(found.pages > 100);
	EXPECT(found.executable > 10);
	EXPECT_EQ(found.user, 0);
	EXPECT_EQ(found.executable_by_programs, 0);
	EXPECT_EQ(found.writable_and_executable, 0);
	EXPECT_EQ(found.stale, 0);
}

/* TTBR0 shows the kernel's root where no program's is loaded: there must be nothing in that half.
 */
KTEST(arm64_lower_half_of_the_root_is_empty)
{
	const u64 *root = phys_to_virt(kernel_mmu.root);

	for (unsigned i = 0; i < PTES_PER_TABLE / 2; i++)
		EXPECT_EQ(root[i], 0);
}
