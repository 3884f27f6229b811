/* SPDX-License-Identifier: MIT */
/*
 * Contract C5 to the byte: nothing in the ring of an event that excludes the kernel is the
 * kernel's.
 *
 * A child does all that makes records, under events of every kind, each twice: without the kernel,
 * and with it. What the ones with it tell of the kernel (IPs, chains, registers) is searched for,
 * at every byte, in the rings and control pages of the others; so is whatever lies in the kernel's
 * part of the address space. That the search finds something is seen in the events with the kernel,
 * and where the child itself puts such an address into its stack and a register.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define PAGE  4096
#define PAGES 128 /* of a ring: nothing is lost in it, and its end stays empty */

/* Where the kernel has memory mapped: arch/<arch>/include/asm/mmu.h. */
static const struct range {
	uint64_t start, end;
} ranges[] = {
#if __SIZEOF_POINTER__ == 8
    {0xffff800000000000, 0xffff800100000000}, /* all RAM */
    {0xffffc00000000000, 0xffffc00100000000}, /* stacks, rings, devices */
    {0xffffffff80000000, 0xffffffff84000000}, /* image */
#define REGS UINT64_C(0xff0fff)
#else
    {0x80000000, 0xc0000000},
    {0xd0000000, 0xe0000000},
    {0xf0000000, 0xf0800000},
#define REGS UINT64_C(0xffff)
#endif
};

/* The first byte of a region is nobody's: such round numbers also come about between two fields. */
static bool is_kernel_address(uint64_t v)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (v >= ranges[i].start && v < ranges[i].end)
			return v & 0xffffff;
	return false;
}

/* --- The streams --- */

#define STATE                                                                     \
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | \
	 PERF_SAMPLE_PHYS_ADDR)
#define EVERYTHING (SAMPLE_TYPE | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | STATE)

static const struct kind {
	const char *name;
	uint64_t config, period, sample_type;
	bool whole_cpu, mmap2;
	size_t pages;
} kinds[] = {
    {"switches of a task", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, EVERYTHING, false, true, PAGES},
    {"faults on a CPU", PERF_COUNT_SW_PAGE_FAULTS, 1, EVERYTHING, true, false, PAGES},
    {"clock of a task", PERF_COUNT_SW_TASK_CLOCK, 100000, EVERYTHING, false, true, PAGES},
    {"switches, chains alone", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, SAMPLE_TYPE, false, true, PAGES},
    {"switches that get lost", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, SAMPLE_TYPE & ~PERF_SAMPLE_TIME,
     false, true, 1},
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct stream {
	const struct kind *kind;
	struct recorder r;
	uint8_t *image; /* of the data, as it was when the events had been disabled */
};

static struct stream without[NR_KINDS], with[NR_KINDS]; /* the kernel */

static bool open_stream(struct stream *s, const struct kind *kind, pid_t pid, bool exclude_kernel)
{
	struct perf_event_attr attr = software_event(kind->config);

	attr.sample_type = kind->sample_type;
	attr.sample_period = kind->period;
	attr.exclude_kernel = exclude_kernel;
	if (attr.sample_type & PERF_SAMPLE_REGS_USER) {
		attr.sample_regs_user = attr.sample_regs_intr = REGS;
		attr.sample_stack_user = 256;
	}
	attr.inherit = !kind->whole_cpu;
	attr.sample_id_all = attr.context_switch = 1;
	/* All of these have forks and exits told, with a time that is not asked for. */
	if (attr.sample_type & PERF_SAMPLE_TIME) {
		attr.comm = attr.comm_exec = attr.task = attr.mmap = attr.mmap_data = 1;
		attr.mmap2 = kind->mmap2;
	}
	s->kind = kind;
	return recorder_open(&s->r, &attr, kind->whole_cpu ? -1 : pid, 0, kind->pages);
}

static bool open_all(pid_t pid)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		if (!EXPECT(open_stream(&without[i], &kinds[i], pid, true)) ||
		    !EXPECT(open_stream(&with[i], &kinds[i], pid, false)))
			return false;
	return true;
}

