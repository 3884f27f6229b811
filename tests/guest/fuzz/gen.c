/* SPDX-License-Identifier: MIT */
/* Generators of words, memory, descriptors, paths and processes. */
#include <string.h>

#include "gen.h"

/* --- Words --- */

/* Around 0, the ends of types, the ends of user space, and what is the kernel's. */
static const unsigned long edges[] = {
    0,
    1,
    7,
    PAGE - 1,
    PAGE,
    0x7fffffff,
    0x80000000,
    0xffffffff,
#if __SIZEOF_POINTER__ == 8
    0x00007ffffffff000,
    0x00007fffffffffff,
    0x0000800000000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffff800000000000,
    0xffff888000000000,
    0xffffffff80000000,
    0xffffffff81000000,
    0x1fffffffffffffff,
#else
    0x7ffff000, 0x7ffffff0, 0xbfffffff, 0xc0000000, 0xc0008000, 0xf0000000, 0xffff0000,
#endif
    -1UL,
    -8UL,
    -PAGE,
    -4095UL,
};

unsigned long hostile_word(void)
{
	unsigned long word;

	switch (below(8)) {
	case 0:
		word = rand64();
		break;
	case 1:
		word = 1UL << below(8 * sizeof(long));
		break;
	case 2:
	case 3:
		word = PICK(edges) + below(17) - 8;
		break;
	default:
		word = PICK(edges);
	}
	/* By chance it may be a place in the fuzzer, or the descriptor that it needs. */
	return overlaps_own(word, PAGE) || (int)word == SHARED_FD ? 0 : word;
}

unsigned long gen_word(struct op *op)
{
	return hostile_word();
}

unsigned long gen_small(struct op *op)
{
	return one_in(4) ? -below(3) : below(9);
}

/* --- Memory --- */

/* Where a buffer of @n bytes begins: in the arena, at any alignment, often right before its end. */
static uint8_t *place(size_t n)
{
	size_t room = ARENA_SIZE - n;

	if (n > ARENA_SIZE)
		return (uint8_t *)ARENA + ARENA_SIZE - PAGE;
	if (one_in(4))
		return (uint8_t *)ARENA + room;
	return (uint8_t *)ARENA + (one_in(4) ? below(room + 1) : below(room / 8 + 1) * 8);
}

/* An address where a call should not find (or must not write) what it wants. */
static unsigned long bad_address(size_t n)
{
	const struct region *r;

	switch (below(6)) {
	case 0:
		return ARENA + ARENA_SIZE - (n ? below(n) : 0); /* the last bytes are not there */
	case 1:
		return READ_ONLY + below(PAGE);
	case 2:
		r = any_region(0);
		return r ? r->start + below(r->end - r->start) : 0;
	case 3:
		return (unsigned long)edges; /* constants of the program */
	default:
		return hostile_word();
	}
}

unsigned long out_bytes(struct op *op, size_t n)
{
	if (one_in(8))
		return bad_address(n);
	op->out = place(n);
	op->out_len = n;
	return (unsigned long)op->out;
}

void *in_bytes(size_t n)
{
	return place(n);
}

unsigned long in_or_hostile(const void *p)
{
	return one_in(8) ? bad_address(16) : (unsigned long)p;
}

unsigned long gen_in(struct op *op)
{
	uint64_t *p = in_bytes(64);

	for (unsigned i = 0; i < 8; i++)
		memcpy(&p[i], &(uint64_t){rand64()}, sizeof(*p));
	return in_or_hostile(p);
}

unsigned long gen_out(struct op *op)
{
	return out_bytes(op, below(2 * PAGE));
}

unsigned long gen_size(struct op *op)
{
	static const size_t sizes[] = {0, 1, 8, 16, 64, 255, 256, PAGE, 2 * PAGE, ARENA_SIZE};
	size_t n = one_in(8) ? hostile_word() : one_in(2) ? PICK(sizes) : below(3000);

	/* The console is slow. */
	if (op->nr == SYS_write && self.fd[(unsigned)op->arg[0] % MAX_FDS] == FD_CONSOLE)
		n %= 64;
	op->out_len = n;
	return n;
}

unsigned long gen_map_addr(struct op *op)
{
	const struct region *r = any_region(0);

	if (one_in(12))
		return hostile_word();
	if (r && one_in(2))
		return one_in(2) ? r->start : r->start + below(4) * PAGE;
	return PLAY + below(PLAY_SIZE / PAGE) * PAGE + (one_in(16) ? below(PAGE) : 0);
}

unsigned long gen_map_len(struct op *op)
{
	static const unsigned ring_pages[] = {1, 2, 2, 3, 5, 9, 17, 33, 65, 129};

	if (one_in(12))
		return hostile_word();
	if (one_in(3))
		return PICK(ring_pages) * PAGE;
	return one_in(8) ? below(PLAY_SIZE) : (1 + below(8)) * PAGE;
}

unsigned long gen_brk(struct op *op)
{
	return one_in(8) ? hostile_word() : self.brk_min + below(16 * PAGE);
}

/* --- Descriptors --- */

unsigned long any_fd(enum fd_kind wanted)
{
	unsigned first = below(MAX_FDS);

	for (unsigned i = 0; i < MAX_FDS; i++) {
		unsigned fd = (first + i) % MAX_FDS;

		if (wanted == FD_NONE ? self.fd[fd] : self.fd[fd] == wanted)
			return fd;
	}
	return wanted == FD_NONE ? -1UL : any_fd(FD_NONE);
}

