/* SPDX-License-Identifier: MIT */
/*
 * Prints the unwind tables of a linked ARM ELF file as arch/arm/common/ehabi.c reads them, opcodes
 * in readelf's words. Not a test by itself: tests/system/test_ehabi.py compares.
 *
 *     <address>: cantunwind
 *     <address>:            then a line for each opcode, up to the last that counts, and
 *         => r11-12 size 16 mask 0x3 fp 2 pc 3      its recipe, or "=> none"
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recipe.h>

static u8 *file;
static size_t file_size;

static void fail(const char *what)
{
	fprintf(stderr, "ehabi_dump: %s\n", what);
	exit(1);
}

static void read_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END) || (long)(file_size = ftell(f)) < 0)
		fail(path);
	rewind(f);
	file = malloc(file_size);
	if (fread(file, 1, file_size, f) != file_size)
		fail(path);
	fclose(f);
}

/* The tables that the program header of their index leads to, as exec finds them. */
static struct ehabi_tables find_tables(void)
{
	const Elf32_Ehdr *eh = (const Elf32_Ehdr *)file;
	const Elf32_Phdr *ph = (const Elf32_Phdr *)(file + eh->e_phoff), *index = NULL;

	if (file_size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_machine != EM_ARM)
		fail("not an ARM ELF file");
	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_ARM_EXIDX)
			index = &ph[i];
	for (int i = 0; index && i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && index->p_vaddr - ph[i].p_vaddr < ph[i].p_filesz)
			return (struct ehabi_tables){file + ph[i].p_offset, ph[i].p_vaddr,
						     ph[i].p_filesz,        index->p_vaddr,
						     index->p_filesz / 8,   NULL};
	fail("no unwind tables");
	return (struct ehabi_tables){0};
}

static void print_range(const char *name, u32 first, u32 count)
{
	printf("\tpop {%s%u", name, first);
	if (count > 1)
		printf("-%s%u", name, first + count - 1);
	printf("}\n");
}

static void print_mask(const char *name, u32 mask)
{
	const char *before = "";

	printf("\tpop {");
	for (u32 i = 0; i < 16; i++) {
		if (!(mask >> i & 1))
			continue;
		printf("%s%s%u", before, name, i);
		before = ", ";
	}
	printf("}\n");
}

static void print_op(const struct ehabi_op *op)
{
	switch (op->kind) {
	case EHABI_FINISH:
		printf("\tfinish\n");
		break;
	case EHABI_REFUSE:
		printf("\tRefuse to unwind\n");
		break;
	case EHABI_SET:
		printf("\tvsp = r%u\n", op->first);
		break;
	case EHABI_POP:
		print_mask("r", op->mask);
		break;
	case EHABI_ADD:
		printf("\tvsp = vsp %c %d\n", op->amount < 0 ? '-' : '+', abs(op->amount));
		break;
	case EHABI_POP_D:
	case EHABI_POP_D_FSTMX:
		print_range("D", op->first, op->count);
		break;
	case EHABI_POP_WMMX:
		print_range("wR", op->first, op->count);
		break;
	case EHABI_POP_WMMX_CTL:
		print_mask("wCGR", op->mask);
		break;
	case EHABI_POP_PAC:
		printf("\tpop {ra_auth_code}\n");
		break;
	case EHABI_PAC_MODIFIER:
		printf("\tvsp as modifier for PAC validation\n");
		break;
	}
}

static void print_code(struct ehabi_code code)
{
	struct ehabi_code again = code;
	struct ehabi_op op;
	struct recipe recipe;

	do {
		if (!ehabi_next_op(&code, &op)) {
			printf("\tbad\n");
			break;
		}
		print_op(&op);
	} while (op.kind != EHABI_FINISH && op.kind != EHABI_REFUSE);
	if (!recipe_make(again, &recipe)) {
		printf("\t=> none\n");
		return;
	}
	printf("\t=> r%u%+d size %u mask 0x%x fp %d pc %u\n", recipe_base(recipe),
	       recipe_start(recipe), recipe_size(recipe), recipe_mask(recipe),
	       recipe_has_fp(recipe) ? (int)recipe_fp(recipe) : -1, recipe_pc(recipe));
}

int main(int argc, char **argv)
{
	struct ehabi_tables t;

	if (argc != 2)
		fail("usage: ehabi_dump FILE");
	read_file(argv[1]);
	t = find_tables();
	for (u32 i = 0; i < t.nr; i++) {
		u32 place = t.index + 8 * i;
		u32 word = *(const u32 *)(t.data + (place - t.start));
		u32 start = place + (u32)((s32)(word << 1) >> 1);
		struct ehabi_code code;

		/* By search, as a walker does: each entry begins where it says. */
		switch (ehabi_find(&t, start, &code)) {
		case EHABI_OK:
			printf("0x%x:\n", start);
			print_code(code);
			break;
		case EHABI_CANTUNWIND:
			printf("0x%x: cantunwind\n", start);
			break;
		default:
			printf("0x%x: bad\n", start);
		}
	}
	free(file);
	return 0;
}
