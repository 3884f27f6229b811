/* SPDX-License-Identifier: MIT */
/* A process that fuzzes: one operation after the other, each checked, and what its children do. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <uapi/signal.h>

#include "gen.h"

#define RED_ZONE      64
#define RED_ZONE_BYTE 0xa5

/* --- Memory that is no call's argument --- */

static void map_fixed(unsigned long addr, size_t len, unsigned prot)
{
	long got = raw(SYS_mmap, addr, len, prot,
		       UAPI_MAP_PRIVATE | UAPI_MAP_ANONYMOUS | UAPI_MAP_FIXED, -1, 0);

	CHECK(got == (long)addr, "mmap of the worker's own memory: %ld", got);
}

static void check_canary(void)
{
	const uint32_t *word = (const uint32_t *)CANARY;

	for (unsigned i = 0; i < PAGE / sizeof(*word); i++)
		CHECK(word[i] == ~i, "word %u of the canary page is %#x", i, (unsigned)word[i]);
}

/* What a ring's reader may do to it. */
static void scribble(const struct region *ring)
{
	static const unsigned fields[] = {
	    offsetof(struct perf_event_mmap_page, data_tail),
	    offsetof(struct perf_event_mmap_page, data_tail),
	    offsetof(struct perf_event_mmap_page, data_head),
	    offsetof(struct perf_event_mmap_page, data_size),
	    offsetof(struct perf_event_mmap_page, data_offset),
	    offsetof(struct perf_event_mmap_page, lock),
	};
	unsigned long at = ring->start + PICK(fields);
	const struct perf_event_mmap_page *page = (const void *)ring->start;
	uint64_t word = one_in(2) ? rand64() : page->data_head - one_in(2) * rand32();

	if (one_in(2))
		at = ring->start + below((ring->end - ring->start) / 8) * 8;
	memcpy((void *)at, &word, sizeof(word));
}

/* Page faults, and rings that were written to. */
static void touch_memory(void)
{
	const struct region *r =
	    any_region(one_in(2) ? UAPI_PROT_READ | UAPI_PROT_WRITE : UAPI_PROT_READ);
	volatile uint8_t *byte;

	if (!r)
		return;
	if (r->ring && r->prot & UAPI_PROT_WRITE) {
		scribble(r);
		return;
	}
	byte = (uint8_t *)(r->start + below(MIN(r->end - r->start, 64 * PAGE)));
	(void)*byte;
	if (r->prot & UAPI_PROT_WRITE)
		*byte = rand32();
}

/* --- Children --- */

/* A fault that the kernel has to survive. */
static void fault(void)
{
	switch (below(5)) {
	case 0:
		*(volatile uint32_t *)hostile_word() = 1;
		break;
	case 1:
		(void)*(volatile uint32_t *)hostile_word();
		break;
	case 2:
		*(volatile uint32_t *)READ_ONLY = 1;
		break;
	case 3:
		((void (*)(void))(one_in(2) ? ARENA : hostile_word()))();
		break;
	default:
		__builtin_trap();
	}
}

/*
 * Whoever is more urgent takes the CPU from one that spins. On several processors, where nobody is,
 * it is soon over.
 */
static void give_way(void)
{
	const struct uapi_itimerspec soon = {.value = {.nsec = 2000000}};
	const struct uapi_sigaction action = {};
	const uint64_t none = 0;

	if (nr_cpus > 1) {
		raw(SYS_sigaction, UAPI_SIGALRM, &action, NULL);
		raw(SYS_sigprocmask, UAPI_SIG_SETMASK, &none, NULL);
		raw(SYS_setitimer, UAPI_ITIMER_REAL, &soon, NULL);
		return;
	}
	raw(SYS_sched_setscheduler, 0, UAPI_SCHED_OTHER, 0);
	raw(SYS_setpriority, 0, 15);
}

static void run_ops(uint32_t most)
{
	self.left = most;
	while (self.left && shared->ops < shared->batch_end)
		run_op();
}

static void child_main(enum child_kind kind)
{
	switch (kind) {
	case CHILD_FUZZ:
	case CHILD_WILD:
		run_ops(1 + below(30));
		break;
	case CHILD_PEER:
		run_ops(UINT32_MAX);
		break;
	case CHILD_YIELD:
		give_way();
		for (;;) {
			raw(SYS_sched_yield);
			touch_memory();
		}
	case CHILD_SPIN:
		give_way();
		spin_on(one_in(2) ? hostile_word() : ARENA + below(ARENA_SIZE), hostile_word());
	case CHILD_EXEC:
		run_exec();
		break;
	default:
		if (nr_cpus > 1)
			give_way();
		fault();
	}
	raw(SYS_exit, below(FAILED_STATUS));
}

