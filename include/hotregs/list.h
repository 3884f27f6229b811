/* SPDX-License-Identifier: MIT */
/* Circular doubly linked lists whose nodes live inside the listed objects. */
#pragma once

#include <hotregs/check.h>
#include <hotregs/types.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)     \
	{                        \
		&(name), &(name) \
	}

static inline void list_init(struct list_head *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list_head *l)
{
	return l->next == l;
}

/* Puts @n between two neighbours. */
static inline void list_insert(struct list_head *n, struct list_head *prev, struct list_head *next)
{
	if (!check_list_insert(n, prev, next))
		return;
	n->prev = prev;
	n->next = next;
	prev->next = n;
	next->prev = n;
}

static inline void list_add(struct list_head *n, struct list_head *head)
{
	list_insert(n, head, head->next);
}

static inline void list_add_tail(struct list_head *n, struct list_head *head)
{
	list_insert(n, head->prev, head);
}

/* Joins @n's neighbours; false: it has none that know it. */
static inline bool list_unlink(struct list_head *n)
{
	if (!check_list_delete(n))
		return false;
	n->prev->next = n->next;
	n->next->prev = n->prev;
	return true;
}

/*
 * Takes @n off its list. What its pointers hold then is in no address space, so that a second
 * list_del() or a walk that still stands on it faults.
 */
#define LIST_POISON_NEXT ((struct list_head *)0x100)
#define LIST_POISON_PREV ((struct list_head *)0x200)
static inline void list_del(struct list_head *n)
{
	if (!list_unlink(n))
		return;
	n->next = LIST_POISON_NEXT;
	n->prev = LIST_POISON_PREV;
}

/* Takes @n off its list and leaves it an empty list of its own, so that a second call is harmless.
 */
static inline void list_del_init(struct list_head *n)
{
	if (list_unlink(n))
		list_init(n);
}

#define list_entry(ptr, type, member)  container_of(ptr, type, member)
#define list_first(head, type, member) list_entry((head)->next, type, member)

/*
 * The node of @pos, which may be what a loop over all of a list ends with: then it is the list's
 * head, and @pos, where no object is, must not be used otherwise.
 */
#define list_node(pos, member) \
	((struct list_head *)((char *)(pos) + offsetof(typeof(*(pos)), member)))

#define list_for_each(pos, head, member)                           \
	for (pos = list_entry((head)->next, typeof(*pos), member); \
	     list_node(pos, member) != (head);                     \
	     pos = list_entry(pos->member.next, typeof(*pos), member))

/* As list_for_each(), and the body may take @pos off the list. */
#define list_for_each_safe(pos, tmp, head, member)                                \
	for (pos = list_entry((head)->next, typeof(*pos), member),                \
	    tmp = list_entry(list_node(pos, member)->next, typeof(*pos), member); \
	     list_node(pos, member) != (head);                                    \
	     pos = tmp, tmp = list_entry(list_node(tmp, member)->next, typeof(*tmp), member))
