/* SPDX-License-Identifier: MIT */
/*
 * user/perf: whatever stream perf script is given, it prints it or says what is wrong. Its files
 * are included, so that one input knows nothing of the one before.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../user/perf/script.c"

#include "../../user/perf/machine.c"

#include "fuzz.h"

int error(const char *format, ...)
{
	return -1;
}

/* The files of this host are none of the stream's. */
int elf_open(struct elf *elf, const char *path)
{
	return -1;
}

void elf_close(struct elf *elf)
{
}

void elf_close_file(struct elf *elf)
{
}

void elf_build_id(const struct elf *elf, struct build_id *id)
{
	id->size = 0;
}

int elf_load_symbols(struct elf *elf)
{
	return -1;
}

bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address)
{
	return false;
}

const struct elf_symbol *elf_find(const struct elf *elf, uint64_t address)
{
	return NULL;
}

static u8 example[4096];
static size_t example_size;

static void put(u32 type, u16 misc, const void *body, u16 size)
{
	struct perf_event_header h = {type, misc, sizeof(h) + size};

	memcpy(example + example_size, &h, sizeof(h));
	memcpy(example + example_size + sizeof(h), body, size);
	example_size += h.size;
}

/* Of each record that is read, one. */
void fuzz_examples(void)
{
	static const u64 head[2] = {STREAM_MAGIC, sizeof(head)};
	const struct {
		struct perf_event_attr attr;
		u64 id;
	} event = {{.type = PERF_TYPE_SOFTWARE,
		    .size = sizeof(event.attr),
		    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				   PERF_SAMPLE_CALLCHAIN},
		   7};
	static const u64 name[] = {2, 7, 0x656d616e};
	static const u64 sample[] = {7,
				     0x401234,
				     5ULL | 5ULL << 32,
				     1000,
				     0,
				     1,
				     5,
				     PERF_CONTEXT_KERNEL,
				     0xffffffff80100000,
				     PERF_CONTEXT_USER,
				     0x401234,
				     0x401100};
	static const u64 comm[] = {5ULL | 5ULL << 32, 0x676f7270, 5ULL | 5ULL << 32, 900, 0, 7};
	static const u64 fork[] = {
	    6ULL | 5ULL << 32, 6ULL | 5ULL << 32, 950, 5ULL | 5ULL << 32, 950, 0, 7};
	static const u64 map[] = {5ULL | 5ULL << 32, 0x400000,          0x10000, 0, 20, 1, 2, 3,
				  0x6e69622f,        5ULL | 5ULL << 32, 910,     0, 7};

	CHECK(freopen("/dev/null", "w", stdout));
	memcpy(example, head, sizeof(head));
	example_size = sizeof(head);
	put(STREAM_ATTR, 0, &event, sizeof(event));
	put(STREAM_EVENT_UPDATE, 0, name, sizeof(name));
	put(PERF_RECORD_COMM, 0, comm, sizeof(comm));
	put(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID | PERF_RECORD_MISC_USER, map,
	    sizeof(map));
	put(PERF_RECORD_FORK, 0, fork, sizeof(fork));
	put(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sample, sizeof(sample));
	put(STREAM_FINISHED_ROUND, 0, "", 0);
	put(STREAM_TRACING_DATA, 0, &(u64){4}, 8);
	fuzz_add_example(example, example_size);
}

static void forget(void)
{
	while (nr_known)
		free(known[--nr_known].ids);
	while (tasks) {
		struct task *t = tasks;

		drop_maps(t);
		tasks = t->next;
		free(t);
	}
	while (objects) {
		struct object *o = objects;

		objects = o->next;
		free(o->path);
		free(o);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static int fd;
	char path[64], *argv[] = {"script", "-i", path, NULL};

	if (!fd)
		fd = memfd_create("stream", 0);
	CHECK(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cmd_script(3, argv);
	forget();
	return 0;
}
