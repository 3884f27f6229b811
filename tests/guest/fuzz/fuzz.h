/* SPDX-License-Identifier: MIT */
/*
 * A random system-call fuzzer that runs as a program in the guest: `fuzz SEED OPERATIONS`.
 *
 * A supervisor forks one worker a batch. The worker, and the children it forks, make calls of the
 * table in calls.c with arguments from generators, and check what came of each. Meanwhile the
 * supervisor samples them, and a bystander; after the batch it ends whatever is left and looks
 * whether the machine is as it was before. All choices come from the seed, so that with time that
 * counts instructions (qemu-run --icount) a run on one processor repeats exactly.
 */
#pragma once

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uapi/syscall.h>
#include <uapi/types.h>

#define PAGE          4096UL
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX_FDS       64
#define MAX_CPUS      8

/*
 * Where a fuzzing process has what: low in the address space, which mmap() fills from above, with
 * nothing mapped around each. Only the arena and what the generators mapped is written to by calls.
 */
#define ARENA             0x20000000UL /* buffers */
#define ARENA_SIZE        (16 * PAGE)
#define CANARY            0x24000000UL /* a page that no call is given */
#define PLAY              0x28000000UL /* MAP_FIXED goes here */
#define PLAY_SIZE         (32 * PAGE)
#define READ_ONLY         0x30000000UL /* a page without PROT_WRITE */
#define SIGNAL_STACK      0x34000000UL
#define SIGNAL_STACK_SIZE (4 * PAGE)
#define THREADS           0x36000000UL /* calls_thread.c's */
#define THREADS_SIZE      (13 * PAGE)
#define SHARED            0x38000000UL /* struct shared, behind a control page */
#define SHARED_SIZE       (8 * PAGE)   /* a power of two */
#define SHARED_FD         (MAX_FDS - 1)

/* Above all process numbers, and at the end of user space. */
#define MAX_PID    40000
#define USER_LIMIT (__SIZEOF_POINTER__ == 8 ? 0x7ffffffff000ULL : 0x80000000ULL)

/* One operation as it is remembered. Also read by tools/fuzz, out of the machine's memory. */
struct log_entry {
	uint32_t op; /* number, from 1; 0: none */
	uint32_t pid;
	uint32_t nr;
	uint32_t done; /* 0: it has not returned */
	uint64_t arg[6];
	int64_t result;
};
#define LOG_SIZE 32

/* Entry NR_SYSCALLS is for numbers that are none, the one after it for what is no system call. */
#define MAX_CALLS 128
_Static_assert(NR_SYSCALLS + 2 <= MAX_CALLS, "room for the numbers");
#define NR_BAD    NR_SYSCALLS
#define NR_MEMORY (NR_SYSCALLS + 1)

struct call_count {
	uint32_t calls, successes;
	uint32_t hung;      /* workers, until a signal came or they were ended */
	uint32_t errnos[5]; /* a bit for each */
};

/* How often an attribute with that bit set was opened, and refused. */
struct bit_count {
	uint32_t done, refused;
};

/*
 * What all processes of a run share. There is no shared memory but the pages of devices: this lies
 * in the ring of an event that never writes.
 */
struct shared {
	char magic[16];
	uint32_t seed, batch;
	uint32_t ops, max_ops;
	uint32_t batch_end; /* ops at which the batch ends */
	uint32_t watched;   /* the batch may begin: all that watches it is there */
	uint32_t processes; /* forked in this batch */
	uint32_t woken;     /* workers that hung in a call until a signal came */
	uint32_t ended;     /* workers that hung in a call */
	uint32_t scarce;    /* memory is, in this batch: a process may end for want of it */
	uint32_t failed;    /* `failure` says why */
	uint64_t clock;     /* the latest time that a process saw */
	uint64_t digest;    /* of all results, in whatever order */
	uint32_t naps;      /* of the bystander */
	uint32_t samples;   /* of the worker and its children, or of all */
	uint32_t fail_at;   /* an operation that fails, for the test of how that is told */
	char failure[160];
	struct log_entry log[LOG_SIZE];
	struct call_count calls[MAX_CALLS];
	struct bit_count flags[64], sample_type[64], read_format[64];
	struct bit_count requests[16]; /* of ioctl, by their numbers */
};
_Static_assert(sizeof(struct shared) <= SHARED_SIZE, "");
_Static_assert(offsetof(struct shared, calls) <= PAGE, "the log is read in one page of RAM");
#define SHARED_MAGIC "hotregs fuzz 1\n"
#define shared       ((struct shared *)(SHARED + PAGE))

