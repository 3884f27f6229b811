/* SPDX-License-Identifier: MIT */
/* Counts of references to an object that goes away with the last one. Any context. */
#pragma once

#include <hotregs/check.h>
#include <hotregs/types.h>

struct refcount {
	u32 n;
};

#define REFCOUNT_INIT(count) \
	{                    \
		count        \
	}

/* Before anybody else knows the object. */
static inline void refcount_set(struct refcount *r, u32 n)
{
	__atomic_store_n(&r->n, n, __ATOMIC_RELAXED);
}

/* How many there are; others may change it meanwhile, and nothing else of theirs is ordered. */
static inline u32 refcount_read(const struct refcount *r)
{
	return READ_ONCE(r->n);
}

/* Is the caller's the only one? Then whatever others did to the object before theirs went is seen.
 */
static inline bool refcount_sole(const struct refcount *r)
{
	return __atomic_load_n(&r->n, __ATOMIC_ACQUIRE) == 1;
}

/* One more, by somebody who has one, or who keeps the last from going. */
static inline void refcount_get(struct refcount *r)
{
	if (check_refcount_get(r))
		__atomic_fetch_add(&r->n, 1, __ATOMIC_RELAXED);
}

/* One less: was it the last? Then whatever others did to the object before theirs went is seen. */
static inline bool refcount_put(struct refcount *r)
{
	return check_refcount_put(r) && !__atomic_sub_fetch(&r->n, 1, __ATOMIC_ACQ_REL);
}
