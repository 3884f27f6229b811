/* SPDX-License-Identifier: MIT */
/* Processes, what they may do, and the system-call layer. */
#pragma once

#include <hotregs/address_space.h>
#include <hotregs/cpu.h>
#include <hotregs/refcount.h>
#include <hotregs/sched.h>
#include <hotregs/wait.h>

struct pt_regs;

#define EXEC_MAX_ARGS  64
#define EXEC_ARGS_SIZE 8192 /* bytes of argument and environment strings together */

#define PROCESS_CWD_MAX 128 /* bytes, the NUL included */

/*
 * A running program: its threads, and what they have in common beside memory (task->mm) and open
 * files (task->files). task_list_lock guards what ties processes and threads to each other.
 */
struct process {
	pid_t pid;                 /* the tid of its leader */
	struct refcount refs;      /* tasks that point here; the last one freed frees this */
	struct task *leader;       /* the first thread; stays until the process is waited for */
	struct list_head threads;  /* tasks that are not freed yet, by thread_node */
	struct process *parent;    /* NULL: init */
	pid_t ppid;                /* its number; 0: none */
	struct list_head children; /* by sibling, those that have ended included */
	struct list_head sibling;
	struct wait_queue child_exit; /* woken when a child has ended */
	pid_t pgid, sid;              /* process group and session */
	bool has_exec;                /* it is another program than its parent was at the fork */
	uid_t uid;      /* whose it is; 0 is privileged. Only its own threads change it */
	u32 nr_alive;   /* threads that have not begun to end */
	u32 nr_present; /* threads that are not gone */
	struct wait_queue thread_gone; /* woken when one is gone, for exec */
	bool exiting;                  /* all its threads are to end, */
	int exit_status;               /* by this, in wait(2) encoding */
	bool zombie;                   /* has ended; its parent has yet to wait for it */
	u64 freed_utime, freed_stime;  /* ticks of threads that have been freed */
	u64 child_utime, child_stime;  /* ticks of children that were waited for, and of theirs */
	struct process_signals signals;
	u32 umask;                 /* permission bits that new files do not get; atomic */
	struct spinlock cwd_lock;  /* guards cwd */
	char cwd[PROCESS_CWD_MAX]; /* absolute */
};

/* The directory that the caller's relative paths start from: a copy, and a change of it. Any
 * context but NMI. */
void process_cwd(char cwd[PROCESS_CWD_MAX]);
void process_set_cwd(const char *cwd);

/* The process with number @pid; NULL: none. Valid while the caller holds task_list_lock. */
struct process *process_find(pid_t pid);

/* Ticks that all threads of @process were charged with. task_list_lock held. */
void process_times(const struct process *process, u64 *utime, u64 *stime);

/* Is the caller privileged? Kernel threads are. Any context. */
bool process_privileged(void);

/* How far the caller may go when there is little memory left; each further than those before it. */
enum memory_claim {
	CLAIM_USER,       /* without privilege */
	CLAIM_PRIVILEGED, /* the privileged user */
	CLAIM_SYSTEM,     /* init and the kernel's threads: to the last page */
};

/* Any context; before there are tasks it is CLAIM_SYSTEM. */
enum memory_claim process_claim(void);

/*
 * May the caller look into @target, send it signals, change it? 0: it is privileged, or both are of
 * the same user; -EPERM, for kernel threads as well. @target stays: task_list_lock is held, or it
 * is the caller's own. Any context.
 */
int process_may_access(const struct task *target);

/* Is there a process group @pgid in the caller's session? 0, -EPERM, -EINVAL. */
int process_check_group(pid_t pgid);
/* May the caller choose the foreground of a terminal of session @sid (0: of none)? 0; -ENOTTY: it
 * is of another session, and that one's leader has not ended. */
int process_check_session(pid_t sid);
/*
 * May the caller use a terminal whose foreground is group @foreground (0: everybody's) for what
 * @signal (SIGTTIN, SIGTTOU) keeps the background from? 0; -EINTR: its group has been sent the
 * signal, and when it goes on it will ask again; -EIO: nobody would ever let it go on.
 */