/* A wild child may do anything to its memory: it gets a copy of what the others share. */
static bool map_copy(void)
{
	if (raw(SYS_mmap, SHARED, PAGE + SHARED_SIZE, UAPI_PROT_READ | UAPI_PROT_WRITE,
		UAPI_MAP_PRIVATE | UAPI_MAP_ANONYMOUS | UAPI_MAP_FIXED, -1, 0) != SHARED)
		return false;
	shared->batch_end = UINT32_MAX;
	shared->processes = MOST_PROCESSES - 2;
	self.wild = true;
	/* Nor may it have rights over the others. */
	self.uid = 1000;
	raw(SYS_setuid, self.uid);
	return true;
}

static void child_begins(const struct op *op)
{
	/* Without what all share it can not even say why. */
	if (!(op->child == CHILD_WILD || self.wild ? map_copy() : shared_map()))
		raw(SYS_exit, FAILED_STATUS);
	model_child();
	signals_count(true);
	rand_seed(op->seed, 0, 0);
	child_main(op->child);
	for (;;)
		;
}

void judge_status(const struct child *c, int status)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	CHECK(WIFEXITED(status) || signal, "a child that is gone has status %#x", status);
	if ((c->killed && signal) || c->kind == CHILD_WILD || shared->scarce)
		return;
	if (nr_cpus > 1 && signal == UAPI_SIGALRM && c->kind == CHILD_YIELD)
		return; /* see give_way() */
	CHECK((c->kind != CHILD_FUZZ && c->kind != CHILD_PEER && c->kind != CHILD_YIELD) || !signal,
	      "a child of kind %d was ended by signal %d", c->kind, signal);
	CHECK(signal || WEXITSTATUS(status) != FAILED_STATUS, "a child had no memory");
	CHECK(signal || (c->kind != CHILD_YIELD && c->kind != CHILD_SPIN),
	      "a child of kind %d, which never ends, exited", c->kind);
}

static void reap_children(void)
{
	int status;
	long pid;

	for (struct child *c = self.child; c < self.child + MAX_CHILDREN; c++) {
		if (!c->pid)
			continue;
		raw(SYS_kill, c->pid, UAPI_SIGKILL);
		c->killed = true;
		pid = raw(SYS_wait4, c->pid, &status, 0, 0);
		CHECK(pid == c->pid, "wait for child %d: %ld", (int)c->pid, pid);
		judge_status(c, status);
		c->pid = 0;
	}
	CHECK(raw(SYS_wait4, -1, &status, 0, 0) == -ECHILD, "a child nobody knows");
}

/* --- Operations --- */

static struct log_entry *log_begin(const struct op *op)
{
	uint32_t nr = __atomic_add_fetch(&shared->ops, 1, __ATOMIC_RELAXED);
	struct log_entry *e = &shared->log[nr % LOG_SIZE];

	*e = (struct log_entry){.op = nr, .pid = self.pid, .nr = op->nr};
	for (int i = 0; i < 6; i++)
		e->arg[i] = op->arg[i];
	return e;
}

static const struct call *row_of(uint32_t nr)
{
	static const struct call bad = {.name = "(no such number)", .weight = 2};
	static const struct call memory = {.name = "(memory)", .weight = 24};

	if (nr == NR_BAD)
		return &bad;
	if (nr == NR_MEMORY)
		return &memory;
	return calls[nr] ? calls[nr] : &unknown_call;
}

static void count_result(const struct op *op)
{
	struct call_count *c = &shared->calls[op->nr];
	uint64_t word = (uint64_t)op->result * 0x9e3779b97f4a7c15ULL + op->nr;
	unsigned error = -op->result;

	__atomic_fetch_add(&shared->digest, (word ^ word >> 29) * 0xbf58476d1ce4e5b9ULL,
			   __ATOMIC_RELAXED);
	if ((unsigned long)op->result < -4095UL ||
	    (op->result == -EINTR && row_of(op->nr)->until_signal)) {
		__atomic_fetch_add(&c->successes, 1, __ATOMIC_RELAXED);
		return;
	}
	CHECK(error < 8 * sizeof(c->errnos), "error %u, which is none of uapi/errno.h", error);
	__atomic_fetch_or(&c->errnos[error / 32], 1U << error % 32, __ATOMIC_RELAXED);
}

