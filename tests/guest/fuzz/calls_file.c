/* SPDX-License-Identifier: MIT */
/* Calls on descriptors and paths. */
#include <string.h>

#include "calls.h"

/* --- Arguments --- */

static unsigned long gen_open_flags(struct op *op)
{
	static const unsigned flags[] = {UAPI_O_APPEND, UAPI_O_CREAT,   UAPI_O_TRUNC,
					 UAPI_O_EXCL,   UAPI_O_CLOEXEC, UAPI_O_DIRECTORY};
	unsigned value = one_in(4) ? below(4) : UAPI_O_RDONLY;

	/* Nobody types on the console, and whoever waits for that is ended. */
	if (one_in(2) || op->kind == FD_CONSOLE)
		value |= UAPI_O_NONBLOCK;
	if (op->kind == FD_TMP)
		value |= one_in(3) ? 0 : UAPI_O_CREAT | UAPI_O_RDWR;
	if (one_in(4))
		value |= PICK(flags);
	return one_in(16) ? hostile_word() : value;
}

static unsigned long gen_whence(struct op *op)
{
	return one_in(8) ? hostile_word() : below(3);
}

static unsigned long gen_offset(struct op *op)
{
	return one_in(4) ? hostile_word() : below(2 * PAGE);
}

static unsigned long gen_fcntl_cmd(struct op *op)
{
	return one_in(16) ? hostile_word() : below(6);
}

static unsigned long gen_fcntl_arg(struct op *op)
{
	static const unsigned long args[] = {0, 1, UAPI_O_NONBLOCK, UAPI_O_APPEND};

	if (op->arg[1] == UAPI_F_DUPFD && !one_in(8))
		return below(SHARED_FD);
	if (op->arg[1] == UAPI_F_SETFL && !one_in(8))
		return UAPI_O_NONBLOCK;
	return one_in(8) ? hostile_word() : PICK(args);
}

static unsigned long gen_pollfds(struct op *op)
{
	struct uapi_pollfd *p = in_bytes(MAX_FDS * sizeof(*p));

	for (unsigned i = 0; i < 8; i++)
		memcpy(&p[i], &(struct uapi_pollfd){gen_fd(op), rand32() & 0x1f, rand32()},
		       sizeof(*p));
	return in_or_hostile(p);
}

static unsigned long gen_poll_n(struct op *op)
{
	return one_in(8) ? hostile_word() : one_in(8) ? MAX_FDS + below(2) : below(9);
}

static unsigned long gen_timeout_ms(struct op *op)
{
	return one_in(64) ? hostile_word() : one_in(4) ? below(3) : 0;
}

OUT(stat, struct uapi_stat)
OUT(fds, int[2])

/* --- What a call may not be asked for, since the fuzzer would end --- */

/* Devices are not changed by opening them. */
static bool open_allowed(const struct op *op)
{
	unsigned flags = op->arg[1];
	bool changes = flags & (UAPI_O_ACCMODE | UAPI_O_CREAT | UAPI_O_TRUNC);

	return !changes || path_is_safe(op->arg[0]) || path_begins(op->arg[0], "/dev/");
}

static bool fd_allowed(const struct op *op)
{
	return (int)op->arg[0] != SHARED_FD;
}

static bool dup2_allowed(const struct op *op)
{
	return (int)op->arg[0] != SHARED_FD && (int)op->arg[1] != SHARED_FD;
}

/* --- What comes of it --- */

static void cwd_done(const struct op *op)
{
	CHECK(op->result > 1 && (unsigned long)op->result <= op->arg[1], "a length of %ld",
	      op->result);
}

/* A new descriptor: the lowest that was free from @from on. */
void new_fd(long fd, long from, uint8_t kind)
{
	CHECK(fd >= from && fd < SHARED_FD, "descriptor %ld", fd);
	CHECK(!self.fd[fd], "descriptor %ld was open", fd);
	for (long i = from; i < fd; i++)
		CHECK(self.fd[i], "descriptor %ld, when %ld was free", fd, i);
	self.fd[fd] = kind;
}

static void open_done(const struct op *op)
{
	/* A file whose name was overwritten meanwhile may be of any kind. */
	new_fd(op->result, 0, op->kind ? op->kind : FD_OTHER);
}

/* The descriptor that argument @n names: it is an int, whatever else is in the word. */
static uint8_t *fd_of(const struct op *op, unsigned n)
{
	int fd = op->arg[n];

	CHECK(fd >= 0 && fd < MAX_FDS && self.fd[fd], "descriptor %d was not open", fd);
	return &self.fd[fd];
}

static void close_done(const struct op *op)
{
	CHECK(!op->result, "result %ld", op->result);
	*fd_of(op, 0) = FD_NONE;
}

static void pipe_done(const struct op *op)
{
	int fds[2];

	memcpy(fds, (void *)op->arg[0], sizeof(fds));
	new_fd(fds[0], 0, FD_PIPE);
	new_fd(fds[1], 0, FD_PIPE_END);
	/* So that not everybody who reads is ended. */
	for (int i = 0; i < 2; i++)
		if (!one_in(8))
			raw(SYS_fcntl, fds[i], UAPI_F_SETFL, UAPI_O_NONBLOCK);
}

static void dup_done(const struct op *op)
{
	new_fd(op->result, 0, *fd_of(op, 0));
}

static void dup2_done(const struct op *op)
{
	CHECK(op->result == (int)op->arg[1] && op->result < SHARED_FD, "descriptor %ld",
	      op->result);
	self.fd[op->result] = *fd_of(op, 0);
}

static void fcntl_done(const struct op *op)
{
	if ((int)op->arg[1] == UAPI_F_DUPFD)
		new_fd(op->result, op->arg[2], *fd_of(op, 0));
}

CALL(read, ARGS(gen_fd, gen_out, gen_size), .weight = 24, .done = at_most_size);
CALL(write, ARGS(gen_fd_write, gen_in, gen_size), .weight = 24, .done = at_most_size);
CALL(open, ARGS(gen_path, gen_open_flags, gen_mode), .weight = 16, .allowed = open_allowed,
     .done = open_done);
CALL(close, ARGS(gen_fd), .weight = 12, .allowed = fd_allowed, .done = close_done);
CALL(lseek, ARGS(gen_fd, gen_offset, gen_whence), .done = value);
CALL(fstat, ARGS(gen_fd, gen_stat));
CALL(stat, ARGS(gen_path, gen_stat));
CALL(pipe, ARGS(gen_fds), .weight = 4, .done = pipe_done);
CALL(dup, ARGS(gen_fd), .weight = 4, .allowed = fd_allowed, .done = dup_done);
CALL(dup2, ARGS(gen_fd, gen_fd_free), .weight = 4, .allowed = dup2_allowed, .done = dup2_done);
CALL(fcntl, ARGS(gen_fd, gen_fcntl_cmd, gen_fcntl_arg), .allowed = fd_allowed, .done = fcntl_done);
CALL(poll, ARGS(gen_pollfds, gen_poll_n, gen_timeout_ms), .done = value);
CALL(getdents, ARGS(gen_fd_dir, gen_out, gen_size), .done = at_most_size);
CALL(chdir, ARGS(gen_path));
CALL(getcwd, ARGS(gen_out, gen_size), .done = cwd_done);
