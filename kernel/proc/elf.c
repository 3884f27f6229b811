/* SPDX-License-Identifier: MIT */
/*
 * The part of ELF that a static executable needs (System V ABI, chapters 4 and 5): segments, entry
 * point, build-id note. Every number in the file is taken for hostile.
 */
#include <hotregs/process.h>
#include <hotregs/string.h>

#include <arch/elf.h>
#include <arch/uaccess.h>

/* Addresses and offsets are as wide as the machine's; files of the other class are refused. */
typedef unsigned long elf_word;

struct elf_header {
	u8 ident[16];
	u16 type, machine;
	u32 version;
	elf_word entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

#if __SIZEOF_LONG__ == 8
struct program_header {
	u32 type, flags;
	elf_word offset, vaddr, paddr, filesz, memsz, align;
};
#else
struct program_header {
	u32 type;
	elf_word offset, vaddr, paddr, filesz, memsz;
	u32 flags, align;
};
#endif

struct note_header {
	u32 namesz, descsz, type;
};

/* The first seven bytes: magic, class (1: 32-bit, 2: 64-bit), little-endian, version 1. */
static const u8 ident[7] = {0x7f, 'E', 'L', 'F', sizeof(elf_word) / 4, 1, 1};

#define ET_EXEC         2
#define PT_LOAD         1
#define PT_DYNAMIC      2
#define PT_INTERP       3
#define PT_NOTE         4
#define PF_X            1
#define PF_W            2
#define PF_R            4
#define NT_GNU_BUILD_ID 3
#define PHNUM_MAX       64

/* Is [offset, offset + n) inside a file of @size bytes? */
static bool in_file(u64 offset, u64 n, size_t size)
{
	return offset <= size && n <= size - offset;
}

static int add_segment(struct elf_image *image, const struct program_header *ph, size_t size)
{
	struct elf_segment *seg = &image->segment[image->nr_segments];
	unsigned long end;

	if (!ph->memsz)
		return 0;
	if (image->nr_segments == ELF_MAX_SEGMENTS || ph->filesz > ph->memsz ||
	    !in_file(ph->offset, ph->filesz, size) || !user_range_ok(ph->vaddr, ph->memsz) ||
	    ((ph->vaddr ^ ph->offset) & ~PAGE_MASK))
		return -ENOEXEC;
	if ((ph->flags & PF_W) && (ph->flags & PF_X))
		return -ENOEXEC;
	/* They rise, as the ABI says, and share no page. */
	if (image->nr_segments) {
		end = ALIGN_UP(seg[-1].vaddr + seg[-1].memsz, PAGE_SIZE);
		if (ALIGN_DOWN(ph->vaddr, PAGE_SIZE) < end)
			return -ENOEXEC;
	}
	*seg = (struct elf_segment){
	    .vaddr = ph->vaddr,
	    .memsz = ph->memsz,
	    .filesz = ph->filesz,
	    .offset = ph->offset,
	    .prot = (ph->flags & PF_R ? MMU_READ : 0) | (ph->flags & PF_W ? MMU_WRITE : 0) |
		    (ph->flags & PF_X ? MMU_EXEC : 0),
	};
	image->nr_segments++;
	return 0;
}

/* Looks for a build-id among the notes; malformed ones end the search. */
static void read_notes(struct elf_image *image, const u8 *notes, size_t size)
{
	static const char gnu[4] = "GNU";
	struct note_header note;

	while (size >= sizeof(note)) {
		size_t name, desc;

		memcpy(&note, notes, sizeof(note));
		name = ALIGN_UP((size_t)note.namesz, 4);
		desc = ALIGN_UP((size_t)note.descsz, 4);
		notes += sizeof(note);
		size -= sizeof(note);
		if (name > size || desc > size - name)
			return;
		if (note.type == NT_GNU_BUILD_ID && note.namesz == sizeof(gnu) &&
		    !memcmp(notes, gnu, sizeof(gnu)) && note.descsz <= BUILD_ID_SIZE) {
			memcpy(image->build_id, notes + name, note.descsz);
			image->build_id_size = note.descsz;
			return;
		}
		notes += name + desc;
		size -= name + desc;
	}
}

static int read_program_header(struct elf_image *image, const struct program_header *ph,
			       const u8 *data, size_t size)
{
	switch (ph->type) {
	case PT_LOAD:
		return add_segment(image, ph, size);
	case PT_NOTE:
		if (!in_file(ph->offset, ph->filesz, size))
			return -ENOEXEC;
		read_notes(image, data + ph->offset, ph->filesz);
		return 0;
#ifdef ARCH_PT_UNWIND
	case ARCH_PT_UNWIND:
		image->unwind_index = ph->vaddr;
		image->unwind_index_size = ph->filesz;
		return 0;
#endif
	case PT_INTERP:
	case PT_DYNAMIC: /* there is no dynamic linker */
		return -ENOEXEC;
	default:
		return 0;
	}
}

static bool entry_valid(const struct elf_image *image)
{
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];

		if (seg->prot & MMU_EXEC && image->entry - seg->vaddr < seg->memsz)
			return true;
	}
	return false;
}

int elf_parse(const u8 *data, size_t size, struct elf_image *image)
{
	struct elf_header eh;
	struct program_header ph;
	int err;

	if (size < sizeof(eh))
		return -ENOEXEC;
	memcpy(&eh, data, sizeof(eh));
	if (memcmp(eh.ident, ident, sizeof(ident)) || eh.type != ET_EXEC ||
	    eh.machine != ARCH_ELF_MACHINE || eh.version != 1 || eh.phentsize != sizeof(ph) ||
	    eh.phnum > PHNUM_MAX || !in_file(eh.phoff, eh.phnum * sizeof(ph), size))
		return -ENOEXEC;
	*image = (struct elf_image){.entry = eh.entry};
	for (unsigned i = 0; i < eh.phnum; i++) {
		memcpy(&ph, data + eh.phoff + i * sizeof(ph), sizeof(ph));
		err = read_program_header(image, &ph, data, size);
		if (err)
			return err;
	}
	return entry_valid(image) ? 0 : -ENOEXEC;
}
