/* SPDX-License-Identifier: MIT */
/* What happens to a program that did what it may not: a report on the console, and its end. */
#include <hotregs/printk.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "proc.h"

static void print_maps(struct mm *mm)
{
	char line[VMA_LINE_MAX];
	struct vma *vma;

	mutex_lock(&mm->lock);
	list_for_each (vma, &mm->vmas, node) {
		vma_format(vma, line, sizeof(line));
		printk("  %s", line);
	}
	mutex_unlock(&mm->lock);
}

void process_fault(struct pt_regs *regs, int signal, const char *what, unsigned long addr)
{
	printk("%s[%d]: %s, address 0x%lx: ended by signal %d\n", current->comm, current->pid, what,
	       addr, signal);
	regs_print(regs);
	print_backtrace(current, regs);
	print_maps(current->mm);
	process_exit(WAIT_STATUS_SIGNAL(signal));
}
