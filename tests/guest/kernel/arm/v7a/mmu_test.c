/* SPDX-License-Identifier: MIT */
/* The kernel's page tables, entry by entry; address spaces that only their ASID keeps apart. */
#include <hotregs/address_space.h>
#include <hotregs/boot_info.h>
#include <hotregs/cpu.h>
#include <hotregs/smp.h>

#include <asm/cp15.h>
#include <asm/pte.h>

#include "../../ktest.h"

#define USER_VA 0x400000UL

static struct {
	size_t pages, user, writable_and_executable, executable;
} found;

static void look_at_page(u32 pte)
{
	if (!pte)
		return;
	found.pages++;
	found.user += !!(pte & PAGE_USER);
	found.executable += !(pte & PAGE_XN);
	found.writable_and_executable += !(pte & (PAGE_XN | PAGE_RO));
}

static void look_at_section(u32 entry)
{
	found.pages += L2_ENTRIES;
	found.user += !!(entry & SECTION_USER);
	found.executable += entry & SECTION_XN ? 0 : L2_ENTRIES;
	found.writable_and_executable += !(entry & (SECTION_XN | SECTION_RO));
}

KTEST(arm_no_page_is_writable_and_executable)
{
	extern const char __image_start[], _etext[];
	const u32 *tables = phys_to_virt(kernel_mmu.root);
	size_t text_pages = (_etext - __image_start + PAGE_SIZE - 1) / PAGE_SIZE;

	EXPECT_EQ(cp_read(TTBR1) & PAGE_AT, kernel_mmu.root);
	for (unsigned i = 0; i < L1_ENTRIES; i++) {
		const u32 *l2 = phys_to_virt(tables[i] & L1_TABLE_AT);

		if ((tables[i] & L1_TYPE) != L1_TABLE) {
			if (tables[i])
				look_at_section(tables[i]);
			continue;
		}
		for (unsigned j = 0; j < L2_ENTRIES; j++)
			look_at_page(l2[j]);
	}
	EXPECT(found.pages > text_pages);
	EXPECT_EQ(found.writable_and_executable, 0);
	EXPECT_EQ(found.user, 0);
	/* The image's text is all that can be executed. */
	EXPECT_EQ(found.executable, text_pages);
	/* The lower half belongs to programs. */
	for (unsigned i = 0; i < L1_ENTRIES / 2; i++)
		EXPECT_EQ(tables[i], 0);
}

KTEST(arm_all_memory_is_in_the_direct_map)
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
			EXPECT_EQ(prot & ~MMU_WRITE, MMU_READ);
		}
	}
}

KTEST(arm_text_is_read_only_in_the_direct_map)
{
	extern const char __image_start[], _start_rodata[];
	phys_addr_t pa, alias = (unsigned long)__image_start - KERNEL_IMAGE_BASE;
	unsigned prot;

	for (; alias < (unsigned long)_start_rodata - KERNEL_IMAGE_BASE; alias += PAGE_SIZE) {
		EXPECT(mmu_lookup(&kernel_mmu, (unsigned long)phys_to_virt(alias), &pa, &prot));
		EXPECT_EQ(pa, alias);
		EXPECT_EQ(prot, MMU_READ);
	}
}

/* An address space that shows one page, which holds @mark. */
static bool make_space(struct mmu *mmu, u32 mark)
{
	u32 *page = page_alloc_zeroed(0);

	if (!EXPECT(page) || !EXPECT_EQ(mmu_create(mmu), 0)) {
		page_free(page, 0);
		return false;
	}
	*page = mark;
	EXPECT_EQ(mmu_map(mmu, USER_VA, virt_to_phys(page), MMU_READ | MMU_WRITE | MMU_USER), 0);
	return true;
}

static void drop_space(struct mmu *mmu)
{
	page_put(mmu_unmap(mmu, USER_VA));
	mmu_destroy(mmu);
}

static u32 look_in(struct mmu *mmu)
{
	mmu_load(mmu);
	return READ_ONCE(*(u32 *)USER_VA);
}

/* Back to what this task had. */
static void load_own(void)
{
	struct mm *mm = this_cpu()->loaded_mm;

	mmu_load(mm ? &mm->mmu : &kernel_mmu);
}

/* More address spaces than there are ASIDs, twice over, beside three that live all the while. */
KTEST(arm_asids_keep_address_spaces_apart)
{
	unsigned long flags = irq_save();
	u32 generation = this_cpu()->arch.asid >> 8;
	struct mmu kept[3], passing;
	bool good = true;

	for (u32 i = 0; i < ARRAY_SIZE(kept); i++)
		good = make_space(&kept[i], i) && good;
	for (u32 i = 0; good && i < 600; i++) {
		good = make_space(&passing, 0x1000 + i);
		if (!good)
			break;
		good = EXPECT_EQ(look_in(&passing), 0x1000 + i) &&
		       EXPECT_EQ(look_in(&kept[i % 3]), i % 3);
		load_own();
		drop_space(&passing);
	}
	load_own();
	EXPECT((this_cpu()->arch.asid >> 8) - generation >= 2);
	irq_restore(flags);
	for (u32 i = 0; i < ARRAY_SIZE(kept); i++)
		drop_space(&kept[i]);
}

static struct remote {
	struct mmu *mmu;
	u32 word, asid;
} remote;

static void remote_load(void *arg)
{
	mmu_load(remote.mmu);
}

