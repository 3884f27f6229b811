// SPDX-License-Identifier: MIT
/*
 * Page tables: two levels, built through the direct map. The kernel's half is one set of tables
 * that TTBR1 shows at all times; an address space has tables for the lower half alone.
 *
 * A table of the second level is a quarter of a page: a page holds those of four neighbours, which
 * cover 4 MiB together.
 */
#include <hotregs/address_space.h>
#include <hotregs/boot_info.h>
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <asm/cp15.h>
#include <asm/pte.h>

#define SECTION_SIZE BIT(L1_SHIFT)
#define TABLES_SIZE  (L2_TABLES_PER_PAGE * SECTION_SIZE) /* what a page of tables covers */
#define ROOT_ORDER   2 /* 16 KiB: the kernel's first level, its lower half empty */
#define USER_ORDER   1 /* 8 KiB */

/* From so many pages on, more of the TLB goes. */
#define FLUSH_ALL_PAGES 32

/* ID_MMFR0.VMSA from 4 on: PXN; ID_MMFR3[23:20]: walks see the data caches (B4.1.89, B4.1.92). */
#define MMFR0_VMSA_PXN      4
#define MMFR3_COHERENT_WALK 0x00f00000

struct mmu kernel_mmu;

static bool has_pxn;

/* --- Descriptors --- */

static u32 page_make(phys_addr_t pa, unsigned prot)
{
	u32 pte = (u32)pa | PAGE_TYPE | PAGE_PL1;

	pte |= prot & MMU_DEVICE ? PAGE_DEVICE : PAGE_NORMAL;
	if (!(prot & MMU_WRITE))
		pte |= PAGE_RO;
	if (!(prot & MMU_EXEC))
		pte |= PAGE_XN;
	if (prot & MMU_USER)
		pte |= PAGE_USER | PAGE_NG;
	return pte;
}

static unsigned page_prot(u32 pte)
{
	return MMU_READ | (pte & PAGE_RO ? 0 : MMU_WRITE) | (pte & PAGE_XN ? 0 : MMU_EXEC) |
	       (pte & PAGE_USER ? MMU_USER : 0) | (pte & PAGE_TEX0 ? 0 : MMU_DEVICE);
}

/* Sections are the kernel's, and none of them holds code. */
static u32 section_make(phys_addr_t pa, unsigned prot)
{
	return (u32)pa | L1_SECTION | SECTION_NORMAL | SECTION_PL1 | SECTION_XN |
	       (prot & MMU_WRITE ? 0 : SECTION_RO);
}

static unsigned section_prot(u32 entry)
{
	return MMU_READ | (entry & SECTION_RO ? 0 : MMU_WRITE) |
	       (entry & SECTION_TEX0 ? 0 : MMU_DEVICE);
}

static bool prot_valid(unsigned prot)
{
	return (prot & (MMU_WRITE | MMU_EXEC)) != (MMU_WRITE | MMU_EXEC);
}

/* --- Finding and making entries --- */

static u32 *first_level(const struct mmu *mmu, unsigned long va)
{
	return l1_entry(va < USER_END ? phys_to_virt(mmu->root) : kernel_l1, va);
}

/* The entry where the look-up of @va ends, and the address bits below it. */
static u32 *find_entry(const struct mmu *mmu, unsigned long va, unsigned *bits)
{
	u32 *entry = first_level(mmu, va), l1 = READ_ONCE(*entry);

	*bits = L1_SHIFT;
	if ((l1 & L1_TYPE) != L1_TABLE)
		return entry;
	*bits = L2_SHIFT;
	return (u32 *)phys_to_virt(l1 & L1_TABLE_AT) + l2_index(va);
}

