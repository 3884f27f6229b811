/* SPDX-License-Identifier: MIT */
/* The system's part of newlib's <dirent.h>. */
#pragma once

#include <sys/types.h>

struct dirent {
	unsigned long d_ino;
	unsigned char d_type; /* DT_* */
	char d_name[256];     /* NUL-terminated */
};
#define DT_UNKNOWN 0
#define DT_CHR     2
#define DT_DIR     4
#define DT_REG     8

typedef struct __dir DIR;
