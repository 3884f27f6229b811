/* SPDX-License-Identifier: MIT */
/* Queues of pending signals. No locks and no tasks: whoever owns a queue serialises. */
#pragma once

#include <hotregs/signal.h>

#define UNBLOCKABLE (UAPI_SIGBIT(UAPI_SIGKILL) | UAPI_SIGBIT(UAPI_SIGSTOP))

void signal_queue_init(struct signal_queue *q);

/* Is one more @signal of any use? An ordinary one that is pending is not. */
static inline bool signal_queue_wants(const struct signal_queue *q, int signal)
{
	return signal >= UAPI_SIGRTMIN || !(q->set & UAPI_SIGBIT(signal));
}

/* Adds @entry, or, with nothing to say, only @signal. */
void signal_queue_add(struct signal_queue *q, struct signal_entry *entry);
void signal_queue_mark(struct signal_queue *q, int signal);

/* The signal of @set to be taken first; 0 if it is empty. SIGKILL comes before all others. */
int signal_first(uapi_sigset_t set);

/* Takes the oldest @signal, which is in @q: its entry, or NULL if it has none. */
struct signal_entry *signal_queue_take(struct signal_queue *q, int signal);

/* Takes @entry out of its queue; harmless when it is in none. */
void signal_queue_remove(struct signal_entry *entry);

/* Takes the oldest entry of a signal in @set, or NULL; then the set has none of them any more. */
struct signal_entry *signal_queue_drop(struct signal_queue *q, uapi_sigset_t set);
