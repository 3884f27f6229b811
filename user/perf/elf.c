/* SPDX-License-Identifier: MIT */
/* ELF files as a profile needs them: build id, segments, symbols. Trusts nothing in them. */
#include "perf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NOTES   65536
#define MAX_SYMTAB  (64u << 20)
#define MAX_HEADERS 64

/* The class of files that run on this machine. */
#if __SIZEOF_POINTER__ == 8
#define NATIVE_CLASS ELFCLASS64
typedef Elf64_Ehdr native_header;
typedef Elf64_Phdr native_segment;
typedef Elf64_Shdr native_section;
typedef Elf64_Sym native_symbol;
#else
#define NATIVE_CLASS ELFCLASS32
typedef Elf32_Ehdr native_header;
typedef Elf32_Phdr native_segment;
typedef Elf32_Shdr native_section;
typedef Elf32_Sym native_symbol;
#endif

static bool read_at(int fd, uint64_t offset, void *buf, size_t n)
{
	if ((uint64_t)(off_t)offset != offset || lseek(fd, offset, SEEK_SET) < 0)
		return false;
	for (size_t done = 0; done < n;) {
		ssize_t got = read(fd, (char *)buf + done, n - done);

		if (got <= 0)
			return false;
		done += got;
	}
	return true;
}

int elf_open(struct elf *elf, const char *path)
{
	native_segment phdr[MAX_HEADERS];
	native_header ehdr;

	memset(elf, 0, sizeof(*elf));
	elf->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (elf->fd < 0)
		return -1;
	if (!read_at(elf->fd, 0, &ehdr, sizeof(ehdr)) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_ident[EI_CLASS] != NATIVE_CLASS || ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr.e_phentsize != sizeof(phdr[0]) || ehdr.e_phnum > MAX_HEADERS ||
	    !read_at(elf->fd, ehdr.e_phoff, phdr, ehdr.e_phnum * sizeof(phdr[0]))) {
		elf_close(elf);
		return -1;
	}
	elf->headers = calloc(ehdr.e_phnum + 1, sizeof(elf->headers[0]));
	if (!elf->headers) {
		elf_close(elf);
		return -1;
	}
	for (elf->nr_headers = 0; elf->nr_headers < ehdr.e_phnum; elf->nr_headers++) {
		const native_segment *p = &phdr[elf->nr_headers];

		elf->headers[elf->nr_headers] = (struct elf_segment){
		    .type = p->p_type,
		    .offset = p->p_offset,
		    .vaddr = p->p_vaddr,
		    .size = p->p_filesz,
		};
	}
	elf->machine = ehdr.e_machine;
	elf->fixed = ehdr.e_type == ET_EXEC;
	if (ehdr.e_shentsize == sizeof(native_section)) {
		elf->sections = ehdr.e_shoff;
		elf->nr_sections = ehdr.e_shnum;
	}
	return 0;
}

void elf_close_file(struct elf *elf)
{
	if (elf->fd >= 0)
		close(elf->fd);
	elf->fd = -1;
}

void elf_close(struct elf *elf)
{
	elf_close_file(elf);
	free(elf->headers);
	free(elf->symbols);
	free(elf->names);
	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
}

void build_id_from_notes(const uint8_t *notes, size_t size, struct build_id *id)
{
	size_t pos = 0;

	id->size = 0;
	while (size - pos >= sizeof(Elf32_Nhdr)) {
		Elf32_Nhdr note; /* the same in both classes */
		size_t name, desc;

		memcpy(&note, notes + pos, sizeof(note));
		pos += sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~3UL;
		desc = ((size_t)note.n_descsz + 3) & ~3UL;
		if (name > size - pos || desc > size - pos - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + pos, "GNU", 4) && note.n_descsz <= BUILD_ID_MAX) {
			id->size = note.n_descsz;
			memset(id->bytes, 0, sizeof(id->bytes));
			memcpy(id->bytes, notes + pos + name, note.n_descsz);
			return;
		}
		pos += name + desc;
	}
}

