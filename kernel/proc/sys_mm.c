/* SPDX-License-Identifier: MIT */
/*
 * System calls about address spaces. A mapping is private memory, a private copy of a file as it
 * was when it was mapped, or a device's shared pages; one that is writable and executable at once
 * is refused with EACCES, and an address that is not MAP_FIXED is a hint nobody follows. One that
 * is MAP_FIXED replaces what is there, or fails and changes nothing.
 */
#include <hotregs/address_space.h>
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

#include "proc.h"

#define PROT_KNOWN (UAPI_PROT_READ | UAPI_PROT_WRITE | UAPI_PROT_EXEC)
#define MAP_TYPES  (UAPI_MAP_SHARED | UAPI_MAP_PRIVATE)
#define MAP_KNOWN  (MAP_TYPES | UAPI_MAP_FIXED | UAPI_MAP_ANONYMOUS)

_Static_assert(UAPI_PROT_READ == MMU_READ && UAPI_PROT_WRITE == MMU_WRITE &&
		   UAPI_PROT_EXEC == MMU_EXEC,
	       "protection bits are passed on as they are");

long sys_brk(unsigned long new_break)
{
	struct mm *mm = current->mm;
	unsigned long brk;

	mutex_lock(&mm->lock);
	brk = mm_brk(mm, new_break);
	mutex_unlock(&mm->lock);
	return brk;
}

long sys_munmap(unsigned long addr, size_t len)
{
	struct mm *mm = current->mm;
	int err;

	if (!len || len > USER_END)
		return -EINVAL;
	mutex_lock(&mm->lock);
	err = mm_unmap(mm, addr, addr + ALIGN_UP(len, PAGE_SIZE));
	mutex_unlock(&mm->lock);
	return err;
}

static int check_mmap(unsigned long addr, size_t len, int prot, int flags, long offset)
{
	int type = flags & MAP_TYPES;

	/* A device may have offsets that are no positive number: addresses, for one. */
	if (!len || (prot & ~PROT_KNOWN) || (flags & ~MAP_KNOWN) ||
	    (offset < 0 && type != UAPI_MAP_SHARED) || (offset & ~PAGE_MASK) ||
	    (type != UAPI_MAP_SHARED && type != UAPI_MAP_PRIVATE))
		return -EINVAL;
	/* There is nobody to share anonymous memory with. */
	if (type == UAPI_MAP_SHARED && (flags & UAPI_MAP_ANONYMOUS))
		return -EINVAL;
	if ((flags & UAPI_MAP_FIXED) && (addr & ~PAGE_MASK))
		return -EINVAL;
	if ((prot & UAPI_PROT_WRITE) && (prot & UAPI_PROT_EXEC))
		return -EACCES;
	return len > USER_END ? -ENOMEM : 0;
}

/* Makes @vma show what file @f contains now, from vma->file_offset on. */
static int show_contents(struct file *f, struct vma *vma, size_t len)
{
	struct file_image image;
	int err = file_image(f, &image);
	struct exe *exe;

	if (err)
		return err;
	exe = exe_create(&image, NULL);
	if (IS_ERR(exe))
		return PTR_ERR(exe);
	vma->exe = exe;
	if (vma->file_offset < image.size) {
		vma->data = image.data + vma->file_offset;
		vma->data_size = MIN(image.size - vma->file_offset, len);
	}
	return 0;
}

static int show_device(struct file *f, struct vma *vma)
{
	int err = f->ops->mmap(f, vma, vma->prot & MMU_WRITE);

	if (!err && !vma->file)
		vma->file = file_get(f);
	return err;
}

/* May @f be mapped so? What a private mapping of it shows goes to @vma, before any lock is taken.
 */
static int prepare_file(struct file *f, struct vma *vma, bool shared)
{
	if (!file_readable(f) || (shared && vma->prot & MMU_WRITE && !file_writable(f)))
		return -EACCES;
	if (shared)
		return f->ops->mmap ? 0 : -ENODEV;
	/* A device's pages are the device's: nobody gets a copy of their own. */
	return f->ops->mmap ? -EINVAL : show_contents(f, vma, vma->end);
}

/* Gives back what a template that became no area refers to. */
static void drop_template(struct vma *vma)
{
	if (vma->close)
		vma->close(vma);
	if (vma->file)
		file_put(vma->file);
	exe_put(vma->exe);
}

/*
 * Maps @vma, whose end is its size yet, at @addr (0: anywhere) of the caller; its address. @device:
 * the file whose pages it is to show. What @vma refers to is the caller's to give back on failure.
 */
static long map_area(struct mm *mm, struct vma *vma, unsigned long addr, struct file *device)
{
	struct vma *added;
	int err = 0;

	if (!addr)
		addr = mm_find_gap(mm, vma->end);
	if (!addr)
		return -ENOMEM;
	if (!user_range_ok(addr, vma->end))
		return -EINVAL;
	vma->start = addr;
	vma->end += addr;
	if (device)
		err = show_device(device, vma);
	if (!err)
		err = mm_replace_vma(mm, vma, &added);
	if (err)
		return err;
	perf_record_mmap(added);
	return addr;
}

long sys_mmap(unsigned long addr, size_t len, int prot, int flags, int fd, long offset)
{
	struct vma vma = {
	    .end = ALIGN_UP(len, PAGE_SIZE), .prot = prot, .file_offset = (unsigned long)offset};
	struct mm *mm = current->mm;
	bool shared = flags & UAPI_MAP_SHARED;
	struct file *f = NULL;
	long ret = check_mmap(addr, len, prot, flags, offset);

	if (ret)
		return ret;
	if ((flags & UAPI_MAP_FIXED) && !addr)
		return -EINVAL; /* page 0 is never mapped */
	if (flags & UAPI_MAP_ANONYMOUS) {
		vma.file_offset = 0;
	} else {
		f = fd_get(fd);
		if (IS_ERR(f))
			return PTR_ERR(f);
		ret = prepare_file(f, &vma, shared);
	}
	if (!ret) {
		mutex_lock(&mm->lock);
		ret = map_area(mm, &vma, flags & UAPI_MAP_FIXED ? addr : 0, shared ? f : NULL);
		mutex_unlock(&mm->lock);
		if (IS_ERR(ret))
			drop_template(&vma);
	}
	if (f)
		file_put(f);
	return ret;
}
