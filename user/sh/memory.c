/* SPDX-License-Identifier: MIT */
/* Memory for a line: nothing of it is freed by itself, and all of it at the line's end. */
#include "sh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *next;
	max_align_t data[];
};

static struct arena_chunk *chunks;

void *arena_alloc(size_t size)
{
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (!chunk) {
		fputs("sh: out of memory\n", stderr);
		exit(2);
	}
	chunk->next = chunks;
	chunks = chunk;
	return chunk->data;
}

struct arena_chunk *arena_mark(void)
{
	return chunks;
}

void arena_release(struct arena_chunk *mark)
{
	while (chunks != mark) {
		struct arena_chunk *chunk = chunks;

		chunks = chunk->next;
		free(chunk);
	}
}

char *arena_strndup(const char *s, size_t n)
{
	return memcpy(arena_alloc(n + 1), s, n);
}

/* Twice the room for @n things of @size bytes. */
static void *grow(const void *old, size_t n, size_t size, size_t *room)
{
	size_t more = *room ? 2 * *room : 16;
	void *new = arena_alloc(more * size);

	if (n)
		memcpy(new, old, n * size);
	*room = more;
	return new;
}

void text_add(struct text *t, char c)
{
	if (t->len + 1 >= t->room)
		t->s = grow(t->s, t->len, 1, &t->room);
	t->s[t->len++] = c;
	t->s[t->len] = '\0';
}

void text_add_string(struct text *t, const char *s)
{
	while (*s)
		text_add(t, *s++);
}

void strings_add(struct strings *list, char *s)
{
	if (list->n + 1 >= list->room)
		list->s = grow(list->s, list->n, sizeof(*list->s), &list->room);
	list->s[list->n++] = s;
	list->s[list->n] = NULL;
}
