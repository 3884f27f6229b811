/* SPDX-License-Identifier: MIT */
/*
 * /dev/mem: physical memory, for bring-up. It can be mapped and nothing else: RAM as RAM is, all
 * other addresses uncached, as device registers have to be. It is the privileged user's alone.
 */
#include <hotregs/address_space.h>
#include <hotregs/boot_info.h>
#include <hotregs/fs.h>
#include <hotregs/process.h>

static int mem_open(struct file *f)
{
	return process_privileged() ? 0 : -EPERM;
}

/* Of how many of @r's pages is each byte RAM? */
static size_t count_ram(const struct boot_region *r)
{
	size_t n = 0;

	for (u64 at = 0; at < r->size; at += PAGE_SIZE) {
		const struct boot_region page = {r->start + at, PAGE_SIZE};

		n += boot_in_ram(&boot_info, &page);
	}
	return n;
}

static int mem_mmap(struct file *f, struct vma *vma, bool writable)
{
	const struct boot_region r = {vma->file_offset, vma->end - vma->start};
	size_t ram;

	if (!process_privileged())
		return -EPERM;
	if (vma->prot & MMU_EXEC)
		return -EACCES;
	if (r.size > mmu_phys_end() || r.start > mmu_phys_end() - r.size)
		return -EINVAL;
	/* The two kinds are not mapped alike, and a page must not be mapped in two ways. */
	ram = count_ram(&r);
	if (ram && ram != r.size >> PAGE_SHIFT)
		return -EINVAL;
	vma->flags |= VMA_SHARED | (ram ? 0 : VMA_DEVICE);
	vma->phys = r.start;
	return 0;
}

static const struct file_ops mem_file_ops = {.open = mem_open, .mmap = mem_mmap};
DEVICE_FILE_MODE(mem, "mem", &mem_file_ops, 0600);
