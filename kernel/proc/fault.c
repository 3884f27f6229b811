/* SPDX-License-Identifier: MIT */
/* What happens to a program that did what it may not, and the report of an end on the console. */
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

void process_report(struct pt_regs *regs, const struct uapi_siginfo *info, const char *name)
{
	if (name)
		printk("%s[%d]: %s, address 0x%llx: ended by signal %d\n", current->comm,
		       current->pid, name, (unsigned long long)info->addr, (int)info->signo);
	else
		printk("%s[%d]: ended by signal %d, from process %d\n", current->comm, current->pid,
		       (int)info->signo, (int)info->pid);
	regs_print(regs);
	print_backtrace(current, regs);
	print_maps(current->mm);
}

/* Is there an area at @addr, which then does not allow what was tried? */
static bool is_mapped(unsigned long addr)
{
	bool mapped;

	mutex_lock(&current->mm->lock);
	mapped = mm_find_vma(current->mm, addr);
	mutex_unlock(&current->mm->lock);
	return mapped;
}

void process_page_fault(struct pt_regs *regs, unsigned long addr, int err)
{
	const struct uapi_siginfo killed = {.signo = UAPI_SIGKILL, .addr = addr};

	if (err == -ENOMEM) {
		/* No handler could do without the memory. */
		process_report(regs, &killed, "page fault, out of memory");
		process_exit(WAIT_STATUS_SIGNAL(UAPI_SIGKILL));
	}
	signal_fault(UAPI_SIGSEGV, is_mapped(addr) ? UAPI_SEGV_ACCERR : UAPI_SEGV_MAPERR, addr,
		     "page fault");
}
