/* SPDX-License-Identifier: MIT */
/* The graph of lock classes: an edge for each order that was seen, and never a cycle. */
#include "lock_order.h"
#include <hotregs/string.h>

#define NO_EDGE UINT16_MAX

int lock_order_class(struct lock_order *order, const char *name)
{
	for (u32 i = 0; i < order->nr_classes; i++)
		if (!strcmp(order->name[i], name))
			return i;
	if (order->nr_classes == LOCK_CLASSES)
		return -ENOSPC;
	order->name[order->nr_classes] = name;
	return order->nr_classes++;
}

static bool seen(const struct lock_order *order, u8 outer, u8 inner)
{
	return order->seen[outer][inner / 32] >> (inner % 32) & 1;
}

/*
 * Looks for a way of edges from class @from to class @to, the shortest. It is written to path[],
 * and its length returned; 0: there is none.
 */
static unsigned find_path(const struct lock_order *order, u8 from, u8 to, u16 path[LOCK_CLASSES])
{
	u16 by[LOCK_CLASSES]; /* the edge that led to a class first */
	u8 queue[LOCK_CLASSES];
	unsigned head = 0, tail = 0, length = 0;

	for (unsigned i = 0; i < LOCK_CLASSES; i++)
		by[i] = NO_EDGE;
	queue[tail++] = from;
	while (head < tail && by[to] == NO_EDGE) {
		u8 class = queue[head++];

		for (u32 i = 0; i < order->nr_edges; i++) {
			u8 next = order->edge[i].inner;

			if (order->edge[i].outer != class || next == from || by[next] != NO_EDGE)
				continue;
			by[next] = i;
			queue[tail++] = next;
		}
	}
	if (by[to] == NO_EDGE)
		return 0;
	for (u8 class = to; class != from; class = order->edge[by[class]].outer)
		length++;
	for (unsigned i = length; i--; to = order->edge[by[to]].outer)
		path[i] = by[to];
	return length;
}

enum lock_verdict lock_order_add(struct lock_order *order, const struct lock_edge *edge,
				 u16 path[LOCK_CLASSES], unsigned *length)
{
	if (edge->outer == edge->inner)
		return LOCK_ORDER_SAME;
	if (seen(order, edge->outer, edge->inner))
		return LOCK_ORDER_KEPT;
	*length = find_path(order, edge->inner, edge->outer, path);
	if (*length)
		return LOCK_ORDER_INVERTED;
	if (order->nr_edges == LOCK_EDGES)
		return LOCK_ORDER_FULL;
	order->edge[order->nr_edges++] = *edge;
	order->seen[edge->outer][edge->inner / 32] |= 1u << (edge->inner % 32);
	return LOCK_ORDER_KEPT;
}
