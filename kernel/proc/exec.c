/* SPDX-License-Identifier: MIT */
/*
 * Becoming another program. All that can fail is done beside the old program, in an address space
 * that nobody runs in yet; then the two change places at once.
 */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/switch.h>

#include "signals.h"

#define STACK_TOP USER_END

/* The arguments' block: the strings, and three counts or ends beside the pointers to them. */
#define ARGS_BLOCK_MAX   (EXEC_ARGS_SIZE + (2 * EXEC_MAX_ARGS + 3) * sizeof(long) + 16)
#define ARGS_BLOCK_ORDER 2
_Static_assert(ARGS_BLOCK_MAX <= PAGE_SIZE << ARGS_BLOCK_ORDER, "");

/* A program being loaded. */
struct program {
	struct archive_entry entry;
	struct elf_image image;
	struct exe *exe;
	struct mm *mm;
	unsigned long sp;
};

struct exe *exe_create(const struct archive_entry *entry, const struct elf_image *image)
{
	struct exe *exe;

	if (strlen(entry->name) + 1 >= sizeof(exe->path))
		return ERR_PTR(-ENAMETOOLONG);
	exe = kzalloc(sizeof(*exe));
	if (!exe)
		return ERR_PTR(-ENOMEM);
	refcount_set(&exe->refs, 1);
	exe->ino = entry->ino;
	snprintf(exe->path, sizeof(exe->path), "/%s", entry->name);
	if (image) {
		memcpy(exe->build_id, image->build_id, sizeof(exe->build_id));
		exe->build_id_size = image->build_id_size;
	}
	return exe;
}

int program_find(const char *path, struct archive_entry *entry, struct elf_image *image)
{
	char full[FS_PATH_MAX];
	int only_dir = path_resolve(current_cwd(), path, full, sizeof(full));
	struct uapi_stat st;
	int err;

	if (only_dir < 0)
		return only_dir;
	err = fs_stat(path, &st);
	if (err)
		return err;
	if ((st.mode & UAPI_S_IFMT) != UAPI_S_IFREG || !(st.mode & 0111))
		return -EACCES;
	err = archive_find(full, entry);
	return err ? err : elf_parse(entry->data, entry->size, image);
}

static int map_segment(struct program *p, const struct elf_segment *seg)
{
	/* From the start of the page: what lies before the segment there is the file's own. */
	size_t lead = seg->vaddr & ~PAGE_MASK;
	struct vma vma = {
	    .start = seg->vaddr - lead,
	    .end = ALIGN_UP(seg->vaddr + seg->memsz, PAGE_SIZE),
	    .prot = seg->prot,
	    .file_offset = seg->offset - lead,
	    .exe = p->exe,
	};
	int err;

	if (seg->filesz) {
		vma.data = p->entry.data + vma.file_offset;
		vma.data_size = lead + seg->filesz;
	}
	err = mm_add_vma(p->mm, &vma, NULL);
	if (!err)
		exe_get(p->exe);
	return err == -EEXIST ? -ENOEXEC : err;
}

/* Notes where the file has the program's unwind tables, if they lie in one segment as they should.
 */
static void find_unwind_tables(const struct program *p)
{
	const struct elf_image *image = &p->image;

	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];
		size_t offset = image->unwind_index - seg->vaddr;

		if (offset >= seg->filesz || image->unwind_index_size > seg->filesz - offset)
			continue;
		p->mm->unwind = (struct unwind_tables){
		    .data = p->entry.data + seg->offset,
		    .start = seg->vaddr,
		    .size = seg->filesz,
		    .index = image->unwind_index,
		    .index_size = image->unwind_index_size,
		    .program = p->entry.ino,
		};
	}
}

static int map_program(struct program *p)
{
	const struct vma stack = {
	    .start = STACK_TOP - USER_STACK_SIZE,
	    .end = STACK_TOP,
	    .prot = MMU_READ | MMU_WRITE,
	    .flags = VMA_STACK,
	};
	const struct elf_segment *last = &p->image.segment[p->image.nr_segments - 1];
	int err = 0;

	for (unsigned i = 0; !err && i < p->image.nr_segments; i++)
		err = map_segment(p, &p->image.segment[i]);
	if (err)
		return err;
	if (p->image.unwind_index_size)
		find_unwind_tables(p);
	p->mm->brk_start = p->mm->brk = ALIGN_UP(last->vaddr + last->memsz, PAGE_SIZE);
	err = mm_add_vma(p->mm, &stack, NULL);
	return err == -EEXIST ? -ENOEXEC : err;
}

