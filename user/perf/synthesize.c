/* SPDX-License-Identifier: MIT */
/*
 * Records about what was there before the events were opened: the kernel's map and the tasks that
 * exist, with the build ids by which symbols are found later. Read from /proc and /sys.
 */
#include "perf.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROT_READ_EXEC 5
#define MAP_PRIVATE_   2 /* what an executable's segments are */

static struct record record;

/* The body of MMAP2, by build id when there is one. */
static int write_map(struct stream *s, uint16_t mode, pid_t pid, const char *path, uint64_t start,
		     uint64_t len, uint64_t pgoff, uint64_t ino, const struct build_id *id)
{
	const uint8_t head[4] = {id->size};

	record_begin(&record, PERF_RECORD_MMAP2,
		     mode | (id->size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	record_u32(&record, pid);
	record_u32(&record, pid == -1 ? 0 : pid);
	record_u64(&record, start);
	record_u64(&record, len);
	record_u64(&record, pgoff);
	if (id->size) {
		record_bytes(&record, head, sizeof(head));
		record_bytes(&record, id->bytes, BUILD_ID_MAX);
	} else {
		record_u64(&record, 0); /* device */
		record_u64(&record, ino);
		record_u64(&record, 0);
	}
	record_u32(&record, PROT_READ_EXEC);
	record_u32(&record, MAP_PRIVATE_);
	record_string(&record, path);
	record_trailer(&record);
	return record_write(&record, s);
}

/* Where the kernel's text is, and the symbol at its start: tools find by it how far it was moved.
 */
struct kernel_text {
	uint64_t start, end;
	char symbol[64];
};

/* Takes _text and _etext, or else the first and the last symbol. False: there are none, or hidden.
 */
static bool find_kernel_text(struct kernel_text *text)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	uint64_t address, first = UINT64_MAX, last = 0;
	char line[512], type, name[64];

	memset(text, 0, sizeof(*text));
	if (!f)
		return false;
	while ((!text->start || !text->end) && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %63s", &address, &type, name) != 3 || !address)
			continue;
		if (!strcmp(name, "_text")) {
			text->start = address;
			strcpy(text->symbol, name);
		} else if (!strcmp(name, "_etext")) {
			text->end = address;
		} else if (type == 'T' || type == 't') {
			if (address < first && !text->start)
				strcpy(text->symbol, name);
			first = address < first ? address : first;
			last = address > last ? address : last;
		}
	}
	fclose(f);
	if (!text->start)
		text->start = first;
	if (!text->end)
		text->end = (last + sysconf(_SC_PAGESIZE)) & -sysconf(_SC_PAGESIZE);
	return text->end > text->start;
}

static void kernel_build_id(struct build_id *id)
{
	uint8_t notes[4096];
	FILE *f = fopen("/sys/kernel/notes", "r");

	id->size = 0;
	if (!f)
		return;
	build_id_from_notes(notes, fread(notes, 1, sizeof(notes), f), id);
	fclose(f);
}

int synthesize_kernel(struct stream *s)
{
	struct kernel_text text;
	struct build_id id;
	char name[96];

	if (!find_kernel_text(&text)) {
		error("/proc/kallsyms shows no addresses: kernel symbols will be missing");
		return 0;
	}
	kernel_build_id(&id);
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text.symbol);
	return write_map(s, PERF_RECORD_MISC_KERNEL, -1, name, text.start, text.end - text.start,
			 text.start, 0, &id);
}

static int write_comm(struct stream *s, pid_t pid, pid_t tid, const char *comm)
{
	record_begin(&record, PERF_RECORD_COMM, 0);
	record_u32(&record, pid);
	record_u32(&record, tid);
	record_string(&record, comm);
	record_trailer(&record);
	return record_write(&record, s);
}

bool mapping_next(FILE *maps, struct mapping *m)
{
	char line[512], perms[8];

	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %255[^\n]",
			   &m->start, &m->end, perms, &m->pgoff, &m->ino, m->file) != 6)
			continue;
		m->exec = perms[2] == 'x';
		return true;
	}
	return false;
}

/* Executable segments of files, and of the kernel's own pages in user space. */
static int write_maps(struct stream *s, pid_t pid)
{
	struct mapping m;
	char path[64];
	FILE *f;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0; /* it has ended meanwhile */
	while (ret == 0 && mapping_next(f, &m)) {
		struct build_id id = {0};
		struct elf elf;

		if (!m.exec)
			continue;
		if (m.file[0] == '/' && elf_open(&elf, m.file) == 0) {
			elf_build_id(&elf, &id);
			elf_close(&elf);
		}
		ret = write_map(s, PERF_RECORD_MISC_USER, pid, m.file, m.start, m.end - m.start,
				m.pgoff, m.ino, &id);
	}
	fclose(f);
	return ret;
}

/* The name of thread @tid of process @pid. */
static int write_name(struct stream *s, pid_t pid, pid_t tid)
{
	char path[64], comm[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	f = fopen(path, "r");
	if (!f)
		return 0; /* it has ended meanwhile */
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	return write_comm(s, pid, tid, comm);
}

int synthesize_task(struct stream *s, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return 0; /* it has ended meanwhile */
	while (ret == 0 && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = write_name(s, pid, atoi(entry->d_name));
	closedir(dir);
	return ret < 0 ? ret : write_maps(s, pid);
}

int synthesize_all_tasks(struct stream *s)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int ret = 0;

	if (!dir)
		return error("/proc: %s", strerror(errno));
	if (write_comm(s, 0, 0, "swapper") < 0)
		ret = -1;
	while (ret == 0 && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) > 0)
			ret = synthesize_task(s, atoi(entry->d_name));
	closedir(dir);
	return ret;
}
