/* SPDX-License-Identifier: MIT */
/*
 * Who may profile what: perf_event_paranoid, and how much memory for rings a user may lock. Asked
 * when an event is opened or a ring is mapped, and never again: a descriptor keeps the rights that
 * it was opened with, whoever holds it.
 */
#include <hotregs/list.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include "event.h"

struct perf_limits perf_limits = {
    .paranoid = 2,
    .mlock_kb = 512 + PAGE_SIZE / 1024,
    .max_sample_rate = PERF_SAMPLE_RATE_MAX,
    .cpu_time_max_percent = 25,
};

int perf_permission(const struct perf_event_attr *attr, bool whole_cpu, bool privileged)
{
	int paranoid = READ_ONCE(perf_limits.paranoid);

	if (privileged)
		return 0;
	if (paranoid > 2)
		return -EACCES;
	if (perf_breakpoint_needs_privilege(attr))
		return -EPERM;
	/*
	 * Whatever excludes the kernel shows nothing of it. What only trims the chain leaves the
	 * IP, and a physical address tells how the kernel lays out memory.
	 */
	if (paranoid > 1 && (!attr->exclude_kernel || (attr->sample_type & PERF_SAMPLE_PHYS_ADDR)))
		return -EACCES;
	return paranoid > 0 && whole_cpu ? -EACCES : 0;
}

/* --- Memory for rings, by user --- */

struct account {
	struct list_head node; /* in accounts, while it holds pages */
	uid_t uid;
	size_t pages;
};

static struct list_head accounts = LIST_HEAD_INIT(accounts);
static struct spinlock account_lock = SPINLOCK_INIT;

static struct account *find(uid_t uid)
{
	struct account *account;

	list_for_each (account, &accounts, node)
		if (account->uid == uid)
			return account;
	return NULL;
}

/* What a user who is not privileged may have, pages: perf_event_mlock_kb for each CPU. */
static size_t quota(void)
{
	return (size_t)READ_ONCE(perf_limits.mlock_kb) * nr_cpus / (PAGE_SIZE / 1024);
}

/* Adds to the user's account, which *@fresh becomes, and then is NULL, when there is none. */
static int charge(const struct perf_user *user, size_t pages, struct account **fresh)
{
	bool limited = !user->privileged && READ_ONCE(perf_limits.paranoid) >= 0;
	struct account *account = find(user->uid);
	size_t used = account ? account->pages : 0, most = quota();

	if (limited && (pages > most || used > most - pages))
		return -EPERM;
	if (!account) {
		account = *fresh;
		*fresh = NULL;
		if (!account)
			return -ENOMEM;
		account->uid = user->uid;
		list_add_tail(&account->node, &accounts);
	}
	account->pages += pages;
	return 0;
}

int perf_quota_charge(const struct perf_user *user, size_t pages)
{
	struct account *fresh = kzalloc(sizeof(*fresh));
	unsigned long flags = spin_lock_irqsave(&account_lock);
	int err = charge(user, pages, &fresh);

	spin_unlock_irqrestore(&account_lock, flags);
	kfree(fresh);
	return err;
}

void perf_quota_uncharge(uid_t uid, size_t pages)
{
	unsigned long flags = spin_lock_irqsave(&account_lock);
	struct account *account = find(uid), *empty = NULL;

	ASSERT(account && account->pages >= pages);
	account->pages -= pages;
	if (!account->pages) {
		list_del(&account->node);
		empty = account;
	}
	spin_unlock_irqrestore(&account_lock, flags);
	kfree(empty);
}
