// SPDX-License-Identifier: MIT
/*
 * The boot tables (made by boot/head.S) until mmu_init() replaces them: they show the image, and
 * what is asked for here, in blocks of 2 MiB.
 */
#include <hotregs/board.h>
#include <hotregs/boot_info.h>
#include <hotregs/printk.h>

#include <asm/pte.h>

#include "../common/page_tables.h"
#include "mmu.h"

#define BLOCK_SIZE BIT(TABLE_SHIFT)
#define GIB_SHIFT  (TABLE_SHIFT + LEVEL_BITS)
#define L1_SIZE    BIT(TOP_SHIFT) /* what boot_l1 can show: RAM from address 0 on */

unsigned long arm64_image_offset;
phys_addr_t arm64_boot_map_end;

/* One table for the direct map, and below it those of so many GiB, in the order they were needed.
 */
#define BOOT_TABLES 4
static u64 boot_l1[PTES_PER_TABLE] __aligned(4096);
static u64 boot_l2[BOOT_TABLES][PTES_PER_TABLE] __aligned(4096);
static unsigned nr_boot_l2;

static phys_addr_t image_pa(const void *p)
{
	return (unsigned long)p - arm64_image_offset;
}

void mmu_boot_init(void)
{
	kernel_mmu.root = image_pa(boot_root);
	unload_user_tables(kernel_mmu.root);
	tlb_flush_all();
	boot_root[pte_index(DIRECT_MAP_BASE, TOP_SHIFT)] =
	    pte_make_table(image_pa(boot_l1), DIRECT_MAP_BASE);
	tables_written();
}

/* The table of the GiB that has @pa; NULL: no room. */
static u64 *table_of(phys_addr_t pa)
{
	u64 *entry;

	if (pa >= L1_SIZE)
		return NULL;
	entry = &boot_l1[pa >> GIB_SHIFT];
	if (!*entry) {
		if (nr_boot_l2 == BOOT_TABLES)
			return NULL;
		*entry = pte_make_table(image_pa(boot_l2[nr_boot_l2++]), DIRECT_MAP_BASE);
	}
	return boot_l2[0] + ((*entry & PTE_ADDRESS) - image_pa(boot_l2)) / sizeof(u64);
}

/* Shows what lies at [pa, end), as far as there is room; returns the end of that. */
static phys_addr_t show(phys_addr_t pa, phys_addr_t end)
{
	for (pa = ALIGN_DOWN(pa, BLOCK_SIZE); pa < end; pa += BLOCK_SIZE) {
		u64 *table = table_of(pa);

		if (!table)
			return pa;
		table[pte_index(pa, TABLE_SHIFT)] = pte_make(pa, MMU_READ | MMU_WRITE, TABLE_SHIFT);
	}
	tables_written();
	return end;
}

const void *mmu_boot_window(phys_addr_t pa, size_t size)
{
	/* A board that does not know how much RAM it has may have any. */
	if (pa < board.ram.start || size > L1_SIZE || pa > L1_SIZE - size ||
	    (board.ram.size && pa + size > board.ram.start + board.ram.size))
		return NULL;
	return show(pa, pa + size) == pa + size ? phys_to_virt(pa) : NULL;
}

u64 mmu_boot_map(void)
{
	phys_addr_t limit = MIN(mmu_phys_end(), (u64)DIRECT_MAP_SIZE), shown;
	u64 lost = 0;
	unsigned n = 0;

	arm64_boot_map_end = limit;
	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		struct boot_region r = boot_info.ram[i];
		phys_addr_t start = ALIGN_UP(MIN(r.start, limit), PAGE_SIZE);
		phys_addr_t end = ALIGN_DOWN(MIN(r.start + r.size, limit), PAGE_SIZE);

		lost += r.size - (start < end ? end - start : 0);
		if (start >= end)
			continue;
		boot_info.ram[n++] = (struct boot_region){start, end - start};
		if (arm64_boot_map_end < limit)
			continue;
		shown = show(start, end);
		if (shown < end)
			arm64_boot_map_end = MAX(shown, start);
	}
	boot_info.nr_ram = n;
	return lost;
}

void *arm_early_device(phys_addr_t pa)
{
	u64 *entry = &boot_image_l2[pte_index(EARLY_DEVICE, TABLE_SHIFT)];
	u64 wanted =
	    pte_make(ALIGN_DOWN(pa, BLOCK_SIZE), MMU_READ | MMU_WRITE | MMU_DEVICE, TABLE_SHIFT);

	if (*entry != wanted) {
		pte_break(entry, EARLY_DEVICE);
		WRITE_ONCE(*entry, wanted);
		tables_written();
	}
	return (void *)(EARLY_DEVICE + (unsigned long)(pa & (BLOCK_SIZE - 1)));
}