/* Makes the call; what only a call that does not return tells is counted before. */
static void make_call(struct op *op)
{
	bool leaves = op->nr == SYS_exit || op->nr == SYS_execve || op->nr == SYS_thread_exit;
	bool forks = op->nr < NR_BAD && row_of(op->nr)->forks;
	struct entry_state state = {.nr = op->nr < NR_BAD ? op->nr : hostile_word() | NR_BAD};
	struct call_count *c = &shared->calls[op->nr];

	memcpy(state.arg, op->arg, sizeof(state.arg));
	state.fp = hostile_word();
	__atomic_fetch_add(&c->calls, 1, __ATOMIC_RELAXED);
	if (leaves)
		__atomic_fetch_add(&c->successes, 1, __ATOMIC_RELAXED);
	if (forks) {
		op->seed = rand32();
		__atomic_fetch_add(&shared->processes, 1, __ATOMIC_RELAXED);
		signals_count(false);
	}
	enter(&state);
	op->result = state.result;
	if (forks && !op->result)
		child_begins(op);
	signals_count(true);
	if (leaves)
		__atomic_fetch_sub(&c->successes, 1, __ATOMIC_RELAXED);
	CHECK(!state.changed, "registers changed: %#lx", state.changed);
	CHECK(!memcmp(state.fpu, fpu_pattern, sizeof(state.fpu)), "vector registers changed");
}

static uint8_t *red_zone(const struct op *op)
{
	size_t room = op->out ? ARENA + ARENA_SIZE - (unsigned long)op->out : 0;

	return room >= RED_ZONE && op->out_len <= room - RED_ZONE ? op->out + op->out_len : NULL;
}

static void judge(const struct op *op, const struct call *call)
{
	if (op->nr == NR_BAD) {
		CHECK(op->result == -ENOSYS, "result %ld of a number that is none", op->result);
		return;
	}
	CHECK(op->result != -ENOSYS || !call->name || call->operations, "there is no such call");
	if (op->nr == SYS_perf_event_open) {
		count_attr_bits(op);
		check_breakpoint(op, op->arg[0]);
	}
	if (op->nr == SYS_ioctl) {
		count_request(op);
		if ((unsigned)op->arg[1] == PERF_EVENT_IOC_MODIFY_ATTRIBUTES)
			check_breakpoint(op, op->arg[2]);
	}
	if ((unsigned long)op->result >= -4095UL) {
		if (call->failed)
			call->failed(op);
		return;
	}
	if (call->done)
		call->done(op);
	else
		CHECK(!op->result, "result %ld", op->result);
	if (call->resync)
		model_check_fds(true);
}

static void perform(struct op *op, const struct call *call)
{
	struct log_entry *e = log_begin(op);
	uint8_t *red = red_zone(op);

	self.left--;
	if (op->nr == NR_MEMORY) {
		touch_memory();
		e->done = 1;
		shared->calls[NR_MEMORY].calls++;
		return;
	}
	if (red)
		memset(red, RED_ZONE_BYTE, RED_ZONE);
	make_call(op);
	e->result = op->result;
	e->done = 1;
	count_result(op);
	for (unsigned i = 0; red && i < RED_ZONE; i++)
		CHECK(red[i] == RED_ZONE_BYTE, "byte %u behind the buffer was written", i);
	CHECK(!shared->fail_at || e->op < shared->fail_at, "as it was told to");
	judge(op, call);
}

static unsigned weight_of(uint32_t nr)
{
	const struct call *call = row_of(nr);

	return call->weight ? call->weight : 8;
}

static uint32_t choose_nr(void)
{
	static unsigned total;
	unsigned at;

	if (!total)
		for (uint32_t nr = 0; nr <= NR_MEMORY; nr++)
			total += weight_of(nr);
	at = below(total);
	for (uint32_t nr = 0;; nr++) {
		if (at < weight_of(nr))
			return nr;
		at -= weight_of(nr);
	}
}

static void generate(struct op *op, const struct call *call)
{
	for (int i = 0; i < 6; i++)
		if (call->arg[i])
			op->arg[i] = call->arg[i](op);
	if (one_in(24)) {
		op->arg[below(6)] = hostile_word();
		op->out = NULL;
		op->kind = FD_OTHER;
	}
	op->child = below(NR_CHILD_KINDS);
}

static void check_sometimes(void)
{
	struct uapi_timespec ts;
	uint64_t before, now;

	if (!(self.left % 4)) {
		before = __atomic_load_n(&shared->clock, __ATOMIC_RELAXED);
		raw(SYS_clock_gettime, UAPI_CLOCK_MONOTONIC, &ts);
		now = ts.sec * 1000000000ULL + ts.nsec;
		CHECK(now >= before, "the clock went back: %llu, %llu", (unsigned long long)before,
		      (unsigned long long)now);
		__atomic_store_n(&shared->clock, now, __ATOMIC_RELAXED);
	}
	if (!(self.left % 16))
		check_canary();
	if (!(self.left % 32))
		model_check_fds(false);
}

