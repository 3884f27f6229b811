/* SPDX-License-Identifier: MIT */
/*
 * The shell: lines become lists of pipelines (parse.c), whose words are expanded (expand.c) when
 * they are run (execute.c) as jobs (jobs.c). What a line needs is in the arena and goes with it.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- Memory that lives as long as a line is worked on (memory.c) --- */
void *arena_alloc(size_t size); /* zeroed; ends the shell when there is no memory */
char *arena_strndup(const char *s, size_t n);
/* All that was allocated since the mark was made goes. */
struct arena_chunk;
struct arena_chunk *arena_mark(void);
void arena_release(struct arena_chunk *mark);

/* A string, or a list of strings, that grows. */
struct text {
	char *s; /* NUL-terminated; NULL: empty */
	size_t len, room;
};
void text_add(struct text *t, char c);
void text_add_string(struct text *t, const char *s);

struct strings {
	char **s; /* ends in NULL; NULL: empty */
	size_t n, room;
};
void strings_add(struct strings *list, char *s);

/* --- What a line says (parse.c) --- */
enum redirect_kind { REDIRECT_IN, REDIRECT_OUT, REDIRECT_APPEND, REDIRECT_DUP };

struct redirect {
	struct redirect *next;
	enum redirect_kind kind;
	int fd;
	const char *target; /* a word: a file, or for DUP a number or "-" */
};

struct list;

struct command {
	struct command *next; /* behind a "|" */
	struct strings words; /* as they were written, assignments included */
	struct redirect *redirects;
	struct list *subshell; /* ( list ); no words then */
};

struct pipeline {
	struct command *commands;
	bool negated; /* ! */
};

/* Why the next pipeline is run. */
enum connector { CONNECT_ALWAYS, CONNECT_AND, CONNECT_OR };

/* Pipelines one after the other. */
struct list {
	struct list *next;
	struct pipeline pipeline;
	enum connector connector; /* of this one to the one before */
	bool background;          /* the and-or list that ends here has a "&" */
	const char *text;         /* of that list, as it was written */
};

enum parse_result { PARSE_OK, PARSE_INCOMPLETE, PARSE_ERROR };
/* Parses @text, any number of lines; an error has been told. *@list may be NULL: nothing to do. */
enum parse_result parse(const char *text, struct list **list);

/* --- Words (expand.c) --- */
/* Adds what @word comes to, after variables, quotes and patterns, to @out; false: error, told. */
bool expand_word(const char *word, struct strings *out);
/* The same to one string, without patterns; NULL: error, told. */
char *expand_string(const char *word);
/* Is @word NAME=...? Then where the value begins. */
const char *assignment_value(const char *word);

/* --- Variables (variables.c) --- */
const char *variable_get(const char *name); /* NULL: not set */
void variable_set(const char *name, const char *value);
void variable_export(const char *name);
void variable_unset(const char *name);
bool is_name(const char *s, size_t n);

/* --- Patterns (pattern.c) --- */
/* Adds the paths that @pattern matches, sorted; @pattern has a backslash before what is itself.
 * Returns how many. */
size_t pattern_expand(const char *pattern, struct strings *out);
bool pattern_match(const char *pattern, const char *name);

/* --- Running (execute.c) --- */
void run_list(const struct list *list);
/* Becomes the program @argv[0]; returns the status that tells why not, and has said so. */
int exec_program(char **argv);

/* --- Jobs (jobs.c): the children of one pipeline --- */
struct job {
	struct job *next;
	int number;     /* 1, 2, ... */
	pid_t pgid;     /* its process group, with job control; else 0 */
	size_t running; /* of its processes; those have not been waited for */
	size_t nr_pids;
	pid_t *pids; /* 0: has been waited for */
	pid_t last;  /* the one whose status is the job's */
	int status;  /* of that one, from wait(2) */
	bool stopped, background;
	char *text;
};

/* Before the first job: is the shell one that a person sits at? Then it controls jobs. */
void jobs_init(bool interactive);
struct job *job_create(const char *text, bool background);
/* Makes a process of @job; 0 in the child, which has its group, terminal and signals; -1: told. */
pid_t job_fork(struct job *job);
/* The job runs: says so and leaves it alone if it is a background one, else waits for it. Its
 * status as $? has it. */
int job_started(struct job *job);
/* Lets @job go on, in the foreground or not; the status of the foreground. */
int job_continue(struct job *job, bool background);
struct job *job_find(const char *spec); /* "%2", "2", a process; NULL: the latest */
/* Waits for @job, or all (NULL), to end; the status, or that of an interruption. */
int job_wait_for(struct job *job);
void jobs_report(bool all); /* those that have changed, or all */
/* $? from wait(2)'s status. */
int shell_status(int wait_status);

/* --- What the shell does itself (builtins.c) --- */
typedef int (*builtin_fn)(char **argv);
builtin_fn find_builtin(const char *name);
int builtin_exec(char **argv);
/* kill knows processes: what @argv calls %1 becomes a process group; false: told. */
bool name_jobs_for_kill(struct strings *argv);

/* --- The shell (main.c) --- */
extern int last_status;                   /* $? */
extern pid_t last_background;             /* $!; 0: none */
extern pid_t shell_pid;                   /* $$ */
extern char **arguments;                  /* $0, $1, ..., NULL */
extern volatile sig_atomic_t interrupted; /* SIGINT came to the shell itself */

/* From the handler of SIGINT. */
void stop_reading(void);
/* Runs the file @path here; its last status. */
int run_file(const char *path);
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
