/* SPDX-License-Identifier: MIT */
/* System calls that change what there is in the file tree, and what is said of it. */
#include <hotregs/fs.h>
#include <hotregs/process.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

/* Copies @user_path and calls @change with it. */
static long with_path(const char __user *user_path, int (*change)(const char *path))
{
	char path[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(path, user_path, sizeof(path));

	return len < 0 ? len : change(path);
}

/* The same with two of them. */
static long with_paths(const char __user *user_from, const char __user *user_to,
		       int (*change)(const char *from, const char *to))
{
	char from[FS_PATH_MAX], to[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(from, user_from, sizeof(from));

	if (len >= 0)
		len = strncpy_from_user(to, user_to, sizeof(to));
	return len < 0 ? len : change(from, to);
}

long sys_mkdir(const char __user *user_path, int mode)
{
	char path[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(path, user_path, sizeof(path));

	return len < 0 ? len : fs_mkdir(path, mode);
}

long sys_rmdir(const char __user *path)
{
	return with_path(path, fs_rmdir);
}

long sys_unlink(const char __user *path)
{
	return with_path(path, fs_unlink);
}

long sys_chdir(const char __user *path)
{
	return with_path(path, fs_chdir);
}

long sys_link(const char __user *from, const char __user *to)
{
	return with_paths(from, to, fs_link);
}

long sys_rename(const char __user *from, const char __user *to)
{
	return with_paths(from, to, fs_rename);
}

long sys_access(const char __user *user_path, int mode)
{
	char path[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(path, user_path, sizeof(path));

	if (mode & ~(UAPI_R_OK | UAPI_W_OK | UAPI_X_OK))
		return -EINVAL;
	return len < 0 ? len : fs_access(path, mode);
}

long sys_umask(int mask)
{
	return __atomic_exchange_n(&current->process->umask, mask & 0777, __ATOMIC_RELAXED);
}

static int truncate_file(int fd, u64 size)
{
	struct file *f = fd_get(fd);
	int err = -EINVAL;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (f->ops->truncate && file_writable(f))
		err = f->ops->truncate(f, size);
	file_put(f);
	return err;
}

long sys_truncate(int fd, const char __user *user_path, const s64 __user *user_size)
{
	char path[FS_PATH_MAX];
	ssize_t len;
	s64 size;

	if (copy_from_user(&size, user_size, sizeof(size)))
		return -EFAULT;
	if (size < 0)
		return -EINVAL;
	if (!user_path)
		return truncate_file(fd, size);
	len = strncpy_from_user(path, user_path, sizeof(path));
	return len < 0 ? len : fs_truncate(path, size);
}

long sys_chattr(int fd, const char __user *user_path, const struct uapi_attributes __user *user_a)
{
	struct uapi_attributes a;
	char path[FS_PATH_MAX];
	struct file *f;
	ssize_t len;
	int err;

	if (copy_from_user(&a, user_a, sizeof(a)))
		return -EFAULT;
	if (user_path) {
		len = strncpy_from_user(path, user_path, sizeof(path));
		return len < 0 ? len : fs_set_attributes(path, &a);
	}
	f = fd_get(fd);
	if (IS_ERR(f))
		return PTR_ERR(f);
	err = file_set_attributes(f, &a);
	file_put(f);
	return err;
}

long sys_statfs(struct uapi_statfs __user *user_st)
{
	struct uapi_statfs st = {
	    .block_size = PAGE_SIZE,
	    .blocks = page_nr_total(),
	    .free = page_nr_spare(),
	};

	return copy_to_user(user_st, &st, sizeof(st));
}
