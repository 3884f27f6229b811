/* SPDX-License-Identifier: MIT */
/* kernel/fs/lock.c: whose claims on which bytes are in whose way. */
#include <stdlib.h>

#include "tree_fixture.h"
#include "user_memory.h"

static struct files a, b; /* two processes */
static struct inode *inode;
static bool killed;
static const struct files *gives_up; /* while somebody waits */

bool page_can_spare(size_t pages)
{
	return true;
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
}

void schedule(void)
{
	assert_true(killed || gives_up); /* or it would sleep for ever */
	if (gives_up)
		locks_drop(inode, gives_up);
	gives_up = NULL;
	current->work = killed ? TASK_WORK_SIGNAL : 0;
}

static int set_flock(const struct files *owner, struct uapi_flock lock, bool wait)
{
	return locks_set(inode, owner, 100, &lock, wait);
}

static int lock(const struct files *owner, int type, s64 start, s64 len)
{
	return set_flock(owner, (struct uapi_flock){.type = type, .start = start, .len = len},
			 false);
}

/* Can @owner have bytes [start, start + len)? 0, or the type of the claim in its way. */
static int blocked(const struct files *owner, int type, s64 start, s64 len)
{
	struct uapi_flock l = {.type = type, .start = start, .len = len};

	assert_int_equal(locks_get(inode, owner, 0, &l), 0);
	return l.type == UAPI_F_UNLCK ? 0 : l.type;
}

static int setup(void **state)
{
	bool created;

	inode = tree_open("/f", UAPI_O_CREAT, 0644, &created);
	inode->size = 1000;
	killed = false;
	current->work = 0;
	return IS_ERR(inode);
}

static int teardown(void **state)
{
	locks_drop(inode, &a);
	locks_drop(inode, &b);
	assert_true(list_empty(&inode->locks));
	inode_put(inode);
	return tree_unlink("/f");
}

static void readers_share_writers_do_not(void **state)
{
	assert_int_equal(lock(&a, UAPI_F_RDLCK, 0, 10), 0);
	assert_int_equal(lock(&b, UAPI_F_RDLCK, 5, 10), 0);
	assert_int_equal(lock(&b, UAPI_F_WRLCK, 9, 1), -EAGAIN);
	assert_int_equal(blocked(&b, UAPI_F_WRLCK, 0, 0), UAPI_F_RDLCK);
	assert_int_equal(lock(&b, UAPI_F_WRLCK, 10, 1), 0);
	assert_int_equal(blocked(&a, UAPI_F_RDLCK, 10, 1), UAPI_F_WRLCK);
	assert_int_equal(lock(&a, UAPI_F_RDLCK, 10, 1), -EAGAIN);
}

static void one_claim_takes_the_place_of_another(void **state)
{
	assert_int_equal(lock(&a, UAPI_F_WRLCK, 0, 0), 0);
	assert_int_equal(lock(&a, UAPI_F_UNLCK, 10, 10), 0); /* a hole */
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 9, 1), UAPI_F_WRLCK);
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 10, 10), 0);
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 20, 1), UAPI_F_WRLCK);
	assert_int_equal(lock(&a, UAPI_F_RDLCK, 5, 30), 0); /* over all three */
	assert_int_equal(blocked(&b, UAPI_F_WRLCK, 12, 1), UAPI_F_RDLCK);
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 5, 30), 0);
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 4, 1), UAPI_F_WRLCK);
	assert_int_equal(blocked(&b, UAPI_F_RDLCK, 1000000, 1), UAPI_F_WRLCK);
	assert_int_equal(lock(&a, UAPI_F_UNLCK, 0, 0), 0);
	assert_true(list_empty(&inode->locks));
}

static void what_a_range_is(void **state)
{
	struct uapi_flock l = {.type = UAPI_F_WRLCK, .whence = UAPI_SEEK_CUR, .len = 10};

	assert_int_equal(set_flock(&a, l, false), 0); /* the file is at 100 */
	l = (struct uapi_flock){.type = UAPI_F_WRLCK, .whence = UAPI_SEEK_END, .len = -10};
	assert_int_equal(set_flock(&a, l, false), 0); /* 990 to 999 */
	assert_int_equal(blocked(&b, UAPI_F_WRLCK, 100, 1), UAPI_F_WRLCK);
	assert_int_equal(blocked(&b, UAPI_F_WRLCK, 110, 880), 0);
	l = (struct uapi_flock){.type = UAPI_F_WRLCK, .start = 110, .len = 0};
	assert_int_equal(locks_get(inode, &b, 0, &l), 0);
	assert_int_equal(l.start, 990);
	assert_int_equal(l.len, 10);
	assert_int_equal(lock(&a, UAPI_F_WRLCK, -1, 1), -EINVAL);
	assert_int_equal(lock(&a, UAPI_F_WRLCK, 5, -6), -EINVAL);
	assert_int_equal(lock(&a, UAPI_F_WRLCK, INT64_MAX, 1), -EOVERFLOW);
	l.whence = 7;
	assert_int_equal(set_flock(&a, l, false), -EINVAL);
}

static void closing_gives_up(void **state)
{
	assert_int_equal(lock(&a, UAPI_F_WRLCK, 0, 1), 0);
	assert_int_equal(lock(&a, UAPI_F_WRLCK, 5, 1), 0);
	assert_int_equal(lock(&b, UAPI_F_RDLCK, 9, 1), 0);
	locks_drop(inode, &a);
	assert_int_equal(blocked(&b, UAPI_F_WRLCK, 0, 9), 0);
	assert_int_equal(blocked(&a, UAPI_F_WRLCK, 9, 1), UAPI_F_RDLCK);
}

static void waiting(void **state)
{
	struct uapi_flock l = {.type = UAPI_F_WRLCK};

	assert_int_equal(lock(&a, UAPI_F_RDLCK, 0, 0), 0);
	killed = true;
	assert_int_equal(set_flock(&b, l, true), -EINTR);
	killed = false;
	current->work = 0;
	gives_up = &a;
	assert_int_equal(set_flock(&b, l, true), 0);
	assert_int_equal(blocked(&a, UAPI_F_RDLCK, 0, 1), UAPI_F_WRLCK);
}

static void no_memory(void **state)
{
	for (unsigned n = 1; n <= 2; n++) {
		long before = host_allocations;

		host_fail_alloc = n;
		assert_int_equal(lock(&a, UAPI_F_WRLCK, 0, 1), -ENOLCK);
		assert_int_equal(host_allocations, before);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(readers_share_writers_do_not),
	    TEST(one_claim_takes_the_place_of_another),
	    TEST(what_a_range_is),
	    TEST(closing_gives_up),
	    TEST(waiting),
	    TEST(no_memory),
	};

	return cmocka_run_group_tests(tests, tree_group_setup, NULL);
}