unsigned long gen_fd(struct op *op)
{
	static const uint8_t kinds[] = {FD_FILE, FD_DIR,      FD_PROC, FD_DEVICE,
					FD_PIPE, FD_PIPE_END, FD_PERF};

	if (one_in(16))
		return hostile_word();
	if (one_in(16))
		return below(SHARED_FD);
	return any_fd(one_in(3) ? PICK(kinds) : FD_NONE);
}

unsigned long gen_fd_write(struct op *op)
{
	static const uint8_t kinds[] = {FD_PIPE_END, FD_TMP, FD_CONSOLE, FD_DEVICE};

	return one_in(3) ? gen_fd(op) : any_fd(PICK(kinds));
}

unsigned long gen_fd_dir(struct op *op)
{
	return one_in(2) ? gen_fd(op) : any_fd(FD_DIR);
}

unsigned long gen_fd_free(struct op *op)
{
	return one_in(8) ? hostile_word() : below(SHARED_FD);
}

/* --- Paths --- */

static const struct path {
	const char *name;
	uint8_t kind;
} paths[] = {
    {"/bin/true", FD_FILE},
    {"/bin/false", FD_FILE},
    {"/bin/exits", FD_FILE},
    {"/bin/hello", FD_FILE},
    {"bin/../bin/./echo", FD_FILE},
    {"/bin/crash", FD_FILE},
    {"/bin/ls", FD_FILE},
    {"/bin/perf", FD_FILE},
    {"/", FD_DIR},
    {"/bin", FD_DIR},
    {"/bin/", FD_DIR},
    {".", FD_DIR},
    {"..", FD_DIR},
    {"/dev", FD_DIR},
    {"/proc", FD_DIR},
    {"/proc/self", FD_DIR},
    {"/sys/kernel", FD_DIR},
    {"/proc/self/maps", FD_PROC},
    {"/proc/self/stat", FD_PROC},
    {"/proc/self/comm", FD_PROC},
    {"/proc/1/stat", FD_PROC},
    {"/proc/2/maps", FD_PROC},
    {"/proc/meminfo", FD_PROC},
    {"/proc/slabinfo", FD_PROC},
    {"/proc/stat", FD_PROC},
    {"/proc/loadavg", FD_PROC},
    {"/sys/kernel/notes", FD_PROC},
    {"/dev/null", FD_DEVICE},
    {"/dev/export", FD_DEVICE},
    {"/dev/console", FD_CONSOLE},
    {"/bin/true/x", FD_OTHER},
    {"/proc/99999/maps", FD_OTHER},
    {"nothing", FD_OTHER},
    {"//bin//nothing", FD_OTHER},
    {"", FD_OTHER},
};

/* One of a length at which buffers end. */
static void long_path(char *p)
{
	size_t n = 120 + below(180);

	memset(p, one_in(2) ? '/' : 'x', n);
	for (size_t i = 0; i < n; i += 2)
		p[i] = '/';
	p[n] = 0;
}

unsigned long gen_path(struct op *op)
{
	const struct path *path = &PICK(paths);
	char *p;

	if (one_in(3))
		return gen_tmp_path(op);
	if (one_in(12)) {
		p = in_bytes(320);
		long_path(p);
		op->kind = FD_OTHER;
		return in_or_hostile(p);
	}
	p = in_bytes(strlen(path->name) + 1);
	memcpy(p, path->name, strlen(path->name) + 1);
	op->kind = path->kind;
	op->may_exec = path->kind == FD_FILE;
	return in_or_hostile(p);
}

/* Up to 4 strings, and rarely more than there may be. */
static unsigned long string_array(void)
{
	static const char *const words[] = {
	    "a", "stat", "--", "true", "-e", "context-switches", "a somewhat longer word", ""};
	unsigned n = one_in(16) ? 70 : below(5);
	const char **array = in_bytes((n + 1) * sizeof(*array) + 32);
	char *word = (char *)(array + n + 1);

	if (one_in(8))
		return hostile_word();
	strcpy(word, PICK(words));
	for (unsigned i = 0; i < n; i++)
		memcpy(&array[i], &(const char *){one_in(64) ? (char *)hostile_word() : word},
		       sizeof(word));
	memcpy(&array[n], &(const char *){NULL}, sizeof(word));
	return in_or_hostile(array);
}

unsigned long gen_argv(struct op *op)
{
	return string_array();
}

unsigned long gen_envp(struct op *op)
{
	/* The same bytes as argv: whatever they are. */
	return one_in(2) ? op->arg[1] : 0;
}

/* --- Processes --- */

static unsigned long any_child(void)
{
	unsigned first = below(MAX_CHILDREN);

	for (unsigned i = 0; i < MAX_CHILDREN; i++) {
		const struct child *c = &self.child[(first + i) % MAX_CHILDREN];

		if (c->pid)
			return c->pid;
	}
	return -1;
}

unsigned long gen_pid(struct op *op)
{
	switch (below(8)) {
	case 0:
		return hostile_word();
	case 1:
		return below(12);
	case 2:
		return self.pid;
	case 3:
		return one_in(4) ? self.parent : 0;
	default:
		return any_child();
	}
}
