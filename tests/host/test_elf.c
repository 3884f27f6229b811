/* SPDX-License-Identifier: MIT */
/*
 * kernel/proc/elf.c: a good executable, one refusal for each rule, and mutations of the good one,
 * whose result must keep what exec relies on.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/process.h>

#include <arch/uaccess.h>

#define FILE_SIZE 0x3000
#define TEXT      0x400000UL
#define DATA      0x402000UL

enum { PH_TEXT, PH_DATA, PH_NOTE, PH_STACK, NR_PH };

struct test_file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[NR_PH];
	struct {
		Elf64_Nhdr head;
		char name[4];
		u8 desc[BUILD_ID_SIZE];
	} note;
	u8 rest[FILE_SIZE - 328] __aligned(8);
};
_Static_assert(sizeof(struct test_file) == FILE_SIZE, "");

static struct test_file good(void)
{
	struct test_file f = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_EXEC,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_entry = TEXT + 0x120,
		   .e_phoff = sizeof(Elf64_Ehdr),
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = NR_PH},
	    .note = {{4, BUILD_ID_SIZE, NT_GNU_BUILD_ID}, "GNU", {1, 2, 3}},
	};

	f.note.desc[BUILD_ID_SIZE - 1] = 20;
	f.ph[PH_TEXT] = (Elf64_Phdr){.p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_offset = 0,
				     .p_vaddr = TEXT,
				     .p_filesz = 0x1800,
				     .p_memsz = 0x1800};
	f.ph[PH_DATA] = (Elf64_Phdr){.p_type = PT_LOAD,
				     .p_flags = PF_R | PF_W,
				     .p_offset = 0x1800,
				     .p_vaddr = DATA + 0x800,
				     .p_filesz = 0x1000,
				     .p_memsz = 0x9000};
	f.ph[PH_NOTE] = (Elf64_Phdr){.p_type = PT_NOTE,
				     .p_offset = offsetof(struct test_file, note),
				     .p_filesz = sizeof(f.note)};
	f.ph[PH_STACK] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
	return f;
}

/* Parses a copy that ends where its allocation does. */
static int parse(const void *data, size_t size, struct elf_image *image)
{
	u8 *copy = malloc(size ? size : 1);
	int err;

	memcpy(copy, data, size);
	err = elf_parse(copy, size, image);
	free(copy);
	return err;
}

static void reads_a_good_one(void **state)
{
	struct test_file f = good();
	struct elf_image image;

	assert_int_equal(parse(&f, sizeof(f), &image), 0);
	assert_int_equal(image.entry, TEXT + 0x120);
	assert_int_equal(image.nr_segments, 2);
	assert_int_equal(image.segment[0].vaddr, TEXT);
	assert_int_equal(image.segment[0].prot, MMU_READ | MMU_EXEC);
	assert_int_equal(image.segment[1].vaddr, DATA + 0x800);
	assert_int_equal(image.segment[1].offset, 0x1800);
	assert_int_equal(image.segment[1].filesz, 0x1000);
	assert_int_equal(image.segment[1].memsz, 0x9000);
	assert_int_equal(image.segment[1].prot, MMU_READ | MMU_WRITE);
	assert_int_equal(image.build_id_size, BUILD_ID_SIZE);
	assert_memory_equal(image.build_id, f.note.desc, BUILD_ID_SIZE);
}

static void notes_where_the_unwind_index_is(void **state)
{
	struct test_file f = good();
	struct elf_image image;

	assert_int_equal(parse(&f, sizeof(f), &image), 0);
	assert_int_equal(image.unwind_index_size, 0);
	f.ph[PH_STACK] = (Elf64_Phdr){
	    .p_type = PT_ARM_EXIDX, .p_vaddr = TEXT + 0x1000, .p_filesz = 0x70, .p_memsz = 0x70};
	assert_int_equal(parse(&f, sizeof(f), &image), 0);
	assert_int_equal(image.unwind_index, TEXT + 0x1000);
	assert_int_equal(image.unwind_index_size, 0x70);
}

#define REFUSED(change)                                                   \
	do {                                                              \
		struct test_file f = good();                              \
		struct elf_image image;                                   \
                                                                          \
		change;                                                   \
		assert_int_equal(parse(&f, sizeof(f), &image), -ENOEXEC); \
	} while (0)

static void refuses_other_files(void **state)
{
	REFUSED(f.eh.e_ident[0] = 0);
	REFUSED(f.eh.e_ident[EI_CLASS] = ELFCLASS32);
	REFUSED(f.eh.e_ident[EI_DATA] = ELFDATA2MSB);
	REFUSED(f.eh.e_ident[EI_VERSION] = 0);
	REFUSED(f.eh.e_version = 2);
	REFUSED(f.eh.e_type = ET_DYN);
	REFUSED(f.eh.e_machine = EM_ARM);
	REFUSED(f.eh.e_phentsize = 32);
	REFUSED(f.eh.e_phnum = 0);
	REFUSED(f.eh.e_phnum = 65535);
	REFUSED(f.eh.e_phoff = FILE_SIZE - sizeof(Elf64_Phdr));
	REFUSED(f.eh.e_phoff = UINT64_MAX - 8);
	REFUSED(f.ph[PH_STACK].p_type = PT_INTERP);
	REFUSED(f.ph[PH_STACK].p_type = PT_DYNAMIC);
}

