/* SPDX-License-Identifier: MIT */
/* Queues of pending signals: a bit for each, and behind it, oldest first, what they say. */
#include "signal_queue.h"

void signal_queue_init(struct signal_queue *q)
{
	q->set = 0;
	list_init(&q->entries);
}

void signal_queue_add(struct signal_queue *q, struct signal_entry *entry)
{
	list_add_tail(&entry->node, &q->entries);
	entry->queue = q;
	q->set |= UAPI_SIGBIT(entry->info.signo);
}

void signal_queue_mark(struct signal_queue *q, int signal)
{
	q->set |= UAPI_SIGBIT(signal);
}

int signal_first(uapi_sigset_t set)
{
	if (set & UAPI_SIGBIT(UAPI_SIGKILL))
		return UAPI_SIGKILL;
	return set ? __builtin_ctzll(set) + 1 : 0;
}

/* The oldest entry of a signal in @set; *more: there is another one. */
static struct signal_entry *find(const struct signal_queue *q, uapi_sigset_t set, bool *more)
{
	struct signal_entry *pos, *found = NULL;

	*more = false;
	list_for_each (pos, &q->entries, node) {
		if (!(set & UAPI_SIGBIT(pos->info.signo)))
			continue;
		*more = found;
		if (found)
			break;
		found = pos;
	}
	return found;
}

struct signal_entry *signal_queue_take(struct signal_queue *q, int signal)
{
	bool more;
	struct signal_entry *entry = find(q, UAPI_SIGBIT(signal), &more);

	if (entry)
		list_del_init(&entry->node);
	if (!more)
		q->set &= ~UAPI_SIGBIT(signal);
	return entry;
}

void signal_queue_remove(struct signal_entry *entry)
{
	struct signal_queue *q = entry->queue;
	bool more;

	if (list_empty(&entry->node))
		return;
	list_del_init(&entry->node);
	if (!find(q, UAPI_SIGBIT(entry->info.signo), &more))
		q->set &= ~UAPI_SIGBIT(entry->info.signo);
}

struct signal_entry *signal_queue_drop(struct signal_queue *q, uapi_sigset_t set)
{
	bool more;
	struct signal_entry *entry = find(q, set, &more);

	if (entry)
		list_del_init(&entry->node);
	if (!more)
		q->set &= ~set;
	return entry;
}
