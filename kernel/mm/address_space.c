// SPDX-License-Identifier: MIT
/* Address spaces as a whole: their making, their copy-on-write copies, their end. */
#include <hotregs/printk.h>

#include "vma.h"

struct mm *mm_create(void)
{
	struct mm *mm = kzalloc(sizeof(*mm));

	if (!mm)
		return ERR_PTR(-ENOMEM);
	if (mmu_create(&mm->mmu)) {
		kfree(mm);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&mm->refs, 1);
	mutex_init(&mm->lock);
	list_init(&mm->vmas);
	return mm;
}

/* Shows @vma's pages in @child too, and makes them read-only in both. */
static int share_pages(struct mm *child, struct mm *mm, const struct vma *vma)
{
	return mmu_share(&child->mmu, &mm->mmu, vma->start, vma->end, &child->resident);
}

static int copy_vma(struct mm *child, struct mm *mm, const struct vma *vma)
{
	struct vma *copy;

	if (vma->flags & VMA_SHARED)
		return 0;
	copy = kmalloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *vma;
	exe_get(copy->exe);
	list_add_tail(&copy->node, &child->vmas);
	return share_pages(child, mm, vma);
}

struct mm *mm_fork(struct mm *mm)
{
	struct mm *child = mm_create();
	struct vma *vma;
	int err = 0;

	if (IS_ERR(child))
		return child;
	mutex_lock(&mm->lock);
	child->brk_start = mm->brk_start;
	child->brk = mm->brk;
	child->unwind = mm->unwind;
	exe_get(child->unwind.exe);
	list_for_each (vma, &mm->vmas, node) {
		err = copy_vma(child, mm, vma);
		if (err)
			break;
	}
	/* On failure too: what has become read-only stays so until it is written next. */
	mm_flush(mm, USER_START, USER_END);
	mutex_unlock(&mm->lock);
	if (!err)
		return child;
	mm_put(child);
	return ERR_PTR(err);
}

void mm_put(struct mm *mm)
{
	struct vma *vma, *next;

	if (!refcount_put(&mm->refs))
		return;
	mm_unload(mm);
	list_for_each_safe (vma, next, &mm->vmas, node) {
		vma_zap(mm, vma, vma->start, vma->end);
		list_del(&vma->node);
		vma_free(vma);
	}
	ASSERT(!mm->resident);
	exe_put(mm->unwind.exe);
	mmu_destroy(&mm->mmu);
	kfree(mm);
}

size_t mm_resident_pages(const struct mm *mm)
{
	return READ_ONCE(mm->resident);
}

struct exe *exe_get(struct exe *exe)
{
	if (exe)
		refcount_get(&exe->refs);
	return exe;
}

void exe_put(struct exe *exe)
{
	if (exe && refcount_put(&exe->refs)) {
		vmap_free(exe->copy, exe->copy_pages);
		kfree(exe);
	}
}
