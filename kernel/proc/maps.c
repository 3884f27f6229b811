/* SPDX-License-Identifier: MIT */
/* An area of an address space as a line of text, for /proc and for the report of a fault. */
#include <hotregs/printk.h>
#include <hotregs/process.h>

/* Column of the name: Linux's, where readers expect it. */
#define NAME_COLUMN 73

static const char *vma_name(const struct vma *vma)
{
	if (vma->exe)
		return vma->exe->path;
	if (vma->flags & VMA_HEAP)
		return "[heap]";
	return vma->flags & VMA_STACK ? "[stack]" : "";
}

size_t vma_format(const struct vma *vma, char *line, size_t size)
{
	const char *name = vma_name(vma);
	int n = snprintf(line, size, "%08lx-%08lx %c%c%c%c %08llx 00:00 %llu", vma->start, vma->end,
			 vma->prot & MMU_READ ? 'r' : '-', vma->prot & MMU_WRITE ? 'w' : '-',
			 vma->prot & MMU_EXEC ? 'x' : '-', vma->flags & VMA_SHARED ? 's' : 'p',
			 vma->file_offset, vma->exe ? vma->exe->ino : 0);
	int pad = *name ? NAME_COLUMN - n : 0;

	return n + snprintf(line + n, size - n, "%*s%s\n", MAX(pad, *name ? 1 : 0), "", name);
}
