/* SPDX-License-Identifier: MIT */
/* The writable file tree as programs see it: each call, its errors, and the memory given back. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define USER 1000

static bool make_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	ssize_t n = strlen(text);

	if (!EXPECT(fd >= 0))
		return false;
	EXPECT_EQ(write(fd, text, n), n);
	EXPECT_EQ(close(fd), 0);
	return true;
}

static void expect_text(const char *path, const char *text)
{
	char buf[64] = "";
	int fd = open(path, O_RDONLY);

	if (!EXPECT(fd >= 0))
		return;
	EXPECT_EQ(read(fd, buf, sizeof(buf) - 1), (ssize_t)strlen(text));
	EXPECT_STR(buf, text);
	close(fd);
}

/* Runs @body twice: the second time, what it costs in memory it gives back. */
static void expect_no_leak(void (*body)(void))
{
	long before;

	body();
	before = free_memory_kb();
	body();
	EXPECT_EQ(free_memory_kb(), before);
}

TEST(tree_streams)
{
	static const char *const modes[] = {"w", "wb", "a", "ab", "r", "rb", "r+", "r+b", "w+b"};
	char buf[8];

	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		FILE *f = fopen("/tmp/f", modes[i]);

		if (!EXPECT(f))
			continue;
		if (strpbrk(modes[i], "wa+"))
			EXPECT_EQ(fwrite("a\r\n", 1, 3, f), 3);
		else
			EXPECT_EQ(fread(buf, 1, 3, f), 3);
		EXPECT_EQ(fclose(f), 0);
	}
	expect_text("/tmp/f", "a\r\n");
	EXPECT_EQ(unlink("/tmp/f"), 0);
}

TEST(tree_open_flags)
{
	struct stat st;
	int fd;

	EXPECT_ERRNO(open("/tmp/f", O_RDWR), ENOENT);
	fd = open("/tmp/f", O_RDWR | O_CREAT | O_EXCL, 0666);
	if (!EXPECT(fd >= 0))
		return;
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT_EQ(st.st_mode, S_IFREG | 0644); /* umask 022 */
	EXPECT_EQ(write(fd, "hello", 5), 5);
	close(fd);
	EXPECT_ERRNO(open("/tmp/f", O_RDWR | O_CREAT | O_EXCL, 0666), EEXIST);
	EXPECT_ERRNO(open("/tmp/f", O_RDONLY | O_DIRECTORY), ENOTDIR);
	EXPECT_ERRNO(open("/tmp/f/", O_RDONLY), ENOTDIR);
	EXPECT_ERRNO(open("/tmp/g/", O_RDWR | O_CREAT, 0666), EISDIR);
	EXPECT_ERRNO(open("/tmp", O_RDWR), EISDIR);
	EXPECT_ERRNO(open("/tmp/f", O_RDONLY | 0x10000000), EINVAL);
	EXPECT_ERRNO(open("/proc/new", O_RDWR | O_CREAT, 0666), EROFS);
	EXPECT_ERRNO(open("/dev/new", O_RDWR | O_CREAT, 0666), EROFS);
	fd = open("/tmp/f", O_WRONLY | O_APPEND);
	EXPECT_EQ(write(fd, " world", 6), 6);
	close(fd);
	expect_text("/tmp/f", "hello world");
	fd = open("/tmp/f", O_WRONLY | O_TRUNC);
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT_EQ(st.st_size, 0);
	close(fd);
	EXPECT_EQ(unlink("/tmp/f"), 0);
	EXPECT_ERRNO(unlink("/tmp/f"), ENOENT);
}

