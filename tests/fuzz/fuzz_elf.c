/* SPDX-License-Identifier: MIT */
/* kernel/proc/elf.c: whatever an executable says, what is accepted is what exec relies on. */
#include <elf.h>

#include "fuzz.h"
#include <hotregs/process.h>

#include <arch/uaccess.h>

void fuzz_examples(void)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[3];
		Elf64_Nhdr note;
		char name[4];
		u8 id[BUILD_ID_SIZE];
	} file = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_EXEC,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_entry = 0x400020,
		   .e_phoff = sizeof(Elf64_Ehdr),
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = 3},
	    .ph = {{.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_vaddr = 0x400000,
		    .p_filesz = 100,
		    .p_memsz = 100},
		   {.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_W,
		    .p_vaddr = 0x401000,
		    .p_filesz = 20,
		    .p_memsz = 9000},
		   {.p_type = PT_NOTE, .p_filesz = sizeof(Elf64_Nhdr) + 4 + BUILD_ID_SIZE}},
	    .note = {4, BUILD_ID_SIZE, NT_GNU_BUILD_ID},
	    .name = "GNU",
	};

	file.ph[2].p_offset = offsetof(typeof(file), note);
	fuzz_add_example(&file, sizeof(file));
}

static void check_segments(const struct elf_image *image, size_t size)
{
	unsigned long end = 0;
	bool entry = false;

	CHECK(image->nr_segments && image->nr_segments <= ELF_MAX_SEGMENTS);
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segment[i];

		CHECK(s->filesz <= s->memsz && s->offset <= size && s->filesz <= size - s->offset);
		CHECK(user_range_ok(s->vaddr, s->memsz));
		CHECK(ALIGN_DOWN(s->vaddr, PAGE_SIZE) >= end);
		CHECK(!((s->vaddr ^ s->offset) & ~PAGE_MASK));
		CHECK(!((s->prot & MMU_WRITE) && (s->prot & MMU_EXEC)));
		end = ALIGN_UP(s->vaddr + s->memsz, PAGE_SIZE);
		entry |= s->prot & MMU_EXEC && image->entry >= s->vaddr &&
			 image->entry < s->vaddr + s->memsz;
	}
	CHECK(entry && image->build_id_size <= BUILD_ID_SIZE);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_image image;
	int err = elf_parse(fuzz_copy(data, size), size, &image);

	CHECK(!err || err == -ENOEXEC);
	if (!err)
		check_segments(&image, size);
	fuzz_free_copies();
	return 0;
}