static void stop(struct stream *s)
{
	ioctl(s->r.fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Only when all have stopped: copying takes addresses through registers. */
static void copy(struct stream *s)
{
	s->image = malloc(s->r.size);
	memcpy(s->image, (uint8_t *)s->r.page + PAGE, s->r.size);
}

static void close_stream(struct stream *s)
{
	free(s->image);
	recorder_close(&s->r);
}

/* --- The child --- */

static unsigned long planted; /* 0: the child is honest */
static int go[2], done[2];

/* Sleeps with @value in a register that no argument of poll() is in. */
static void sleep_with(unsigned long value)
{
	volatile unsigned long on_stack[2] = {value, value};

	syscall(SYS_poll, NULL, 0, 1, on_stack[0], on_stack[1], on_stack[0]);
}

static void run_true(void)
{
	char *const argv[] = {"true", NULL}, *const envp[] = {NULL};

	execve("/bin/true", argv, envp);
	_exit(1);
}

static void work(void)
{
	char *area =
	    mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 8; i++) {
		sleep_with(planted);
		syscall(SYS_getcwd, area + i * PAGE, PAGE); /* faults in the kernel */
		area[(8 + i) * PAGE] = 1;
	}
	close(open("/proc/kallsyms", O_RDONLY)); /* long in the kernel */
	for (volatile int i = 0; i < 50000; i++)
		;
	in_child(run_true);
	for (int i = 0; i < 60; i++)
		sleep_with(planted); /* more than the smallest ring holds */
	munmap(area, 16 * PAGE);
}

static void child(void)
{
	char c;

	if (read(go[0], &c, 1) != 1)
		_exit(1);
	work();
	if (write(done[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
		_exit(1);
	/* There is room again: LOST, and then some. */
	for (int i = 0; i < 5; i++)
		sleep_with(planted);
	_exit(0);
}

/* Opens all streams on a child, and stops them when it has ended. */
static bool record_child(void)
{
	int status;
	pid_t pid;
	char c;

	if (!EXPECT_EQ(pipe(go), 0) || !EXPECT_EQ(pipe(done), 0))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid)
		child();
	if (!open_all(pid))
		return false;
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(read(done[0], &c, 1), 1);
	/* As if the smallest rings had been read. */
	without[NR_KINDS - 1].r.page->data_tail = without[NR_KINDS - 1].r.page->data_head;
	with[NR_KINDS - 1].r.page->data_tail = with[NR_KINDS - 1].r.page->data_head;
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT(waitpid(pid, &status, 0) == pid && !status);
	for (size_t i = 0; i < NR_KINDS; i++) {
		stop(&without[i]);
		stop(&with[i]);
	}
	for (size_t i = 0; i < NR_KINDS; i++) {
		copy(&without[i]);
		copy(&with[i]);
	}
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(done[i]);
	}
	return true;
}

static void close_all(void)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		close_stream(&without[i]);
		close_stream(&with[i]);
	}
}

/* --- Taking records apart --- */

/* The variable parts of a sample. */
struct parts {
	uint64_t *time, *chain, *user_regs, *stack, *intr_regs, *end;
	uint64_t nr, stack_size;
};

static uint64_t *after_regs(uint64_t *p)
{
	return p + 1 + (*p ? __builtin_popcountll(REGS) : 0);
}

static void take_apart(uint64_t *body, uint64_t type, struct parts *parts)
{
	uint64_t *p = body + 3; /* IDENTIFIER, IP, TID */

	memset(parts, 0, sizeof(*parts));
	if (type & PERF_SAMPLE_TIME)
		parts->time = p++;
	p++; /* ADDR */
	p += !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID);
	EXPECT_EQ(*p >> 32, 0); /* CPU, reserved */
	p += 2;                 /* and PERIOD */
	parts->nr = *p++;
	parts->chain = p;
	p += parts->nr;
	if (type & STATE) {
		parts->user_regs = p;
		p = after_regs(p);
		parts->stack_size = *p++;
		parts->stack = p;
		p += parts->stack_size ? parts->stack_size / 8 + 1 : 0;
		parts->intr_regs = p;
		p = after_regs(p) + 1; /* and PHYS_ADDR */
	}
	parts->end = p;
}

/* Blanks what is the user's own, after a look at whether it is, and times, which are any number. */
static void blank_sample(struct perf_event_header *h, uint64_t type)
{
	size_t regs_size = (1 + __builtin_popcountll(REGS)) * sizeof(uint64_t);
	struct parts s;

	EXPECT_EQ(h->misc, PERF_RECORD_MISC_USER);
	take_apart((uint64_t *)(h + 1), type, &s);
	EXPECT_EQ((uint8_t *)s.end - (uint8_t *)h, h->size);
	if (s.time)
		*s.time = 0;
	if (!(type & STATE))
		return;
	EXPECT(*s.user_regs && !memcmp(s.user_regs, s.intr_regs, regs_size));
	memset(s.user_regs, 0, regs_size);
	memset(s.intr_regs, 0, regs_size);
	memset(s.stack, 0, s.stack_size);
}

