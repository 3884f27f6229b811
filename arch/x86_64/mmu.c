// SPDX-License-Identifier: MIT
/*
 * x86_64's page tables: what arch/common/page_tables.c leaves open, and the kernel's own. The upper
 * half's first-level entries are all made at start-up and copied into every address space, so that
 * later kernel mappings, which lie below them, are seen by all.
 */
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/cache.h>
#include <asm/msr.h>
#include <asm/pte.h>

#include "../common/page_tables.h"

#define CPUID_MAX_EXTENDED   0x80000000U
#define CPUID_EXTENDED_FLAGS 0x80000001U
#define CPUID_ADDRESS_SIZES  0x80000008U
#define CPUID81_EDX_1G_PAGES BIT(26)

/* From so many pages on, all of the TLB goes. */
#define FLUSH_ALL_PAGES 32

int mmu_create(struct mmu *mmu)
{
	const size_t half = PAGE_SIZE / 2;
	void *root = page_alloc(0);

	if (!root)
		return -ENOMEM;
	memset(root, 0, half);
	memcpy(root + half, phys_to_virt(kernel_mmu.root) + half, half);
	mmu->root = virt_to_phys(root);
	mmu->tables = NULL;
	page_count_tables(1);
	return 0;
}

void mmu_flush(unsigned long start, unsigned long end)
{
	if (end - start > FLUSH_ALL_PAGES * PAGE_SIZE) {
		tlb_flush_all();
		return;
	}
	for (unsigned long va = start; va < end; va += PAGE_SIZE)
		tlb_flush_page(va);
}

/* SDM vol. 2, CPUID: 36 bits where no leaf says it. Higher ones of an entry are reserved. */
u64 mmu_phys_end(void)
{
	u32 bits = cpuid(CPUID_ADDRESS_SIZES).eax & 0xff;

	return 1ULL << (bits ? MIN(bits, 52U) : 36);
}

/* --- Start-up --- */

static bool has_1g_pages(void)
{
	u32 a = CPUID_MAX_EXTENDED, b, c, d;

	__asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	if (a < CPUID_EXTENDED_FLAGS)
		return false;
	a = CPUID_EXTENDED_FLAGS;
	__asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	return d & CPUID81_EDX_1G_PAGES;
}

static void map_direct(phys_addr_t start, phys_addr_t end, unsigned prot, unsigned max_shift)
{
	map_kernel_range(DIRECT_MAP_BASE + start, start, end - start, prot, max_shift);
}

static void map_image(const char *start, const char *end, unsigned prot)
{
	/* Small pages: guard pages are taken out later. */
	map_kernel_range((unsigned long)start, (unsigned long)start - KERNEL_IMAGE_BASE,
			 ALIGN_UP((unsigned long)end, PAGE_SIZE) - (unsigned long)start, prot,
			 PT_SHIFT);
}

/*
 * The first 4 GiB as a whole, for the firmware's tables lie in no RAM region; in pages of at most
 * 2 MiB, since a page should not span memory types (Intel SDM vol. 3, 11.11.9), and with the
 * image's code and constants read-only. Above, RAM only.
 */
static void map_memory(const char *text, const char *data)
{
	unsigned large = has_1g_pages() ? PDPT_SHIFT : PD_SHIFT;
	phys_addr_t ro_start = (unsigned long)text - KERNEL_IMAGE_BASE;
	phys_addr_t ro_end = (unsigned long)data - KERNEL_IMAGE_BASE;

	map_direct(0, ro_start, MMU_READ | MMU_WRITE, PD_SHIFT);
	map_direct(ro_start, ro_end, MMU_READ, PD_SHIFT);
	map_direct(ro_end, BOOT_MAP_END, MMU_READ | MMU_WRITE, PD_SHIFT);
	for (unsigned i = 0; i < boot_info.nr_ram; i++) {
		phys_addr_t start = boot_info.ram[i].start, end = start + boot_info.ram[i].size;

		start = MAX(ALIGN_DOWN(start, BIT(PD_SHIFT)), BOOT_MAP_END);
		end = ALIGN_UP(end, BIT(PD_SHIFT));
		if (start < end)
			map_direct(start, end, MMU_READ | MMU_WRITE, large);
	}
}

void mmu_init(void)
{
	extern const char __image_start[], _start_rodata[], _start_data[], _start_kallsyms[],
	    __image_end[];
	void *root = page_alloc_zeroed(0);

	if (!root)
		panic("out of memory for the kernel's page tables");
	kernel_mmu.root = virt_to_phys(root);
	map_memory(__image_start, _start_data);
	map_image(__image_start, _start_rodata, MMU_READ | MMU_EXEC);
	map_image(_start_rodata, _start_data, MMU_READ);
	map_image(_start_data, _start_kallsyms, MMU_READ | MMU_WRITE);
	map_image(_start_kallsyms, __image_end, MMU_READ);
	/* The first-level entry of the vmap region, before any address space copies it. */
	if (!page_tables_entry(&kernel_mmu, VMAP_START, PDPT_SHIFT))
		panic("out of memory for the kernel's page tables");
	mmu_load(&kernel_mmu);
	page_init_high();
}
