/* SPDX-License-Identifier: MIT */
/* What the files of /proc and /sys say: kernel/fs/proc_show.c writes, procfs.c asks. */
#pragma once

#include <hotregs/fs.h>

/* Each writes one file's contents; 0, or -ESRCH when process @pid has gone (-errno). May sleep. */
typedef int (*proc_show_t)(struct seq *s, pid_t pid);

int proc_show_comm(struct seq *s, pid_t pid);
int proc_show_maps(struct seq *s, pid_t pid);
int proc_show_task_stat(struct seq *s, pid_t pid);

/* Of the whole system; @pid is not looked at. */
int proc_show_kallsyms(struct seq *s, pid_t pid);
int proc_show_loadavg(struct seq *s, pid_t pid);
int proc_show_meminfo(struct seq *s, pid_t pid);
int proc_show_stat(struct seq *s, pid_t pid);
int proc_show_notes(struct seq *s, pid_t pid);