void elf_build_id(const struct elf *elf, struct build_id *id)
{
	id->size = 0;
	for (unsigned i = 0; i < elf->nr_headers && !id->size; i++) {
		const struct elf_segment *h = &elf->headers[i];
		uint8_t *notes;

		if (h->type != PT_NOTE || !h->size || h->size > MAX_NOTES)
			continue;
		notes = malloc(h->size);
		if (notes && read_at(elf->fd, h->offset, notes, h->size))
			build_id_from_notes(notes, h->size, id);
		free(notes);
	}
}

bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address)
{
	for (unsigned i = 0; i < elf->nr_headers; i++) {
		const struct elf_segment *h = &elf->headers[i];

		if (h->type == PT_LOAD && offset - h->offset < h->size) {
			*address = offset - h->offset + h->vaddr;
			return true;
		}
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * Keeps functions, data, and untyped labels: what assembly files leave. On ARM (ARM IHI 0044, 4.5)
 * a function's bit 0 tells that it is Thumb code, and names that begin with $ tell code from data.
 */
static size_t take_symbols(struct elf *elf, const native_symbol *sym, size_t n, size_t names_size)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned type = ELF32_ST_TYPE(sym[i].st_info); /* the same in both classes */
		uint64_t start = sym[i].st_value;
		const char *name;

		if ((type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE) ||
		    sym[i].st_shndx == SHN_UNDEF || sym[i].st_shndx >= SHN_LORESERVE ||
		    sym[i].st_name >= names_size)
			continue;
		name = elf->names + sym[i].st_name;
		if (!name[0] || (elf->machine == EM_ARM && name[0] == '$'))
			continue;
		if (elf->machine == EM_ARM && type == STT_FUNC)
			start &= ~UINT64_C(1);
		elf->symbols[kept++] = (struct elf_symbol){
		    .start = start,
		    .end = start + sym[i].st_size,
		    .name = name,
		};
	}
	return kept;
}

int elf_load_symbols(struct elf *elf)
{
	native_section table, strings;
	native_symbol *sym = NULL;
	unsigned i;

	for (i = 0; i < elf->nr_sections; i++) {
		if (!read_at(elf->fd, elf->sections + i * sizeof(table), &table, sizeof(table)))
			return -1;
		if (table.sh_type == SHT_SYMTAB)
			break;
	}
	if (i == elf->nr_sections || table.sh_link >= elf->nr_sections ||
	    !read_at(elf->fd, elf->sections + table.sh_link * sizeof(strings), &strings,
		     sizeof(strings)) ||
	    table.sh_size > MAX_SYMTAB || strings.sh_size > MAX_SYMTAB || !strings.sh_size)
		return -1;

	sym = malloc(table.sh_size + 1);
	elf->names = malloc(strings.sh_size);
	elf->symbols = calloc(table.sh_size / sizeof(*sym) + 1, sizeof(elf->symbols[0]));
	if (!sym || !elf->names || !elf->symbols ||
	    !read_at(elf->fd, table.sh_offset, sym, table.sh_size) ||
	    !read_at(elf->fd, strings.sh_offset, elf->names, strings.sh_size)) {
		free(sym);
		return -1;
	}
	elf->names[strings.sh_size - 1] = '\0';
	elf->nr_symbols = take_symbols(elf, sym, table.sh_size / sizeof(*sym), strings.sh_size);
	free(sym);
	qsort(elf->symbols, elf->nr_symbols, sizeof(elf->symbols[0]), compare);
	return 0;
}

const struct elf_symbol *elf_find(const struct elf *elf, uint64_t address)
{
	size_t low = 0, high = elf->nr_symbols;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (elf->symbols[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* A sized symbol covers its range; one without a size reaches to the next. */
	if (!low)
		return NULL;

	const struct elf_symbol *s = &elf->symbols[low - 1];

	return s->end == s->start || address < s->end ? s : NULL;
}
