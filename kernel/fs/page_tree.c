/* SPDX-License-Identifier: MIT */
/* The pages of a file by number: a radix tree of page-sized tables, as high as it has to be. */
#include <hotregs/mm.h>

#include "page_tree.h"

#define FANOUT (1U << PAGE_TREE_BITS)

/* Which entry of a table @height levels above the pages leads to page @n? */
static unsigned slot_of(u64 n, unsigned height)
{
	return (n >> ((height - 1) * PAGE_TREE_BITS)) & (FANOUT - 1);
}

/* Does a tree of @height have a place for page @n? */
static bool fits(u64 n, unsigned height)
{
	return !(n >> (height * PAGE_TREE_BITS));
}

void *page_tree_find(const struct page_tree *tree, u64 n)
{
	void *at = tree->root;

	if (!fits(n, tree->height))
		return NULL;
	for (unsigned height = tree->height; at && height; height--)
		at = ((void **)at)[slot_of(n, height)];
	return at;
}

/* Puts tables above the root until there is a place for page @n. */
static int grow(struct page_tree *tree, u64 n)
{
	while (!fits(n, tree->height)) {
		void **table = NULL;

		if (tree->root) {
			table = page_alloc_zeroed(0);
			if (!table)
				return -ENOMEM;
			table[0] = tree->root;
		}
		tree->root = table;
		tree->height++;
	}
	return 0;
}

int page_tree_add(struct page_tree *tree, u64 n, void *page)
{
	int err = grow(tree, n);
	void **at = &tree->root;

	if (err)
		return err;
	for (unsigned height = tree->height; height; height--) {
		if (!*at)
			*at = page_alloc_zeroed(0);
		if (!*at)
			return -ENOMEM; /* tables without a page go with the next cut */
		at = (void **)*at + slot_of(n, height);
	}
	*at = page;
	tree->nr_pages++;
	return 0;
}

/* Frees what is in @at, @height levels above the pages, from its page @from on; all of it: true. */
static bool cut(struct page_tree *tree, void *at, unsigned height, u64 from)
{
	unsigned first = height ? slot_of(from, height) : 0;
	void **table = at;

	if (!at)
		return true;
	if (!height) {
		page_free(at, 0);
		tree->nr_pages--;
		return true;
	}
	for (unsigned i = first; i < FANOUT; i++) {
		u64 start = (u64)i << ((height - 1) * PAGE_TREE_BITS);

		if (cut(tree, table[i], height - 1, from > start ? from - start : 0))
			table[i] = NULL;
	}
	for (unsigned i = 0; i <= first; i++)
		if (table[i])
			return false;
	page_free(table, 0);
	return true;
}

void page_tree_cut(struct page_tree *tree, u64 from)
{
	if (!fits(from, tree->height))
		return;
	if (!cut(tree, tree->root, tree->height, from))
		return;
	tree->root = NULL;
	tree->height = 0;
}
