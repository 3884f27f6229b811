/* SPDX-License-Identifier: MIT */
/* Starting the first process. */
#include <hotregs/boot_info.h>
#include <hotregs/fs.h>
#include <hotregs/futex.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/switch.h>

#include "proc.h"

struct process *init_process;

/* What the first process is started with; it frees it. */
struct init_start {
	char path[FS_PATH_MAX];
	char line[BOOT_CMDLINE_MAX]; /* split into words */
	char *argv[EXEC_MAX_ARGS + 1];
};

/* Descriptors 0, 1 and 2. */
static int open_console(void)
{
	struct file *f = fs_open("/dev/console", UAPI_O_RDWR, 0);
	int fd;

	if (IS_ERR(f))
		return PTR_ERR(f);
	for (int i = 0; i < 3; i++) {
		fd = fd_install(i ? file_get(f) : f, 0, false);
		ASSERT(fd == i);
	}
	return 0;
}

/*
 * The bench row of start-up, when the command line asks for rows: the clock began at kernel entry,
 * and with QEMU's -icount shift=0 one instruction takes one nanosecond.
 */
static void report_boot_time(void)
{
	unsigned long long ns = clock_ns();
	char value[2];

	if (!cmdline_get("bench", value, sizeof(value)))
		printk("bench\tkernel entry to init\t%llu\t%llu\t%llu\n", ns, ns, ns);
}

static void init_begin(void *arg)
{
	char *const envp[] = {"PATH=/bin", NULL};
	struct init_start *start = arg;
	int err = open_console();

	if (err)
		printk("init: cannot open /dev/console (error %d)\n", -err);
	if (!err) {
		err = process_exec(start->path, start->argv, envp);
		if (err)
			printk("init: cannot run %s (error %d)\n", start->path, -err);
	}
	kfree(start);
	if (err)
		process_exit(WAIT_STATUS_EXIT(127));
	report_boot_time();
	irq_disable();
	arch_return_to_user();
}

/* Makes the process that will run @start; it is not published. */
static struct process *create_init(struct init_start *start)
{
	struct process *process = process_create("init", init_begin, start);
	struct task *task;

	if (IS_ERR(process))
		return process;
	task = process->leader;
	task->files = files_create();
	if (IS_ERR(task->files)) {
		task->files = NULL;
		process_free(process);
		return ERR_PTR(-ENOMEM);
	}
	/* A whole frame from the beginning: it is no kernel thread, so samplers may look. */
	arch_user_regs_init(task_user_regs(task), 0, 0);
	arch_user_state_init(task);
	return process;
}

static int fill_start(struct init_start *start, const char *path, const char *args)
{
	int nr, err = fs_access(path, UAPI_X_OK);

	if (err)
		return err;
	strlcpy(start->path, path, sizeof(start->path));
	if (strlcpy(start->line, args, sizeof(start->line)) >= sizeof(start->line))
		return -E2BIG;
	start->argv[0] = start->path;
	nr = split_words(start->line, start->argv + 1, EXEC_MAX_ARGS - 1);
	return nr < 0 ? nr : 0;
}

int process_start_init(const char *path, const char *args)
{
	struct init_start *start = kzalloc(sizeof(*start));
	int err;

	if (!start)
		return -ENOMEM;
	err = fill_start(start, path, args);
	if (!err) {
		init_process = create_init(start);
		err = IS_ERR(init_process) ? PTR_ERR(init_process) : 0;
	}
	if (err) {
		init_process = NULL;
		kfree(start);
		return err;
	}
	futex_init();
	process_publish(init_process, NULL);
	sched_start(init_process->leader);
	return 0;
}
