// SPDX-License-Identifier: MIT
/* The areas of an address space: adding, finding, cutting and removing them; the break. */
#include <hotregs/fs.h>
#include <hotregs/printk.h>

#include "vma.h"

#define ZAP_BATCH 16

static bool page_aligned(unsigned long x)
{
	return !(x & (PAGE_SIZE - 1));
}

static bool range_valid(unsigned long start, unsigned long end)
{
	return page_aligned(start | end) && start >= USER_START && start < end && end <= USER_END;
}

struct vma *mm_find_vma(struct mm *mm, unsigned long addr)
{
	struct vma *vma;

	list_for_each (vma, &mm->vmas, node)
		if (addr < vma->end)
			return addr >= vma->start ? vma : NULL;
	return NULL;
}

/* The list node behind which an area [low, end) belongs; NULL when another is in its way. */
static struct list_head *find_place(struct mm *mm, unsigned long low, unsigned long end)
{
	struct vma *vma;

	list_for_each (vma, &mm->vmas, node)
		if (low < vma->end)
			return end <= vma_low(vma) ? vma->node.prev : NULL;
	return mm->vmas.prev;
}

/* May an area be as @template is? And is there memory, if all of it were touched at once? */
static int check_area(const struct vma *template)
{
	const unsigned wx = MMU_WRITE | MMU_EXEC;
	size_t size = template->end - template->start;

	if (!range_valid(template->start, template->end) || template->data_size > size ||
	    (template->prot & wx) == wx)
		return -EINVAL;
	if (template->flags & VMA_STACK && vma_low(template) < USER_START)
		return -EINVAL;
	/* Pages that are only read are its own as well. */
	if (template->prot && !(template->flags & (VMA_STACK | VMA_SHARED)) &&
	    !page_can_spare(size >> PAGE_SHIFT))
		return -ENOMEM;
	return 0;
}

int mm_add_vma(struct mm *mm, const struct vma *template, struct vma **added)
{
	struct list_head *place;
	struct vma *vma;
	int err = check_area(template);

	if (err)
		return err;
	place = find_place(mm, vma_low(template), template->end);
	if (!place)
		return -EEXIST;
	vma = kmalloc(sizeof(*vma));
	if (!vma)
		return -ENOMEM;
	*vma = *template;
	list_add(&vma->node, place);
	if (added)
		*added = vma;
	return 0;
}

unsigned long mm_find_gap(struct mm *mm, size_t size)
{
	unsigned long high = USER_END;

	if (!size || size > USER_END)
		return 0;
	size = ALIGN_UP(size, PAGE_SIZE);
	for (struct list_head *n = mm->vmas.prev; n != &mm->vmas; n = n->prev) {
		const struct vma *vma = list_entry(n, struct vma, node);

		if (high >= vma->end && high - vma->end >= size)
			return high - size;
		high = vma_low(vma);
	}
	return high >= USER_START && high - USER_START >= size ? high - size : 0;
}

void vma_zap(struct mm *mm, const struct vma *vma, unsigned long start, unsigned long end)
{
	bool owned = !(vma->flags & VMA_SHARED);
	unsigned long va = start, first;
	phys_addr_t batch[ZAP_BATCH];
	unsigned n;

	/* A page is given back only when no translation to it is left. */
	do {
		n = mmu_unmap_next(&mm->mmu, &va, end, &first, batch, ZAP_BATCH);
		if (n)
			mm_flush(mm, first, va);
		if (!owned)
			continue;
		mm->resident -= n;
		for (unsigned i = 0; i < n; i++)
			page_put(batch[i]);
	} while (n == ZAP_BATCH);
}

void vma_free(struct vma *vma)
{
	if (vma->close)
		vma->close(vma);
	if (vma->file)
		file_put(vma->file);
	exe_put(vma->exe);
	kfree(vma);
}

/*
 * Moves the start of @vma up to @start, and the place in its data along. What is left of a stack
 * has lost the end that grows and needs no guard page.
 */
static void cut_start(struct vma *vma, unsigned long start)
{
	size_t cut = start - vma->start;

	vma->start = start;
	vma->flags &= ~VMA_STACK;
	if (vma->exe)
		vma->file_offset += cut;
	if (cut < vma->data_size) {
		vma->data += cut;
		vma->data_size -= cut;
	} else {
		vma->data = NULL;
		vma->data_size = 0;
	}
}

static void cut_end(struct vma *vma, unsigned long end)
{
	vma->end = end;
	vma->data_size = MIN(vma->data_size, end - vma->start);
}

/*
 * Can [start, end) be cut out? An area that will have an end on either side needs a second
 * structure, which is made beforehand.
 */
