/* SPDX-License-Identifier: MIT */
/* The page descriptors, shared by page.c and kmalloc.c. */
#pragma once

#include <hotregs/mm.h>
#include <hotregs/refcount.h>

/*
 * What begins at a page. A descriptor is valid on the first page of a block only: those inside are
 * written when a block is split, so that start-up need not touch one for every page of RAM.
 */
enum page_kind {
	PAGE_RESERVED, /* never handed to the allocator */
	PAGE_FREE,     /* a free block of 2^order pages */
	PAGE_CACHED,   /* a free page in a CPU's cache */
	PAGE_USED,     /* an allocated block of 2^order pages */
	PAGE_OBJECTS,  /* a page of kmalloc() objects of one class */
};

struct page {
	union {
		struct refcount refs;
		u32 objects; /* PAGE_OBJECTS: in use */
	};
	u8 kind;
	union {
		u8 order;
		u8 class; /* PAGE_OBJECTS */
	};
	u16 free;       /* PAGE_OBJECTS: offset of the first free object, or NO_OBJECT */
	u32 next, prev; /* in a list of blocks; NO_PAGE at its ends */
};

_Static_assert(sizeof(struct page) == 16, "one of these for each page of RAM");

#define NO_PAGE UINT32_MAX

extern struct page *page_map;
extern phys_addr_t page_map_base;    /* address of page 0 of the map */
extern unsigned long page_map_start; /* the same in the direct map */

static inline struct page *page_of_phys(phys_addr_t pa)
{
	return &page_map[(pa - page_map_base) >> PAGE_SHIFT];
}

static inline struct page *page_of(const void *va)
{
	return &page_map[((unsigned long)va - page_map_start) >> PAGE_SHIFT];
}

static inline u32 page_number(const struct page *page)
{
	return page - page_map;
}

static inline void *page_address(const struct page *page)
{
	return (void *)(page_map_start + ((unsigned long)page_number(page) << PAGE_SHIFT));
}

/* Lists of blocks: @head is the number of the first one. */
static inline void page_list_add(u32 *head, struct page *page)
{
	page->next = *head;
	page->prev = NO_PAGE;
	if (*head != NO_PAGE)
		page_map[*head].prev = page_number(page);
	*head = page_number(page);
}

static inline void page_list_del(u32 *head, struct page *page)
{
	if (page->prev != NO_PAGE)
		page_map[page->prev].next = page->next;
	else
		*head = page->next;
	if (page->next != NO_PAGE)
		page_map[page->next].prev = page->prev;
}

/*
 * kmalloc.c keeps a few pages without an object in them, which count as free: how many, and giving
 * them back to the page allocator, which calls this when it has no other; false: there was none.
 */
size_t kmalloc_empty_pages(void);
bool kmalloc_shrink(void);
