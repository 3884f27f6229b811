/* SPDX-License-Identifier: MIT */
/* System calls on open files, and on paths. */
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/process.h>
#include <hotregs/string.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

/* Longest transfer in one call, so that its length always fits the result. */
#define TRANSFER_MAX 0x7ffff000UL

/* What is wrong with moving @n bytes through @buf; *n is cut to TRANSFER_MAX. */
static int check_buffer(const void __user *buf, size_t *n)
{
	*n = MIN(*n, TRANSFER_MAX);
	return likely(user_range_ok((unsigned long)buf, *n)) ? 0 : -EFAULT;
}

static long read_refused(const struct file *f)
{
	if (!file_readable(f))
		return -EBADF;
	return f->ops->readdir ? -EISDIR : -EINVAL;
}

long sys_read(int fd, void __user *buf, size_t n)
{
	struct file *f = fd_get(fd);
	long ret = 0;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (!file_readable(f) || !f->ops->read)
		ret = read_refused(f);
	else if (n)
		ret = check_buffer(buf, &n) ?: f->ops->read(f, buf, n);
	file_put(f);
	return ret;
}

long sys_write(int fd, const void __user *buf, size_t n)
{
	struct file *f = fd_get(fd);
	long ret = 0;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (!file_writable(f) || !f->ops->write)
		ret = file_writable(f) ? -EINVAL : -EBADF;
	else if (n)
		ret = check_buffer(buf, &n) ?: f->ops->write(f, buf, n);
	if (unlikely(ret == -EPIPE))
		signal_send_self(UAPI_SIGPIPE);
	file_put(f);
	return ret;
}

/* The offset of pread() and pwrite(), a system call's fourth argument. -EFAULT, -EINVAL. */
static int get_offset(const s64 __user *user, loff_t *pos)
{
	s64 offset;

	if (copy_from_user(&offset, user, sizeof(offset)))
		return -EFAULT;
	*pos = offset;
	return offset < 0 ? -EINVAL : 0;
}

long sys_pread(int fd, void __user *buf, size_t n, const s64 __user *offset)
{
	struct file *f = fd_get(fd);
	loff_t pos;
	long ret;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (!file_readable(f))
		ret = -EBADF;
	else if (!f->ops->pread)
		ret = f->ops->readdir ? -EISDIR : -ESPIPE;
	else
		ret = get_offset(offset, &pos) ?: check_buffer(buf, &n);
	if (!ret && n)
		ret = f->ops->pread(f, buf, n, pos);
	file_put(f);
	return ret;
}

long sys_pwrite(int fd, const void __user *buf, size_t n, const s64 __user *offset)
{
	struct file *f = fd_get(fd);
	loff_t pos;
	long ret;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (!file_writable(f))
		ret = -EBADF;
	else if (!f->ops->pwrite)
		ret = -ESPIPE;
	else
		ret = get_offset(offset, &pos) ?: check_buffer(buf, &n);
	if (!ret && n)
		ret = f->ops->pwrite(f, buf, n, pos);
	file_put(f);
	return ret;
}

long sys_open(const char __user *user_path, int flags, int mode)
{
	char path[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(path, user_path, sizeof(path));
	struct file *f;
	int fd;

	if (len < 0)
		return len;
	f = fs_open(path, flags, mode);
	if (IS_ERR(f))
		return PTR_ERR(f);
	fd = fd_install(f, 0, flags & UAPI_O_CLOEXEC);
	if (fd < 0)
		file_put(f);
	return fd;
}

long sys_close(int fd)
{
	return fd_close(fd);
}

long sys_lseek(int fd, long offset, int whence)
{
	struct file *f = fd_get(fd);
	long ret = -ESPIPE;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (f->ops->lseek) {
		mutex_lock(&f->pos_lock);
		ret = f->ops->lseek(f, offset, whence);
		mutex_unlock(&f->pos_lock);
	}
	file_put(f);
	return ret;
}

long sys_fstat(int fd, struct uapi_stat __user *user_st)
{
	struct file *f = fd_get(fd);
	struct uapi_stat st;
	int err;

	if (IS_ERR(f))
		return PTR_ERR(f);
	err = file_stat(f, &st);
	file_put(f);
	return err ? err : copy_to_user(user_st, &st, sizeof(st));
}

long sys_stat(const char __user *user_path, struct uapi_stat __user *user_st)
{
	char path[FS_PATH_MAX];
	ssize_t len = strncpy_from_user(path, user_path, sizeof(path));
	struct uapi_stat st;
	int err;

	if (len < 0)
		return len;
	err = fs_stat(path, &st);
	return err ? err : copy_to_user(user_st, &st, sizeof(st));
}

long sys_ioctl(int fd, unsigned long cmd, unsigned long arg)
{
	struct file *f = fd_get(fd);
	long ret = -ENOTTY;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (f->ops->ioctl)
		ret = f->ops->ioctl(f, cmd, arg);
	file_put(f);
	return ret;
}

/* Writes the directory entry at f->pos to @buf, which has @room bytes. Its length; 0 at the end;
 * -EINVAL when there is no room: then it is the next one still. */
static long put_dirent(struct file *f, u8 __user *buf, size_t room)
{
	struct {
		struct uapi_dirent head;
		char name[FS_PATH_MAX + 8];
	} out = {};
	loff_t pos = f->pos;
	struct dir_entry entry;
	int err = f->ops->readdir(f, &entry);
	size_t len;

	if (err)
		return err == -ENOENT ? 0 : err;
	len = offsetof(struct uapi_dirent, name) + strlen(entry.name) + 1;
	len = ALIGN_UP(len, 8);
	out.head.ino = entry.ino;
	out.head.reclen = len;
	out.head.type = entry.type;
	strlcpy((char *)&out + offsetof(struct uapi_dirent, name), entry.name, FS_PATH_MAX);
	err = len > room ? -EINVAL : copy_to_user(buf, &out, len);
	if (err)
		f->pos = pos;
	return err ? err : (long)len;
}

long sys_getdents(int fd, void __user *buf, size_t n)
{
	struct file *f = fd_get(fd);
	long ret = -ENOTDIR;
	size_t done = 0;

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (f->ops->readdir) {
		mutex_lock(&f->pos_lock);
		do {
			ret = put_dirent(f, (u8 __user *)buf + done, n - done);
			done += ret > 0 ? ret : 0;
		} while (ret > 0);
		mutex_unlock(&f->pos_lock);
	}
	file_put(f);
	return done ? (long)done : ret;
}

/* Returns the length of what it wrote, the NUL included. */
long sys_getcwd(char __user *buf, size_t n)
{
	char cwd[PROCESS_CWD_MAX];
	size_t size;
	int err;

	process_cwd(cwd);
	size = strlen(cwd) + 1;
	if (n < size)
		return n ? -ERANGE : -EINVAL;
	err = copy_to_user(buf, cwd, size);
	return err ? err : (long)size;
}
