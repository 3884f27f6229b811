/* SPDX-License-Identifier: MIT */
/* What there is of the machine, as /proc tells it, and whether a test leaves it as it was. */
#pragma once

#include <stdbool.h>

/*
 * Free memory in kB. What live kernel objects leave free of their pages counts as free: how many
 * pages equal objects lie in depends on which of their neighbours live.
 */
long free_memory_kb(void);

/*
 * Runs @body some times to have everything in memory that it needs, then @times more: does the
 * machine have as much memory and as many tasks then as before these? If not @name is told.
 */
bool leaves_nothing(const char *name, void (*body)(void *), void *arg, unsigned times);
