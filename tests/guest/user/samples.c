/* SPDX-License-Identifier: MIT */
/* Ring-buffer reading and symbol look-up for the tests of samples. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define PAGE 4096UL

struct perf_event_attr software_event(uint64_t config)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = PERF_ATTR_SIZE_VER5,
	    .config = config,
	    .sample_period = 1,
	    .sample_type = SAMPLE_TYPE,
	    .exclude_guest = 1,
	};

	return attr;
}

int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

bool recorder_open(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu,
		   size_t pages)
{
	r->fd = perf_event_open(attr, pid, cpu, -1, 0);
	if (r->fd < 0)
		return false;
	r->size = pages * PAGE;
	r->page = mmap(NULL, r->size + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page != MAP_FAILED)
		return true;
	close(r->fd);
	return false;
}

void recorder_close(struct recorder *r)
{
	munmap(r->page, r->size + PAGE);
	close(r->fd);
}

/* Copies @n bytes that begin at ring position @pos and may wrap. */
static void ring_copy(const struct recorder *r, uint64_t pos, void *out, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + PAGE;
	size_t at = pos & (r->size - 1);
	size_t first = n < r->size - at ? n : r->size - at;

	memcpy(out, data + at, first);
	memcpy((uint8_t *)out + first, data, n - first);
}

bool recorder_next(struct recorder *r, struct record *out)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;

	if (head == tail)
		return false;
	ring_copy(r, tail, &out->header, sizeof(out->header));
	if (!EXPECT(out->header.size >= sizeof(out->header) && out->header.size <= head - tail)) {
		__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
		return false;
	}
	ring_copy(r, tail, out, out->header.size);
	__atomic_store_n(&r->page->data_tail, tail + out->header.size, __ATOMIC_RELEASE);
	return true;
}

void record_sample(const struct record *record, struct sample *s)
{
	const uint64_t *w = (const uint64_t *)record->body;

	s->id = w[0];
	s->ip = w[1];
	s->pid = w[2];
	s->tid = w[2] >> 32;
	s->time = w[3];
	s->addr = w[4];
	s->cpu = w[5];
	s->period = w[6];
	s->nr = w[7];
	s->chain = w + 8;
	EXPECT_EQ(record->header.size, sizeof(record->header) + (8 + s->nr) * sizeof(*w));
}

bool recorder_next_sample(struct recorder *r, pid_t tid, struct record *record, struct sample *s)
{
	while (recorder_next(r, record)) {
		if (record->header.type != PERF_RECORD_SAMPLE)
			continue;
		record_sample(record, s);
		if (!tid || s->tid == (uint32_t)tid)
			return true;
	}
	return false;
}

/* --- Symbols --- */

struct symbol {
	uint64_t start, end;
	const char *name;
};

static struct symbol *symbols;
static size_t nr_symbols;

/* The whole of a small file, NUL-terminated; NULL. */
static char *read_file(const char *path, size_t *size)
{
	size_t n = 0, room = 65536;
	char *buf = malloc(room + 1);
	int fd = open(path, O_RDONLY);
	ssize_t got;

	while (fd >= 0 && buf && (got = read(fd, buf + n, room - n)) > 0) {
		n += got;
		if (n == room)
			buf = realloc(buf, (room *= 2) + 1);
	}
	if (fd >= 0)
		close(fd);
	if (!buf || fd < 0)
		return NULL;
	buf[n] = 0;
	*size = n;
	return buf;
}

static void add_symbol(uint64_t start, uint64_t end, const char *name)
{
	static size_t room;

	if (nr_symbols == room) {
		room = room ? 2 * room : 1024;
		symbols = realloc(symbols, room * sizeof(*symbols));
	}
	symbols[nr_symbols++] = (struct symbol){start, end, name};
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void load_kernel_symbols(void)
{
	size_t size;
	char *text = read_file("/proc/kallsyms", &size), *line, *name;

	for (line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		uint64_t start = strtoull(line, &name, 16);

		if (strlen(name) > 3)
			add_symbol(start, 0, name + 3);
	}
	/* A kernel symbol ends where the next one begins. */
	qsort(symbols, nr_symbols, sizeof(*symbols), by_start);
	for (size_t i = 0; i + 1 < nr_symbols; i++)
		symbols[i].end = symbols[i + 1].start;
}

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr Ehdr;
typedef Elf64_Shdr Shdr;
typedef Elf64_Sym Sym;
#else
typedef Elf32_Ehdr Ehdr;
typedef Elf32_Shdr Shdr;
typedef Elf32_Sym Sym;
#endif

static void load_own_symbols(void)
{
	size_t size;
	char *elf = read_file(ktap_program, &size);
	const Ehdr *eh = (const Ehdr *)elf;

	for (unsigned i = 0; elf && i < eh->e_shnum; i++) {
		const Shdr *sh = (const Shdr *)(elf + eh->e_shoff) + i;
		const Shdr *strings = (const Shdr *)(elf + eh->e_shoff) + sh->sh_link;

		if (sh->sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = 0; n < sh->sh_size / sizeof(Sym); n++) {
			const Sym *sym = (const Sym *)(elf + sh->sh_offset) + n;
			uint64_t start = sym->st_value;

			/* Bit 0 says that it is Thumb code. */
			if (eh->e_machine == EM_ARM)
				start &= ~UINT64_C(1);
			/* Hand-written functions may have no size; they are small. */
			if (start && (sym->st_info & 15) == STT_FUNC)
				add_symbol(start, start + (sym->st_size ? sym->st_size : 16),
					   elf + strings->sh_offset + sym->st_name);
		}
	}
}

static const char *search(uint64_t ip)
{
	for (size_t i = 0; i < nr_symbols; i++)
		if (ip >= symbols[i].start && ip < symbols[i].end)
			return symbols[i].name;
	return "?";
}

const char *symbol_of(uint64_t ip)
{
	/* Chains are much alike. */
	static struct {
		uint64_t ip;
		const char *name;
	} cache[256];
	size_t slot = (ip ^ ip >> 8) % (sizeof(cache) / sizeof(cache[0]));

	if (!symbols) {
		load_kernel_symbols();
		load_own_symbols();
	}
	if (!cache[slot].name || cache[slot].ip != ip) {
		cache[slot].name = search(ip);
		cache[slot].ip = ip;
	}
	return cache[slot].name;
}

bool chain_has(const struct sample *s, uint64_t at, const char *const *names)
{
	for (; *names; names++, at++)
		if (at >= s->nr || strcmp(symbol_of(s->chain[at]), *names))
			return false;
	return true;
}

uint64_t chain_after(const struct sample *s, uint64_t marker)
{
	for (uint64_t i = 0; i < s->nr; i++)
		if (s->chain[i] == marker)
			return i + 1;
	return s->nr;
}

void chain_print(const struct sample *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		printf("#   %016llx %s\n", (unsigned long long)s->chain[i], symbol_of(s->chain[i]));
}
