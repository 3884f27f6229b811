// SPDX-License-Identifier: MIT
/*
 * Page faults: pages come into being when they are touched, as zeroes or as what the file has
 * there; pages shared since a fork are copied when they are written.
 */
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/cache.h>

#include "vma.h"

/* A new page with what @vma shows at @va; NULL: out of memory. */
static void *make_page(const struct vma *vma, unsigned long va)
{
	size_t offset = va - vma->start, n;
	u8 *page;

	if (offset >= vma->data_size)
		return page_alloc_zeroed(0);
	page = page_alloc(0);
	if (!page)
		return NULL;
	n = vma->data_size - offset;
	if (n >= PAGE_SIZE) {
		page_copy(page, vma->data + offset);
	} else {
		memcpy(page, vma->data + offset, n);
		memset(page + n, 0, PAGE_SIZE - n);
	}
	return page;
}

static int map_own_page(struct mm *mm, const struct vma *vma, unsigned long va)
{
	void *page = make_page(vma, va);
	int err;

	if (!page)
		return -ENOMEM;
	if (vma->prot & MMU_EXEC)
		sync_icache(page, PAGE_SIZE);
	err = mmu_map(&mm->mmu, va, virt_to_phys(page), vma->prot | MMU_USER);
	if (err)
		page_free(page, 0);
	else
		mm->resident++;
	return err;
}

/* A device's pages live as long as the area's file; they are not counted. */
static int map_shared_page(struct mm *mm, const struct vma *vma, unsigned long va)
{
	size_t offset = va - vma->start;
	phys_addr_t pa =
	    vma->pages ? vmap_phys((const u8 *)vma->pages + offset) : vma->phys + offset;
	unsigned kind = vma->flags & VMA_DEVICE ? MMU_DEVICE : 0;

	return mmu_map(&mm->mmu, va, pa, vma->prot | MMU_USER | kind);
}

/* The page at @va is to be written, and mapped read-only since a fork. */
static int unshare_page(struct mm *mm, const struct vma *vma, unsigned long va, phys_addr_t pa)
{
	/* Only this address space could share it again, and its lock is held. */
	bool shared = page_refs(pa) > 1;
	phys_addr_t own = pa;
	int err;

	if (shared) {
		void *copy = page_alloc(0);

		if (!copy)
			return -ENOMEM;
		page_copy(copy, phys_to_virt(pa));
		own = virt_to_phys(copy);
	}
	err = mmu_map(&mm->mmu, va, own, vma->prot | MMU_USER);
	ASSERT(!err); /* it needs no table that is not there */
	mm_flush(mm, va, va + PAGE_SIZE);
	if (shared)
		page_put(pa);
	return 0;
}

/* @changed: had anything to be done? */
static int resolve(struct mm *mm, unsigned long va, unsigned access, bool *changed)
{
	const struct vma *vma = mm_find_vma(mm, va);
	phys_addr_t pa;
	unsigned prot;

	*changed = true;
	if (!vma || !(vma->prot & access))
		return -EFAULT;
	if (!mmu_lookup(&mm->mmu, va, &pa, &prot))
		return vma->flags & VMA_SHARED ? map_shared_page(mm, vma, va)
					       : map_own_page(mm, vma, va);
	/* Another thread was faster, unless it is a write to a read-only page. */
	if (access != MMU_WRITE || prot & MMU_WRITE) {
		*changed = false;
		return 0;
	}
	ASSERT(!(vma->flags & VMA_SHARED));
	return unshare_page(mm, vma, va, pa);
}

int mm_fault(struct mm *mm, unsigned long addr, unsigned access, const struct pt_regs *regs)
{
	bool changed;
	int err;

	mutex_lock(&mm->lock);
	err = resolve(mm, addr & PAGE_MASK, access, &changed);
	if (!err && changed)
		mm->faults_min++;
	mutex_unlock(&mm->lock);
	if (!err && changed)
		perf_page_fault(regs, addr, false);
	return err;
}