TEST(tree_positions_and_holes)
{
	char buf[10];
	int fd = open("/tmp/f", O_RDWR | O_CREAT, 0666), ends[2];
	struct stat st;

	if (!EXPECT(fd >= 0))
		return;
	EXPECT_EQ(lseek(fd, 1 << 20, SEEK_SET), 1 << 20);
	EXPECT_EQ(write(fd, "end", 3), 3);
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT_EQ(st.st_size, (1 << 20) + 3);
	EXPECT_EQ(st.st_blocks, 8); /* one page, and nothing where nothing was written */
	EXPECT_EQ(pread(fd, buf, 5, (1 << 20) - 2), 5);
	EXPECT(!memcmp(buf, "\0\0end", 5));
	EXPECT_EQ(pwrite(fd, "x", 1, 3), 1);
	EXPECT_EQ(lseek(fd, 0, SEEK_CUR), (1 << 20) + 3);
	EXPECT_EQ(ftruncate(fd, 4), 0);
	EXPECT_EQ(pread(fd, buf, 10, 0), 4);
	EXPECT(!memcmp(buf, "\0\0\0x", 4));
	EXPECT_EQ(truncate("/tmp/f", 8), 0);
	EXPECT_EQ(pread(fd, buf, 10, 2), 6);
	EXPECT_ERRNO(pread(fd, buf, 1, -1), EINVAL);
	EXPECT_ERRNO(ftruncate(fd, -1), EINVAL);
	EXPECT_ERRNO(pread(fd, bad_pointer, 1, 0), EFAULT);
	EXPECT_ERRNO(write(fd, bad_pointer, 1), EFAULT);
	EXPECT_EQ(fsync(fd), 0);
	close(fd);
	fd = open("/tmp/f", O_RDONLY);
	EXPECT_ERRNO(ftruncate(fd, 0), EINVAL);
	EXPECT_ERRNO(pwrite(fd, "x", 1, 0), EBADF);
	close(fd);
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_ERRNO(pread(ends[0], buf, 1, 0), ESPIPE);
	EXPECT_ERRNO(fsync(ends[0]), EINVAL);
	close(ends[0]);
	close(ends[1]);
	EXPECT_EQ(unlink("/tmp/f"), 0);
	EXPECT_ERRNO(truncate("/tmp/f", 0), ENOENT);
	EXPECT_ERRNO(truncate("/tmp", 0), EISDIR);
}

TEST(tree_names)
{
	struct stat st;

	EXPECT_EQ(mkdir("/tmp/d", 0777), 0);
	EXPECT_ERRNO(mkdir("/tmp/d", 0777), EEXIST);
	EXPECT_ERRNO(mkdir("/tmp/no/d", 0777), ENOENT);
	EXPECT_ERRNO(mkdir("/proc/d", 0777), EROFS);
	EXPECT_ERRNO(rmdir("/proc"), EBUSY);
	EXPECT_ERRNO(rename("/tmp/d", "/dev"), EBUSY);
	EXPECT_EQ(chdir("/tmp/d"), 0);
	make_file("f", "text");
	EXPECT_ERRNO(rmdir("/tmp/d"), ENOTEMPTY);
	EXPECT_ERRNO(unlink("/tmp/d"), EISDIR);
	EXPECT_ERRNO(rmdir("f"), ENOTDIR);
	EXPECT_ERRNO(rename("f/", "g"), ENOTDIR);
	EXPECT_EQ(rename("f", "../g"), 0);
	expect_text("/tmp/g", "text");
	EXPECT_EQ(link("/tmp/g", "h"), 0);
	EXPECT_EQ(stat("h", &st), 0);
	EXPECT_EQ(st.st_nlink, 2);
	EXPECT_EQ(unlink("/tmp/g"), 0);
	expect_text("h", "text");
	EXPECT_EQ(remove("h"), 0);
	EXPECT_ERRNO(symlink("x", "y"), EPERM);
	EXPECT_EQ(chdir("/"), 0);
	EXPECT_ERRNO(readlink("/tmp/d", (char[1]){0}, 1), EINVAL);
	EXPECT_EQ(remove("/tmp/d"), 0);
	EXPECT_ERRNO(rmdir("/tmp/d"), ENOENT);
	EXPECT_ERRNO(mkdir(bad_pointer, 0), EFAULT);
	EXPECT_ERRNO(rename("/tmp/x", bad_pointer), EFAULT);
}

TEST(tree_open_files_outlive_their_names)
{
	int fd = open("/tmp/f", O_RDWR | O_CREAT, 0666);
	struct stat st;
	char c;

	EXPECT_EQ(write(fd, "x", 1), 1);
	EXPECT_EQ(unlink("/tmp/f"), 0);
	EXPECT_EQ(pread(fd, &c, 1, 0), 1);
	EXPECT_EQ(write(fd, "y", 1), 1);
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT_EQ(st.st_nlink, 0);
	EXPECT_EQ(st.st_size, 2);
	close(fd);
}