/* A string that ends the record's body: nothing but zeroes behind it. */
static void check_padding(const char *s, const uint8_t *end)
{
	for (const uint8_t *p = (const uint8_t *)s + strlen(s); p < end; p++)
		EXPECT_EQ(*p, 0);
}

static void blank_other(struct perf_event_header *h, uint64_t type)
{
	unsigned trailer = 1 + !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID) +
			   !!(type & PERF_SAMPLE_STREAM_ID) + 2;
	uint64_t *body = (uint64_t *)(h + 1), *end = (uint64_t *)((uint8_t *)h + h->size) - trailer;

	EXPECT_EQ(end[trailer - 2] >> 32, 0); /* CPU, reserved */
	if (type & PERF_SAMPLE_TIME)
		end[1] = 0;
	switch (h->type) {
	case PERF_RECORD_COMM:
		check_padding((char *)(body + 1), (uint8_t *)end);
		break;
	case PERF_RECORD_MMAP:
		check_padding((char *)(body + 4), (uint8_t *)end);
		break;
	case PERF_RECORD_MMAP2:
		check_padding((char *)(body + 8), (uint8_t *)end);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		body[2] = 0; /* time */
		break;
	}
}

static uint32_t types_seen; /* bit by record type */

/* Looks at every record of an image that never wrapped, and blanks what may be any number. */
static void blank(struct stream *s)
{
	uint64_t head = s->r.page->data_head, pos = 0, type = s->kind->sample_type;

	if (!EXPECT(head > 0 && head < s->r.size))
		return;
	while (pos < head) {
		struct perf_event_header *h = (struct perf_event_header *)(s->image + pos);

		if (!EXPECT(h->type < 32 && h->size >= sizeof(*h) && h->size <= head - pos))
			return;
		types_seen |= 1u << h->type;
		pos += h->size;
		if (h->type == PERF_RECORD_SAMPLE)
			blank_sample(h, type);
		else
			blank_other(h, type);
		/* Small numbers, which with their neighbours' bytes may make up an address. */
		memset(h, 0, sizeof(*h));
	}
	/* What was never written. */
	while (pos < s->r.size && s->image[pos] == 0)
		pos++;
	EXPECT_EQ(pos, s->r.size);
}

/* --- Searching --- */

#define MAX_SECRETS 1024
static unsigned long secrets[MAX_SECRETS]; /* kernel addresses that samples with the kernel tell */
static size_t nr_secrets;

static void add_secret(uint64_t value)
{
	if (!is_kernel_address(value) || nr_secrets == MAX_SECRETS)
		return;
	for (size_t i = 0; i < nr_secrets; i++)
		if (secrets[i] == value)
			return;
	secrets[nr_secrets++] = value;
}

/* Takes them out of the samples of a stream with the kernel. */
static void take_secrets(struct stream *s)
{
	for (uint64_t pos = 0; pos < s->r.page->data_head;) {
		struct perf_event_header *h = (struct perf_event_header *)(s->image + pos);
		struct parts parts;

		pos += h->size;
		if (h->type != PERF_RECORD_SAMPLE || h->misc != PERF_RECORD_MISC_KERNEL)
			continue;
		take_apart((uint64_t *)(h + 1), s->kind->sample_type, &parts);
		for (uint64_t i = 0; i < parts.nr; i++)
			add_secret(parts.chain[i]);
		for (uint64_t *p = parts.intr_regs; p && p < parts.end - 1; p++)
			add_secret(*p);
	}
}

static bool is_secret(unsigned long v)
{
	if (!is_kernel_address(v))
		return false;
	for (size_t i = 0; i < nr_secrets; i++)
		if (secrets[i] == v)
			return true;
	return false;
}

/*
 * Where words are searched for: at each byte; those of 32 bits where they are aligned, since bytes
 * of times and small numbers make up any of them.
 */
#define STEP(word) (sizeof(word) == 4 ? 4 : 1)

/* How often a machine word in [@p, @p + @size) is a secret. */
static unsigned find_secrets(const void *p, size_t size)
{
	const uint8_t *bytes = p;
	unsigned found = 0;

	for (size_t i = 0; i + sizeof(long) <= size; i += STEP(long)) {
		unsigned long v;

		memcpy(&v, bytes + i, sizeof(v));
		found += is_secret(v);
	}
	return found;
}

