/* SPDX-License-Identifier: MIT */
/* Open files and what they are made of. */
#pragma once

#include <hotregs/refcount.h>
#include <hotregs/types.h>
#include <hotregs/wait.h>
#include <uapi/types.h>

struct file;
struct files;
struct vma;
struct poll_table;

#define FS_PATH_MAX 256 /* bytes of a path, its NUL included */

/* What a directory says of one thing in it. */
struct dir_entry {
	char name[FS_PATH_MAX];
	u64 ino;
	u8 type; /* UAPI_DT_* */
};

/* What a kind of file can do; a NULL operation is refused with the errno named here. */
struct file_ops {
	/* A device file was opened as @f, its flags set; a negative errno refuses, and the opener
	 * drops @f, so that release() follows. May sleep. NULL: nothing to do */
	int (*open)(struct file *f);
	ssize_t (*read)(struct file *f, void __user *buf, size_t n);        /* EINVAL */
	ssize_t (*write)(struct file *f, const void __user *buf, size_t n); /* EINVAL */
	/* The same at @pos >= 0, which leaves the file's own where it is. ESPIPE */
	ssize_t (*pread)(struct file *f, void __user *buf, size_t n, loff_t pos);
	ssize_t (*pwrite)(struct file *f, const void __user *buf, size_t n, loff_t pos);
	loff_t (*lseek)(struct file *f, loff_t offset, int whence);          /* ESPIPE */
	long (*ioctl)(struct file *f, unsigned long cmd, unsigned long arg); /* ENOTTY */
	/* Which UAPI_POLL* bits hold now; calls poll_wait() on the queues that tell a change. */
	unsigned (*poll)(struct file *f, struct poll_table *table); /* always ready */
	/* Fills @vma (start, end, prot set; mm->lock held) as VMA_SHARED; ENODEV */
	int (*mmap)(struct file *f, struct vma *vma, bool writable);
	int (*stat)(struct file *f, struct uapi_stat *st);
	int (*truncate)(struct file *f, u64 size); /* EINVAL */
	/* fcntl()'s record locks, @cmd being UAPI_F_GETLK, F_SETLK or F_SETLKW. EINVAL */
	int (*lock)(struct file *f, const struct files *owner, struct uapi_flock *lock, int cmd);
	/* A descriptor of @owner's that led here was closed. May sleep. */
	void (*closed)(struct file *f, const struct files *owner);
	/* The entry at f->pos, which moves to the next one; 0, or -ENOENT at the end. ENOTDIR */
	int (*readdir)(struct file *f, struct dir_entry *entry);
	void (*release)(struct file *f); /* the last reference has gone; may sleep */
	bool embedded;                   /* such a file is part of something that release() frees */
};

struct file {
	const struct file_ops *ops;
	struct refcount refs;
	u32 flags; /* UAPI_O_*; atomic: fcntl() changes some */
	loff_t pos;
	struct mutex pos_lock; /* held around lseek() and readdir(), and by file_read() */
	void *private;
};

/* @f becomes a file with one reference: part of what release() frees, if @ops say so. */
void file_init(struct file *f, const struct file_ops *ops, u32 flags, void *private);
/* A new one; ERR_PTR(-ENOMEM). */
struct file *file_create(const struct file_ops *ops, u32 flags, void *private);

static inline struct file *file_get(struct file *f)
{
	refcount_get(&f->refs);
	return f;
}

/* Drops a reference; the last one releases. May sleep. */
void file_put(struct file *f);

/* Was @f opened for reading, for writing? */
static inline bool file_readable(const struct file *f)
{
	return (f->flags & UAPI_O_ACCMODE) != UAPI_O_WRONLY;
}

static inline bool file_writable(const struct file *f)
{
	return (f->flags & UAPI_O_ACCMODE) != UAPI_O_RDONLY;
}

/* lseek() of a file of @size bytes: the new position, or -EINVAL. */
loff_t file_seek(struct file *f, loff_t offset, int whence, loff_t size);

/*
 * pread() of a file whose @size bytes are in memory: bytes copied, all those before a bad user
 * page; -EFAULT when there are none. May sleep.
 */
ssize_t file_read_memory(void __user *buf, size_t n, loff_t pos, const void *data, size_t size);
/* read() of a file that has pread(), and nothing else to do with its position. */
ssize_t file_read(struct file *f, void __user *buf, size_t n);

/* What fstat() says: a character device unless the file knows better. May sleep. */
int file_stat(struct file *f, struct uapi_stat *st);

/*
 * Paths are absolute or start from the caller's directory; results are 0, or a negative errno. All
 * of these may sleep.
 *
 * fs_open(): with O_CREAT, a new file gets what the caller's umask leaves of @mode. The
 * close-on-exec flag belongs to descriptors and is not kept. ERR_PTR(-errno).
 */
struct file *fs_open(const char *path, u32 flags, u32 mode);
int fs_stat(const char *path, struct uapi_stat *st);
/* May the caller's user do @want (UAPI_*_OK bits; 0: is it there)? */
int fs_access(const char *path, unsigned want);
/* Makes @path, which must be a directory, the caller's working directory. */
int fs_chdir(const char *path);
int fs_mkdir(const char *path, u32 mode);
int fs_unlink(const char *path);
int fs_rmdir(const char *path);
int fs_link(const char *from, const char *to);
int fs_rename(const char *from, const char *to);
int fs_truncate(const char *path, u64 size);
/* chmod(), chown(), utimes(), by path and of an open file. -EROFS: it is not of the file tree. */
int fs_set_attributes(const char *path, const struct uapi_attributes *a);
int file_set_attributes(struct file *f, const struct uapi_attributes *a);

