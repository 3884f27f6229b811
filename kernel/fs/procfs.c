/* SPDX-License-Identifier: MIT */
/* The trees /proc and /sys: names and directories. A file's contents are made when it is opened. */
#include "fs_node.h"
#include "proc_show.h"
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>

struct proc_file {
	const char *name;
	proc_show_t show;
};

static const struct proc_file system_files[] = {
    {"cpuinfo", proc_show_cpuinfo}, {"kallsyms", proc_show_kallsyms},
    {"loadavg", proc_show_loadavg}, {"meminfo", proc_show_meminfo},
    {"mounts", proc_show_mounts},   {"slabinfo", proc_show_slabinfo},
    {"stat", proc_show_stat},       {"uptime", proc_show_uptime},
    {"version", proc_show_version},
};
static const struct proc_file task_files[] = {
    {"comm", proc_show_comm},      {"maps", proc_show_maps},     {"sched", proc_show_sched},
    {"stat", proc_show_task_stat}, {"status", proc_show_status},
};
static const struct proc_file notes_file = {"notes", proc_show_notes};

/*
 * What a node's private pointer says until the file is opened: a process, and which file of it or
 * of the system. All three tables have one numbering.
 */
#define FIRST_TASK_FILE ARRAY_SIZE(system_files)
#define NOTES_FILE      (FIRST_TASK_FILE + ARRAY_SIZE(task_files))
#define FILES_PER_PID   32
_Static_assert(NOTES_FILE < FILES_PER_PID - 3, "the last three are directories");

static unsigned long node_key(pid_t pid, unsigned file)
{
	return (unsigned long)pid * FILES_PER_PID + file;
}

static int proc_file_open(struct file *f)
{
	unsigned long key = (unsigned long)f->private;
	unsigned i = key % FILES_PER_PID;
	const struct proc_file *file = i == NOTES_FILE        ? &notes_file
				       : i >= FIRST_TASK_FILE ? &task_files[i - FIRST_TASK_FILE]
							      : &system_files[i];
	struct seq *s = seq_create();
	int err;

	f->private = NULL;
	if (IS_ERR(s))
		return PTR_ERR(s);
	f->private = s;
	f->ops = &seq_file_ops;
	err = file->show(s, key / FILES_PER_PID);
	return !err && s->overflow ? -ENOMEM : err;
}

/* A file is this only until its contents are there. */
static const struct file_ops proc_file_ops = {.open = proc_file_open};

static void file_node(struct fs_node *node, u64 tree, pid_t pid, unsigned file)
{
	unsigned long key = node_key(pid, file);

	*node = (struct fs_node){
	    .mode = UAPI_S_IFREG | 0444,
	    .ino = tree + key,
	    .ops = &proc_file_ops,
	    .private = (void *)key,
	};
}

/* The smallest number >= @from of a thread of process @pid, or (0) of a process; 0: none. */
static pid_t next_task(pid_t from, pid_t pid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;
	pid_t found = 0;

	list_for_each (task, &task_list, all_node)
		if ((pid ? task->pid == pid : task->pid == task->tid) && task->tid >= from &&
		    (!found || task->tid < found))
			found = task->tid;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return found;
}

/* The process that @tid is a thread of; 0: there is no such thread. */
static pid_t process_of(pid_t tid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct task *task = task_find(tid);
	pid_t pid = task ? task->pid : 0;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return pid;
}

static void task_entry(struct dir_entry *entry, pid_t tid)
{
	snprintf(entry->name, sizeof(entry->name), "%d", tid);
	entry->ino = INO_PROC + node_key(tid, FILES_PER_PID - 1);
	entry->type = UAPI_DT_DIR;
}

/* --- /proc/PID/task --- */

static int threads_readdir(struct file *f, struct dir_entry *entry)
{
	pid_t tid = f->pos < INT32_MAX ? next_task(f->pos, (unsigned long)f->private) : 0;

	if (!tid)
		return -ENOENT;
	task_entry(entry, tid);
	f->pos = tid + 1;
	return 0;
}

static const struct file_ops threads_dir_ops = {
    .lseek = dir_lseek,
    .stat = dir_stat,
    .readdir = threads_readdir,
};

/* --- /proc/PID --- */

#define THREADS_INO(pid) node_key(pid, FILES_PER_PID - 3)

/* A thread's directory has all that its process's has, but the threads. */
static int task_dir_readdir(struct file *f, struct dir_entry *entry)
{
	pid_t pid = (unsigned long)f->private;

	if ((u64)f->pos < ARRAY_SIZE(task_files)) {
		strlcpy(entry->name, task_files[f->pos].name, sizeof(entry->name));
		entry->ino = INO_PROC + node_key(pid, FIRST_TASK_FILE + f->pos);
		entry->type = UAPI_DT_REG;
	} else if (f->pos == ARRAY_SIZE(task_files) && process_of(pid) == pid) {
		strlcpy(entry->name, "task", sizeof(entry->name));
		entry->ino = INO_PROC + THREADS_INO(pid);
		entry->type = UAPI_DT_DIR;
	} else {
		return -ENOENT;
	}
	f->pos++;
	return 0;
}

static const struct file_ops task_dir_ops = {
    .lseek = dir_lseek,
    .stat = dir_stat,
    .readdir = task_dir_readdir,
};

