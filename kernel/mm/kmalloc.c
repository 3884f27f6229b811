// SPDX-License-Identifier: MIT
/*
 * Small kernel objects: sixteen size classes, each with pages of equal objects, whose descriptors
 * say the class, so that no object carries a header. Larger ones are blocks of pages.
 */
#include <hotregs/printk.h>
#include <hotregs/spinlock.h>
#include <hotregs/string.h>

#include "page.h"

#define OBJECT_ALIGN 16
#define OBJECT_MAX   2048 /* the largest class */
#define NO_OBJECT    UINT16_MAX

/* Multiples of 16 that leave little of a page over. */
static const u16 class_size[] = {16,  32,  48,  64,  96,  128,  192,  256,
				 336, 448, 576, 672, 816, 1024, 1360, 2048};

/* The class for an object of n * 16 bytes. */
static const u8 class_of[OBJECT_MAX / OBJECT_ALIGN + 1] = {
    [0 ... 1] = 0,    [2] = 1,          [3] = 2,          [4] = 3,
    [5 ... 6] = 4,    [7 ... 8] = 5,    [9 ... 12] = 6,   [13 ... 16] = 7,
    [17 ... 21] = 8,  [22 ... 28] = 9,  [29 ... 36] = 10, [37 ... 42] = 11,
    [43 ... 51] = 12, [52 ... 64] = 13, [65 ... 85] = 14, [86 ... 128] = 15};

/* What a free object contains. */
struct free_object {
	unsigned long next;  /* offset of the next one in its page, or NO_OBJECT */
	unsigned long guard; /* guard_of() while it is free: tells a second kfree() */
};

static struct object_class { /* of a size by which an index is a shift */
	struct spinlock lock;
	struct page *first; /* of partial: where the next object comes from; NULL: nowhere */
	u8 *objects;        /* its own */
	u32 partial;        /* pages with a free object, a list; the first one may be full */
	u32 empty;          /* of these, the pages with no object in use */
	u32 pages;          /* all */
	size_t in_use;      /* objects */
} __aligned(32) classes[ARRAY_SIZE(class_size)] = {
    [0 ... ARRAY_SIZE(class_size) - 1] = {.lock = SPINLOCK_INIT, .partial = NO_PAGE}};

static size_t large_bytes; /* in objects that are blocks of pages; atomic */

static unsigned long guard_of(const struct free_object *object)
{
	return (unsigned long)object ^ (unsigned long)0x9b5fe01d6ac4378eULL;
}

/* @page comes to the head of the pages of @c with a free object. Lock held. */
static void add_partial(struct object_class *c, struct page *page)
{
	page_list_add(&c->partial, page);
	c->first = page;
	c->objects = page_address(page);
}

/* It leaves them. Lock held. */
static void del_partial(struct object_class *c, struct page *page)
{
	page_list_del(&c->partial, page);
	if (c->first != page)
		return;
	c->first = c->partial == NO_PAGE ? NULL : &page_map[c->partial];
	c->objects = c->first ? page_address(c->first) : NULL;
}

/*
 * The first page, if it has no free object, leaves them, too: not before another one is needed, as
 * what comes next is often that its last object is freed, and taken again. Lock held.
 */
static void drop_full(struct object_class *c)
{
	if (c->first && c->first->free == NO_OBJECT)
		del_partial(c, c->first);
}

static void push_object(struct page *page, struct free_object *object)
{
	object->next = page->free;
	object->guard = guard_of(object);
	page->free = (unsigned long)object & (PAGE_SIZE - 1);
}

/* A new page of free objects; NULL: out of memory. */
static struct page *make_page(unsigned class)
{
	size_t size = class_size[class];
	u8 *objects = page_alloc(0);
	struct page *page;

	if (!objects)
		return NULL;
	page = page_of(objects);
	page->kind = PAGE_OBJECTS;
	page->class = class;
	page->objects = 0;
	page->free = NO_OBJECT;
	for (size_t n = PAGE_SIZE / size; n--;)
		push_object(page, (struct free_object *)(objects + n * size));
	return page;
}

/* Returns an empty page to the page allocator. Lock held. */
static void remove_page(struct page *page)
{
	struct object_class *c = &classes[page->class];

	del_partial(c, page);
	c->pages--;
	page->kind = PAGE_USED;
	page->order = 0;
	refcount_set(&page->refs, 1);
	page_free(page_address(page), 0);
}

/*
 * Sees to it that @c's first page has a free object; false: out of memory. Called with the lock
 * held, and drops it meanwhile, since a page allocator in need calls kmalloc_shrink(), and looks at
 * other CPUs if the caller had interrupts on.
 */
