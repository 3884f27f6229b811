/* SPDX-License-Identifier: MIT */
/*
 * The parts of the perf tool and what they offer each other. It uses the documented ABI only, so
 * the same files compile for Linux.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[BUILD_ID_MAX];
};

/* --- Commands: each gets its own name as argv[0] and returns the tool's exit status --- */
int cmd_record(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_script(int argc, char **argv);

#define EXIT_USAGE 129 /* as stock perf has it */

/* Prints "perf: " and a line; returns -1. */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parses a positive decimal number that is all of @text; false with a message naming @what. */
bool parse_number(const char *text, const char *what, uint64_t *value);

/* --- Options (option.c): as getopt_long(), which not every C library gets right --- */
struct option_spec {
	char letter;
	bool has_value;
	const char *name; /* after "--"; NULL: none */
};
struct option_parser {
	char **next; /* the argument to look at next; at the end, the first that is no option */
	const char *letters; /* the rest of a group like -ga */
	const char *value;
};
/* The next option's letter; 0 at the end, which "--" or a word makes; -1 with a message. The list
 * ends with letter 0. */
int option_next(struct option_parser *p, const struct option_spec *specs);

/* --- Events by name (event_parse.c) --- */
struct event {
	char name[48]; /* with its modifiers, without its terms */
	uint32_t type;
	uint64_t config;
	/* Of breakpoints; of one at a symbol, the address is found by breakpoints_find(). */
	uint32_t bp_type;
	uint64_t bp_addr, bp_len;
	const char *symbol; /* not terminated; NULL: the address was given */
	size_t symbol_len;
	uint64_t rate; /* period, or frequency when freq is set; 0: not said */
	bool freq;
	bool user, kernel; /* where it counts; both or none: everywhere */
	bool exclude_idle;
	bool pinned, exclusive; /* of leaders */
	bool sample_read;       /* its samples tell its count, and the counts of its group */
	bool precise_best;
	uint8_t precise;   /* precise_ip, unless precise_best */
	unsigned leader;   /* place in the list; its own when it is in no other's group */
	unsigned nr_group; /* of a leader: how many it and its siblings are, from here on */
};
#define MAX_EVENTS 16
struct event_list {
	struct event event[MAX_EVENTS];
	unsigned nr;
};

/*
 * Adds the events of a list like "context-switches/period=1/,{cpu-clock/freq=997/u,page-faults}:S";
 * -1 with a message.
 */
int events_parse(struct event_list *list, const char *text);

/* Adds a letter to those behind the name's colon, unless it is there. */
void event_add_modifier(struct event *event, char letter);

/* Is event @i the only one of its group that is sampled? Its siblings then count only. */
static inline bool event_counts_only(const struct event_list *list, unsigned i)
{
	return list->event[i].sample_read && list->event[i].leader != i;
}

/* --- Opening events (event.c) --- */
/* The full name of the event with the first @n characters of @text as name or alias, with its type
 * and configuration; NULL: there is none. */
const char *event_find(const char *text, size_t n, struct event *event);

/* Prints the names of the events that this machine has. */
void event_print_names(void);

/* An attr of the size that every perf reads, counting @event. */
void event_attr(const struct event *event, struct perf_event_attr *attr);

/* Where the event is to be as precise as can be: sets precise_ip, which depends on all else. */
void event_find_precise(const struct event *event, struct perf_event_attr *attr);

/* perf_event_open(2), close-on-exec; group_fd -1: no group of another's. -1 and errno. */
int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/* The registers that this machine's samples may have, as bits; asks the kernel for each. */
uint64_t event_registers(void);

/* Can it be that the event does not exist on this machine, rather than that something is wrong? */
bool event_unsupported(int err);

/*
 * Opening @event with @attr failed by @err. May it be that only user mode is open to us? Then both
 * become an event of user mode alone, with a message, and opening is worth another attempt.
 */
bool event_fall_back(struct event *event, struct perf_event_attr *attr, int err);

/* Prints why opening @event with @attr for @target, -1 being all of a CPU, failed. */
void event_open_error(const struct event *event, const struct perf_event_attr *attr, pid_t target,
		      int err);

/* --- Breakpoints (breakpoint.c) --- */
bool breakpoint_is(const char *text);       /* Does such an event begin here? */
size_t breakpoint_length(const char *text); /* of the first event in @text, which is one */
/* Takes the first @n characters; *modifiers: those at their end, or NULL. -1 with a message. */
int breakpoint_parse(struct event *event, const char *text, size_t n, const char **modifiers);
/*
 * Finds the addresses of symbols: in @program (NULL: none), in what process @pid (0: none) has
 * mapped, or in the kernel; -1 with a message.
 */
int breakpoints_find(struct event_list *list, const char *program, pid_t pid);
/* Is @attr a breakpoint at an address of the kernel's? */
bool breakpoint_of_kernel(const struct perf_event_attr *attr);
/* If it is a breakpoint: prints what @err of its opening with @attr means; else false. */
bool breakpoint_open_error(const struct event *event, const struct perf_event_attr *attr, int err);

/* --- CPUs (cpus.c) --- */
#define MAX_CPUS 256
struct cpu_list {
	unsigned nr; /* 0: not said */
	unsigned cpu[MAX_CPUS];
};
/* Each returns 0, or -1 with a message. */
int cpus_parse(struct cpu_list *cpus, const char *list); /* "0,2-3" */
int cpus_all(struct cpu_list *cpus);

/* --- Clocks (clock.c) --- */
struct clock {
	const char *name, *alias;
	int32_t id; /* of perf_event_attr */
	clockid_t libc;
};
const struct clock *clock_parse(const char *text); /* NULL with a message */
/* Each returns 0, or -1 with a message. */
int clock_now(clockid_t clock, uint64_t *ns);
int clock_resolution(clockid_t clock, uint64_t *ns);

/* --- The command that is measured (workload.c) --- */
struct workload {
	pid_t pid;    /* of the command */
	pid_t waiter; /* of the process between it and us */
	int go;       /* closing or writing lets it start */
	int report;   /* readable when the command has ended */
	bool not_run; /* after workload_wait(): there was no command to run */
};

/* Makes a process that will become @argv when told; @to_stderr: its output must not be ours. */
int workload_start(struct workload *w, char **argv, bool to_stderr);
int workload_go(struct workload *w);
/* Sleeps @ms, or until the command has ended: false then. */
bool workload_runs_for(struct workload *w, int ms);
/* Waits for its end; the exit status as a shell tells it (127, 126: could not be run, with a
 * message). */
int workload_wait(struct workload *w);

/* --- ELF files (elf.c) --- */
struct elf_symbol {
	uint64_t start, end;
	const char *name;
};
struct elf {
	int fd;
	uint16_t machine; /* EM_* */
	bool fixed;       /* it is loaded where the file says */
	uint16_t nr_headers;
	struct elf_segment {
		uint32_t type;
		uint64_t offset, vaddr, size;
	} * headers;
	uint64_t sections;
	uint16_t nr_sections;
	struct elf_symbol *symbols; /* rising, after elf_load_symbols() */
	size_t nr_symbols;
	char *names;
};
int elf_open(struct elf *elf, const char *path); /* -1: not an ELF file of our class */
void elf_close(struct elf *elf);
void elf_close_file(struct elf *elf); /* keeps what was loaded */
void elf_build_id(const struct elf *elf, struct build_id *id);
int elf_load_symbols(struct elf *elf);
/* Turns an offset in the file into the address that symbols have. */
bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address);
const struct elf_symbol *elf_find(const struct elf *elf, uint64_t address);
/* Takes the build id out of ELF notes in memory. */
void build_id_from_notes(const uint8_t *notes, size_t size, struct build_id *id);

