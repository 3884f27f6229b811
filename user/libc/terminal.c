/* SPDX-License-Identifier: MIT */
/* Terminals: what POSIX calls the ioctl()s of one. */
#include "libc.h"

#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

_Static_assert(sizeof(struct winsize) == sizeof(struct uapi_winsize), "struct winsize");

int tcgetattr(int fd, struct termios *t)
{
	struct uapi_termios k;

	if (SYSCALL(ioctl, fd, UAPI_TCGETS, &k) < 0)
		return -1;
	t->c_iflag = k.iflag;
	t->c_oflag = k.oflag;
	t->c_cflag = k.cflag;
	t->c_lflag = k.lflag;
	memcpy(t->c_cc, k.cc, NCCS);
	return 0;
}

int tcsetattr(int fd, int when, const struct termios *t)
{
	struct uapi_termios k = {
	    .iflag = t->c_iflag, .oflag = t->c_oflag, .cflag = t->c_cflag, .lflag = t->c_lflag};

	if (when < TCSANOW || when > TCSAFLUSH) {
		errno = EINVAL;
		return -1;
	}
	memcpy(k.cc, t->c_cc, NCCS);
	return SYSCALL(ioctl, fd, UAPI_TCSETS + when, &k);
}

int tcdrain(int fd)
{
	return SYSCALL(ioctl, fd, UAPI_TCSBRK, 1);
}

int tcflush(int fd, int what)
{
	return SYSCALL(ioctl, fd, UAPI_TCFLSH, what);
}

pid_t tcgetpgrp(int fd)
{
	int32_t group;

	return SYSCALL(ioctl, fd, UAPI_TIOCGPGRP, &group) < 0 ? -1 : group;
}

int tcsetpgrp(int fd, pid_t pgid)
{
	int32_t group = pgid;

	return SYSCALL(ioctl, fd, UAPI_TIOCSPGRP, &group);
}

int isatty(int fd)
{
	struct termios t;

	return tcgetattr(fd, &t) == 0;
}

char *ttyname(int fd)
{
	return isatty(fd) ? "/dev/console" : NULL;
}

void cfmakeraw(struct termios *t)
{
	t->c_iflag = 0;
	t->c_oflag &= ~OPOST;
	t->c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	t->c_cc[VMIN] = 1;
	t->c_cc[VTIME] = 0;
}

speed_t cfgetispeed(const struct termios *t)
{
	return t->c_cflag & CBAUD;
}

speed_t cfgetospeed(const struct termios *t)
{
	return t->c_cflag & CBAUD;
}

int cfsetispeed(struct termios *t, speed_t speed)
{
	if (speed & ~CBAUD) {
		errno = EINVAL;
		return -1;
	}
	t->c_cflag = (t->c_cflag & ~CBAUD) | speed;
	return 0;
}

int cfsetospeed(struct termios *t, speed_t speed)
{
	return cfsetispeed(t, speed);
}