/* Opens the event with that ring as SHARED_FD; maps it, in every process anew. False: no memory. */
bool shared_create(void);
bool shared_map(void);

extern unsigned nr_cpus; /* that run: supervisor.c */

/* --- Chance: rand.c --- */
void rand_seed(uint64_t a, uint64_t b, uint64_t c);
uint32_t rand32(void);
uint64_t rand64(void);
uint32_t below(uint32_t n); /* 0..n-1 */
bool one_in(uint32_t n);    /* true once in n times */
#define PICK(array) ((array)[below(ARRAY_SIZE(array))])

/* --- Operations --- */
struct op {
	uint32_t nr;
	unsigned long arg[6];
	long result;
	uint8_t *out;   /* where in the arena the call may write; NULL: not known */
	size_t out_len; /* and how many bytes */
	bool may_exec;  /* the path is that of a program */
	uint8_t child;  /* enum child_kind of the process that a fork makes */
	uint32_t seed;  /* and what it begins its choices with */
	uint8_t kind;   /* enum fd_kind of what it opens */
};

typedef unsigned long (*generator)(struct op *op);

struct call {
	uint32_t nr;
	const char *name;
	uint8_t weight;    /* how often it is made; 0: as others, 8 */
	bool forks;        /* returns 0 in a new process */
	bool resync;       /* nobody knows what it does to descriptors */
	bool operations;   /* an argument says what to do: ENOSYS for what is not done */
	bool until_signal; /* EINTR is all it can return */
	generator arg[6];  /* NULL: the word is 0 */
	bool (*allowed)(const struct op *op); /* false: it would end the fuzzer, not the kernel */
	void (*done)(const struct op *op);    /* judges a success and remembers it; NULL: it is 0 */
	void (*failed)(const struct op *op);  /* where an error, too, leaves something changed */
};
/* The row of each number; NULL: there is none, and the call is made with words of no type. */
extern const struct call *calls[NR_SYSCALLS];
extern const struct call unknown_call;
void calls_init(void);

/* A failure ends the process that found it; the supervisor reports. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(cond, ...)                   \
	do {                               \
		if (!(cond))               \
			fail(__VA_ARGS__); \
	} while (0)

/* --- Entering the kernel: enter.S --- */
#ifdef __aarch64__
#define NR_FPU_BYTES 512
#else
#define NR_FPU_BYTES 256
#endif
struct entry_state {
	unsigned long nr, arg[6];
	unsigned long fp; /* the frame pointer during the call: a chain begins there */
	long result;
	unsigned long changed; /* a bit for each register that should be what it was */
	uint8_t fpu[NR_FPU_BYTES];
};
void enter(struct entry_state *state);
unsigned long thread_pointer(void); /* what thread-local data go by */
/* Loops for ever on that stack. */
void spin_on(unsigned long sp, unsigned long fp) __attribute__((noreturn));
extern const uint8_t fpu_pattern[NR_FPU_BYTES];
/* raw(SYS_read, fd, p, n): a system call of the fuzzer's own, which is not counted; missing
 * arguments are 0, the result is a value or a negative errno. */