static int prepare_cut(struct mm *mm, unsigned long start, unsigned long end, struct vma **second)
{
	struct vma *vma;

	*second = NULL;
	list_for_each (vma, &mm->vmas, node) {
		if (vma->end <= start || end <= vma->start)
			continue;
		if (vma->flags & VMA_SHARED && (vma->start < start || end < vma->end))
			return -EINVAL;
		if (vma->start < start && end < vma->end) {
			*second = kmalloc(sizeof(**second));
			if (!*second)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Cuts [start, end) out; @second is from prepare_cut(). */
static void cut(struct mm *mm, unsigned long start, unsigned long end, struct vma *second)
{
	struct vma *vma, *next;

	list_for_each_safe (vma, next, &mm->vmas, node) {
		if (vma->end <= start || end <= vma->start)
			continue;
		vma_zap(mm, vma, MAX(start, vma->start), MIN(end, vma->end));
		if (second) {
			*second = *vma;
			exe_get(second->exe);
			list_add(&second->node, &vma->node);
			cut_start(second, end);
			cut_end(vma, start);
			break;
		}
		if (vma->start < start) {
			cut_end(vma, start);
		} else if (end < vma->end) {
			cut_start(vma, end);
		} else {
			list_del(&vma->node);
			vma_free(vma);
		}
	}
}

/* Frees the page tables that only [start, end) needed, where no area is any more. */
static void trim_tables(struct mm *mm, unsigned long start, unsigned long end)
{
	unsigned long low = 0, high = ~0UL;
	struct vma *vma;
	void *tables;

	list_for_each (vma, &mm->vmas, node) {
		if (vma->start >= end) {
			high = vma->start;
			break;
		}
		low = vma->end;
	}
	tables = mmu_trim(&mm->mmu, start, end, low, high);
	if (!tables)
		return;
	mm_flush(mm, USER_START, USER_END);
	mmu_free_tables(tables);
}

int mm_unmap(struct mm *mm, unsigned long start, unsigned long end)
{
	struct vma *second;
	int err;

	if (!range_valid(start, end))
		return -EINVAL;
	err = prepare_cut(mm, start, end, &second);
	if (err)
		return err;
	cut(mm, start, end, second);
	trim_tables(mm, start, end);
	return 0;
}

/* Would an area that ends at @end leave the page below a stack behind it alone? */
static bool guard_kept(struct mm *mm, unsigned long end)
{
	struct vma *vma;

	list_for_each (vma, &mm->vmas, node)
		if (end <= vma->start)
			return end <= vma_low(vma);
	return true;
}

int mm_replace_vma(struct mm *mm, const struct vma *template, struct vma **added)
{
	unsigned long start = template->start, end = template->end;
	struct vma *vma, *second;
	int err = check_area(template);

	ASSERT(!(template->flags & VMA_STACK)); /* its guard page would have to be cut out, too */
	if (err)
		return err;
	vma = guard_kept(mm, end) ? kmalloc(sizeof(*vma)) : NULL;
	if (!vma)
		return -ENOMEM;
	err = prepare_cut(mm, start, end, &second);
	if (err) {
		kfree(vma);
		return err;
	}
	cut(mm, start, end, second);
	*vma = *template;
	list_add(&vma->node, find_place(mm, start, end));
	*added = vma;
	return 0;
}

/* Gives the heap the pages [start, end), which lie behind it. */
static int grow_heap(struct mm *mm, unsigned long start, unsigned long end)
{
	const struct vma heap = {
	    .start = start, .end = end, .prot = MMU_READ | MMU_WRITE, .flags = VMA_HEAP};
	struct vma *last = mm_find_vma(mm, start - 1);

	if (!last || !(last->flags & VMA_HEAP))
		return mm_add_vma(mm, &heap, NULL);
	if (end > USER_END || !find_place(mm, start, end) ||
	    !page_can_spare((end - start) >> PAGE_SHIFT))
		return -ENOMEM;
	last->end = end;
	return 0;
}

unsigned long mm_brk(struct mm *mm, unsigned long new_break)
{
	unsigned long old_end = ALIGN_UP(mm->brk, PAGE_SIZE);
	unsigned long new_end = ALIGN_UP(new_break, PAGE_SIZE);
	int err = 0;

	if (new_break < mm->brk_start || new_break > USER_END)
		return mm->brk;
	if (new_end > old_end)
		err = grow_heap(mm, old_end, new_end);
	else if (new_end < old_end)
		err = mm_unmap(mm, new_end, old_end);
	if (!err)
		mm->brk = new_break;
	return mm->brk;
}