static void refuses_bad_segments(void **state)
{
	REFUSED(f.ph[PH_DATA].p_filesz = 0x9001);
	REFUSED(f.ph[PH_DATA].p_filesz = 0x1801);
	REFUSED(f.ph[PH_DATA].p_offset = UINT64_MAX - 0x7ff);
	REFUSED(f.ph[PH_DATA].p_vaddr++);
	REFUSED(f.ph[PH_DATA].p_vaddr = TEXT + 0x1800);
	REFUSED(f.ph[PH_DATA].p_vaddr = TEXT - 0x10000 + 0x800);
	REFUSED(f.ph[PH_DATA].p_vaddr = 0x800);
	REFUSED(f.ph[PH_DATA].p_vaddr = 0xffffffff80000800);
	REFUSED(f.ph[PH_DATA].p_memsz = UINT64_MAX - 0xfff);
	REFUSED(f.ph[PH_DATA].p_memsz = USER_END);
	REFUSED(f.ph[PH_TEXT].p_flags = PF_R | PF_W | PF_X);
	REFUSED(f.ph[PH_TEXT].p_memsz = f.ph[PH_TEXT].p_filesz = 0);
	REFUSED(f.ph[PH_TEXT].p_flags = PF_R);
	REFUSED(f.eh.e_entry = TEXT + 0x1800);
	REFUSED(f.eh.e_entry = TEXT - 1);
	REFUSED(f.ph[PH_NOTE].p_offset = FILE_SIZE + 1);
}

static void more_segments_than_there_is_room_for(void **state)
{
	struct test_file f = good();
	Elf64_Phdr *ph = (Elf64_Phdr *)f.rest;
	struct elf_image image;

	f.eh.e_phoff = offsetof(struct test_file, rest);
	for (unsigned i = 0; i <= ELF_MAX_SEGMENTS; i++) {
		ph[i] = f.ph[PH_TEXT];
		ph[i].p_vaddr += i * 0x10000;
	}
	f.eh.e_phnum = ELF_MAX_SEGMENTS;
	assert_int_equal(parse(&f, sizeof(f), &image), 0);
	assert_int_equal(image.nr_segments, ELF_MAX_SEGMENTS);
	f.eh.e_phnum++;
	assert_int_equal(parse(&f, sizeof(f), &image), -ENOEXEC);
}

/* Expects the file to be good, but to have no build-id. */
#define NO_BUILD_ID(change)                                        \
	do {                                                       \
		struct test_file f = good();                       \
		struct elf_image image;                            \
                                                                   \
		change;                                            \
		assert_int_equal(parse(&f, sizeof(f), &image), 0); \
		assert_int_equal(image.build_id_size, 0);          \
	} while (0)

static void odd_notes_are_not_believed(void **state)
{
	NO_BUILD_ID(f.ph[PH_NOTE].p_filesz = 4);
	NO_BUILD_ID(f.ph[PH_NOTE].p_filesz--);
	NO_BUILD_ID(f.note.head.n_descsz = BUILD_ID_SIZE + 1);
	NO_BUILD_ID(f.note.head.n_descsz = UINT32_MAX);
	NO_BUILD_ID(f.note.head.n_namesz = UINT32_MAX);
	NO_BUILD_ID(f.note.head.n_namesz = 3);
	NO_BUILD_ID(f.note.head.n_type = 1);
	NO_BUILD_ID(f.note.name[0] = 'g');
}

static void cut_anywhere_is_refused(void **state)
{
	struct test_file f = good();
	struct elf_image image;

	for (size_t size = 0; size < 0x2800; size++)
		assert_int_equal(parse(&f, size, &image), -ENOEXEC);
	assert_int_equal(parse(&f, 0x2800, &image), 0);
}

/* What exec computes with must hold whatever the file says. */
static void check_image(const struct elf_image *image, size_t size)
{
	unsigned long end = USER_START;

	assert_in_range(image->nr_segments, 1, ELF_MAX_SEGMENTS);
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];

		assert_true(seg->memsz && seg->filesz <= seg->memsz);
		assert_true(seg->offset <= size && seg->filesz <= size - seg->offset);
		assert_true((seg->vaddr & 0xfff) == (seg->offset & 0xfff));
		assert_true(ALIGN_DOWN(seg->vaddr, PAGE_SIZE) >= end);
		assert_true(seg->vaddr + seg->memsz <= USER_END &&
			    seg->vaddr + seg->memsz > seg->vaddr);
		assert_true((seg->prot & (MMU_WRITE | MMU_EXEC)) != (MMU_WRITE | MMU_EXEC));
		end = ALIGN_UP(seg->vaddr + seg->memsz, PAGE_SIZE);
	}
	assert_true(image->build_id_size <= BUILD_ID_SIZE);
}

static void mutations_are_survived(void **state)
{
	static const u64 odd[] = {0, 1, 7, 0x1000, 0x7fffffff, 0xffffffff, 1ULL << 63, UINT64_MAX};
	size_t heads = offsetof(struct test_file, rest);
	struct elf_image image;
	int taken = 0;

	srand(1);
	for (int i = 0; i < 100000; i++) {
		struct test_file f = good();
		size_t size = rand() % 8 ? sizeof(f) : (size_t)rand() % sizeof(f);

		for (int n = 1 + rand() % 3; n; n--) {
			size_t at = rand() % heads;
			u64 value = rand() % 2 ? odd[rand() % ARRAY_SIZE(odd)] : (u64)rand();

			memcpy((u8 *)&f + at, &value, 1 << rand() % 4);
		}
		if (!parse(&f, size, &image)) {
			check_image(&image, size);
			taken++;
		}
	}
	assert_in_range(taken, 1000, 99000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_a_good_one),
	    cmocka_unit_test(notes_where_the_unwind_index_is),
	    cmocka_unit_test(refuses_other_files),
	    cmocka_unit_test(refuses_bad_segments),
	    cmocka_unit_test(more_segments_than_there_is_room_for),
	    cmocka_unit_test(odd_notes_are_not_believed),
	    cmocka_unit_test(cut_anywhere_is_refused),
	    cmocka_unit_test(mutations_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
