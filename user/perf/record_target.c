/* SPDX-License-Identifier: MIT */
/* Whom perf record watches: the command, everybody, or a process or thread that is there already.
 */
#define _GNU_SOURCE
#include "record.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* The threads of process @pid; the process itself where the system shows no threads. */
static int find_threads(struct recording *rec, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && rec->nr_targets < MAX_TARGETS)
		if (atoi(entry->d_name) > 0)
			rec->target[rec->nr_targets++] = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	if (rec->nr_targets == MAX_TARGETS)
		return error("-p: the process has more than %d threads", MAX_TARGETS - 1);
	if (!rec->nr_targets)
		rec->target[rec->nr_targets++] = pid;
	return 0;
}

static bool has_thread(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	return access(path, F_OK) == 0;
}

/* The process that thread @tid is of; -1 with a message. */
static pid_t process_of(pid_t tid)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = -1;

	while (dir && found < 0 && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0 && has_thread(atoi(entry->d_name), tid))
			found = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return found < 0 ? error("-t: there is no thread %d", (int)tid) : found;
}

int record_targets(struct recording *rec)
{
	const struct options *opt = &rec->opt;

	if (opt->pid) {
		rec->process = opt->pid;
		return find_threads(rec, opt->pid);
	}
	rec->target[0] = opt->tid ? opt->tid : opt->all_tasks ? -1 : rec->workload.pid;
	rec->nr_targets = 1;
	rec->process = opt->tid ? process_of(opt->tid) : rec->target[0];
	return opt->tid && rec->process < 0 ? -1 : 0;
}
