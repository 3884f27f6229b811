// SPDX-License-Identifier: MIT
/*
 * The boot tables (made by boot/head.S) until mmu_init() replaces them: they show the image, and
 * what is asked for here, in sections of 1 MiB.
 */
#include <hotregs/board.h>
#include <hotregs/boot_info.h>
#include <hotregs/printk.h>

#include <arch/mmu.h>
#include <asm/cp15.h>
#include <asm/pte.h>

#define SECTION_SIZE    BIT(L1_SHIFT)
#define DIRECT_MAP_SIZE (DIRECT_MAP_END - DIRECT_MAP)

unsigned long arm_direct_map_offset, arm_image_offset;
u32 *kernel_l1;
static u32 *boot_l1;

/* The boot tables' entry that shows the boot code where it is. */
static u32 *boot_code_entry(u32 *pa)
{
	extern const char boot_entry[];

	*pa = (unsigned long)boot_entry - arm_image_offset;
	return l1_entry(boot_l1, *pa);
}

void mmu_boot_init(void)
{
	u32 pa;

	kernel_l1 = (u32 *)((cp_read(TTBR1) & ~(PAGE_SIZE - 1)) + arm_image_offset);
	boot_l1 = kernel_l1;
	*boot_code_entry(&pa) = 0;
	tlb_flush_all();
	arm_direct_map_offset =
	    DIRECT_MAP - ALIGN_DOWN((unsigned long)board.ram.start, SECTION_SIZE);
}

void mmu_boot_secondary(void)
{
	u32 pa, *entry = boot_code_entry(&pa);

	ASSERT(kernel_l1 != boot_l1);
	*entry = (pa & SECTION_AT) | L1_SECTION | SECTION_NORMAL | SECTION_PL1;
	tables_written();
}

/* Where the direct map shows @pa, if it lies in it. */
static bool in_direct_map(phys_addr_t pa, size_t size)
{
	phys_addr_t base = DIRECT_MAP - arm_direct_map_offset, end = base + DIRECT_MAP_SIZE;

	return pa >= base && pa < end && size <= end - pa;
}

static void show(phys_addr_t pa, phys_addr_t end)
{
	for (pa = ALIGN_DOWN(pa, SECTION_SIZE); pa < end; pa += SECTION_SIZE)
		*l1_entry(kernel_l1, (unsigned long)phys_to_virt(pa)) =
		    (u32)pa | L1_SECTION | SECTION_NORMAL | SECTION_PL1 | SECTION_XN;
	tables_written();
}

const void *mmu_boot_window(phys_addr_t pa, size_t size)
{
	/* A board that does not know how much RAM it has may have any. */
	if (!in_direct_map(pa, size) ||
	    (board.ram.size && pa + size > board.ram.start + board.ram.size))
		return NULL;
	show(pa, pa + size);
	return phys_to_virt(pa);
}

u64 mmu_boot_map(void)
{
	phys_addr_t base = DIRECT_MAP - arm_direct_map_offset, limit = base + DIRECT_MAP_SIZE;
	u64 lost = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		struct boot_region r = boot_info.ram[i];
		phys_addr_t start = ALIGN_UP(MIN(MAX(r.start, base), limit), PAGE_SIZE);
		phys_addr_t end = ALIGN_DOWN(MIN(MAX(r.start + r.size, base), limit), PAGE_SIZE);

		if (start >= end) {
			lost += r.size;
			continue;
		}
		lost += r.size - (end - start);
		show(start, end);
		boot_info.ram[n++] = (struct boot_region){start, end - start};
	}
	boot_info.nr_ram = n;
	return lost;
}

void *arm_early_device(phys_addr_t pa)
{
	u32 *entry = l1_entry(kernel_l1, EARLY_DEVICE);
	u32 wanted =
	    ((u32)pa & SECTION_AT) | L1_SECTION | SECTION_DEVICE | SECTION_PL1 | SECTION_XN;

	if (*entry != wanted) {
		WRITE_ONCE(*entry, 0); /* break before make */
		tlb_flush_range(EARLY_DEVICE, EARLY_DEVICE + PAGE_SIZE);
		WRITE_ONCE(*entry, wanted);
		tables_written();
	}
	return (void *)(EARLY_DEVICE + ((unsigned long)pa & (SECTION_SIZE - 1)));
}
