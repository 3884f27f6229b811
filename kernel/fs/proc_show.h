/* SPDX-License-Identifier: MIT */
/* What the files of /proc and /sys say: proc_show.c (of a process) and proc_system.c write,
 * procfs.c asks. */
#pragma once

#include <hotregs/fs.h>

/* Each writes one file's contents; 0, or -ESRCH when process @pid has gone (-errno). May sleep. */
typedef int (*proc_show_t)(struct seq *s, pid_t pid);

int proc_show_comm(struct seq *s, pid_t pid);
int proc_show_maps(struct seq *s, pid_t pid);
int proc_show_sched(struct seq *s, pid_t pid);
int proc_show_status(struct seq *s, pid_t pid);
int proc_show_task_stat(struct seq *s, pid_t pid);

/* Of the whole system; @pid is not looked at. */
int proc_show_cpuinfo(struct seq *s, pid_t pid);
int proc_show_kallsyms(struct seq *s, pid_t pid);
int proc_show_loadavg(struct seq *s, pid_t pid);
int proc_show_meminfo(struct seq *s, pid_t pid);
int proc_show_mounts(struct seq *s, pid_t pid);
int proc_show_slabinfo(struct seq *s, pid_t pid);
int proc_show_stat(struct seq *s, pid_t pid);
int proc_show_uptime(struct seq *s, pid_t pid);
int proc_show_version(struct seq *s, pid_t pid);
int proc_show_notes(struct seq *s, pid_t pid);
