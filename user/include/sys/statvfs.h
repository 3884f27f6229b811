/* SPDX-License-Identifier: MIT */
/* How much room there is for files. */
#pragma once

#include <sys/types.h>

struct statvfs {
	unsigned long f_bsize;  /* bytes of a block */
	unsigned long f_frsize; /* the same */
	unsigned long f_blocks, f_bfree, f_bavail;
	unsigned long f_namemax; /* bytes of a name */
};

int statvfs(const char *path, struct statvfs *st);