/* How many strings, and their bytes added to *bytes; -E2BIG. */
static int count_strings(char *const string[], size_t *bytes)
{
	int n = 0;

	for (; string[n]; n++) {
		*bytes += strlen(string[n]) + 1;
		if (n == EXEC_MAX_ARGS || *bytes > EXEC_ARGS_SIZE)
			return -E2BIG;
	}
	return n;
}

/* Where the next pointer and the next string go: in the block, and in the new address space. */
struct args_writer {
	unsigned long *pointer;
	char *string;
	unsigned long string_addr;
};

static void write_strings(struct args_writer *w, char *const string[], int n)
{
	for (int i = 0; i < n; i++) {
		size_t size = strlen(string[i]) + 1;

		memcpy(w->string, string[i], size);
		*w->pointer++ = w->string_addr;
		w->string += size;
		w->string_addr += size;
	}
	*w->pointer++ = 0;
}

/* Copies into an address space that is not loaded. -ENOMEM. */
static int write_to(struct mm *mm, unsigned long addr, const u8 *data, size_t n)
{
	while (n) {
		size_t chunk = MIN(n, PAGE_SIZE - (addr & ~PAGE_MASK));
		int err = mm_fault(mm, addr, MMU_WRITE, task_user_regs(current));
		phys_addr_t pa;
		unsigned prot;

		if (err)
			return err;
		ASSERT(mmu_lookup(&mm->mmu, addr, &pa, &prot));
		memcpy(phys_to_virt(pa), data, chunk);
		addr += chunk;
		data += chunk;
		n -= chunk;
	}
	return 0;
}

/*
 * Fills the top of the stack as the System V ABI has it (AMD64, figure 3.9): argc, pointers to the
 * arguments, NULL, to the environment, NULL; above them the strings. There is no auxiliary vector.
 */
static int write_args(struct program *p, char *const argv[], char *const envp[])
{
	size_t bytes = 0, pointers;
	int argc = count_strings(argv, &bytes), envc;
	struct args_writer w;
	unsigned long *block;
	int err;

	envc = argc < 0 ? argc : count_strings(envp, &bytes);
	if (envc < 0)
		return envc;
	if (!argc)
		return -EINVAL;
	pointers = (argc + envc + 3) * sizeof(long);
	p->sp = ALIGN_DOWN(STACK_TOP - bytes - pointers, 16);
	block = page_alloc(ARGS_BLOCK_ORDER);
	if (!block)
		return -ENOMEM;
	w = (struct args_writer){block + 1, (char *)block + pointers, p->sp + pointers};
	block[0] = argc;
	write_strings(&w, argv, argc);
	write_strings(&w, envp, envc);
	err = write_to(p->mm, p->sp, (const u8 *)block, pointers + bytes);
	page_free(block, ARGS_BLOCK_ORDER);
	return err;
}

/* From here on there is no way back: current runs @p. */
static void commit(struct program *p)
{
	const char *slash = strrchr(p->exe->path, '/');
	struct mm *old = current->mm;
	unsigned long flags;
	struct vma *vma;

	files_close_on_exec(current->files);
	current->clear_tid = NULL;
	process_timers_exec();
	signals_exec();
	current->process->has_exec = true;
	/*
	 * Readers of /proc find address spaces under this lock. And no sample comes in between: it
	 * would show the new program's registers where the records still tell of the old one.
	 */
	flags = spin_lock_irqsave(&task_list_lock);
	strlcpy(current->comm, slash + 1, sizeof(current->comm));
	perf_task_exec();
	list_for_each (vma, &p->mm->vmas, node)
		perf_record_mmap(vma);
	current->mm = p->mm;
	mm_switch(p->mm);
	arch_user_regs_init(task_user_regs(current), p->image.entry, p->sp);
	arch_user_state_init(current);
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (old)
		mm_put(old);
}

/* Builds @p->mm; what is left of it when it fails is the caller's to drop. */
static int build(struct program *p, char *const argv[], char *const envp[])
{
	struct mm *mm = mm_create();
	int err;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	p->mm = mm;
	err = map_program(p);
	return err ? err : write_args(p, argv, envp);
}

int process_exec(const char *path, char *const argv[], char *const envp[])
{
	struct program p = {};
	int err = program_find(path, &p.entry, &p.image);

	if (err)
		return err;
	p.exe = exe_create(&p.entry, &p.image);
	if (IS_ERR(p.exe))
		return PTR_ERR(p.exe);
	err = build(&p, argv, envp) ?: threads_end_others();
	if (!err)
		commit(&p);
	else if (p.mm)
		mm_put(p.mm);
	exe_put(p.exe); /* the areas have their own references */
	return err;
}
