// SPDX-License-Identifier: MIT
/*
 * AArch64's page tables: what arch/common/page_tables.c leaves open, and the kernel's own. One set
 * for the kernel's half is what TTBR1 shows at all times; an address space has tables for the lower
 * half alone.
 */
#include <hotregs/address_space.h>
#include <hotregs/boot_info.h>
#include <hotregs/cpu.h>
#include <hotregs/printk.h>

#include <asm/pte.h>

#include "../common/page_tables.h"
#include "mmu.h"

/* From so many pages on, more of the TLB goes. */
#define FLUSH_ALL_PAGES 32

#define GIB_SHIFT (TABLE_SHIFT + LEVEL_BITS)

int mmu_create(struct mmu *mmu)
{
	void *root = page_alloc_zeroed(0);

	if (!root)
		return -ENOMEM;
	mmu->root = virt_to_phys(root);
	mmu->tables = NULL;
	mmu->asid = 0;
	page_count_tables(1);
	return 0;
}

void mmu_flush(unsigned long start, unsigned long end)
{
	if (end - start <= FLUSH_ALL_PAGES * PAGE_SIZE)
		tlb_flush_range(start, end);
	else if (end <= USER_END)
		tlb_flush_asid(sysreg_read(TTBR0_EL1) >> 48);
	else
		tlb_flush_all();
}

/* ID_AA64MMFR0_EL1.PARange (Arm ARM DDI 0487, D17.2.61); more than 48 bits need other descriptors.
 */
u64 mmu_phys_end(void)
{
	static const u8 bits[] = {32, 36, 40, 42, 44, 48};
	unsigned range = sysreg_read(ID_AA64MMFR0_EL1) & 0xf;

	return 1ULL << bits[MIN(range, (unsigned)ARRAY_SIZE(bits) - 1)];
}

/* --- Start-up --- */

/* A region of RAM in the direct map: what is read-only in the image is read-only here, too. */
static void map_direct(phys_addr_t start, phys_addr_t end)
{
	extern const char __image_start[], _start_data[];
	phys_addr_t ro_start = (unsigned long)__image_start - KERNEL_IMAGE_BASE;
	phys_addr_t ro_end = (unsigned long)_start_data - KERNEL_IMAGE_BASE;
	phys_addr_t cut[4] = {start, MIN(MAX(ro_start, start), end), MIN(MAX(ro_end, start), end),
			      end};

	for (int i = 0; i < 3; i++)
		map_kernel_range((unsigned long)phys_to_virt(cut[i]), cut[i], cut[i + 1] - cut[i],
				 i == 1 ? MMU_READ : MMU_READ | MMU_WRITE, GIB_SHIFT);
}

/*
 * From the boot tables to these. Where one has blocks and the other pages, the same address must
 * not be in the TLB from both: so the direct map goes away in between, which nothing needs here.
 */
static void change_tables(phys_addr_t root)
{
	boot_root[pte_index(DIRECT_MAP_BASE, TOP_SHIFT)] = 0;
	tlb_flush_all();
	load_kernel_tables(root);
	mmu_load(&kernel_mmu);
	tlb_flush_all();
}

/* Both sets have the image's pages by the same tables: they lose the rights that they do not need.
 */
static void protect_image(const char *start, const char *end, unsigned prot)
{
	for (unsigned long va = (unsigned long)start; va < (unsigned long)end; va += PAGE_SIZE)
		if (mmu_protect(&kernel_mmu, va, prot))
			panic("the boot tables do not show the image");
}

void mmu_init(void)
{
	extern const char __image_start[], _start_rodata[], _start_data[], _start_kallsyms[],
	    __image_end[];
	u64 *root = page_alloc_zeroed(0);
	const unsigned top = pte_index(IMAGE_LINK, TOP_SHIFT);

	if (!root)
		panic("out of memory for the kernel's page tables");
	root[top] = boot_root[top];
	kernel_mmu.root = virt_to_phys(root);
	for (unsigned i = 0; i < boot_info.nr_ram; i++)
		map_direct(boot_info.ram[i].start, boot_info.ram[i].start + boot_info.ram[i].size);
	change_tables(kernel_mmu.root);
	protect_image(__image_start, _start_rodata, MMU_READ | MMU_EXEC);
	protect_image(_start_rodata, _start_data, MMU_READ);
	protect_image(_start_data, _start_kallsyms, MMU_READ | MMU_WRITE);
	protect_image(_start_kallsyms, __image_end, MMU_READ);
	tlb_flush_all();
	page_init_high();
}
