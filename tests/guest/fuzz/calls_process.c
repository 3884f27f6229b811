/* SPDX-License-Identifier: MIT */
/* Calls about processes: their beginning, their end, who they are. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "calls.h"

/* --- Arguments --- */

/* Mostly the one it is: there is no way back from any other. */
static unsigned long gen_uid(struct op *op)
{
	return one_in(8) ? hostile_word() : one_in(4) ? below(3) : (unsigned long)self.uid;
}

static unsigned long gen_wait_pid(struct op *op)
{
	return one_in(3) ? -1UL : gen_pid(op);
}

static unsigned long gen_wait_options(struct op *op)
{
	unsigned options = one_in(24) ? 0 : UAPI_WNOHANG;

	if (one_in(4))
		options |= one_in(2) ? UAPI_WUNTRACED : UAPI_WCONTINUED;
	return one_in(16) ? hostile_word() : options;
}

static unsigned long gen_rusage(struct op *op)
{
	return one_in(8) ? gen_out(op) : 0;
}

OUT(status, int)
OUT(utsname, struct uapi_utsname)

/* --- What a call may not be asked for, since the fuzzer would end --- */

static bool exits(const struct op *op)
{
	return self.depth > 0 && (op->arg[0] & 0xff) != FAILED_STATUS;
}

static bool fork_allowed(const struct op *op)
{
	return self.depth < 3 &&
	       __atomic_load_n(&shared->processes, __ATOMIC_RELAXED) < MOST_PROCESSES;
}

/* Only a child may become another program, and does so by its own decision. */
static bool exec_allowed(const struct op *op)
{
	const char *path = (const char *)op->arg[0];
	unsigned long room = ARENA + ARENA_SIZE - op->arg[0];

	if (self.wild)
		return true;
	/* What is there may be what is left of another path. */
	return room - 1 < ARENA_SIZE ? !memmem(path, MIN(room, 256), "bin", 3)
				     : !overlaps_region(op->arg[0]);
}

/* The supervisor's group is no place for others: what is sent to a group reaches all in it. */
static bool pgid_allowed(const struct op *op)
{
	int pgid = op->arg[1];

	return !pgid || pgid == self.pid || find_child(pgid) || pgid > MAX_PID || pgid < 0;
}

/* --- What comes of it --- */

static void fork_done(const struct op *op)
{
	struct child *c = self.child;

	CHECK(op->result > 1 && !find_child(op->result), "process %ld", op->result);
	while (c < self.child + MAX_CHILDREN && c->pid)
		c++;
	CHECK(c < self.child + MAX_CHILDREN, "more children than were forked");
	*c = (struct child){.pid = op->result, .kind = op->child};
}

static void exec_done(const struct op *op)
{
	fail("execve returned %ld", op->result);
}

/* An int at any alignment. */
typedef int packed_int __attribute__((aligned(1)));

/* Of another user's child it is said that no signal may be sent to it: it is there. */
static bool is_gone(const struct child *c)
{
	return raw(SYS_kill, c->pid, 0) == -ESRCH;
}

/* A child that has only stopped, or gone on, is still there. */
static void wait_done(const struct op *op)
{
	struct child *c = find_child(op->result);
	int pid = op->arg[0], options = op->arg[2];

	if (!op->result && options & UAPI_WNOHANG)
		return;
	CHECK(c && (pid <= 0 || pid == op->result), "process %ld of the children", op->result);
	if (!is_gone(c)) {
		CHECK(options & (UAPI_WUNTRACED | UAPI_WCONTINUED), "child %d is still there",
		      (int)c->pid);
		return;
	}
	if (op->arg[1] >= ARENA && op->arg[1] <= ARENA + ARENA_SIZE - sizeof(int))
		judge_status(c, *(const packed_int *)op->arg[1]);
	c->pid = 0;
}

/* With a place for the status that is none, the child is gone all the same. */
static void wait_failed(const struct op *op)
{
	for (struct child *c = self.child; c < self.child + MAX_CHILDREN; c++)
		if (op->result == -EFAULT && c->pid && is_gone(c))
			c->pid = 0;
}

static void pid_done(const struct op *op)
{
	CHECK(op->result == self.pid, "process %ld", op->result);
}

static void uid_done(const struct op *op)
{
	CHECK(op->result == self.uid, "user %ld", op->result);
}

static void setuid_done(const struct op *op)
{
	CHECK(!op->result && (!self.uid || self.uid == (int)op->arg[0]), "user %d became %ld",
	      self.uid, (long)op->arg[0]);
	self.uid = op->arg[0];
}

static void ppid_done(const struct op *op)
{
	/* init, when the parent has ended. */
	CHECK(op->result == self.parent || (self.depth && op->result == 1), "process %ld",
	      op->result);
}

static void group_done(const struct op *op)
{
	CHECK(op->result > 0, "group %ld", op->result);
}

CALL(exit, ARGS(gen_word), .weight = 3, .allowed = exits);
CALL(fork, .weight = 4, .forks = true, .allowed = fork_allowed, .done = fork_done);
CALL(execve, ARGS(gen_path, gen_argv, gen_envp), .weight = 4, .allowed = exec_allowed,
     .done = exec_done);
CALL(wait4, ARGS(gen_wait_pid, gen_status, gen_wait_options, gen_rusage), .done = wait_done,
     .failed = wait_failed);
CALL(getpid, ARGS(gen_word), .weight = 1, .done = pid_done);
CALL(getppid, ARGS(gen_word), .weight = 1, .done = ppid_done);
CALL(gettid, ARGS(gen_word), .weight = 1, .done = pid_done);
CALL(getuid, ARGS(gen_word), .weight = 1, .done = uid_done);
CALL(setuid, ARGS(gen_uid), .weight = 1, .done = setuid_done);
CALL(setpgid, ARGS(gen_pid, gen_pid), .weight = 2, .allowed = pgid_allowed);
CALL(getpgid, ARGS(gen_pid), .weight = 2, .done = group_done);
CALL(setsid, ARGS(gen_word), .weight = 1, .done = group_done);
CALL(getsid, ARGS(gen_pid), .weight = 2, .done = group_done);
CALL(uname, ARGS(gen_utsname), .weight = 2);