/* The number that @path begins with; *@rest is what follows. 0: none. */
static pid_t parse_number(const char *path, const char **rest)
{
	pid_t number = 0;

	for (; *path >= '0' && *path <= '9' && number < 1000000; path++)
		number = number * 10 + *path - '0';
	*rest = path;
	return number;
}

/* Finds "PID..." or "self...", without the slash before it; *@rest is what follows. 0: neither. */
static pid_t parse_pid(const char *path, const char **rest)
{
	if (!strncmp(path, "self", 4)) {
		*rest = path + 4;
		return current->pid;
	}
	return parse_number(path, rest);
}

/* Finds "", "/FILE" of task @pid, which is there. */
static int task_lookup(pid_t pid, const char *path, struct fs_node *node)
{
	if (!*path) {
		fs_node_dir(node, INO_PROC + node_key(pid, FILES_PER_PID - 1), &task_dir_ops,
			    (void *)(unsigned long)pid);
		return 0;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(task_files); i++) {
		if (!strcmp(path + 1, task_files[i].name)) {
			file_node(node, INO_PROC, pid, FIRST_TASK_FILE + i);
			return 0;
		}
	}
	return -ENOENT;
}

/* The same of process @pid, and "/task...", its threads. */
static int process_lookup(pid_t pid, const char *path, struct fs_node *node)
{
	const char *rest;
	pid_t tid;

	if (!process_of(pid))
		return -ENOENT;
	if (strncmp(path, "/task", 5) || (path[5] && path[5] != '/') || process_of(pid) != pid)
		return task_lookup(pid, path, node);
	if (!path[5]) {
		fs_node_dir(node, INO_PROC + THREADS_INO(pid), &threads_dir_ops,
			    (void *)(unsigned long)pid);
		return 0;
	}
	tid = parse_number(path + 6, &rest);
	if (!tid || (*rest && *rest != '/') || process_of(tid) != pid)
		return -ENOENT;
	return task_lookup(tid, rest, node);
}

/* --- /proc --- */

/* Positions: 0 "self", 1 "sys", then the system's files, then the tasks by number. */
#define FIRST_FILE_POS 2
#define FIRST_TASK_POS (FIRST_FILE_POS + ARRAY_SIZE(system_files))

static int proc_dir_readdir(struct file *f, struct dir_entry *entry)
{
	u64 pos = f->pos;
	pid_t pid;

	entry->type = UAPI_DT_DIR;
	entry->ino = INO_PROC + node_key(0, FILES_PER_PID - 2);
	if (!pos) {
		strlcpy(entry->name, "self", sizeof(entry->name));
	} else if (pos < FIRST_FILE_POS) {
		strlcpy(entry->name, "sys", sizeof(entry->name));
		entry->ino = INO_SYSCTL;
	} else if (pos < FIRST_TASK_POS) {
		strlcpy(entry->name, system_files[pos - FIRST_FILE_POS].name, sizeof(entry->name));
		entry->type = UAPI_DT_REG;
		entry->ino = INO_PROC + node_key(0, pos - FIRST_FILE_POS);
	} else {
		pid = pos < INT32_MAX ? next_task(pos - FIRST_TASK_POS, 0) : 0;
		if (!pid)
			return -ENOENT;
		task_entry(entry, pid);
		pos = FIRST_TASK_POS + pid;
	}
	f->pos = pos + 1;
	return 0;
}

static const struct file_ops proc_dir_ops = {
    .lseek = dir_lseek,
    .stat = dir_stat,
    .readdir = proc_dir_readdir,
};

int procfs_lookup(const char *path, struct fs_node *node)
{
	const char *rest;
	pid_t pid;

	if (!*path) {
		fs_node_dir(node, INO_PROC + node_key(0, FILES_PER_PID - 1), &proc_dir_ops, NULL);
		return 0;
	}
	path++;
	if (!strncmp(path, "sys", 3) && (!path[3] || path[3] == '/'))
		return sysctl_lookup(path + 3, node);
	for (unsigned i = 0; i < ARRAY_SIZE(system_files); i++) {
		if (!strcmp(path, system_files[i].name)) {
			file_node(node, INO_PROC, 0, i);
			return 0;
		}
	}
	pid = parse_pid(path, &rest);
	return pid && (!*rest || *rest == '/') ? process_lookup(pid, rest, node) : -ENOENT;
}

/* --- /sys: the kernel's build-id note, where Linux shows its own --- */

static const char *const sys_names[] = {"kernel"};
static const char *const sys_kernel_names[] = {"notes"};
static struct fixed_dir sys_dir = {UAPI_DT_DIR, INO_SYS + 1, 1, sys_names};
static struct fixed_dir sys_kernel_dir = {UAPI_DT_REG, INO_SYS + NOTES_FILE, 1, sys_kernel_names};

int sysfs_lookup(const char *path, struct fs_node *node)
{
	if (!*path)
		fs_node_dir(node, INO_SYS, &fixed_dir_ops, &sys_dir);
	else if (!strcmp(path, "/kernel"))
		fs_node_dir(node, INO_SYS + 1, &fixed_dir_ops, &sys_kernel_dir);
	else if (!strcmp(path, "/kernel/notes"))
		file_node(node, INO_SYS, 0, NOTES_FILE);
	else
		return -ENOENT;
	return 0;
}