long raw_call(long nr, long a, long b, long c, long d, long e, long f);
#define RAW_(nr, a, b, c, d, e, f, ...) \
	raw_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define raw(nr, ...) RAW_(nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* --- What a fuzzing process knows of itself: model.c --- */
enum fd_kind {
	FD_NONE,
	FD_FILE,
	FD_DIR,
	FD_PROC,
	FD_DEVICE,
	FD_CONSOLE,
	FD_PIPE,     /* the end that is read */
	FD_PIPE_END, /* the one that is written */
	FD_PERF,
	FD_TMP, /* below /tmp */
	FD_OTHER
};
enum child_kind {
	CHILD_FUZZ,  /* makes calls, then exits */
	CHILD_YIELD, /* gives the CPU away until it is killed */
	CHILD_SPIN,  /* spins, on a hostile stack */
	CHILD_EXEC,  /* becomes another program */
	CHILD_FAULT, /* dies of a fault */
	CHILD_WILD,  /* makes calls that may end it, and is not believed */
	NR_CHILD_KINDS,
	/* As the worker, as long as that: one for each further processor. */
	CHILD_PEER = NR_CHILD_KINDS
};

struct region {
	unsigned long start, end;
	uint8_t prot;
	bool ring; /* of a performance event: a child does not inherit it */
};
#define MAX_REGIONS    32
#define MAX_CHILDREN   16
#define MOST_PROCESSES 12 /* that a batch may fork */
#define FAILED_STATUS  98 /* of a process that failed, or could not begin */

struct child {
	pid_t pid;
	uint8_t kind;
	bool killed; /* a fatal signal was sent */
};

struct self {
	pid_t pid, parent;
	int uid;
	unsigned depth; /* 0: the worker */
	bool wild;
	unsigned long thread_pointer;
	uint8_t fd[MAX_FDS];
	struct region region[MAX_REGIONS];
	struct child child[MAX_CHILDREN];
	unsigned long brk, brk_min;
	unsigned left; /* operations */
};
extern struct self self;

void model_init(void);  /* as a worker begins */
void model_child(void); /* as a forked child begins */
void model_check_fds(bool accept);
bool overlaps_own(unsigned long addr, size_t len); /* something that the fuzzer itself needs */
struct child *find_child(pid_t pid);
void forget_regions(unsigned long start, unsigned long end);
bool overlaps_region(unsigned long addr);
void add_region(unsigned long start, size_t len, unsigned prot, bool ring);
const struct region *any_region(unsigned prot);

/* --- calls_signal.c, calls_thread.c --- */
void signals_init(void);  /* handlers for all that can have one */
void signals_block(void); /* for good */
void signals_count(bool); /* may handlers count? They need what all share */
void threads_forget(void);

/* --- The batches --- */
void worker(unsigned batch) __attribute__((noreturn));
void run_op(void);
void run_exec(void); /* the call that makes it another program */
void judge_status(const struct child *child, int status);
/* Kills it; so that it gets to its end soon, whatever else runs, it is made urgent. */
void end_process(pid_t pid);
void bystander(void) __attribute__((noreturn));

/* --- monitor.c: what the supervisor samples --- */
void monitor_bystander(pid_t pid); /* once it naps */
void monitor_open(pid_t worker);
void monitor_drain(void); /* checks every record */
void monitor_close(void);

/* --- resources.c --- */
char *contents(const char *path);      /* of a file, which must fit; valid until the next call */
void resources_learn_tasks(void);      /* those there are now stay */
void resources_learn_memory(void);     /* what is in use now is what should be between batches */
void end_strays(void);                 /* kills all but those */
#define PATIENCE 200                   /* ms for something that takes none */
void resources_use_up(unsigned leave); /* all free pages but so many */
void resources_give_back(void);
void resources_check(void); /* ends strays; waits until all is as it was */

/* --- report.c --- */
void report(unsigned batches);
void report_failure(void) __attribute__((noreturn)); /* and exits */

/* Counts which bits an attribute was opened with, and which request was made. */
void count_attr_bits(const struct op *op);
void count_request(const struct op *op);

/* Is what became of the breakpoint whose attribute is at @addr, if it is one, what may? */
void check_breakpoint(const struct op *op, unsigned long addr);
