/* SPDX-License-Identifier: MIT */
/* Descriptors: a process's small numbers for its open files. */
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>

struct files *files_create(void)
{
	struct files *files = kzalloc(sizeof(*files));

	if (!files)
		return ERR_PTR(-ENOMEM);
	refcount_set(&files->refs, 1);
	spin_lock_init(&files->lock);
	return files;
}

struct files *files_fork(struct files *parent)
{
	struct files *files = files_create();
	unsigned long flags;

	if (IS_ERR(files))
		return files;
	flags = spin_lock_irqsave(&parent->lock);
	for (int fd = 0; fd < parent->end; fd++)
		if (parent->file[fd])
			files->file[fd] = file_get(parent->file[fd]);
	files->first = parent->first;
	files->end = parent->end;
	files->cloexec = parent->cloexec;
	spin_unlock_irqrestore(&parent->lock, flags);
	return files;
}

/* Drops the reference of a descriptor of @files that has been closed. */
static void put_closed(struct files *files, struct file *f)
{
	if (f->ops->closed)
		f->ops->closed(f, files);
	file_put(f);
}

void files_put(struct files *files)
{
	might_sleep();
	if (!refcount_put(&files->refs))
		return;
	for (int fd = 0; fd < files->end; fd++)
		if (files->file[fd])
			put_closed(files, files->file[fd]);
	kfree(files);
}

/* Puts @f into the free descriptor @fd. Lock held. */
static void put(struct files *files, int fd, struct file *f)
{
	files->file[fd] = f;
	files->end = MAX(files->end, fd + 1);
}

/* Takes the file out of descriptor @fd; NULL when it is not open. Lock held. */
static struct file *take(struct files *files, int fd)
{
	struct file *f = files->file[fd];

	files->file[fd] = NULL;
	files->first = MIN(files->first, fd);
	if (unlikely(files->cloexec))
		files->cloexec &= ~(1ULL << fd);
	return f;
}

void files_close_on_exec(struct files *files)
{
	for (int fd = 0; fd < files->end; fd++) {
		unsigned long flags = spin_lock_irqsave(&files->lock);
		struct file *f = files->cloexec & 1ULL << fd ? take(files, fd) : NULL;

		spin_unlock_irqrestore(&files->lock, flags);
		if (f)
			put_closed(files, f);
	}
}

int fd_install(struct file *f, int from, bool cloexec)
{
	struct files *files = current->files;
	unsigned long flags = spin_lock_irqsave(&files->lock);
	int fd = MAX(from, files->first);

	while (likely(fd < MAX_FILES) && files->file[fd])
		fd++;
	if (from <= files->first)
		files->first = fd;
	if (fd < MAX_FILES) {
		put(files, fd, f);
		if (cloexec)
			files->cloexec |= 1ULL << fd;
	} else {
		fd = -EMFILE;
	}
	spin_unlock_irqrestore(&files->lock, flags);
	return fd;
}

/* As fd_get(), for a table that others may change meanwhile. */
static noinline struct file *fd_get_shared(struct files *files, int fd)
{
	unsigned long flags = spin_lock_irqsave(&files->lock);
	struct file *f = files->file[fd];

	if (f)
		file_get(f);
	spin_unlock_irqrestore(&files->lock, flags);
	return f ? f : ERR_PTR(-EBADF);
}

struct file *fd_get(int fd)
{
	struct files *files = current->files;
	struct file *f;

	if (unlikely((unsigned)fd >= MAX_FILES))
		return ERR_PTR(-EBADF);
	/* Every read and write comes here. Only its owners change a table, and there is but one. */
	if (unlikely(!refcount_sole(&files->refs)))
		return fd_get_shared(files, fd);
	f = files->file[fd];
	return likely(f) ? file_get(f) : ERR_PTR(-EBADF);
}

int fd_close(int fd)
{
	struct files *files = current->files;
	unsigned long flags;
	struct file *f;

	if ((unsigned)fd >= MAX_FILES)
		return -EBADF;
	flags = spin_lock_irqsave(&files->lock);
	f = take(files, fd);
	spin_unlock_irqrestore(&files->lock, flags);
	if (!f)
		return -EBADF;
	put_closed(files, f);
	return 0;
}

int fd_dup2(int from, int to)
{
	struct files *files = current->files;
	struct file *f = fd_get(from), *old;
	unsigned long flags;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if ((unsigned)to >= MAX_FILES || from == to) {
		file_put(f);
		return from == to ? to : -EBADF;
	}
	flags = spin_lock_irqsave(&files->lock);
	old = take(files, to);
	put(files, to, f);
	spin_unlock_irqrestore(&files->lock, flags);
	if (old)
		put_closed(files, old);
	return to;
}

bool fd_cloexec(int fd)
{
	return READ_ONCE(current->files->cloexec) >> fd & 1;
}

void fd_set_cloexec(int fd, bool cloexec)
{
	struct files *files = current->files;
	unsigned long flags = spin_lock_irqsave(&files->lock);

	if (!files->file[fd] || !cloexec)
		files->cloexec &= ~(1ULL << fd);
	else
		files->cloexec |= 1ULL << fd;
	spin_unlock_irqrestore(&files->lock, flags);
}

long fd_lock(int fd, int cmd, struct uapi_flock *lock)
{
	struct files *files = current->files;
	struct file *f = fd_get(fd), *now;
	long ret;

	if (IS_ERR(f))
		return PTR_ERR(f);
	ret = f->ops->lock ? f->ops->lock(f, files, lock, cmd) : -EINVAL;
	/* Another thread may have closed the descriptor meanwhile, and the lock outlives none. */
	now = fd_get(fd);
	if (!ret && now != f) {
		f->ops->closed(f, files);
		ret = -EBADF;
	}
	if (!IS_ERR(now))
		file_put(now);
	file_put(f);
	return ret;
}