/* Gives @entry, of @va, a table: the quarter of its neighbours' page, or of a new one. */
static noinline int add_table(struct mmu *mmu, u32 *entry, unsigned long va)
{
	u32 quarter = va >> L1_SHIFT & (L2_TABLES_PER_PAGE - 1), *first = entry - quarter;
	void *page = NULL;

	for (int i = 0; i < L2_TABLES_PER_PAGE; i++)
		if ((first[i] & L1_TYPE) == L1_TABLE)
			page = phys_to_virt(first[i] & PAGE_AT);
	if (!page) {
		page = page_alloc_zeroed(0);
		if (!page)
			return -ENOMEM;
		page_chain_add(&mmu->tables, page);
		page_count_tables(1);
	}
	WRITE_ONCE(*entry, ((u32)virt_to_phys(page) + quarter * L2_ENTRIES * sizeof(u32)) |
			       L1_TABLE | (va < USER_END && has_pxn ? L1_TABLE_PXN : 0));
	tables_written();
	return 0;
}

/* The second-level entry of @va, made if needed; NULL: out of memory. */
static u32 *make_entry(struct mmu *mmu, unsigned long va)
{
	u32 *entry = first_level(mmu, va);

	if (unlikely((*entry & L1_TYPE) != L1_TABLE) && add_table(mmu, entry, va))
		return NULL;
	return (u32 *)phys_to_virt(*entry & L1_TABLE_AT) + l2_index(va);
}

/* The entry of a mapped page, or NULL. */
static u32 *find_page(const struct mmu *mmu, unsigned long va)
{
	unsigned bits;
	u32 *entry = find_entry(mmu, va, &bits);

	return bits == L2_SHIFT && *entry ? entry : NULL;
}

/* --- The interface --- */

int mmu_map(struct mmu *mmu, unsigned long va, phys_addr_t pa, unsigned prot)
{
	u32 *entry;

	if (!prot_valid(prot))
		return -EINVAL;
	entry = make_entry(mmu, va);
	if (!entry)
		return -ENOMEM;
	/* Two translations of one address must never meet in a TLB: break before make. */
	if (unlikely(*entry)) {
		WRITE_ONCE(*entry, 0);
		tlb_flush_range(va, va + PAGE_SIZE);
	}
	WRITE_ONCE(*entry, page_make(pa, prot));
	tables_written();
	return 0;
}

phys_addr_t mmu_unmap(struct mmu *mmu, unsigned long va)
{
	u32 *entry = find_page(mmu, va);
	phys_addr_t pa;

	if (!entry)
		return 0;
	pa = *entry & PAGE_AT;
	WRITE_ONCE(*entry, 0);
	return pa;
}

int mmu_protect(struct mmu *mmu, unsigned long va, unsigned prot)
{
	u32 *entry = find_page(mmu, va);

	if (!prot_valid(prot))
		return -EINVAL;
	if (!entry)
		return -ENOENT;
	WRITE_ONCE(*entry, page_make(*entry & PAGE_AT, prot));
	return 0;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	unsigned bits;
	u32 entry = READ_ONCE(*find_entry(mmu, va, &bits));
	u32 offset = BIT(bits) - 1;

	if (!entry)
		return false;
	*pa = (entry & ~offset) | (va & offset);
	*prot = bits == L2_SHIFT ? page_prot(entry) : section_prot(entry);
	return true;
}

/* The first entry from @entry on that is not empty, or @end; it looks at eight at a time. */
static inline u32 *skip_empty(u32 *entry, const u32 *end)
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
		u32 *first = find_entry(mmu, at, &bits), *entry;
		unsigned long section_end = ALIGN_DOWN(at, SECTION_SIZE) + SECTION_SIZE;

		entry = skip_empty(first, first + ((MIN(end, section_end) - 1) >> bits) -
					      (at >> bits) + 1);
		if (entry > first)
			at = ALIGN_DOWN(at, BIT(bits)) + ((entry - first) << bits);
		if (at >= MIN(end, section_end))
			continue;
		*va = at;
		*pa = *entry & (bits == L2_SHIFT ? PAGE_AT : SECTION_AT);
		*prot = bits == L2_SHIFT ? page_prot(*entry) : section_prot(*entry);
		return true;
	}
	return false;
}

/* The entries from that of @va, which has a page, to the end of its table or of [.., end). */
static u32 *table_part(const struct mmu *mmu, unsigned long va, unsigned long end, u32 **stop)
{
	unsigned long table_end = ALIGN_DOWN(va, SECTION_SIZE) + SECTION_SIZE;
	u32 *entry = find_page(mmu, va);

	ASSERT(entry && va < USER_END);
	*stop = entry + ((MIN(end, table_end) - va) >> L2_SHIFT);
	return entry;
}