TEST(tree_attributes)
{
	struct timeval times[2] = {{5, 6}, {7, 8}};
	struct stat st;

	make_file("/tmp/f", "");
	EXPECT_EQ(chmod("/tmp/f", 0751), 0);
	EXPECT_EQ(stat("/tmp/f", &st), 0);
	EXPECT_EQ(st.st_mode & 07777, 0751);
	EXPECT_EQ(access("/tmp/f", X_OK), 0);
	EXPECT_ERRNO(chmod("/tmp/f", 04755), EINVAL);
	EXPECT_EQ(chown("/tmp/f", USER, -1), 0);
	EXPECT_ERRNO(chown("/tmp/f", -1, 5), EINVAL);
	EXPECT_EQ(utimes("/tmp/f", times), 0);
	EXPECT_EQ(stat("/tmp/f", &st), 0);
	EXPECT_EQ(st.st_uid, USER);
	EXPECT_EQ(st.st_atime, 5);
	EXPECT_EQ(st.st_mtime, 7);
	EXPECT_EQ(utimes("/tmp/f", NULL), 0);
	EXPECT_EQ(stat("/tmp/f", &st), 0);
	EXPECT(st.st_mtime > 7);
	EXPECT_ERRNO(chmod("/proc/stat", 0), EROFS);
	EXPECT_ERRNO(access("/proc/stat", W_OK), EROFS);
	EXPECT_ERRNO(access("/tmp/none", F_OK), ENOENT);
	EXPECT_ERRNO(access("/tmp", 8), EINVAL);
	EXPECT_EQ(umask(077), 022);
	EXPECT_EQ(mkdir("/tmp/d", 0777), 0);
	EXPECT_EQ(umask(022), 077);
	EXPECT_EQ(stat("/tmp/d", &st), 0);
	EXPECT_EQ(st.st_mode, S_IFDIR | 0700);
	rmdir("/tmp/d");
	unlink("/tmp/f");
}

/* Exit status 0, or the line where something was not as it should be. */
#define CHECK(cond) ((cond) ? (void)0 : _exit(__LINE__ % 255 + 1))

static void as_user(void)
{
	CHECK(setuid(USER) == 0);
	CHECK(open("/tmp/root", O_RDWR) < 0 && errno == EACCES);
	CHECK(open("/tmp/root", O_RDONLY) >= 0);
	CHECK(unlink("/tmp/root") < 0 && errno == EPERM); /* sticky */
	CHECK(open("/new", O_RDWR | O_CREAT, 0666) < 0 && errno == EACCES);
	CHECK(mkdir("/bin/d", 0777) < 0 && errno == EACCES);
	CHECK(chmod("/tmp/root", 0777) < 0 && errno == EPERM);
	CHECK(chown("/tmp/root", USER, -1) < 0 && errno == EPERM);
	CHECK(open("/tmp/secret/f", O_RDONLY) < 0 && errno == EACCES);
	CHECK(chdir("/tmp/secret") < 0 && errno == EACCES);
	CHECK(open("/tmp/mine", O_RDWR | O_CREAT, 0600) >= 0);
	CHECK(unlink("/tmp/mine") == 0);
}

TEST(tree_permissions)
{
	make_file("/tmp/root", "");
	EXPECT_EQ(mkdir("/tmp/secret", 0700), 0);
	make_file("/tmp/secret/f", "");
	EXPECT_EQ(in_child(as_user), 0);
	unlink("/tmp/secret/f");
	rmdir("/tmp/secret");
	unlink("/tmp/root");
}

/* A program of the archive, rewritten while it runs: what runs keeps what it was. */
static void copy_and_replace_program(void)
{
	char *const argv[] = {"/tmp/copy", NULL};
	char buf[4096];
	int in = open("/bin/true", O_RDONLY), out = open("/tmp/copy", O_RDWR | O_CREAT, 0755);
	int status;
	ssize_t n;
	pid_t pid;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		EXPECT_EQ(write(out, buf, n), n);
	close(in);
	for (int round = 0; round < 3; round++) {
		pid = fork();
		if (!pid) {
			execv(argv[0], argv);
			_exit(99);
		}
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_EQ(status, 0);
	}
	EXPECT_EQ(fchmod(out, 0644), 0);
	EXPECT_ERRNO(execv(argv[0], argv), EACCES);
	EXPECT_EQ(fchmod(out, 0755), 0);
	EXPECT_EQ(ftruncate(out, 100), 0);
	EXPECT_ERRNO(execv(argv[0], argv), ENOEXEC);
	close(out);
	EXPECT_EQ(unlink("/tmp/copy"), 0);
	EXPECT_ERRNO(execv("/tmp", argv), EACCES);
}

TEST(tree_programs_can_be_copied_and_replaced)
{
	expect_no_leak(copy_and_replace_program);
}

