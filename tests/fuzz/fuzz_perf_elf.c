/* SPDX-License-Identifier: MIT */
/* user/perf/elf.c: whatever an ELF file says, perf reads its symbols and build id, or leaves it. */
#define _GNU_SOURCE /* memfd_create */
#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../user/perf/perf.h"
#include "fuzz.h"

void fuzz_examples(void)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
		Elf64_Shdr sh[3];
		Elf64_Sym sym[4];
		char names[16];
		Elf64_Nhdr note;
		char name[4];
		u8 id[20];
	} file = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_machine = EM_X86_64,
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = 2,
		   .e_shentsize = sizeof(Elf64_Shdr),
		   .e_shnum = 3},
	    .ph = {{.p_type = PT_LOAD, .p_vaddr = 0x400000, .p_filesz = 4096},
		   {.p_type = PT_NOTE, .p_filesz = sizeof(Elf64_Nhdr) + 24}},
	    .sh = {{.sh_type = SHT_NULL},
		   {.sh_type = SHT_SYMTAB, .sh_link = 2, .sh_size = 4 * sizeof(Elf64_Sym)},
		   {.sh_type = SHT_STRTAB, .sh_size = 16}},
	    .sym =
		{{},
		 {.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 64, .st_size = 9},
		 {.st_name = 5, .st_info = STT_NOTYPE, .st_shndx = 1, .st_value = 80},
		 {.st_name = 9, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 50, .st_size = 4}},
	    .names = "\0one\0two\0three",
	    .note = {4, 20, NT_GNU_BUILD_ID},
	    .name = "GNU",
	};

	file.eh.e_phoff = offsetof(typeof(file), ph);
	file.eh.e_shoff = offsetof(typeof(file), sh);
	file.ph[1].p_offset = offsetof(typeof(file), note);
	file.sh[1].sh_offset = offsetof(typeof(file), sym);
	file.sh[2].sh_offset = offsetof(typeof(file), names);
	fuzz_add_example(&file, sizeof(file));
	/* Of the other class, which is refused. */
	file.eh.e_ident[EI_CLASS] = ELFCLASS32;
	fuzz_add_example(&file, sizeof(file));
}

int error(const char *format, ...)
{
	return -1;
}

static void look_up(const struct elf *elf)
{
	uint64_t address, last = 0;

	for (size_t i = 0; i < elf->nr_symbols; i++) {
		const struct elf_symbol *s = &elf->symbols[i];

		CHECK(s->start >= last);
		last = s->start;
		fuzz_read(s->name, strlen(s->name) + 1);
		elf_find(elf, s->start);
		elf_find(elf, s->end);
	}
	elf_find(elf, UINT64_MAX);
	elf_address(elf, 64, &address);
	elf_address(elf, UINT64_MAX, &address);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static int fd;
	struct build_id id;
	char path[64];
	struct elf elf;

	if (!fd)
		fd = memfd_create("elf", 0);
	CHECK(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!elf_open(&elf, path)) {
		elf_build_id(&elf, &id);
		CHECK(id.size <= BUILD_ID_MAX);
		if (!elf_load_symbols(&elf))
			look_up(&elf);
	}
	elf_close(&elf);
	return 0;
}
