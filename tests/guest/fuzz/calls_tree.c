/* SPDX-License-Identifier: MIT */
/*
 * Calls that change the file tree. What is there at first is needed again: the privileged user
 * changes what is below /tmp alone, which the supervisor clears after the batch; of anybody else
 * the kernel has to keep it.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "calls.h"

#define TMP "/tmp/"

/* --- Arguments --- */

unsigned long gen_tmp_path(struct op *op)
{
	static const char *const usual[] = {"a", "b", "d", "d/a"};
	static const char *const others[] = {"c",   "d/b", "d/e", "d/e/a", "d/../a", "d/./b",
					     "a/x", "",    "d/",  "d/.",   "f/f/f",  "/tmp/a"};
	size_t n = one_in(16) ? 240 + below(16) : 0;
	char *p = in_bytes(320);

	strcpy(p, TMP);
	strcat(p, one_in(3) ? PICK(others) : PICK(usual));
	/* A name as long as one may be, or more. */
	if (n) {
		memset(p + strlen(TMP), 'x', n);
		p[strlen(TMP) + n] = '\0';
	}
	op->kind = FD_TMP;
	op->may_exec = false;
	return in_or_hostile(p);
}

unsigned long gen_mode(struct op *op)
{
	return one_in(8) ? hostile_word() : one_in(4) ? below(01000) : 0777;
}

static unsigned long gen_access(struct op *op)
{
	return one_in(8) ? hostile_word() : below(8);
}

/* A position or a size: small, since files are memory. */
static unsigned long gen_position(struct op *op)
{
	int64_t at = one_in(16) ? (int64_t)hostile_word() : below(4 * PAGE);

	return in_or_hostile(memcpy(in_bytes(sizeof(at)), &at, sizeof(at)));
}

static unsigned long gen_fd_tmp(struct op *op)
{
	return one_in(3) ? gen_fd(op) : any_fd(FD_TMP);
}

/* NULL: the descriptor says which file. */
static unsigned long gen_path_or_fd(struct op *op)
{
	return one_in(2) ? 0 : gen_tmp_path(op);
}

static unsigned long gen_attributes(struct op *op)
{
	struct uapi_attributes a = {.valid = below(UAPI_ATTR_ALL + 1), .mode = 0700 | below(01000)};

	if (one_in(8))
		((uint32_t *)&a)[below(sizeof(a) / sizeof(uint32_t))] = hostile_word();
	return in_or_hostile(memcpy(in_bytes(sizeof(a)), &a, sizeof(a)));
}

OUT(statfs, struct uapi_statfs)

/* --- What a call may not be asked for, since the fuzzer would end --- */

bool path_begins(unsigned long addr, const char *with)
{
	unsigned long room = ARENA + ARENA_SIZE - addr;

	return room - 1 < ARENA_SIZE && room > strlen(with) &&
	       !strncmp((const char *)addr, with, strlen(with));
}

/* Is what is at @addr, whoever wrote it there, the name of something below /tmp, or none? */
static bool is_tmp(unsigned long addr)
{
	unsigned long room = ARENA + ARENA_SIZE - addr;
	const char *path = (const char *)addr;

	if (room - 1 >= ARENA_SIZE)
		return !overlaps_region(addr) && !overlaps_own(addr, 1);
	return path_begins(addr, TMP) && path[strlen(TMP)] && path[strlen(TMP)] != '.' &&
	       !memmem(path, strnlen(path, MIN(room, 256)), "../..", 5);
}

bool path_is_safe(unsigned long addr)
{
	return self.uid || is_tmp(addr);
}

static bool one_path(const struct op *op)
{
	return path_is_safe(op->arg[0]);
}

static bool two_paths(const struct op *op)
{
	return path_is_safe(op->arg[0]) && path_is_safe(op->arg[1]);
}

static bool is_tmp_fd(const struct op *op)
{
	int fd = op->arg[0];

	return self.uid || fd < 0 || fd >= MAX_FDS || self.fd[fd] == FD_TMP || !self.fd[fd];
}

static bool path_or_fd(const struct op *op)
{
	return op->arg[1] ? path_is_safe(op->arg[1]) : is_tmp_fd(op);
}

CALL(mkdir, ARGS(gen_tmp_path, gen_mode), .allowed = one_path);
CALL(rmdir, ARGS(gen_tmp_path), .weight = 4, .allowed = one_path);
CALL(unlink, ARGS(gen_tmp_path), .weight = 6, .allowed = one_path);
CALL(link, ARGS(gen_tmp_path, gen_tmp_path), .weight = 4, .allowed = two_paths);
CALL(rename, ARGS(gen_tmp_path, gen_tmp_path), .allowed = two_paths);
CALL(access, ARGS(gen_path, gen_access), .weight = 4);
CALL(umask, ARGS(gen_mode), .weight = 1, .done = value);
CALL(pread, ARGS(gen_fd, gen_out, gen_size, gen_position), .done = at_most_size);
CALL(pwrite, ARGS(gen_fd_tmp, gen_in, gen_size, gen_position), .done = at_most_size);
CALL(truncate, ARGS(gen_fd_tmp, gen_path_or_fd, gen_position), .allowed = path_or_fd);
CALL(chattr, ARGS(gen_fd_tmp, gen_path_or_fd, gen_attributes), .allowed = path_or_fd);
CALL(statfs, ARGS(gen_statfs), .weight = 2);