static void map_privately(void)
{
	int fd = open("/tmp/f", O_RDWR | O_CREAT, 0666);
	char *map;

	EXPECT_EQ(write(fd, "before", 6), 6);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (EXPECT(map != MAP_FAILED)) {
		EXPECT_EQ(pwrite(fd, "after!", 6, 0), 6);
		EXPECT_STR(map, "before"); /* as it was */
		map[0] = 'B';
		expect_text("/tmp/f", "after!");
		EXPECT_EQ(munmap(map, 4096), 0);
	}
	EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), ENODEV);
	close(fd);
	EXPECT_EQ(unlink("/tmp/f"), 0);
}

TEST(tree_private_mappings)
{
	expect_no_leak(map_privately);
}

static void fill_memory(void)
{
	int fd = open("/tmp/f", O_RDWR | O_CREAT, 0666);
	struct statvfs st;
	static char buf[65536];
	ssize_t n;

	while ((n = write(fd, buf, sizeof(buf))) > 0)
		;
	EXPECT_EQ(n, -1);
	EXPECT_EQ(errno, ENOSPC);
	EXPECT_EQ(statvfs("/tmp", &st), 0);
	EXPECT(st.f_bavail < 64);
	EXPECT(free_memory_kb() > 256); /* not all of it */
	EXPECT_EQ(ftruncate(fd, 0), 0);
	EXPECT_EQ(write(fd, "x", 1), 1);
	close(fd);
	unlink("/tmp/f");
}

TEST(tree_is_full_when_memory_is_short)
{
	expect_no_leak(fill_memory);
}

static int lock_file(int fd, int cmd, int type, long start, long len)
{
	struct flock l = {.l_type = type, .l_start = start, .l_len = len};
	int ret = fcntl(fd, cmd, &l);

	return ret ? ret : l.l_type;
}

static int locked_fd;

static void other_process(void)
{
	CHECK(lock_file(locked_fd, F_GETLK, F_RDLCK, 0, 1) == F_WRLCK);
	CHECK(lock_file(locked_fd, F_SETLK, F_RDLCK, 9, 2) < 0 && errno == EAGAIN);
	CHECK(lock_file(locked_fd, F_SETLK, F_WRLCK, 10, 0) == F_WRLCK);
}

static void nothing_locked(void)
{
	CHECK(lock_file(locked_fd, F_GETLK, F_WRLCK, 0, 0) == F_UNLCK);
}

TEST(tree_record_locks)
{
	int fd = locked_fd = open("/tmp/f", O_RDWR | O_CREAT, 0666), again;

	EXPECT_EQ(lock_file(fd, F_SETLK, F_WRLCK, 0, 10), F_WRLCK);
	EXPECT_EQ(in_child(other_process), 0);
	EXPECT_EQ(lock_file(fd, F_GETLK, F_WRLCK, 10, 0), F_UNLCK); /* gone with its process */
	EXPECT_EQ(lock_file(fd, F_SETLKW, F_WRLCK, 0, 0), F_WRLCK);
	again = open("/tmp/f", O_RDONLY);
	EXPECT_ERRNO(lock_file(again, F_SETLK, F_WRLCK, 0, 0), EBADF);
	close(again); /* any descriptor of the file closed: the process's locks are gone */
	EXPECT_EQ(in_child(nothing_locked), 0);
	EXPECT_ERRNO(lock_file(fd, F_SETLK, 77, 0, 0), EINVAL);
	EXPECT_ERRNO(lock_file(0, F_SETLK, F_WRLCK, 0, 0), EINVAL);
	EXPECT_ERRNO(syscall(SYS_fcntl, fd, UAPI_F_SETLK, bad_pointer), EFAULT);
	close(fd);
	unlink("/tmp/f");
}

static void make_many_files(void)
{
	char name[300];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	EXPECT_EQ(mkdir("/tmp/many", 0777), 0);
	for (int i = 0; i < 300; i++) {
		sprintf(name, "/tmp/many/%d", i);
		if (!make_file(name, "some text"))
			break;
	}
	dir = opendir("/tmp/many");
	while ((entry = readdir(dir))) {
		/* Removed while they are listed: each comes once all the same. */
		sprintf(name, "/tmp/many/%s", entry->d_name);
		EXPECT_EQ(unlink(name), 0);
		n++;
	}
	closedir(dir);
	EXPECT_EQ(n, 300);
	EXPECT_EQ(rmdir("/tmp/many"), 0);
}

TEST(tree_many_files_and_their_memory)
{
	expect_no_leak(make_many_files);
}
