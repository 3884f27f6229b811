/* SPDX-License-Identifier: MIT */
/* User address spaces: areas, demand paging, copy on write. */
#pragma once

#include <hotregs/list.h>
#include <hotregs/mm.h>
#include <hotregs/refcount.h>
#include <hotregs/wait.h>

struct file;
struct pt_regs;

#define BUILD_ID_SIZE 20

/* An executable's identity, shared by the areas that map it. Reference counted. */
struct exe {
	struct refcount refs;
	char path[64];
	u8 build_id[BUILD_ID_SIZE];
	u8 build_id_size; /* 0: the file has none */
	u64 ino;
	void *copy; /* its contents, from vmap_alloc(); NULL: they are in the boot archive */
	size_t copy_pages;
};

/* One area [start, end) of an address space, page aligned. */
struct vma {
	struct list_head node; /* in mm->vmas, rising */
	unsigned long start, end;
	unsigned prot;                  /* MMU_READ | MMU_WRITE | MMU_EXEC */
	unsigned flags;                 /* VMA_* */
	const u8 *data;                 /* file contents that appear at start; NULL: zeroes */
	size_t data_size;               /* bytes; the rest of the area is zero */
	u64 file_offset;                /* of data in the file, for MMAP records */
	struct exe *exe;                /* NULL: anonymous */
	struct file *file;              /* of a device mapping (VMA_SHARED); holds a reference */
	void *pages;                    /* VMA_SHARED: vmap address of the pages shown; NULL: */
	phys_addr_t phys;               /* their physical address */
	void (*close)(struct vma *vma); /* VMA_SHARED: the area goes away; may sleep; may be NULL */
};
#define VMA_STACK  BIT(0)
#define VMA_HEAP   BIT(1)
#define VMA_SHARED BIT(2) /* a device's pages; not inherited by fork */
#define VMA_DEVICE BIT(3) /* with VMA_SHARED: they are no RAM */

/*
 * A program's unwind tables, with an architecture that has such. They are read in its file: a
 * sampler can not fault pages in, and nobody else touches those of the tables.
 */
struct unwind_tables {
	const u8 *data;      /* bytes of the segment that the tables are in; NULL: there are none */
	unsigned long start; /* where the program has that segment */
	size_t size;
	unsigned long index; /* where in the segment the program has the index, */
	size_t index_size;   /* in bytes; nothing that it says was checked */
	u32 program;         /* which program it is; not 0 */
	unsigned long text;  /* where the program has its code, */
	size_t text_size;    /* which stays what it is */
	struct exe *exe;     /* what data is in; holds a reference */
};

struct mm {
	struct mmu mmu;
	struct refcount refs;
	struct mutex lock; /* guards vmas */
	struct list_head vmas;
	unsigned long brk_start, brk;
	u64 faults_min, faults_maj;
	size_t resident; /* pages of private memory mapped */
	struct unwind_tables unwind;
};

#define USER_STACK_SIZE (1UL << 20) /* reserved, demand zero; the page below is never mapped */

/* An empty address space with one reference; ERR_PTR(-ENOMEM). */
struct mm *mm_create(void);
/* A copy-on-write copy for fork; ERR_PTR(-ENOMEM). May sleep. */
struct mm *mm_fork(struct mm *mm);
/* One more reference to an @mm that cannot go away meanwhile. Any context. */
static inline struct mm *mm_get(struct mm *mm)
{
	refcount_get(&mm->refs);
	return mm;
}
/* Drops a reference; the last frees everything. May sleep. */
void mm_put(struct mm *mm);

/*
 * The areas of an address space. The caller holds mm->lock, or is the only one who knows @mm.
 *
 * mm_add_vma() adds an area; -EEXIST when it overlaps another or would touch the guard page below a
 * stack, -ENOMEM (also for more private writable memory than can be spared now, stacks excepted),
 * -EINVAL (not aligned, not in user space, more data than area, W and X). The template is copied;
 * its references are taken over on success.
 */
int mm_add_vma(struct mm *mm, const struct vma *template, struct vma **added);
/*
 * The same where other areas may be, which are cut out as mm_unmap() does; not for a stack. All or
 * nothing: -ENOMEM (also for the guard page of a stack that stays), or one of the others' errors.
 * May sleep.
 */
int mm_replace_vma(struct mm *mm, const struct vma *template, struct vma **added);
/* The highest free gap of @size bytes, for mmap; 0: none. */
unsigned long mm_find_gap(struct mm *mm, size_t size);
/*
 * Removes [start, end), splitting areas at its ends; what is left of a stack without its lower end
 * is an area like others. @mm is the one that is loaded, if it has pages there. -EINVAL: not
 * aligned, not in user space, or part of a VMA_SHARED area, which goes only whole. -ENOMEM. Nothing
 * has changed then. May sleep.
 */
int mm_unmap(struct mm *mm, unsigned long start, unsigned long end);
/* Moves the break; returns the break in force (unchanged when refused). May sleep. */
unsigned long mm_brk(struct mm *mm, unsigned long new_break);
/* The area that contains @addr, or NULL. */
struct vma *mm_find_vma(struct mm *mm, unsigned long addr);

/*
 * Resolves a fault at @addr that needs @access (one of MMU_READ, MMU_WRITE, MMU_EXEC) in the
 * current task's address space. 0; -EFAULT no such area or right; -ENOMEM. Counts a page fault,
 * with
 * @regs, the faulting registers, unless the page was there with that right. Takes mm->lock. May
 * sleep.
 */
int mm_fault(struct mm *mm, unsigned long addr, unsigned access, const struct pt_regs *regs);

/*
 * Loads what @next runs in; NULL, a kernel thread's, keeps the last user space. Interrupts off;
 * the scheduler's, and exec's.
 *
 * mm_flush() must not miss a CPU that walks a space's tables, be it in the middle of this: a space
 * is told of as loaded before it is, and as left until the next one is. Release: what samplers read
 * here through the old tables, they have read.
 */
static inline void mm_load(struct cpu *cpu, struct mm *next, struct mmu *mmu)
{
	WRITE_ONCE(cpu->left_mm, cpu->loaded_mm);
	__atomic_store_n(&cpu->loaded_mm, next, __ATOMIC_RELEASE);
	mmu_load(mmu);
	__atomic_store_n(&cpu->left_mm, NULL, __ATOMIC_RELEASE);
}

static inline void mm_switch(struct mm *next)
{
	struct cpu *cpu = this_cpu();

	if (next && next != cpu->loaded_mm)
		mm_load(cpu, next, &next->mmu);
}

/*
 * Makes changes of @mm's tables for [start, end) visible to every CPU that has them loaded; one
 * that loads them later sees them anyway. When it returns, what was there before may be freed: no
 * processor uses it, and no sampler in an interrupt or NMI looks at it. May sleep.
 */
void mm_flush(struct mm *mm, unsigned long start, unsigned long end);

/* Has all CPUs leave @mm, which no task has any more. May sleep. */
void mm_unload(struct mm *mm);

/* Pages of private user memory mapped, for leak tests and /proc. Any context. */
size_t mm_resident_pages(const struct mm *mm);

/* References to @exe, which came from kmalloc(); NULL is passed through. The second may sleep. */
struct exe *exe_get(struct exe *exe);
void exe_put(struct exe *exe);
