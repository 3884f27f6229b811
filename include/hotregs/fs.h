/* SPDX-License-Identifier: MIT */
/* Open files and what they are made of. */
#pragma once

#include <hotregs/types.h>
#include <hotregs/wait.h>
#include <uapi/types.h>

struct file;
struct vma;
struct poll_table;

/* What a kind of file can do; a NULL operation is refused with the errno named here. */
struct file_ops {
	ssize_t (*read)(struct file *f, void __user *buf, size_t n);         /* EINVAL */
	ssize_t (*write)(struct file *f, const void __user *buf, size_t n);  /* EINVAL */
	loff_t (*lseek)(struct file *f, loff_t offset, int whence);          /* ESPIPE */
	long (*ioctl)(struct file *f, unsigned long cmd, unsigned long arg); /* ENOTTY */
	/* Which UAPI_POLL* bits hold now; calls poll_wait() on the queues that tell a change. */
	unsigned (*poll)(struct file *f, struct poll_table *table); /* always ready */
	/* Fills @vma (start, end, prot set; mm->lock held) as VMA_SHARED; ENODEV */
	int (*mmap)(struct file *f, struct vma *vma, bool writable);
	int (*stat)(struct file *f, struct uapi_stat *st);
	/* Next directory entry into @name (>= 64 bytes) and @type; 0, or -ENOENT at the end;
	 * ENOTDIR */
	int (*readdir)(struct file *f, char *name, u8 *type);
	void (*release)(struct file *f); /* the last reference has gone; may sleep */
};

struct file {
	const struct file_ops *ops;
	u32 refs;
	u32 flags; /* UAPI_O_* */
	loff_t pos;
	void *private;
};

/* A file with one reference; ERR_PTR(-ENOMEM). */
struct file *file_create(const struct file_ops *ops, u32 flags, void *private);
struct file *file_get(struct file *f);
void file_put(struct file *f);

/* Opens an absolute or cwd-relative path in the current task; ERR_PTR(-errno). May sleep. */
struct file *fs_open(const char *path, u32 flags);
int fs_stat(const char *path, struct uapi_stat *st);

/* --- The boot archive (kernel/fs/archive.c): a newc cpio image, used in place --- */
struct archive_entry {
	const char *name; /* without a leading slash */
	const u8 *data;
	size_t size;
	u32 mode;
	u64 ino;
};
/*
 * Reads the entry at *@offset of a cpio image and moves *@offset past it; -ENOENT at the trailer,
 * -EINVAL for a malformed image. Pure: any context.
 */
int cpio_next(const u8 *image, size_t size, size_t *offset, struct archive_entry *entry);
/* Checks the boot archive and counts its entries; -EINVAL, -ENOENT. */
int archive_init(void);
/* Finds a file by absolute path; 0, -ENOENT, -EISDIR. The data stay valid for ever. */
int archive_find(const char *path, struct archive_entry *entry);

/* --- Descriptors (kernel/fs/files.c) --- */
#define MAX_FILES 64
struct files {
	u32 refs;
	struct spinlock lock;
	struct file *file[MAX_FILES];
	u64 cloexec;
};
struct files *files_create(void);               /* ERR_PTR(-ENOMEM) */
struct files *files_fork(struct files *parent); /* shares the open files; ERR_PTR(-ENOMEM) */
void files_put(struct files *files);            /* closes all with the last reference; may sleep */
void files_close_on_exec(struct files *files);
/* Takes over a reference; the lowest descriptor >= @from, or -EMFILE (the reference is kept by the
 * caller then). */
int fd_install(struct file *f, int from, bool cloexec);
/* The file behind @fd with a reference, or ERR_PTR(-EBADF). */
struct file *fd_get(int fd);
int fd_close(int fd);
int fd_dup2(int from, int to);

/* --- poll (kernel/fs/poll.c) --- */
/* Puts the caller on @q until the poll ends. @table NULL: only asks. */
void poll_wait(struct poll_table *table, struct wait_queue *q);

/* --- Kinds of files --- */
int pipe_create(struct file *ends[2]); /* [0] reads, [1] writes; -ENOMEM */
extern const struct file_ops console_file_ops;
extern const struct file_ops export_file_ops;

/* A character device file appears as /dev/@name. The table is fixed at build time by each room's
 * DEVICE_FILE(); */
struct device_file {
	const char *name;
	const struct file_ops *ops;
};
#define DEVICE_FILE(id, file_name, file_ops)                                                   \
	static const struct device_file device_file_##id __used __section(".device_files") = { \
	    file_name, file_ops}

/* --- /proc and /sys (kernel/fs/procfs.c): small text or binary files made when opened --- */
/* Where a generator writes; the buffer grows. seq_* fail silently into `overflow` (-ENOMEM). */
struct seq {
	char *buf;
	size_t size, capacity;
	bool overflow;
};
void seq_printf(struct seq *s, const char *fmt, ...) __printf(2, 3);
void seq_write(struct seq *s, const void *data, size_t n);
