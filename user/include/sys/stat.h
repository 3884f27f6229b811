/* SPDX-License-Identifier: MIT */
/* newlib's <sys/stat.h> and lstat(), which is stat() where there are no symbolic links. */
#pragma once

#include_next <sys/stat.h>

int lstat(const char *path, struct stat *st);
