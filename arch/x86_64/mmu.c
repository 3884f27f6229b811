// SPDX-License-Identifier: MIT
/*
 * Page tables: four levels, built through the direct map. The upper half's first-level entries are
 * all made at start-up and copied into every address space, so that later kernel mappings, which
 * lie below them, are seen by all.
 */
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/cache.h>
#include <asm/msr.h>
#include <asm/pte.h>

#define CPUID_MAX_EXTENDED   0x80000000U
#define CPUID_EXTENDED_FLAGS 0x80000001U
#define CPUID_ADDRESS_SIZES  0x80000008U
#define CPUID81_EDX_1G_PAGES BIT(26)

/* From so many pages on, all of the TLB goes. */
#define FLUSH_ALL_PAGES 32

struct mmu kernel_mmu;

static u64 pte_make(phys_addr_t pa, unsigned prot)
{
	/* Accessed and dirty are not looked at; set, they spare the CPU writing them. */
	u64 pte = pa | PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY;

	if (prot & MMU_WRITE)
		pte |= PTE_WRITE;
	if (!(prot & MMU_EXEC))
		pte |= PTE_NX;
	if (prot & MMU_DEVICE)
		pte |= PTE_UNCACHED;
	return pte | (prot & MMU_USER ? PTE_USER : PTE_GLOBAL);
}

static unsigned pte_prot(u64 pte)
{
	unsigned prot = MMU_READ;

	if (pte & PTE_WRITE)
		prot |= MMU_WRITE;
	if (!(pte & PTE_NX))
		prot |= MMU_EXEC;
	if (pte & PTE_USER)
		prot |= MMU_USER;
	if (pte & PTE_UNCACHED)
		prot |= MMU_DEVICE;
	return prot;
}

static bool prot_valid(unsigned prot)
{
	return (prot & (MMU_WRITE | MMU_EXEC)) != (MMU_WRITE | MMU_EXEC);
}

/*
 * The entry where the look-up of @va ends: one of the level of @lowest, a page's, or an absent one;
 * and the bits below it.
 */
static __always_inline u64 *find_entry(const struct mmu *mmu, unsigned long va, unsigned lowest,
				       unsigned *bits)
{
	u64 *entry = (u64 *)phys_to_virt(mmu->root) + pte_index(va, PML4_SHIFT);

#pragma GCC unroll 3
	for (unsigned shift = PML4_SHIFT; shift > lowest; shift -= LEVEL_BITS) {
		if ((*entry & (PTE_PRESENT | PTE_LARGE)) != PTE_PRESENT) {
			*bits = shift;
			return entry;
		}
		entry =
		    (u64 *)phys_to_virt(*entry & PTE_ADDRESS) + pte_index(va, shift - LEVEL_BITS);
	}
	*bits = lowest;
	return entry;
}

static noinline int add_table(struct mmu *mmu, u64 *entry, unsigned long va)
{
	void *table = page_alloc_zeroed(0);

	if (!table)
		return -ENOMEM;
	page_chain_add(&mmu->tables, table);
	page_count_tables(1);
	/* The rights of a page are those that all levels allow. */
	*entry = virt_to_phys(table) | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED |
		 (va < USER_END ? PTE_USER : 0);
	return 0;
}

/* The entry of @va at the level of @shift, made if needed; NULL: out of memory. */
static __always_inline u64 *make_entry(struct mmu *mmu, unsigned long va, unsigned shift)
{
	u64 *table = phys_to_virt(mmu->root);

#pragma GCC unroll 3
	for (unsigned s = PML4_SHIFT; s > shift; s -= LEVEL_BITS) {
		u64 *entry = &table[pte_index(va, s)];

		if (unlikely(!(*entry & PTE_PRESENT)) && add_table(mmu, entry, va))
			return NULL;
		table = phys_to_virt(*entry & PTE_ADDRESS);
	}
	return &table[pte_index(va, shift)];
}

/* The entry of a mapped small page, or NULL. */
static u64 *find_page(const struct mmu *mmu, unsigned long va)
{
	unsigned bits;
	u64 *entry = find_entry(mmu, va, PT_SHIFT, &bits);

	return *entry & PTE_PRESENT && bits == PT_SHIFT ? entry : NULL;
}