static void remote_look(void *arg)
{
	remote.word = READ_ONCE(*(u32 *)USER_VA);
	remote.asid = cp_read(CONTEXTIDR) & 0xff;
}

static void remote_load_own(void *arg)
{
	load_own();
}

/* Shows @mmu's page as another one, which holds @mark, flushed by address or by ASID. */
static void change_page(struct mmu *mmu, u32 mark, size_t flushed)
{
	u32 *page = page_alloc_zeroed(0);
	unsigned long flags = irq_save();
	phys_addr_t old;

	if (EXPECT(page)) {
		*page = mark;
		mmu_load(mmu);
		old = mmu_unmap(mmu, USER_VA);
		mmu_flush(USER_VA, USER_VA + flushed);
		EXPECT_EQ(mmu_map(mmu, USER_VA, virt_to_phys(page), MMU_READ | MMU_USER), 0);
		load_own();
		page_put(old);
	}
	irq_restore(flags);
}

/* A processor that runs on while others use all ASIDs up, twice; then all see what is flushed. */
KTEST(arm_address_space_of_two_processors_has_one_asid)
{
	const u32 other = CPU_MASK(1);
	struct mmu both, passing;
	bool good;

	if (cpus_online() == 1)
		return ktest_skip("one processor runs");
	if (!make_space(&both, 1))
		return;
	remote.mmu = &both;
	smp_call(other, remote_load, NULL);
	smp_call(other, remote_look, NULL);
	EXPECT_EQ(remote.word, 1);
	for (u32 i = 0; i < 600; i++) {
		unsigned long flags = irq_save();

		good = make_space(&passing, 0x1000 + i);
		if (good) {
			EXPECT_EQ(look_in(&passing), 0x1000 + i);
			load_own();
			drop_space(&passing);
		}
		irq_restore(flags);
		if (!good || i % 100)
			continue;
		change_page(&both, i, i % 200 ? PAGE_SIZE : USER_END - USER_VA);
		smp_call(other, remote_look, NULL);
		EXPECT_EQ(remote.word, i);
		EXPECT_EQ(remote.asid, both.asid & 0xff);
	}
	smp_call(other, remote_load_own, NULL);
	drop_space(&both);
}

/* A mapping that replaces another, or gets other rights, is what counts from then on. */
KTEST(arm_changed_mappings_are_seen)
{
	u32 *other = page_alloc_zeroed(0);
	unsigned long flags = irq_save();
	struct mmu mmu;
	unsigned prot;
	phys_addr_t pa;

	if (!EXPECT(other) || !make_space(&mmu, 1)) {
		irq_restore(flags);
		page_free(other, 0);
		return;
	}
	*other = 2;
	EXPECT_EQ(look_in(&mmu), 1);
	EXPECT(mmu_lookup(&mmu, USER_VA, &pa, &prot));
	EXPECT_EQ(mmu_map(&mmu, USER_VA, virt_to_phys(other), MMU_READ | MMU_USER), 0);
	EXPECT_EQ(READ_ONCE(*(u32 *)USER_VA), 2);
	page_put(pa);
	EXPECT_EQ(mmu_protect(&mmu, USER_VA, MMU_READ | MMU_WRITE | MMU_USER), 0);
	mmu_flush(USER_VA, USER_VA + PAGE_SIZE);
	WRITE_ONCE(*(u32 *)USER_VA, 3);
	EXPECT_EQ(*other, 3);
	load_own();
	irq_restore(flags);
	drop_space(&mmu);
}

/* Neighbours in a page of tables come and go without each other. */
KTEST(arm_tables_of_neighbours)
{
	const unsigned long va[] = {USER_VA, USER_VA + BIT(20), USER_VA + 3 * BIT(20), 0x7ff00000};
	unsigned long at = USER_START;
	phys_addr_t pa;
	unsigned prot;
	struct mmu mmu;

	if (!EXPECT_EQ(mmu_create(&mmu), 0))
		return;
	for (u32 i = 0; i < ARRAY_SIZE(va); i++)
		EXPECT_EQ(mmu_map(&mmu, va[i] + PAGE_SIZE, (i + 1) * PAGE_SIZE,
				  MMU_READ | MMU_EXEC | MMU_USER),
			  0);
	for (u32 i = 0; i < ARRAY_SIZE(va); i++) {
		if (!EXPECT(mmu_next(&mmu, &at, USER_END, &pa, &prot)))
			break;
		EXPECT_EQ(at, va[i] + PAGE_SIZE);
		EXPECT_EQ(pa, (i + 1) * PAGE_SIZE);
		EXPECT_EQ(prot, MMU_READ | MMU_EXEC | MMU_USER);
		EXPECT(!mmu_lookup(&mmu, va[i], &pa, &prot));
		at += PAGE_SIZE;
	}
	EXPECT(!mmu_next(&mmu, &at, USER_END, &pa, &prot));
	EXPECT_EQ(mmu_unmap(&mmu, va[1] + PAGE_SIZE), 2 * PAGE_SIZE);
	EXPECT_EQ(mmu_unmap(&mmu, va[1] + PAGE_SIZE), 0);
	EXPECT(mmu_lookup(&mmu, va[0] + PAGE_SIZE, &pa, &prot));
	EXPECT_EQ(mmu_map(&mmu, va[0], 0, MMU_WRITE | MMU_EXEC | MMU_USER), -EINVAL);
	mmu_destroy(&mmu);
}
