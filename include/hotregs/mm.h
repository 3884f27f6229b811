/* SPDX-License-Identifier: MIT */
/* Physical pages, kernel memory, and kernel mappings. */
#pragma once

#include <hotregs/types.h>

#include <arch/mmu.h>

#define MAX_PAGE_ORDER 10 /* 4 MiB */

/*
 * Hands all RAM of boot_info but what is in use (kernel, archive, ...) to the page allocator. The
 * RAM that only mmu_init() maps follows in page_init_high(). Panics below 8 MiB.
 */
void page_init(void);
void page_init_high(void);

/*
 * 2^order contiguous pages in the direct map, contents undefined, one reference. NULL: none left
 * for the caller: the last ones are for the privileged user, for init and for the kernel (see
 * process_claim()).
 */
void *page_alloc(unsigned order);
void *page_alloc_zeroed(unsigned order);

/* Drops a reference to the block at @va, freeing it with the last one. @va NULL is ignored. */
void page_free(void *va, unsigned order);

/*
 * A chain of blocks that their owner keeps: NULL, or the one that was added last. page_link() is
 * the next one, or NULL. The owner serialises.
 */
void page_chain_add(void **chain, void *va);
void page_chain_remove(void **chain, void *va);
void *page_link(const void *va);

/* Reference counts of single pages, for memory shared between address spaces. */
void page_get(phys_addr_t pa);
void page_put(phys_addr_t pa);
u32 page_refs(phys_addr_t pa);

/* Page tables have been made of @pages pages more, or (negative) less; how many they have. Any
 * context.
 */
void page_count_tables(int pages);
size_t page_nr_tables(void);

/* Pages free now, and handed to the allocator at boot. */
size_t page_nr_free(void);
size_t page_nr_total(void);

/*
 * May a request of the caller that is not urgent take @pages pages? Of what there is for the caller
 * a part is left, for what programs have been promised and not touched yet. Nothing is set aside.
 */
bool page_can_spare(size_t pages);
size_t page_nr_spare(void); /* the most for which it says yes */

/* Small objects; 16-byte aligned; kmalloc(0) is an object too. NULL: out of memory. kfree(NULL) ok.
 * None of the allocators sleeps; none may be called from an NMI. */
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(void *p);

/* Bytes in live kmalloc() objects: for leak tests. */
size_t kmalloc_in_use(void);

/* What objects of one size take: those of up to @size bytes, larger than those of the size before.
 */
struct slab_usage {
	size_t size;
	size_t in_use;       /* objects that live */
	size_t pages, empty; /* all there are, and those without a live object */
	unsigned per_page;   /* objects */
};
/* Of the kmalloc() objects of the @i-th size; false: there are fewer. Any context. */
bool kmalloc_usage(unsigned i, struct slab_usage *usage);

/*
 * Kernel mappings of single pages at consecutive addresses, an unmapped guard page below and above.
 * vmap_alloc() backs them with zeroed pages. NULL: out of memory (page_can_spare() says no, for
 * one) or addresses. vmap_free(NULL) ok. Both may sleep: what is unmapped is given back when no CPU
 * can reach it any more.
 */
void *vmap_alloc(size_t pages);
void vmap_free(void *va, size_t pages);
/* Of what is remembered of each range of addresses, and how many are in use. Any context but NMI.
 */
void vmap_usage(struct slab_usage *usage);
/* Has every CPU forget what [start, end), of the kernel's half, showed. May sleep. */
void kernel_flush(unsigned long start, unsigned long end);
/* The physical address behind vmap address @va, which must be mapped. NMI-safe. */
phys_addr_t vmap_phys(const void *va);

/* Maps device registers, uncached; never unmapped. NULL: out of memory. @pa need not be aligned. */
void *ioremap(phys_addr_t pa, size_t size);
