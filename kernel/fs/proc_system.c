/* SPDX-License-Identifier: MIT */
/* What /proc and /sys say of the machine and the kernel, in Linux's formats. */
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>
#include <hotregs/unwind.h>

#include <arch/identify.h>

#include "proc_show.h"

#define NSEC_PER_CENTISECOND 10000000

int proc_show_kallsyms(struct seq *s, pid_t pid)
{
	extern const char _text[];
	/* Addresses are for those who may profile the kernel, as on Linux. */
	bool shown = process_privileged() || READ_ONCE(perf_limits.paranoid) <= 1;
	unsigned long address, mask = shown ? ~0UL : 0;
	const char *name;
	bool data;

	/* By this one, perf tells where the image lies. */
	seq_printf(s, "%016lx T _text\n", (unsigned long)_text & mask);
	for (size_t i = 0; kallsyms_entry(i, &name, &address, &data); i++)
		seq_printf(s, "%016lx %c %s\n", address & mask, data ? 'D' : 'T', name);
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
	seq_printf(s, "Slab:           %8zu kB\nPageTables:     %8zu kB\n", kmalloc_in_use() / 1024,
		   page_nr_tables() * page_kib);
	return 0;
}

static void show_slab(struct seq *s, const char *name, const struct slab_usage *u)
{
	seq_printf(s, "%-17s %6zu %6zu %6zu %4u 1 : tunables 0 0 0 : slabdata %6zu %6zu 0\n", name,
		   u->in_use, u->pages * u->per_page, u->size, u->per_page, u->pages - u->empty,
		   u->pages);
}

/* The kernel's objects by size: each size is what Linux calls a cache, and a page a slab. */
int proc_show_slabinfo(struct seq *s, pid_t pid)
{
	struct slab_usage u;
	char name[24];

	seq_printf(s,
		   "slabinfo - version: 2.1\n# name            <active_objs> <num_objs> <objsize> "
		   "<objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : "
		   "slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	vmap_usage(&u);
	show_slab(s, "vmap_area", &u);
	for (unsigned i = 0; kmalloc_usage(i, &u); i++) {
		snprintf(name, sizeof(name), "kmalloc-%zu", u.size);
		show_slab(s, name, &u);
	}
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

int proc_show_cpuinfo(struct seq *s, pid_t pid)
{
	char text[CPUINFO_MAX];

	/* They are all of a kind. */
	arch_cpuinfo(text, sizeof(text));
	for_each_cpu (cpu)
		seq_printf(s, "processor\t: %u\n%s\n", cpu->id, text);
	return 0;
}

/* Seconds since boot, and those that all processors together were idle. */
int proc_show_uptime(struct seq *s, pid_t pid)
{
	u64 now = clock_ns() / NSEC_PER_CENTISECOND, idle = 0;

	for_each_cpu (cpu)
		idle += now - (cpu->user_ticks + cpu->system_ticks) * (100 / TICK_HZ);
	seq_printf(s, "%llu.%02llu %llu.%02llu\n", now / 100, now % 100, idle / 100, idle % 100);
	return 0;
}

int proc_show_version(struct seq *s, pid_t pid)
{
	seq_printf(s, "%s version %s %s\n", system_name.sysname, system_name.release,
		   system_name.version);
	return 0;
}

int proc_show_mounts(struct seq *s, pid_t pid)
{
	seq_printf(s, "rootfs / rootfs rw 0 0\ndevfs /dev devfs rw 0 0\n"
		      "proc /proc proc ro 0 0\nsysfs /sys sysfs ro 0 0\n");
	return 0;
}
