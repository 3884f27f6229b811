/* SPDX-License-Identifier: MIT */
/* Files, pipes and descriptors: the answers a program expects, wrong arguments included. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ktap.h"

TEST(file_open_errors)
{
	EXPECT_ERRNO(open("/no/such/file", O_RDONLY), ENOENT);
	EXPECT_ERRNO(open("/proc/stat", O_WRONLY), EROFS);
	EXPECT_ERRNO(open("/bin/hello/x", O_RDONLY), ENOTDIR);
	EXPECT_ERRNO(open(bad_pointer, O_RDONLY), EFAULT);
	EXPECT_ERRNO(open("/bin", O_WRONLY), EISDIR);
}

TEST(file_bad_descriptors)
{
	char c;

	EXPECT_ERRNO(read(63, &c, 1), EBADF);
	EXPECT_ERRNO(write(-1, "x", 1), EBADF);
	EXPECT_ERRNO(close(1000), EBADF);
	EXPECT_ERRNO(dup(63), EBADF);
	EXPECT_ERRNO(ioctl(63, 0, 0), EBADF);
	EXPECT_ERRNO(lseek(63, 0, SEEK_SET), EBADF);
}

TEST(file_read_and_seek)
{
	unsigned char magic[4];
	struct stat st;
	int fd = open("/bin/hello", O_RDONLY);

	if (!EXPECT(fd >= 0))
		return;
	EXPECT_EQ(read(fd, magic, 4), 4);
	EXPECT(!memcmp(magic, "\177ELF", 4));
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT(S_ISREG(st.st_mode));
	EXPECT(st.st_size > 1000);
	EXPECT_EQ(lseek(fd, 0, SEEK_END), st.st_size);
	EXPECT_EQ(read(fd, magic, 4), 0);
	EXPECT_EQ(lseek(fd, 1, SEEK_SET), 1);
	EXPECT_EQ(read(fd, magic, 1), 1);
	EXPECT_EQ(magic[0], 'E');
	EXPECT_ERRNO(lseek(fd, -1, SEEK_SET), EINVAL);
	EXPECT_ERRNO(lseek(fd, 0, 99), EINVAL);
	/* Where a position does not fit the result, it is not taken. */
	if (sizeof(long) == 4) {
		EXPECT_EQ(lseek(fd, 0x7fffffff, SEEK_SET), 0x7fffffff);
		EXPECT_ERRNO(lseek(fd, 1, SEEK_CUR), EOVERFLOW);
		EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 0x7fffffff);
	}
	EXPECT_ERRNO(read(fd, bad_pointer, 4), EFAULT);
	EXPECT_ERRNO(write(fd, "x", 1), EBADF);
	EXPECT_ERRNO(ioctl(fd, 0x1234, 0), ENOTTY);
	close(fd);
}

TEST(file_directories)
{
	DIR *dir = opendir("/bin");
	struct dirent *entry;
	bool found = false;

	if (!EXPECT(dir))
		return;
	while ((entry = readdir(dir)))
		found |= !strcmp(entry->d_name, "guest-tests");
	EXPECT(found);
	closedir(dir);
	EXPECT(!opendir("/bin/hello"));
	EXPECT_EQ(errno, ENOTDIR);
}

TEST(pipe_carries_data_in_order)
{
	unsigned char buf[512];
	int ends[2], in = 0, out = 0;

	EXPECT_EQ(pipe(ends), 0);
	/* Odd sizes, so that every wrap position comes up. */
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 77; i++)
			buf[i] = in++;
		EXPECT_EQ(write(ends[1], buf, 77), 77);
		EXPECT_EQ(read(ends[0], buf, sizeof(buf)), 77);
		for (int i = 0; i < 77; i++)
			if (!EXPECT_EQ(buf[i], (unsigned char)out++))
				return;
	}
	close(ends[0]);
	close(ends[1]);
}

TEST(pipe_ends)
{
	int ends[2];
	char c;

	EXPECT_EQ(pipe(ends), 0);
	EXPECT_ERRNO(write(ends[0], "x", 1), EBADF);
	EXPECT_ERRNO(read(ends[1], &c, 1), EBADF);
	EXPECT_ERRNO(lseek(ends[0], 0, SEEK_SET), ESPIPE);
	EXPECT_EQ(write(ends[1], "x", 1), 1);
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &c, 1), 1);
	EXPECT_EQ(read(ends[0], &c, 1), 0); /* no writer left */
	close(ends[0]);
	EXPECT_EQ(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_ERRNO(write(ends[1], "x", 1), EPIPE);
	signal(SIGPIPE, SIG_DFL);
	close(ends[1]);
	EXPECT_ERRNO(pipe(bad_pointer), EFAULT);
}

TEST(pipe_nonblocking)
{
	char buf[4096] = {0};
	int ends[2];
	ssize_t n, total = 0;

	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	EXPECT_ERRNO(read(ends[0], buf, 1), EAGAIN);
	while ((n = write(ends[1], buf, sizeof(buf))) > 0)
		total += n;
	EXPECT_EQ(n, -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT(total >= 4096);
	while ((n = read(ends[0], buf, sizeof(buf))) > 0)
		total -= n;
	EXPECT_EQ(total, 0);
	close(ends[0]);
	close(ends[1]);
}

TEST(poll_tells_what_is_ready)
{
	struct pollfd p[2];
	int ends[2];

	EXPECT_EQ(pipe(ends), 0);
	p[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	p[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
	EXPECT_EQ(poll(p, 1, 0), 0);
	EXPECT_EQ(poll(p, 1, 5), 0);
	EXPECT_EQ(poll(p, 2, -1), 1);
	EXPECT_EQ(p[1].revents, POLLOUT);
	EXPECT_EQ(write(ends[1], "x", 1), 1);
	EXPECT_EQ(poll(p, 1, -1), 1);
	EXPECT_EQ(p[0].revents, POLLIN);
	close(ends[1]);
	EXPECT_EQ(poll(p, 1, -1), 1);
	EXPECT_EQ(p[0].revents, POLLIN | POLLHUP);
	p[0].fd = 60;
	EXPECT_EQ(poll(p, 1, -1), 1);
	EXPECT_EQ(p[0].revents, POLLNVAL);
	EXPECT_ERRNO(poll(bad_pointer, 1, 0), EFAULT);
	close(ends[0]);
}

TEST(file_descriptors_run_out)
{
	int fd, n = 0, first = -1;

	while ((fd = dup(0)) >= 0) {
		if (first < 0)
			first = fd;
		n++;
	}
	EXPECT_EQ(errno, EMFILE);
	EXPECT(n > 8);
	while (n--)
		EXPECT_EQ(close(first + n), 0);
}
