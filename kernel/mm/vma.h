/* SPDX-License-Identifier: MIT */
/* What address_space.c, vma.c and fault.c know of each other. */
#pragma once

#include <hotregs/address_space.h>

/* The guard page below a stack counts as part of it where areas must not meet. */
static inline unsigned long vma_low(const struct vma *vma)
{
	return vma->flags & VMA_STACK ? vma->start - PAGE_SIZE : vma->start;
}

/* Unmaps the pages of @vma in [start, end) and drops those that are its own. May sleep. */
void vma_zap(struct mm *mm, const struct vma *vma, unsigned long start, unsigned long end);

/* Ends an area that is in no list and has no page mapped any more. May sleep. */
void vma_free(struct vma *vma);
