/* SPDX-License-Identifier: MIT */
/* What happens to a program that did what it may not, and the report of an end on the console. */
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "proc.h"

/* Nobody gets to fill the console. */
#define MAPS_MAX 40

static void print_maps(struct mm *mm)
{
	char line[VMA_LINE_MAX];
	struct vma *vma;
	unsigned n = 0;

	mutex_lock(&mm->lock);
	list_for_each (vma, &mm->vmas, node) {
		if (n++ >= MAPS_MAX)
			continue;
		vma_format(vma, line, sizeof(line));
		printk("  %s", line);
	}
	mutex_unlock(&mm->lock);
	if (n > MAPS_MAX)
		printk("  and %u more\n", n - MAPS_MAX);
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

struct holder {
	char comm[TASK_COMM_LEN];
	pid_t pid;
	size_t pages;
};

/* The process with the most pages of its own. */
static void find_largest(struct holder *found)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		size_t pages = task->mm ? mm_resident_pages(task->mm) : 0;

		if (pages <= found->pages)
			continue;
		found->pages = pages;
		found->pid = task->pid;
		strlcpy(found->comm, task->comm, sizeof(found->comm));
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
}

static void report_out_of_memory(struct pt_regs *regs, unsigned long addr)
{
	const struct uapi_siginfo killed = {.signo = UAPI_SIGKILL, .addr = addr};
	const size_t page_kib = PAGE_SIZE / 1024;
	struct holder largest = {};

	find_largest(&largest);
	printk("%s[%d]: out of memory with %zu KiB; %zu of %zu KiB are free; the most has %s[%d]: "
	       "%zu KiB\n",
	       current->comm, current->pid, mm_resident_pages(current->mm) * page_kib,
	       page_nr_free() * page_kib, page_nr_total() * page_kib, largest.comm, largest.pid,
	       largest.pages * page_kib);
	process_report(regs, &killed, "page fault, out of memory");
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
	if (err == -ENOMEM) {
		/* No handler could do without the memory. */
		report_out_of_memory(regs, addr);
		process_exit(WAIT_STATUS_SIGNAL(UAPI_SIGKILL));
	}
	signal_fault(UAPI_SIGSEGV, is_mapped(addr) ? UAPI_SEGV_ACCERR : UAPI_SEGV_MAPERR, addr,
		     "page fault");
}