/*
 * What a file contains, in one piece: for programs and private mappings, which show the file as it
 * was. The image owns the copy, where there is one; without one, its data stay for ever.
 */
struct file_image {
	const u8 *data;
	size_t size; /* bytes */
	u64 ino;
	u32 version;   /* not 0; another one where the contents may be others */
	char path[64]; /* what perf and /proc call it */
	void *copy;    /* what data is in: vmap_free(copy, copy_pages) ends it; may be NULL */
	size_t copy_pages;
};
/* The image of program @path: -EACCES when it is none that the caller may run, -ENOMEM, ... */
int fs_program(const char *path, struct file_image *image);
/* The image of @f: -ENODEV when it is no file of the tree, -ENOMEM, -ENAMETOOLONG. */
int file_image(struct file *f, struct file_image *image);

/*
 * Joins @path to directory @cwd unless it is absolute, and takes out "//", "." and "..": "/" or
 * "/a/b". Lexical, as there are no symbolic links. Returns 0, or 1 when only a directory will do
 * ("a/", "a/.."); -ENOENT for an empty path, -ENAMETOOLONG. Pure: any context.
 */
int path_resolve(const char *cwd, const char *path, char *out, size_t size);

/* --- The boot archive (kernel/fs/archive.c): a newc cpio image, used in place --- */
struct archive_entry {
	const char *name; /* without a leading slash */
	const u8 *data;
	size_t size; /* bytes of data */
	u32 mode;    /* UAPI_S_IF* and permission bits */
	u32 mtime;   /* seconds since 1970 */
	u64 ino;
};
/*
 * Reads the entry at *@offset of a cpio image and moves *@offset past it; -ENOENT at the trailer,
 * -EINVAL for a malformed image. Pure: any context.
 */
int cpio_next(const u8 *image, size_t size, size_t *offset, struct archive_entry *entry);
/* Makes the file tree, with what the boot archive has; once. -EINVAL for a malformed one, -ENOENT
 * (no archive), -ENOMEM. */
int archive_init(void);

/* --- Descriptors (kernel/fs/files.c) --- */
#define MAX_FILES 64
struct files {
	struct refcount refs;
	struct spinlock lock;
	struct file *file[MAX_FILES];
	int first; /* all descriptors below this one are open */
	int end;   /* none from here on was open yet */
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
/* The close-on-exec flag of open descriptor @fd. */
bool fd_cloexec(int fd);
void fd_set_cloexec(int fd, bool cloexec);
/* fcntl()'s record locks: the file's lock operation, for the caller's process. May sleep. */
long fd_lock(int fd, int cmd, struct uapi_flock *lock);

/* --- poll (kernel/fs/poll.c) --- */
/* Most queues one file may name in its poll(). */
#define POLL_QUEUES_PER_FILE 2
/* Puts the caller on @q until the poll ends. @table NULL: only asks. */
void poll_wait(struct poll_table *table, struct wait_queue *q);
/*
 * poll(2) on @n <= MAX_FILES descriptors of the current task; @timeout_ns < 0: for ever. Sets
 * revents; returns how many are not zero, -EINTR, -ENOMEM. May sleep.
 */
int poll_files(struct uapi_pollfd *fds, unsigned n, s64 timeout_ns);

/* --- Kinds of files --- */
int pipe_create(struct file *ends[2]); /* [0] reads, [1] writes; -ENOMEM */
extern const struct file_ops console_file_ops;
extern const struct file_ops export_file_ops;

/* A character device file appears as /dev/@name. The table is fixed at build time by each room's
 * DEVICE_FILE(); */
struct device_file {
	const char *name;
	const struct file_ops *ops;
	u32 mode; /* permission bits; the privileged user owns it */
};
/* Aligned as in an array, which the linker makes of them. */
#define DEVICE_FILE_MODE(id, file_name, file_ops, file_mode)                               \
	static const struct device_file device_file_##id __used __section(".device_files") \
	    __aligned(__alignof__(struct device_file)) = {file_name, file_ops, file_mode}
#define DEVICE_FILE(id, file_name, file_ops) DEVICE_FILE_MODE(id, file_name, file_ops, 0666)

/* --- /proc and /sys (kernel/fs/procfs.c): small text or binary files made when opened --- */
/* Where a generator writes; the buffer grows. seq_* fail silently into `overflow` (-ENOMEM). */
struct seq {
	char *buf; /* whole pages */
	size_t size, capacity;
	bool overflow;
};
/* The file operations of one whose private pointer is a struct seq. */
extern const struct file_ops seq_file_ops;
struct seq *seq_create(void); /* ERR_PTR(-ENOMEM) */
void seq_free(struct seq *s); /* NULL is ignored */
void seq_printf(struct seq *s, const char *fmt, ...) __printf(2, 3);
void seq_write(struct seq *s, const void *data, size_t n);