static noinline bool refill(struct object_class *c, unsigned long *flags)
{
	struct page *page;

	drop_full(c);
	if (c->first)
		return true;
	spin_unlock_irqrestore(&c->lock, *flags);
	page = make_page(c - classes);
	*flags = spin_lock_irqsave(&c->lock);
	drop_full(c);
	if (page) {
		add_partial(c, page);
		c->empty++;
		c->pages++;
	}
	return c->first;
}

bool kmalloc_shrink(void)
{
	bool shrunk = false;

	for (struct object_class *c = classes; c < classes + ARRAY_SIZE(classes); c++) {
		unsigned long flags = spin_lock_irqsave(&c->lock);

		for (u32 nr = c->partial; c->empty && nr != NO_PAGE;) {
			struct page *page = &page_map[nr];

			nr = page->next;
			if (page->objects)
				continue;
			remove_page(page);
			c->empty--;
			shrunk = true;
		}
		spin_unlock_irqrestore(&c->lock, flags);
	}
	return shrunk;
}

size_t kmalloc_empty_pages(void)
{
	size_t n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
		n += READ_ONCE(classes[i].empty);
	return n;
}

static unsigned order_of(size_t size)
{
	size_t pages = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	return pages > 1 ? 8 * sizeof(pages) - __builtin_clzl(pages - 1) : 0;
}

static void *alloc_large(size_t size)
{
	unsigned order;
	void *p;

	if (size > PAGE_SIZE << MAX_PAGE_ORDER)
		return NULL;
	order = order_of(size);
	p = page_alloc(order);
	if (p)
		__atomic_fetch_add(&large_bytes, PAGE_SIZE << order, __ATOMIC_RELAXED);
	return p;
}

void *kmalloc(size_t size)
{
	struct object_class *c;
	struct free_object *object = NULL;
	struct page *page;
	unsigned long flags;

	if (unlikely(size > OBJECT_MAX))
		return alloc_large(size);
	c = &classes[class_of[(size + OBJECT_ALIGN - 1) / OBJECT_ALIGN]];
	keep_value(c);
	flags = spin_lock_irqsave(&c->lock);
	if (likely(c->first && c->first->free != NO_OBJECT) || refill(c, &flags)) {
		page = c->first;
		object = (struct free_object *)(c->objects + page->free);
		ASSERT(object->guard == guard_of(object)); /* written after it was freed */
		object->guard = 0;
		page->free = object->next;
		if (page->objects++ == 0)
			c->empty--;
		c->in_use++;
	}
	spin_unlock_irqrestore(&c->lock, flags);
	return object;
}

void *kzalloc(size_t size)
{
	void *p = kmalloc(size);

	if (likely(p))
		memset(p, 0, size);
	return p;
}

void kfree(void *p)
{
	struct free_object *object = p;
	struct page *page;
	struct object_class *c;
	unsigned long flags;

	if (!p)
		return;
	page = page_of(p);
	if (unlikely(page->kind != PAGE_OBJECTS)) {
		ASSERT(page->kind == PAGE_USED && !((unsigned long)p & (PAGE_SIZE - 1)));
		__atomic_fetch_sub(&large_bytes, PAGE_SIZE << page->order, __ATOMIC_RELAXED);
		page_free(p, page->order);
		return;
	}
	c = &classes[page->class];
	keep_value(c);
	flags = spin_lock_irqsave(&c->lock);
	ASSERT(object->guard != guard_of(object)); /* freed twice */
	if (unlikely(page->free == NO_OBJECT && page != c->first)) {
		drop_full(c);
		add_partial(c, page);
	}
	push_object(page, object);
	c->in_use--;
	if (--page->objects == 0) {
		if (unlikely(page != c->first))
			drop_full(c);
		/* The last page stays, for the next request, or until there is need. */
		if ((page->next & page->prev) != NO_PAGE)
			remove_page(page);
		else
			c->empty++;
	}
	spin_unlock_irqrestore(&c->lock, flags);
}

size_t kmalloc_in_use(void)
{
	size_t bytes = __atomic_load_n(&large_bytes, __ATOMIC_RELAXED);

	for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
		bytes += READ_ONCE(classes[i].in_use) * class_size[i];
	return bytes;
}

bool kmalloc_usage(unsigned i, struct slab_usage *usage)
{
	if (i >= ARRAY_SIZE(classes))
		return false;
	*usage = (struct slab_usage){
	    .size = class_size[i],
	    .per_page = PAGE_SIZE / class_size[i],
	    .pages = READ_ONCE(classes[i].pages),
	    .empty = READ_ONCE(classes[i].empty),
	    .in_use = READ_ONCE(classes[i].in_use),
	};
	return true;
}
