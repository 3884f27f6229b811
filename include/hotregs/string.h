/* SPDX-License-Identifier: MIT */
/* The kernel's own mem*() and str*(): it links no C library. Any context. */
#pragma once

#include <hotregs/types.h>

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);

/* Copies at most @size-1 bytes and always ends @dst; returns strlen(@src), so >= @size means cut.
 */
size_t strlcpy(char *dst, const char *src, size_t size);

/* Parses decimal or 0x hexadecimal; *end (may be NULL) is the first byte not taken. */
unsigned long strtoul(const char *s, const char **end);