/* --- Writing a pipe-mode stream (stream.c) --- */
/* Records that only streams have, never the kernel. */
enum {
	STREAM_ATTR = 64,
	STREAM_TRACING_DATA = 66,
	STREAM_FINISHED_ROUND = 68,
	STREAM_EVENT_UPDATE = 78,
	STREAM_FEATURE = 80,
	STREAM_TYPE_MAX = 83
};
#define STREAM_MAGIC 0x32454c4946524550ULL /* "PERFILE2" */

struct stream {
	int fd;
	uint64_t bytes;
	const char *path;
};
int stream_open(struct stream *s, const char *path); /* NULL: /dev/export or perf.pipe */
int stream_write(struct stream *s, const void *data, size_t n);

/* One record being put together. */
struct record {
	size_t size;
	bool overflow;
	union {
		struct perf_event_header header;
		uint8_t bytes[16384];
	};
};
void record_begin(struct record *r, uint32_t type, uint16_t misc);
void record_bytes(struct record *r, const void *data, size_t n);
void record_u32(struct record *r, uint32_t v);
void record_u64(struct record *r, uint64_t v);
void record_string(struct record *r, const char *s); /* NUL, padded to 8 */
void record_trailer(struct record *r);               /* sample_id of a record we made up */
int record_write(struct record *r, struct stream *s);

/* --- What the kernel cannot tell because it was there before (synthesize.c) --- */
int synthesize_kernel(struct stream *s);
int synthesize_task(struct stream *s, pid_t pid);
/* What a process has mapped: the next line of its /proc/PID/maps that has a name; false: no more.
 */
struct mapping {
	uint64_t start, end, pgoff, ino;
	bool exec;
	char file[256];
};
bool mapping_next(FILE *maps, struct mapping *m);
int synthesize_all_tasks(struct stream *s);

/* --- Rings (ring.c) --- */
struct ring {
	int fd;        /* of the event that owns it; -1: there is none */
	bool backward; /* the newest records write over the oldest */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size; /* bytes, a power of two */
};
struct drain_counts {
	uint64_t samples, lost;
};
int ring_map(struct ring *ring, int fd, size_t pages, bool backward); /* -1 and errno */
void ring_unmap(struct ring *ring);
/* Writes all unread records; 1 when there were any, 0 when none, -1 with a message. */
int ring_drain(struct ring *ring, struct stream *s, struct drain_counts *counts);
/* Stops a backward ring and writes what it holds, the newest first; returns as ring_drain(). */
int ring_write_last(struct ring *ring, struct stream *s, struct drain_counts *counts);

/* --- Reading a stream (reader.c) --- */
struct reader;
struct reader *reader_open(const char *path); /* NULL: standard input; NULL with a message */
/*
 * The next record, in the order of time as far as rounds allow; NULL at the end. Records have the
 * size they claim, at least 8; nothing else is promised about them.
 */
const struct perf_event_header *reader_next(struct reader *r);
/* Who can tell the time of a record of the kernel's; 0 when it has none. */
void reader_set_time(struct reader *r, uint64_t (*time)(const struct perf_event_header *h));
/* 0, or -1 when the stream was malformed; that, or that it was cut short, is told on stderr. */
int reader_close(struct reader *r);

/* --- Tasks, maps, names (machine.c) --- */
struct symbol_name {
	const char *name; /* NULL: unknown */
	uint64_t offset;
	const char *dso; /* NULL: unknown */
};
void machine_comm(uint32_t pid, uint32_t tid, const char *comm);
void machine_fork(uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid);
void machine_map(uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *path,
		 const struct build_id *id);
const char *machine_task_name(uint32_t pid, uint32_t tid);
void machine_resolve(uint32_t pid, bool kernel, uint64_t ip, struct symbol_name *name);
