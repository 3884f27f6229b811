/* SPDX-License-Identifier: MIT */
/*
 * The pages of a file in memory, by their number in it. What was never written is not there. A file
 * of one page is that page; a larger one has tables above its pages, each a page, as many levels as
 * its last page needs. Callers serialise. Private to kernel/fs.
 */
#pragma once

#include <hotregs/types.h>

#define PAGE_TREE_LEVELS 3 /* tables above a page, at most */

struct page_tree {
	void *root;      /* a table, or at height 0 page 0; NULL: nothing is there */
	unsigned height; /* levels of tables below the root's own: 0 .. PAGE_TREE_LEVELS */
	size_t nr_pages; /* that are there, tables not counted */
};

/* How many pages a tree can number. */
#define PAGE_TREE_BITS (PAGE_SHIFT - (sizeof(void *) == 8 ? 3 : 2)) /* of a number, a level */
#define PAGE_TREE_MAX  (1ULL << (PAGE_TREE_LEVELS * PAGE_TREE_BITS))

/* Page number @n < PAGE_TREE_MAX, or NULL. */
void *page_tree_find(const struct page_tree *tree, u64 n);
/* Puts @page, from page_alloc(0), where none is; it is the tree's then. -ENOMEM: it is not. */
int page_tree_add(struct page_tree *tree, u64 n, void *page);
/* Frees all pages from number @from on, and the tables that they alone needed. */
void page_tree_cut(struct page_tree *tree, u64 from);