int mmu_map(struct mmu *mmu, unsigned long va, phys_addr_t pa, unsigned prot)
{
	u64 *entry;

	if (!prot_valid(prot))
		return -EINVAL;
	entry = make_entry(mmu, va, PT_SHIFT);
	if (!entry)
		return -ENOMEM;
	WRITE_ONCE(*entry, pte_make(pa, prot));
	return 0;
}

phys_addr_t mmu_unmap(struct mmu *mmu, unsigned long va)
{
	u64 *entry = find_page(mmu, va);
	phys_addr_t pa;

	if (!entry)
		return 0;
	pa = *entry & PTE_ADDRESS;
	WRITE_ONCE(*entry, 0);
	return pa;
}

int mmu_protect(struct mmu *mmu, unsigned long va, unsigned prot)
{
	u64 *entry = find_page(mmu, va);

	if (!prot_valid(prot))
		return -EINVAL;
	if (!entry)
		return -ENOENT;
	WRITE_ONCE(*entry, pte_make(*entry & PTE_ADDRESS, prot));
	return 0;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	unsigned bits;
	u64 pte = READ_ONCE(*find_entry(mmu, va, PT_SHIFT, &bits));
	u64 offset = BIT(bits) - 1;

	if (!(pte & PTE_PRESENT))
		return false;
	/* A large page's entry has its memory type's third bit among the offset. */
	*pa = (pte & PTE_ADDRESS & ~offset) | (va & offset);
	*prot = pte_prot(pte);
	return true;
}

/* The first entry from @entry on that is not empty, or @end; it looks at eight at a time. */
static inline u64 *skip_empty(u64 *entry, const u64 *end)
{
	if (likely(entry < end && *entry))
		return entry;
	while (end - entry >= 8 && !(entry[0] | entry[1] | entry[2] | entry[3] | entry[4] |
				     entry[5] | entry[6] | entry[7]))
		entry += 8;
	while (entry < end && !*entry)
		entry++;
	return entry;
}

bool mmu_next(const struct mmu *mmu, unsigned long *va, unsigned long end, phys_addr_t *pa,
	      unsigned *prot)
{
	unsigned long at = *va;

	while (at < end) {
		unsigned bits;
		u64 *first = find_entry(mmu, at, PT_SHIFT, &bits), *entry;
		unsigned long table_end =
		    ALIGN_DOWN(at, BIT(bits + LEVEL_BITS)) + BIT(bits + LEVEL_BITS);

		entry = skip_empty(first,
				   first + ((MIN(end, table_end) - 1) >> bits) - (at >> bits) + 1);
		if (entry > first)
			at = ALIGN_DOWN(at, BIT(bits)) + ((entry - first) << bits);
		if (at >= MIN(end, table_end))
			continue;
		if (bits > PT_SHIFT && !(*entry & PTE_LARGE))
			continue; /* a table: go down */
		*va = at;
		*pa = *entry & PTE_ADDRESS;
		*prot = pte_prot(*entry);
		return true;
	}
	return false;
}

/* The entries from that of @va, which has a page, to the end of its table or of [.., end). */
static u64 *table_part(const struct mmu *mmu, unsigned long va, unsigned long end, u64 **stop)
{
	unsigned long table_end = ALIGN_DOWN(va, BIT(PD_SHIFT)) + BIT(PD_SHIFT);
	u64 *entry = find_page(mmu, va);

	ASSERT(entry && va < USER_END);
	*stop = entry + ((MIN(end, table_end) - va) >> PT_SHIFT);
	return entry;
}

int mmu_share(struct mmu *child, struct mmu *mmu, unsigned long start, unsigned long end,
	      size_t *shared)
{
	unsigned long va = start;
	phys_addr_t pa;
	unsigned prot;

	while (mmu_next(mmu, &va, end, &pa, &prot)) {
		u64 *stop, *first = table_part(mmu, va, end, &stop), *entry = first;
		u64 *to = make_entry(child, va, PT_SHIFT);

		if (!to)
			return -ENOMEM;
		for (; entry < stop; entry = skip_empty(entry + 1, stop)) {
			u64 both = *entry & ~PTE_WRITE;

			WRITE_ONCE(*entry, both);
			WRITE_ONCE(to[entry - first], both);
			page_get(both & PTE_ADDRESS);
			++*shared;
		}
		va += (unsigned long)(stop - first) << PT_SHIFT;
	}
	return 0;
}

