/* SPDX-License-Identifier: MIT */
/*
 * The bytes inside a pipe: a ring of pages, taken when written to and given back when read empty,
 * so that a pipe holds much yet costs a page. Callers serialise all but pipe_buffer_used().
 * Private to kernel/fs.
 */
#pragma once

#include <hotregs/mm.h>

#define PIPE_PAGES 16
#define PIPE_SIZE  (PIPE_PAGES * PAGE_SIZE) /* bytes a pipe holds */
#define PIPE_BUF   4096                     /* writes of up to so many bytes are atomic */

struct pipe_buffer {
	u32 used;             /* bytes inside; one word, so that it may be read without a lock */
	u32 tail;             /* where the oldest of them is, 0 .. PIPE_SIZE - 1 */
	u8 *page[PIPE_PAGES]; /* NULL: not needed now */
};

static inline size_t pipe_buffer_used(const struct pipe_buffer *b)
{
	return READ_ONCE(b->used);
}

static inline size_t pipe_buffer_free(const struct pipe_buffer *b)
{
	return PIPE_SIZE - READ_ONCE(b->used);
}

/* Position @n bytes from the oldest one. */
static inline u32 pipe_buffer_position(const struct pipe_buffer *b, size_t n)
{
	return (b->tail + n) % PIPE_SIZE;
}

/* Backs the page around the position @n bytes from the oldest one. */
static inline bool pipe_buffer_back(struct pipe_buffer *b, size_t n)
{
	u8 **page = &b->page[pipe_buffer_position(b, n) / PAGE_SIZE];

	if (unlikely(!*page))
		*page = page_alloc(0);
	return *page;
}

/* Backs the next @n <= PIPE_BUF bytes, at least one, for which there is room. -ENOMEM. */
static inline int pipe_buffer_reserve(struct pipe_buffer *b, size_t n)
{
	return pipe_buffer_back(b, b->used) && pipe_buffer_back(b, b->used + n - 1) ? 0 : -ENOMEM;
}

/* Where the next bytes go: reserved memory with room for *n of them before the page ends. */
static inline u8 *pipe_buffer_space(const struct pipe_buffer *b, size_t *n)
{
	u32 pos = pipe_buffer_position(b, b->used);

	*n = PAGE_SIZE - pos % PAGE_SIZE;
	return b->page[pos / PAGE_SIZE] + pos % PAGE_SIZE;
}

/* @n bytes have been written there. */
static inline void pipe_buffer_add(struct pipe_buffer *b, size_t n)
{
	WRITE_ONCE(b->used, b->used + n);
}

/* The oldest bytes, *n of them in a row; *n is 0 when there are none. */
static inline const u8 *pipe_buffer_data(const struct pipe_buffer *b, size_t *n)
{
	*n = MIN(b->used, PAGE_SIZE - b->tail % PAGE_SIZE);
	return b->page[b->tail / PAGE_SIZE] + b->tail % PAGE_SIZE;
}

/* The oldest @n bytes, no more than pipe_buffer_data() gave, have been read. */
static inline void pipe_buffer_take(struct pipe_buffer *b, size_t n)
{
	u32 slot = b->tail / PAGE_SIZE;
	u8 *page = b->page[slot];

	WRITE_ONCE(b->used, b->used - n);
	b->tail = pipe_buffer_position(b, n);
	if (!b->used) {
		/* Empty: begin again in this page, which is warm, and keep it. */
		b->page[slot] = b->page[0];
		b->page[0] = page;
		b->tail = 0;
	} else if (b->tail / PAGE_SIZE != slot && b->used <= PIPE_SIZE - PAGE_SIZE) {
		/* Read to its end, and the newest bytes have not come round into it. */
		b->page[slot] = NULL;
		page_free(page, 0);
	}
}

static inline void pipe_buffer_destroy(struct pipe_buffer *b)
{
	for (int i = 0; i < PIPE_PAGES; i++)
		page_free(b->page[i], 0);
}