void run_op(void)
{
	const struct call *call;
	struct op op;

	do {
		op = (struct op){.nr = choose_nr()};
		call = row_of(op.nr);
		generate(&op, call);
	} while (call->allowed && !call->allowed(&op));
	perform(&op, call);
	check_sometimes();
}

void run_exec(void)
{
	struct op op;

	do {
		op = (struct op){.nr = SYS_execve};
		generate(&op, calls[SYS_execve]);
	} while (!op.may_exec);
	perform(&op, calls[SYS_execve]);
}

/* --- The worker --- */

#define SHARED_EVENTS 6

/*
 * For each further processor another one that does the same, and to the same events at first.
 * Without memory for it the worker is alone.
 */
static void fork_peers(void)
{
	struct op op;

	for (unsigned i = 0; nr_cpus > 1 && i < SHARED_EVENTS; i++) {
		op = (struct op){.nr = SYS_perf_event_open};
		generate(&op, row_of(op.nr));
		perform(&op, row_of(op.nr));
	}
	for (unsigned cpu = 1; cpu < nr_cpus; cpu++) {
		op = (struct op){.nr = SYS_fork, .child = CHILD_PEER};
		perform(&op, row_of(op.nr));
	}
}

/* Something of each kind to begin with. */
static void open_descriptors(void)
{
	static const struct {
		const char *path;
		unsigned flags;
		uint8_t kind;
	} files[] = {
	    {"/dev/console", UAPI_O_RDWR | UAPI_O_NONBLOCK, FD_CONSOLE},
	    {"/dev/null", UAPI_O_RDWR, FD_DEVICE},
	    {"/bin/true", UAPI_O_RDONLY, FD_FILE},
	    {"/bin/exits", UAPI_O_RDONLY, FD_FILE},
	    {"/", UAPI_O_RDONLY, FD_DIR},
	    {"/proc", UAPI_O_RDONLY, FD_DIR},
	    {"/proc/self/stat", UAPI_O_RDONLY, FD_PROC},
	};
	long fd;
	int ends[2];

	for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
		fd = raw(SYS_open, files[i].path, files[i].flags);
		CHECK(fd >= 0, "open of %s: %ld", files[i].path, fd);
		self.fd[fd] = files[i].kind;
	}
	CHECK(!raw(SYS_pipe, ends), "pipe");
	for (int i = 0; i < 2; i++) {
		raw(SYS_fcntl, ends[i], UAPI_F_SETFL, UAPI_O_NONBLOCK);
		self.fd[ends[i]] = i ? FD_PIPE_END : FD_PIPE;
	}
}

/* In some batches there is hardly a descriptor left. */
static void use_up_descriptors(void)
{
	long fd, source = any_fd(FD_NONE), keep = below(6);

	while ((fd = raw(SYS_dup, source)) >= 0)
		self.fd[fd] = self.fd[source];
	CHECK(fd == -EMFILE, "dup: %ld", fd);
	for (fd = SHARED_FD - keep; fd < SHARED_FD; fd++) {
		raw(SYS_close, fd);
		self.fd[fd] = FD_NONE;
	}
}

void worker(unsigned batch)
{
	CHECK(shared_map(), "the pages that all share can not be mapped");
	raw(SYS_sched_setscheduler, 0, UAPI_SCHED_OTHER, 0);
	/* What is sent to its group is for itself and its children. */
	raw(SYS_setpgid, 0, 0);
	for (long fd = 0; fd < SHARED_FD; fd++)
		raw(SYS_close, fd);
	map_fixed(ARENA, ARENA_SIZE, UAPI_PROT_READ | UAPI_PROT_WRITE);
	map_fixed(CANARY, PAGE, UAPI_PROT_READ | UAPI_PROT_WRITE);
	map_fixed(READ_ONLY, PAGE, UAPI_PROT_READ);
	map_fixed(SIGNAL_STACK, SIGNAL_STACK_SIZE, UAPI_PROT_READ | UAPI_PROT_WRITE);
	map_fixed(THREADS, THREADS_SIZE, UAPI_PROT_READ | UAPI_PROT_WRITE);
	for (unsigned i = 0; i < PAGE / sizeof(uint32_t); i++)
		((uint32_t *)CANARY)[i] = ~i;
	model_init();
	open_descriptors();
	rand_seed(shared->seed, batch, 0);
	while (!__atomic_load_n(&shared->watched, __ATOMIC_ACQUIRE))
		raw(SYS_sched_yield);
	signals_init();
	signals_count(true);
	if (one_in(6))
		use_up_descriptors();
	fork_peers();
	run_ops(UINT32_MAX);
	signals_block();
	check_canary();
	model_check_fds(false);
	reap_children();
	raw(SYS_exit, 0);
	for (;;)
		;
}
