/* SPDX-License-Identifier: MIT */
/* Memory mappings: anonymous memory, and the rings of performance events. */
#pragma once

#include <sys/types.h>
#include <uapi/types.h>

#define PROT_NONE     0
#define PROT_READ     UAPI_PROT_READ
#define PROT_WRITE    UAPI_PROT_WRITE
#define PROT_EXEC     UAPI_PROT_EXEC
#define MAP_SHARED    UAPI_MAP_SHARED
#define MAP_PRIVATE   UAPI_MAP_PRIVATE
#define MAP_FIXED     UAPI_MAP_FIXED
#define MAP_ANONYMOUS UAPI_MAP_ANONYMOUS
#define MAP_ANON      MAP_ANONYMOUS
#define MAP_FAILED    ((void *)-1)

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int munmap(void *addr, size_t len);
