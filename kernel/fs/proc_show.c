/* SPDX-License-Identifier: MIT */
/* What the files of /proc say of a process, in Linux's formats, which perf's readers know. */
#include "proc_show.h"
#include <hotregs/address_space.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>

/* What can be said of a task without holding it. */
struct task_state_copy {
	pid_t pid, ppid, pgid, sid;
	uid_t uid;
	char comm[TASK_COMM_LEN];
	char state; /* Linux's letter */
	unsigned priority;
	u64 utime, stime, child_utime, child_stime;
	u64 switches, migrations;
	u32 cpu, affinity;
	bool accessible; /* to the caller: process_may_access() */
	struct mm *mm;   /* with a reference; NULL: a kernel thread, or dead */
};

static char state_letter(const struct task *task)
{
	if (task->process ? task->process->zombie : task->gone)
		return 'Z';
	if (task->process && READ_ONCE(task->process->signals.stopped))
		return 'T';
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
		    .pgid = process ? process->pgid : 0,
		    .sid = process ? process->sid : 0,
		    .uid = process ? process->uid : 0,
		    .state = state_letter(task),
		    .priority = task->priority,
		    .utime = task->utime,
		    .stime = task->stime,
		    .child_utime = process ? process->child_utime : 0,
		    .child_stime = process ? process->child_stime : 0,
		    .switches = task->nr_switches,
		    .migrations = task->nr_migrations,
		    .cpu = task->cpu,
		    .affinity = task->affinity & cpus_online(),
		    .accessible = !process_may_access(task),
		    .mm = task->mm ? mm_get(task->mm) : NULL,
		};
		if (process && task == process->leader)
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

/* The first 39 fields, to the processor; those that name what there is not are 0. */
int proc_show_task_stat(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);

	if (err)
		return err;
	seq_printf(s, "%d (%s) %c %d %d %d 0 -1 0 %llu 0 %llu 0 %llu %llu %llu %llu %u 0 1 0 0",
		   pid, copy.comm, copy.state, copy.ppid, copy.pgid, copy.sid,
		   copy.mm ? (unsigned long long)copy.mm->faults_min : 0,
		   copy.mm ? (unsigned long long)copy.mm->faults_maj : 0,
		   (unsigned long long)copy.utime, (unsigned long long)copy.stime,
		   (unsigned long long)copy.child_utime, (unsigned long long)copy.child_stime,
		   copy.priority);
	seq_printf(s, " %zu %zu 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %u\n", copy.mm ? mm_size(copy.mm) : 0,
		   copy.mm ? mm_resident_pages(copy.mm) : 0, copy.cpu);
	drop_state(&copy);
	return 0;
}

int proc_show_sched(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);

	if (err)
		return err;
	seq_printf(s, "%s (%d)\nse.nr_migrations : %llu\nnr_switches : %llu\n", copy.comm, pid,
		   (unsigned long long)copy.migrations, (unsigned long long)copy.switches);
	drop_state(&copy);
	return 0;
}

int proc_show_status(struct seq *s, pid_t pid)
{
	struct task_state_copy copy;
	int err = copy_state(pid, &copy);
	const size_t page_kib = PAGE_SIZE / 1024;

	if (err)
		return err;
	seq_printf(s, "Name:\t%s\nState:\t%c\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n", copy.comm,
		   copy.state, copy.pid, pid, copy.ppid);
	seq_printf(s, "Uid:\t%u\t%u\t%u\t%u\n", copy.uid, copy.uid, copy.uid, copy.uid);
	seq_printf(s, "Cpus_allowed:\t%x\n", copy.affinity);
	if (copy.mm)
		seq_printf(s, "VmSize:\t%8zu kB\nVmRSS:\t%8zu kB\n", mm_size(copy.mm) / 1024,
			   mm_resident_pages(copy.mm) * page_kib);
	drop_state(&copy);
	return 0;
}
