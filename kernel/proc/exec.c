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
	struct file_image file;
	struct elf_image image;
	struct exe *exe;
	struct mm *mm;
	unsigned long sp;
};

struct exe *exe_create(struct file_image *file, const struct elf_image *image)
{
	struct exe *exe = kzalloc(sizeof(*exe));

	if (!exe) {
		vmap_free(file->copy, file->copy_pages);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&exe->refs, 1);
	exe->ino = file->ino;
	exe->copy = file->copy;
	exe->copy_pages = file->copy_pages;
	strlcpy(exe->path, file->path, sizeof(exe->path));
	if (image) {
		memcpy(exe->build_id, image->build_id, sizeof(exe->build_id));
		exe->build_id_size = image->build_id_size;
	}
	return exe;
}

/* Finds the program at @path and reads its headers; p->exe is then the caller's to give back. */
static int find_program(struct program *p, const char *path)
{
	int err = fs_program(path, &p->file);

	if (err)
		return err;
	err = elf_parse(p->file.data, p->file.size, &p->image);
	if (err) {
		vmap_free(p->file.copy, p->file.copy_pages);
		return err;
	}
	p->exe = exe_create(&p->file, &p->image);
	return IS_ERR(p->exe) ? PTR_ERR(p->exe) : 0;
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
		vma.data = p->file.data + vma.file_offset;
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
		    .data = p->file.data + seg->offset,
		    .start = seg->vaddr,
		    .size = seg->filesz,
		    .index = image->unwind_index,
		    .index_size = image->unwind_index_size,
		    .program = p->file.version,
		    .exe = exe_get(p->exe),
		};
		break;
	}
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];

		if (image->entry - seg->vaddr < seg->filesz && !(seg->prot & MMU_WRITE)) {
			p->mm->unwind.text = seg->vaddr;
			p->mm->unwind.text_size = seg->filesz;
		}
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
	int err = find_program(&p, path);

	if (err)
		return err;
	err = build(&p, argv, envp) ?: threads_end_others();
	if (!err) {
		perf_task_before_exec();
		commit(&p);
	} else if (p.mm)
		mm_put(p.mm);
	exe_put(p.exe); /* the areas have their own references */
	return err;
}
