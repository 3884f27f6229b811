/* SPDX-License-Identifier: MIT */
/* Lists processes, by /proc: number, parent, group, user, state, last processor and time on any,
 * memory, name. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICKS_PER_SECOND 100 /* of /proc/PID/stat */

struct process {
	int pid, ppid, pgid;
	unsigned uid, cpu;
	char state;
	unsigned long long ticks;
	unsigned long size_kb, resident_kb;
	char name[32];
};

/* Reads the fields of /proc/PID/stat: the name may hold blanks and parentheses. */
static bool read_stat(int pid, struct process *p)
{
	char path[32], line[256], *name, *rest;
	unsigned long long utime, stime;
	long resident;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	name = strchr(line, '(');
	rest = strrchr(line, ')');
	if (!name || !rest || rest - name > (int)sizeof(p->name))
		return false;
	memcpy(p->name, name + 1, rest - name - 1);
	p->name[rest - name - 1] = '\0';
	if (sscanf(rest + 2,
		   "%c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d "
		   "%*d %*u %lu %ld %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %u",
		   &p->state, &p->ppid, &p->pgid, &utime, &stime, &p->size_kb, &resident,
		   &p->cpu) != 8)
		return false;
	p->pid = pid;
	p->ticks = utime + stime;
	p->size_kb /= 1024;
	p->resident_kb = resident * (getpagesize() / 1024);
	return true;
}

static bool read_user(int pid, struct process *p)
{
	char path[32], line[80];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "Uid: %u", &p->uid) == 1;
	fclose(f);
	return found;
}

static void print(const struct process *p)
{
	printf("%5d %5d %5d %5u %c %3u %4llu.%02llu %7lu %7lu %s\n", p->pid, p->ppid, p->pgid,
	       p->uid, p->state, p->cpu, p->ticks / TICKS_PER_SECOND, p->ticks % TICKS_PER_SECOND,
	       p->size_kb, p->resident_kb, p->name);
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	DIR *dir;

	if (getopt(argc, argv, "") != -1 || optind < argc) {
		fputs("usage: ps\n", stderr);
		return 2;
	}
	dir = opendir("/proc");
	if (!dir) {
		fprintf(stderr, "ps: /proc: %s\n", strerror(errno));
		return 1;
	}
	puts("  PID  PPID  PGID   UID S CPU    TIME  KIB-VM KIB-RAM NAME");
	while ((entry = readdir(dir))) {
		int pid = atoi(entry->d_name);
		struct process p = {0};

		/* One that has ended meanwhile is none any more. */
		if (isdigit((unsigned char)entry->d_name[0]) && read_stat(pid, &p) &&
		    read_user(pid, &p))
			print(&p);
	}
	closedir(dir);
	return 0;
}