unsigned mmu_unmap_next(struct mmu *mmu, unsigned long *va, unsigned long end, unsigned long *first,
			phys_addr_t pa[], unsigned max)
{
	phys_addr_t ignored;
	unsigned prot, n = 0;

	*first = end;
	while (n < max && mmu_next(mmu, va, end, &ignored, &prot)) {
		u64 *stop, *start = table_part(mmu, *va, end, &stop), *entry = start;

		*first = MIN(*first, *va);
		for (; entry < stop && n < max; entry = skip_empty(entry + 1, stop)) {
			pa[n++] = *entry & PTE_ADDRESS;
			WRITE_ONCE(*entry, 0);
		}
		*va += (unsigned long)(entry - start) << PT_SHIFT;
	}
	return n;
}

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

void mmu_free_tables(void *tables)
{
	while (tables) {
		void *table = tables;

		tables = page_link(table);
		page_free(table, 0);
		page_count_tables(-1);
	}
}

/* What mmu_trim() is given, and the tables that it took out. */
struct trim {
	struct mmu *mmu;
	unsigned long start, end, low, high;
	void *removed;
};

/* Takes out the tables that entries of the level of @shift show. */
static void trim_level(struct trim *t, unsigned shift)
{
	unsigned long next;

	for (unsigned long va = ALIGN_DOWN(t->start, BIT(shift)); va < t->end; va = next) {
		unsigned bits;
		u64 *entry = find_entry(t->mmu, va, shift, &bits);
		void *table = phys_to_virt(*entry & PTE_ADDRESS);

		next = ALIGN_DOWN(va, BIT(bits)) + BIT(bits);
		if (!(*entry & PTE_PRESENT) || va < t->low || next > t->high)
			continue;
		WRITE_ONCE(*entry, 0);
		page_chain_remove(&t->mmu->tables, table);
		page_chain_add(&t->removed, table);
	}
}

/*
 * Samplers walk these tables in interrupts and NMIs without a lock, and processors by themselves.
 * Their walks come from the entries, or find them empty; the tables still lead where they led.
 */
void *mmu_trim(struct mmu *mmu, unsigned long start, unsigned long end, unsigned long low,
	       unsigned long high)
{
	struct trim t = {mmu, start, end, low, high, NULL};

	if (high - low >= BIT(PD_SHIFT))
		for (unsigned shift = PD_SHIFT; shift <= PML4_SHIFT; shift += LEVEL_BITS)
			trim_level(&t, shift);
	return t.removed;
}

void mmu_destroy(struct mmu *mmu)
{
	mmu_free_tables(mmu->tables);
	mmu->tables = NULL;
	page_free(phys_to_virt(mmu->root), 0);
	page_count_tables(-1);
	mmu->root = 0;
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

/* Maps a range of the kernel's half with the largest pages that fit, up to 2^@max_shift bytes. */
static void map_range(unsigned long va, phys_addr_t pa, u64 size, unsigned prot, unsigned max_shift)
{
	phys_addr_t end = pa + size;

	while (pa < end) {
		unsigned shift = max_shift;
		u64 *entry, pte;

		while ((pa | va) & (BIT(shift) - 1) || end - pa < BIT(shift))
			shift -= LEVEL_BITS;
		entry = make_entry(&kernel_mmu, va, shift);
		if (!entry)
			panic("out of memory for the kernel's page tables");
		pte = pte_make(pa, prot) | (shift > PT_SHIFT ? PTE_LARGE : 0);
		do {
			*entry++ = pte;
			pte += BIT(shift);
			pa += BIT(shift);
			va += BIT(shift);
		} while (end - pa >= BIT(shift) && pte_index(va, shift));
	}
}

static void map_direct(phys_addr_t start, phys_addr_t end, unsigned prot, unsigned max_shift)
{
	map_range(DIRECT_MAP_BASE + start, start, end - start, prot, max_shift);
}

static void map_image(const char *start, const char *end, unsigned prot)
{
	/* Small pages: guard pages are taken out later. */
	map_range((unsigned long)start, (unsigned long)start - KERNEL_IMAGE_BASE,
		  ALIGN_UP((unsigned long)end, PAGE_SIZE) - (unsigned long)start, prot, PT_SHIFT);
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
	if (!make_entry(&kernel_mmu, VMAP_START, PDPT_SHIFT))
		panic("out of memory for the kernel's page tables");
	mmu_load(&kernel_mmu);
	page_init_high();
}