int mmu_share(struct mmu *child, struct mmu *mmu, unsigned long start, unsigned long end,
	      size_t *shared)
{
	unsigned long va = start;
	phys_addr_t pa;
	unsigned prot;

	while (mmu_next(mmu, &va, end, &pa, &prot)) {
		u32 *stop, *first = table_part(mmu, va, end, &stop), *entry = first;
		u32 *to = make_entry(child, va);

		if (!to)
			return -ENOMEM;
		for (; entry < stop; entry = skip_empty(entry + 1, stop)) {
			u32 both = *entry | PAGE_RO;

			WRITE_ONCE(*entry, both);
			WRITE_ONCE(to[entry - first], both);
			page_get(both & PAGE_AT);
			++*shared;
		}
		va += (unsigned long)(stop - first) << L2_SHIFT;
	}
	tables_written();
	return 0;
}

unsigned mmu_unmap_next(struct mmu *mmu, unsigned long *va, unsigned long end, unsigned long *first,
			phys_addr_t pa[], unsigned max)
{
	phys_addr_t ignored;
	unsigned prot, n = 0;

	*first = end;
	while (n < max && mmu_next(mmu, va, end, &ignored, &prot)) {
		u32 *stop, *start = table_part(mmu, *va, end, &stop), *entry = start;

		*first = MIN(*first, *va);
		for (; entry < stop && n < max; entry = skip_empty(entry + 1, stop)) {
			pa[n++] = *entry & PAGE_AT;
			WRITE_ONCE(*entry, 0);
		}
		*va += (unsigned long)(entry - start) << L2_SHIFT;
	}
	return n;
}

int mmu_create(struct mmu *mmu)
{
	void *root = page_alloc_zeroed(USER_ORDER);

	if (!root)
		return -ENOMEM;
	mmu->root = virt_to_phys(root);
	mmu->tables = NULL;
	page_count_tables(1 << USER_ORDER);
	mmu->asid = 0;
	return 0;
}

void mmu_free_tables(void *tables)
{
	while (tables) {
		void *page = tables;

		tables = page_link(page);
		page_free(page, 0);
		page_count_tables(-1);
	}
}

/* Clears the entries of the four neighbours from @first on; the page of their tables, or NULL. */
static void *remove_tables(u32 *first)
{
	void *page = NULL;

	for (int i = 0; i < L2_TABLES_PER_PAGE; i++) {
		if ((first[i] & L1_TYPE) != L1_TABLE)
			continue;
		page = phys_to_virt(first[i] & PAGE_AT);
		WRITE_ONCE(first[i], 0);
	}
	return page;
}

/*
 * Samplers walk these tables in interrupts without a lock. Their walks come from the first level's
 * entries, or find them empty; the tables still lead where they led. The processors' own walks may
 * have those entries cached (B3.10.1).
 */
void *mmu_trim(struct mmu *mmu, unsigned long start, unsigned long end, unsigned long low,
	       unsigned long high)
{
	void *removed = NULL;

	if (high - low < TABLES_SIZE)
		return NULL;
	for (unsigned long va = ALIGN_DOWN(start, TABLES_SIZE); va < end; va += TABLES_SIZE) {
		void *page;

		if (va < low || va + TABLES_SIZE > high)
			continue;
		page = remove_tables(first_level(mmu, va));
		if (!page)
			continue;
		page_chain_remove(&mmu->tables, page);
		page_chain_add(&removed, page);
	}
	return removed;
}

/*
 * The pages that these tables showed are free already, and the TLB may still have them under this
 * ASID; but no program runs under it, and none will before that TLB has been emptied: see asid.c.
 */
void mmu_destroy(struct mmu *mmu)
{
	mmu_free_tables(mmu->tables);
	mmu->tables = NULL;
	page_free(phys_to_virt(mmu->root), USER_ORDER);
	page_count_tables(-(1 << USER_ORDER));
	mmu->root = 0;
}

