/* SPDX-License-Identifier: MIT */
/* What the files of kernel/proc share. */
#pragma once

#include <hotregs/process.h>

struct archive_entry;

/* The first process: takes over orphans, cannot be killed by others, ends the machine when it ends.
 * Set before it runs; never NULL after. */
extern struct process *init_process;

/* A process of one thread, without memory and files yet, which will run entry(arg) in the kernel;
 * not published. ERR_PTR(-ENOMEM). */
struct process *process_create(const char *comm, void (*entry)(void *arg), void *arg);

/* Gives @process its number and makes it known, as a child of @parent. Its leader may then be
 * given to sched_start(). */
void process_publish(struct process *process, struct process *parent);

/* Frees a process that was never published, or that has been waited for. May sleep. */
void process_free(struct process *process);

/* Processes that are not freed yet. */
u32 process_count(void);

/* The bytes that perf_event's MMAP records and /proc name @entry by; @image has its build-id (NULL:
 * none). ERR_PTR(-ENOMEM, -ENAMETOOLONG). */
struct exe *exe_create(const struct archive_entry *entry, const struct elf_image *image);

/* Finds the program at @path and reads its headers; -ENOENT, -EACCES, -ENOEXEC, ... */
int program_find(const char *path, struct archive_entry *entry, struct elf_image *image);