/* How often any kernel address is there, of 64 bits, and of 32 where addresses have so many. */
static unsigned find_addresses(const void *p, size_t size)
{
	const uint8_t *bytes = p;
	unsigned found = 0;

	for (size_t i = 0; i + sizeof(uint64_t) <= size; i++) {
		uint64_t v;

		memcpy(&v, bytes + i, sizeof(v));
		found += is_kernel_address(v);
	}
	for (size_t i = 0; sizeof(long) == 4 && i + 4 <= size; i += STEP(uint32_t)) {
		uint32_t v;

		memcpy(&v, bytes + i, sizeof(v));
		found += is_kernel_address(v);
	}
	return found;
}

/* The control page: only what it says of ring and event, and of that no address. */
static void check_page(const struct stream *s)
{
	struct perf_event_mmap_page page = *s->r.page, none;

	EXPECT_EQ(find_secrets(s->r.page, PAGE), 0);
	memset(&none, 0, sizeof(none));
	page.lock = page.size = 0;
	page.offset = page.time_enabled = page.time_running = page.capabilities = 0;
	page.time_mult = page.time_shift = page.time_zero = page.time_offset = 0;
	page.data_head = page.data_tail = page.data_offset = page.data_size = 0;
	EXPECT(!memcmp(&page, &none, sizeof(page)));
	for (const uint8_t *p = (const uint8_t *)(s->r.page + 1); p < (uint8_t *)s->r.page + PAGE;
	     p++)
		EXPECT_EQ(*p, 0);
}

static void expect_none(struct stream *s)
{
	unsigned found = 0, addresses;

	/* A register of the kernel may hold a time, whose 32 bits are an address. */
	if (sizeof(long) > 4)
		found = find_secrets(s->image, s->r.size);
	if (s->kind->pages > 1)
		blank(s);
	found += find_secrets(s->image, s->r.size);
	ktap_expect(!found, __FILE__, __LINE__, "%s: no secret, not %u", s->kind->name, found);
	addresses = find_addresses(s->image, s->r.size);
	ktap_expect(!addresses, __FILE__, __LINE__, "%s: no kernel address, not %u", s->kind->name,
		    addresses);
	check_page(s);
}

/* The smallest ring has gone around: of it, the records that were not read. */
static void note_lost(void)
{
	static struct record record;
	struct stream *s = &without[NR_KINDS - 1];

	while (recorder_next(&s->r, &record))
		types_seen |= 1u << record.header.type;
}

TEST(c05_no_kernel_address_in_any_byte)
{
	static const uint8_t wanted[] = {
	    PERF_RECORD_MMAP,  PERF_RECORD_LOST,   PERF_RECORD_COMM,
	    PERF_RECORD_EXIT,  PERF_RECORD_FORK,   PERF_RECORD_SAMPLE,
	    PERF_RECORD_MMAP2, PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE};

	planted = 0;
	types_seen = nr_secrets = 0;
	if (!record_child())
		return;
	for (size_t i = 0; i + 1 < NR_KINDS; i++)
		take_secrets(&with[i]);
	EXPECT(nr_secrets > 20 && nr_secrets < MAX_SECRETS);
	for (size_t i = 0; i < NR_KINDS; i++) {
		EXPECT(find_secrets(with[i].image, with[i].r.size) > 10);
		EXPECT(find_addresses(with[i].image, with[i].r.size) > 10);
		expect_none(&without[i]);
	}
	note_lost();
	for (size_t i = 0; i < sizeof(wanted); i++)
		ktap_expect(types_seen >> wanted[i] & 1, __FILE__, __LINE__, "a record of type %d",
			    wanted[i]);
	close_all();
}

/* What the program itself puts there is found, in both places: so would be anything else. */
TEST(c05_the_search_finds_what_a_program_leaks)
{
	struct parts s;
	unsigned in_regs = 0, in_stack = 0;

	planted = (unsigned long)ranges[2].start + 0x123456;
	nr_secrets = 0;
	add_secret(planted);
	if (!record_child())
		return;
	for (uint64_t pos = 0; pos < without[0].r.page->data_head;) {
		struct perf_event_header *h = (struct perf_event_header *)(without[0].image + pos);

		pos += h->size;
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		take_apart((uint64_t *)(h + 1), without[0].kind->sample_type, &s);
		in_regs +=
		    find_secrets(s.user_regs, (uint8_t *)(s.stack - 1) - (uint8_t *)s.user_regs);
		in_stack += find_secrets(s.stack, s.stack_size);
	}
	EXPECT(in_regs >= 60);
	EXPECT(in_stack >= 60);
	EXPECT_EQ(find_secrets(without[3].image, without[3].r.size), 0); /* which has neither */
	close_all();
	planted = 0;
}
