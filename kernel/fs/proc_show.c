/* SPDX-License-Identifier: MIT */
/* What the files of /proc and /sys say, in Linux's formats, which perf's readers know. */
#include "proc_show.h"
#include <hotregs/address_space.h>
#include <hotregs/perf_event.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <hotregs/unwind.h>

/* What can be said of a task without holding it. */
struct task_state_copy {
	pid_t pid, ppid;
	char comm[TASK_COMM_LEN];
	char state; /* Linux's letter */
	unsigned priority;
	u64 utime, stime, child_utime, child_stime;
	bool accessible; /* to the caller: process_may_access() */
	struct mm *mm;   /* with a reference; NULL: a kernel thread, or dead */
};

static char state_letter(const struct task *task)
{
	if (task->process ? task->process->zombie : task->gone)
		return 'Z';
	switch (task->state) {
	case TASK_RUNNING:
		return 'R';
	case TASK_SLEEPING:
		return 'S';
	default:
		return 'X';
	}
}

/* Copies what @pid is now; -ESRCH. The caller gives the mm back. */
static int copy_state(pid_t pid, struct task_state_copy *copy)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct task *task = task_find(pid);
	const struct process *process = task ? task->process : NULL;

	if (task) {
		*copy = (struct task_state_copy){
		    .pid = task->pid,
		    .ppid = process ? process->ppid : 0,
		    .state = state_letter(task),
		    .priority = task->priority,
		    .utime = task->utime,
		    .stime = task->stime,
		    .child_utime = process ? process->child_utime : 0,
		    .child_stime = process ? process->child_stime : 0,
		    .accessible = !process_may_access(task),
		    .mm = task->mm ? mm_get(task->mm) : NULL,
		};
		if (process)
			process_times(process, &copy->utime, &copy->stime);
		strlcpy(copy->comm, task->comm, sizeof(copy->comm));
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return task ? 0 : -ESRCH;
}

static void drop_state(struct task_state_copy *copy)
{
	if (copy->mm)
		mm_put(copy->mm);
}

int proc_show_comm(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);

	if (err)
		return err;
	seq_printf(s, "%s\n", copy.comm);
	drop_state(&copy);
	return 0;
}

int proc_show_maps(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);
	char line[VMA_LINE_MAX];
	struct vma *vma;

	if (err || !copy.mm)
		return err;
	if (copy.accessible) {
		mutex_lock(&copy.mm->lock);
		list_for_each (vma, &copy.mm->vmas, node)
			seq_write(s, line, vma_format(vma, line, sizeof(line)));
		mutex_unlock(&copy.mm->lock);
	}
	drop_state(&copy);
	return copy.accessible ? 0 : -EACCES;
}

/* Bytes of user memory mapped, resident or not. */
static size_t mm_size(struct mm *mm)
{
	struct vma *vma;
	size_t size = 0;

	mutex_lock(&mm->lock);
	list_for_each (vma, &mm->vmas, node)
		size += vma->end - vma->start;
	mutex_unlock(&mm->lock);
	return size;
}

/* The first 24 fields, to the resident pages; those that name what there is not are 0. */
int proc_show_task_stat(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);

	if (err)
		return err;
	seq_printf(
	    s, "%d (%s) %c %d 0 0 0 -1 0 %llu 0 %llu 0 %llu %llu %llu %llu %u 0 1 0 0", pid,
	    copy.comm, copy.state, copy.ppid, copy.mm ? (unsigned long long)copy.mm->faults_min : 0,
	    copy.mm ? (unsigned long long)copy.mm->faults_maj : 0, (unsigned long long)copy.utime,
	    (unsigned long long)copy.stime, (unsigned long long)copy.child_utime,
	    (unsigned long long)copy.child_stime, copy.priority);
	seq_printf(s, " %zu %zu\n", copy.mm ? mm_size(copy.mm) : 0,
		   copy.mm ? mm_resident_pages(copy.mm) : 0);
	drop_state(&copy);
	return 0;
}

int proc_show_kallsyms(struct seq *s, pid_t pid)
{
	extern const char _text[];
	/* Addresses are for those who may profile the kernel, as on Linux. */
	bool shown = process_privileged() || READ_ONCE(perf_limits.paranoid) <= 1;
	unsigned long address, mask = shown ? ~0UL : 0;
	const char *name;

	/* By this one, perf tells where the image lies. */
	seq_printf(s, "%016lx T _text\n", (unsigned long)_text & mask);
	for (size_t i = 0; kallsyms_entry(i, &name, &address); i++)
		seq_printf(s, "%016lx T %s\n", address & mask, name);
	return 0;
}

int proc_show_loadavg(struct seq *s, pid_t pid)
{
	unsigned running = 0, all = 0;
	struct task *task;
	unsigned long flags;
	pid_t last = 0;
	u32 load[3];

	loadavg(load);
	flags = spin_lock_irqsave(&task_list_lock);
	list_for_each (task, &task_list, all_node) {
		all++;
		running += task->state == TASK_RUNNING;
		last = task->tid;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	seq_printf(s, "%u.%02u %u.%02u %u.%02u %u/%u %d\n", load[0] / 100, load[0] % 100,
		   load[1] / 100, load[1] % 100, load[2] / 100, load[2] % 100, running, all, last);
	return 0;
}

int proc_show_meminfo(struct seq *s, pid_t pid)
{
	const size_t page_kib = PAGE_SIZE / 1024;

	seq_printf(s, "MemTotal:       %8zu kB\nMemFree:        %8zu kB\n",
		   page_nr_total() * page_kib, page_nr_free() * page_kib);
	seq_printf(s, "Slab:           %8zu kB\n", kmalloc_in_use() / 1024);
	return 0;
}

int proc_show_stat(struct seq *s, pid_t pid)
{
	u64 ticks = clock_ns() / (1000000000 / TICK_HZ);

	/* user, nice, system, idle, in 1/TICK_HZ s */
	for_each_cpu (cpu)
		seq_printf(s, "cpu%u %llu 0 %llu %llu\n", cpu->id, cpu->user_ticks,
			   cpu->system_ticks, ticks - cpu->user_ticks - cpu->system_ticks);
	seq_printf(s, "ctxt %llu\nprocesses %llu\n", (unsigned long long)sched_nr_switches(),
		   (unsigned long long)process_nr_forks());
	return 0;
}

int proc_show_notes(struct seq *s, pid_t pid)
{
	extern const char __notes_start[], __notes_end[];

	seq_write(s, __notes_start, __notes_end - __notes_start);
	return 0;
}