void mmu_flush(unsigned long start, unsigned long end)
{
	if (end - start <= FLUSH_ALL_PAGES * PAGE_SIZE)
		tlb_flush_range(start, end);
	else if (end <= USER_END)
		tlb_flush_asid(cp_read(CONTEXTIDR) & 0xff);
	else
		tlb_flush_all();
}

/* --- Start-up --- */

/* Short descriptors have 32 bits of an address (B3.5.1). */
u64 mmu_phys_end(void)
{
	return 1ULL << 32;
}

static void map_range(unsigned long va, phys_addr_t pa, u64 size, unsigned prot)
{
	phys_addr_t end = pa + size;

	while (pa < end) {
		u32 *entry;

		if (!((pa | va) & (SECTION_SIZE - 1)) && end - pa >= SECTION_SIZE &&
		    !(prot & MMU_EXEC)) {
			*l1_entry(kernel_l1, va) = section_make(pa, prot);
			pa += SECTION_SIZE;
			va += SECTION_SIZE;
			continue;
		}
		entry = make_entry(&kernel_mmu, va);
		if (!entry)
			panic("out of memory for the kernel's page tables");
		*entry = page_make(pa, prot);
		pa += PAGE_SIZE;
		va += PAGE_SIZE;
	}
}

static void map_image(const char *start, const char *end, unsigned prot)
{
	map_range((unsigned long)start, (unsigned long)start - KERNEL_IMAGE_BASE,
		  (unsigned long)end - (unsigned long)start, prot);
}

/* A region of RAM in the direct map: what is read-only in the image is read-only here, too. */
static void map_direct(phys_addr_t start, phys_addr_t end)
{
	extern const char __image_start[], _start_data[];
	phys_addr_t ro_start = (unsigned long)__image_start - KERNEL_IMAGE_BASE;
	phys_addr_t ro_end = (unsigned long)_start_data - KERNEL_IMAGE_BASE;
	phys_addr_t cut[4] = {start, MIN(MAX(ro_start, start), end), MIN(MAX(ro_end, start), end),
			      end};

	for (int i = 0; i < 3; i++)
		map_range((unsigned long)phys_to_virt(cut[i]), cut[i], cut[i + 1] - cut[i],
			  i == 1 ? MMU_READ : MMU_READ | MMU_WRITE);
}

/*
 * From the boot tables to these. Where one has a section and the other pages, the same address must
 * not be in the TLB from both: so the direct map goes away in between, which nothing needs here.
 */
static void change_tables(u32 *boot)
{
	memset(l1_entry(boot, DIRECT_MAP), 0,
	       (DIRECT_MAP_END - DIRECT_MAP) / SECTION_SIZE * sizeof(*boot));
	tlb_flush_all();
	cp_write(TTBR1, table_base(&kernel_mmu));
	synchronize_context();
	mmu_load(&kernel_mmu);
	tlb_flush_all();
}

void mmu_init(void)
{
	extern const char __image_start[], _start_rodata[], _start_data[], _start_kallsyms[],
	    __image_end[];
	u32 *boot = kernel_l1, *tables = page_alloc_zeroed(ROOT_ORDER);

	if (!tables)
		panic("out of memory for the kernel's page tables");
	if (!(cp_read(ID_MMFR3) & MMFR3_COHERENT_WALK))
		panic("this processor's table walks bypass its caches (ID_MMFR3 %08x)",
		      cp_read(ID_MMFR3));
	has_pxn = (cp_read(ID_MMFR0) & 0xf) >= MMFR0_VMSA_PXN;
	*l1_entry(tables, EARLY_DEVICE) = *l1_entry(boot, EARLY_DEVICE);
	kernel_l1 = tables;
	kernel_mmu.root = virt_to_phys(tables);
	for (unsigned i = 0; i < boot_info.nr_ram; i++)
		map_direct(boot_info.ram[i].start, boot_info.ram[i].start + boot_info.ram[i].size);
	map_image(__image_start, _start_rodata, MMU_READ | MMU_EXEC);
	map_image(_start_rodata, _start_data, MMU_READ);
	map_image(_start_data, _start_kallsyms, MMU_READ | MMU_WRITE);
	map_image(_start_kallsyms, __image_end, MMU_READ);
	change_tables(boot);
	page_init_high();
}
