/* SPDX-License-Identifier: MIT */
/*
 * What the records say about tasks and their maps, and from there to symbols: the kernel's by
 * /proc/kallsyms, a program's by the symbol table of the file that was mapped, if its build id is
 * still the one that was recorded.
 */
#include "perf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMM_SIZE 32

struct map {
	uint64_t start, end, pgoff;
	struct object *object;
	struct map *older;
};

/* A file that was mapped; loaded when first asked for. */
struct object {
	char *path;
	struct build_id id;
	bool loaded;
	struct elf elf; /* no symbols when it could not be read */
	struct object *next;
};

struct task {
	uint32_t pid, tid;
	char comm[COMM_SIZE];
	struct map *maps; /* newest first; the process's leader has them */
	struct task *next;
};

static struct task *tasks;
static struct object *objects;

/* A stream may claim anything, but it does not get memory without end for it. */
static void *allocate(size_t n)
{
	void *p = calloc(1, n);

	if (!p) {
		error("out of memory");
		exit(EXIT_FAILURE);
	}
	return p;
}

static struct task *find_task(uint32_t tid)
{
	struct task **link = &tasks, *t;

	while (*link && (*link)->tid != tid)
		link = &(*link)->next;
	t = *link;
	if (t) { /* to the front: the same one is likely asked for again */
		*link = t->next;
		t->next = tasks;
		tasks = t;
	}
	return t;
}

static struct task *get_task(uint32_t pid, uint32_t tid)
{
	struct task *t = find_task(tid);

	if (t && t->pid == pid)
		return t;
	if (!t) {
		t = allocate(sizeof(*t));
		t->tid = tid;
		t->next = tasks;
		tasks = t;
	}
	t->pid = pid;
	snprintf(t->comm, sizeof(t->comm), ":%" PRIu32, tid);
	return t;
}

void machine_comm(uint32_t pid, uint32_t tid, const char *comm)
{
	struct task *t = get_task(pid, tid);

	snprintf(t->comm, sizeof(t->comm), "%s", comm);
}

/* Puts a copy of @map at *@link. */
static struct map *add_map(struct map **link, struct map map)
{
	struct map *added = allocate(sizeof(*added));

	*added = map;
	*link = added;
	return added;
}

/* There may be more of them than a stack has room for calls. */
static void copy_maps(struct task *to, const struct map *from)
{
	struct map **link = &to->maps;

	for (; from; from = from->older)
		link = &add_map(link, *from)->older;
	*link = NULL;
}

static void drop_maps(struct task *t)
{
	while (t->maps) {
		struct map *map = t->maps;

		t->maps = map->older;
		free(map);
	}
}

void machine_fork(uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	struct task *t = get_task(pid, tid), *parent = get_task(ppid, ptid);

	if (t == parent)
		return;
	snprintf(t->comm, sizeof(t->comm), "%s", parent->comm);
	if (pid == ppid || pid != tid)
		return;
	drop_maps(t);
	copy_maps(t, get_task(ppid, ppid)->maps);
}

static struct object *get_object(const char *path, const struct build_id *id)
{
	struct object *o;

	for (o = objects; o; o = o->next)
		if (!strcmp(o->path, path) && o->id.size == id->size &&
		    !memcmp(o->id.bytes, id->bytes, id->size))
			return o;
	o = allocate(sizeof(*o));
	o->path = allocate(strlen(path) + 1);
	strcpy(o->path, path);
	o->id = *id;
	o->elf.fd = -1;
	o->next = objects;
	objects = o;
	return o;
}

void machine_map(uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *path,
		 const struct build_id *id)
{
	struct task *t;

	if (start + len < start)
		return;
	t = get_task(pid, pid);
	add_map(&t->maps, (struct map){start, start + len, pgoff, get_object(path, id), t->maps});
}

const char *machine_task_name(uint32_t pid, uint32_t tid)
{
	return get_task(pid, tid)->comm;
}

static void load(struct object *o)
{
	struct build_id id;

	o->loaded = true;
	if (o->path[0] != '/' || elf_open(&o->elf, o->path) < 0)
		return;
	elf_build_id(&o->elf, &id);
	if (o->id.size && (id.size != o->id.size || memcmp(id.bytes, o->id.bytes, id.size)))
		elf_close(&o->elf); /* another file by the same name: no symbol beats a wrong one */
	else
		elf_load_symbols(&o->elf);
	elf_close_file(&o->elf);
}

static void resolve_user(uint32_t pid, uint64_t ip, struct symbol_name *name)
{
	const struct elf_symbol *symbol;
	const struct task *t = get_task(pid, pid);
	const struct map *map;
	uint64_t address;

	for (map = t->maps; map; map = map->older)
		if (ip >= map->start && ip < map->end)
			break;
	if (!map)
		return;
	if (!map->object->loaded)
		load(map->object);
	name->dso = map->object->path;
	if (!elf_address(&map->object->elf, ip - map->start + map->pgoff, &address))
		return;
	symbol = elf_find(&map->object->elf, address);
	if (symbol) {
		name->name = symbol->name;
		name->offset = address - symbol->start;
	}
}

/* --- The kernel --- */

struct kernel_symbol {
	uint64_t address;
	char *name;
};
static struct kernel_symbol *kernel_symbols;
static size_t nr_kernel_symbols;

static int compare(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void load_kernel_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], type, name[256];
	size_t capacity = 0;
	uint64_t address;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3 ||
		    !strchr("tTwW", type) || !address)
			continue;
		if (nr_kernel_symbols == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			kernel_symbols =
			    realloc(kernel_symbols, capacity * sizeof(*kernel_symbols));
			if (!kernel_symbols) {
				error("out of memory");
				exit(EXIT_FAILURE);
			}
		}
		kernel_symbols[nr_kernel_symbols].address = address;
		kernel_symbols[nr_kernel_symbols].name = allocate(strlen(name) + 1);
		strcpy(kernel_symbols[nr_kernel_symbols++].name, name);
	}
	if (f)
		fclose(f);
	if (nr_kernel_symbols)
		qsort(kernel_symbols, nr_kernel_symbols, sizeof(*kernel_symbols), compare);
}

static void resolve_kernel(uint64_t ip, struct symbol_name *name)
{
	static bool loaded;
	size_t low = 0, high;

	if (!loaded)
		load_kernel_symbols();
	loaded = true;
	high = nr_kernel_symbols;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (kernel_symbols[mid].address <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return;
	name->name = kernel_symbols[low - 1].name;
	name->offset = ip - kernel_symbols[low - 1].address;
	name->dso = "[kernel.kallsyms]";
}

void machine_resolve(uint32_t pid, bool kernel, uint64_t ip, struct symbol_name *name)
{
	*name = (struct symbol_name){0};
	if (kernel)
		resolve_kernel(ip, name);
	else
		resolve_user(pid, ip, name);
}
