/* SPDX-License-Identifier: MIT */
/* What the tests of signals share: handlers that note what came, and children that sleep. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ktap.h"

/* What note_signal() was called with. */
struct noted {
	volatile int count;
	volatile int order[128]; /* the signals, as they came */
	siginfo_t info;          /* of the last one */
};
extern struct noted noted;

void note_signal(int sig, siginfo_t *info, void *context);

/* Sets note_signal() as @sig's handler, with @flags and SA_SIGINFO, and forgets what was noted. */
void note(int sig, int flags);

/* Blocks @sig, or no longer; the mask before. */
sigset_t block(int sig);
sigset_t unblock(int sig);
void set_mask(sigset_t mask);

/* The set of one signal. */
sigset_t only(int sig);

/* Starts a child that runs @body and ends with its result. */
pid_t start_child(int (*body)(void));

/* Lets others run until @pid sleeps, as /proc says; false: it does not come to that. */
bool wait_until_asleep(pid_t pid);

/* The exit status of @pid; -1 if a signal has ended it. */
int join_child(pid_t pid);
