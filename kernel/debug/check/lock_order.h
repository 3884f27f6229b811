/* SPDX-License-Identifier: MIT */
/*
 * In which order classes of locks were taken, one inside the other. A pure structure: the caller
 * serialises.
 */
#pragma once

#include <hotregs/types.h>

#define LOCK_CLASSES 128
#define LOCK_EDGES   512

/* The first time that a lock of class @inner was taken while one of class @outer was held. */
struct lock_edge {
	u8 outer, inner;
	unsigned long outer_place, inner_place;
};

struct lock_order {
	u32 nr_classes, nr_edges;
	const char *name[LOCK_CLASSES];
	u32 seen[LOCK_CLASSES][LOCK_CLASSES / 32]; /* [outer], a bit for each inner */
	struct lock_edge edge[LOCK_EDGES];
};

/* The number of the class called @name, which stays; -ENOSPC. */
int lock_order_class(struct lock_order *order, const char *name);

enum lock_verdict {
	LOCK_ORDER_KEPT,
	LOCK_ORDER_SAME,     /* two locks of one class: nothing says which of them comes first */
	LOCK_ORDER_INVERTED, /* what was seen before leads from the inner class to the outer one */
	LOCK_ORDER_FULL,     /* no room for one more edge */
};

/*
 * Notes that @edge was seen, if the order is kept. Of an inverted one path[] gets the numbers of
 * the edges from @edge's inner class to its outer one, *length of them, the fewest that there are.
 */
enum lock_verdict lock_order_add(struct lock_order *order, const struct lock_edge *edge,
				 u16 path[LOCK_CLASSES], unsigned *length);