int process_check_foreground(pid_t foreground, int signal);

/* Runs system call syscall_nr(regs) and stores its result; from the entry code, interrupts on. */
void do_syscall(struct pt_regs *regs);

/*
 * What current's work says that it must do before it goes back to user mode: take signals. Called
 * by every return to user mode that has work, interrupts on. @syscall: @regs have the result of a
 * system call, for which it may have been interrupted.
 */
void exit_to_user(struct pt_regs *regs, bool syscall);

/* Starts pid 1 from @path with the arguments in @args (words, quotes as a shell's). -errno. */
int process_start_init(const char *path, const char *args);

/*
 * The running program touched @addr, which mm_fault() has refused with @err: it gets SIGSEGV, or,
 * if there was no memory, ends by SIGKILL with a report. @regs are its own. May sleep.
 */
void process_page_fault(struct pt_regs *regs, unsigned long addr, int err);

/* System-call bodies other code uses. All may sleep. */
pid_t process_fork(void);
int process_exec(const char *path, char *const argv[], char *const envp[]); /* kernel pointers */
/*
 * Ends the caller's process, all its threads; @status in wait(2) encoding, unless another one was
 * first. It does not return, but is not declared so: the call would be its caller's last
 * instruction, and the return address in chains the next function's.
 */
void process_exit(int status);
/* Ends the calling thread; by the last one the process ends with @status. As process_exit(). */
void thread_exit(int status);
/*
 * Makes all threads of @process end, each when it next is about to enter user mode; they sleep no
 * more. The first @status stays. task_list_lock held.
 */
void process_end(struct process *process, int status);
/* From task_gone(): @task is off the CPU for good. If it was the last thread, its process becomes a
 * zombie and the parent is told. Interrupts off. */
void process_thread_gone(struct task *task);
pid_t process_wait(pid_t pid, int *status, int options);

#define WAIT_STATUS_EXIT(code)  (((code)&0xff) << 8)
#define WAIT_STATUS_SIGNAL(sig) ((sig)&0x7f)
#define WAIT_STATUS_STOP(sig)   ((sig) << 8 | 0x7f)
#define WAIT_STATUS_CONTINUED   0xffff

/* What uname() says. */
extern const struct uapi_utsname system_name;

/* Processes started since boot. */
u64 process_nr_forks(void);

/*
 * Writes an area as one line of /proc/PID/maps, newline included, and NUL; returns its length. The
 * exe of @vma must stay: its mm is locked, or the caller's own. Any context.
 */
#define VMA_LINE_MAX 160 /* bytes that hold any line */
size_t vma_format(const struct vma *vma, char *line, size_t size);

/*
 * Splits @s in place into words as a shell does: blanks separate, '...' and "..." keep together,
 * backslash takes the next character (inside "..." only before \" and \\). Returns the number of
 * words, -E2BIG for more than @max, -EINVAL for an open quote. Pure: any context.
 */
int split_words(char *s, char *word[], int max);

/* --- ELF (kernel/proc/elf.c), a pure parser of static ET_EXEC files --- */
#define ELF_MAX_SEGMENTS 8
struct elf_segment {
	unsigned long vaddr;
	size_t memsz, filesz;
	u64 offset;
	unsigned prot; /* MMU_* */
};
struct elf_image {
	unsigned long entry;
	unsigned nr_segments;
	struct elf_segment segment[ELF_MAX_SEGMENTS];
	u8 build_id[BUILD_ID_SIZE];
	u8 build_id_size;
	/* Where the index of its unwind tables is, with an architecture that has such; unchecked.
	 */
	unsigned long unwind_index;
	size_t unwind_index_size; /* bytes; 0: none */
};
/* -ENOEXEC for anything but a well-formed static executable of this machine. Any context. */
int elf_parse(const u8 *data, size_t size, struct elf_image *image);
