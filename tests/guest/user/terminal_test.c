/* SPDX-License-Identifier: MIT */
/* The terminal as programs set it: settings, the foreground, and what is refused. What keys do is
 * shown by the system's tests, which can press some. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "ktap.h"

TEST(terminal_is_the_console_alone)
{
	int ends[2], null = open("/dev/null", O_RDWR), tty = open("/dev/tty", O_RDWR);
	struct termios t;

	EXPECT(isatty(0));
	EXPECT(isatty(tty));
	EXPECT_STR(ttyname(tty), "/dev/console");
	EXPECT(!isatty(null));
	EXPECT_EQ(errno, ENOTTY);
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_ERRNO(tcgetattr(ends[0], &t), ENOTTY);
	EXPECT_ERRNO(tcgetpgrp(null), ENOTTY);
	EXPECT_ERRNO(tcgetattr(63, &t), EBADF);
	close(ends[0]);
	close(ends[1]);
	close(null);
	close(tty);
}

TEST(terminal_settings)
{
	struct termios before, t, now;
	int n;

	EXPECT_EQ(tcgetattr(0, &before), 0);
	EXPECT(before.c_lflag & ICANON && before.c_lflag & ISIG && before.c_lflag & ECHO);
	EXPECT_EQ(before.c_cc[VINTR], 3);
	EXPECT_EQ(cfgetospeed(&before), B115200);
	t = before;
	cfmakeraw(&t);
	EXPECT_EQ(tcsetattr(0, TCSAFLUSH, &t), 0);
	EXPECT_EQ(tcgetattr(0, &now), 0);
	EXPECT(now.c_iflag == t.c_iflag && now.c_oflag == t.c_oflag && now.c_lflag == t.c_lflag);
	EXPECT(!memcmp(t.c_cc, now.c_cc, NCCS));
	EXPECT_EQ(tcsetattr(0, TCSANOW, &before), 0);
	/* Nothing is accepted that is not done. */
	t = before;
	t.c_iflag |= IXON;
	EXPECT_ERRNO(tcsetattr(0, TCSANOW, &t), EINVAL);
	t = before;
	t.c_cflag |= PARENB;
	EXPECT_ERRNO(tcsetattr(0, TCSANOW, &t), EINVAL);
	t = before;
	EXPECT_EQ(cfsetispeed(&t, B9600), 0);
	EXPECT_ERRNO(tcsetattr(0, TCSANOW, &t), EINVAL);
	EXPECT_ERRNO(tcsetattr(0, 9, &before), EINVAL);
	EXPECT_EQ(tcdrain(0), 0);
	EXPECT_EQ(tcflush(0, TCIFLUSH), 0);
	EXPECT_ERRNO(tcflush(0, 7), EINVAL);
	EXPECT_EQ(ioctl(0, FIONREAD, &n), 0);
	EXPECT_EQ(n, 0);
	EXPECT_ERRNO(ioctl(0, 0x5499, &n), ENOTTY);
	EXPECT_ERRNO(ioctl(0, UAPI_TCGETS, bad_pointer), EFAULT);
	EXPECT_ERRNO(ioctl(0, UAPI_TCSETS, bad_pointer), EFAULT);
}

TEST(terminal_size)
{
	struct winsize before, size = {.ws_row = 30, .ws_col = 100};

	EXPECT_EQ(ioctl(0, TIOCGWINSZ, &before), 0);
	EXPECT_EQ(ioctl(0, TIOCSWINSZ, &size), 0);
	memset(&size, 0, sizeof(size));
	EXPECT_EQ(ioctl(0, TIOCGWINSZ, &size), 0);
	EXPECT_EQ(size.ws_row, 30);
	EXPECT_EQ(size.ws_col, 100);
	EXPECT_EQ(ioctl(0, TIOCSWINSZ, &before), 0);
}

TEST(terminal_reads_with_a_time_limit)
{
	struct termios before, t;
	struct pollfd p = {.fd = 0, .events = POLLIN};
	char c;

	EXPECT_EQ(tcgetattr(0, &before), 0);
	t = before;
	t.c_lflag &= ~(ICANON | ECHO);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 1;
	EXPECT_EQ(tcsetattr(0, TCSAFLUSH, &t), 0);
	EXPECT_EQ(read(0, &c, 1), 0);
	t.c_cc[VTIME] = 0;
	EXPECT_EQ(tcsetattr(0, TCSANOW, &t), 0);
	EXPECT_EQ(read(0, &c, 1), 0);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	EXPECT_EQ(tcsetattr(0, TCSANOW, &before), 0);
}

TEST(terminal_foreground)
{
	pid_t group = getpgrp();

	EXPECT_EQ(tcgetpgrp(0), group);
	EXPECT_ERRNO(tcsetpgrp(0, 30000), EPERM);
	EXPECT_ERRNO(tcsetpgrp(0, -1), EINVAL);
	EXPECT_EQ(tcsetpgrp(0, group), 0);
}

/* The terminal is of one session: no other one takes it, whatever it does with SIGTTOU. */
TEST(terminal_of_another_session)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		signal(SIGTTOU, SIG_IGN);
		if (setsid() < 0)
			_exit(1);
		_exit(tcsetpgrp(0, getpgrp()) == -1 && errno == ENOTTY ? 0 : 2);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(tcgetpgrp(0), getpgrp());
}

/* A child in a group of its own, which is the background, that runs @body. */
static pid_t in_background(void (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		body();
		_exit(0);
	}
	return pid;
}

static void read_line(void)
{
	char c;

	read(0, &c, 1);
}

static void set_terminal(void)
{
	struct termios t;

	tcgetattr(0, &t);
	tcsetattr(0, TCSANOW, &t);
}

TEST(terminal_stops_the_background)
{
	int status;
	pid_t pid = in_background(read_line);

	EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTTIN);
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	pid = in_background(set_terminal);
	EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTTOU);
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
}

/* Who does not want the signal is told by an error, or let write. */
static void refuse_signals(void)
{
	char c;

	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	if (read(0, &c, 1) >= 0 || errno != EIO)
		_exit(1);
	if (tcsetpgrp(0, getppid()) && errno != EPERM)
		_exit(2);
	if (write(1, "", 0) < 0)
		_exit(3);
}

static void write_with_tostop(void)
{
	if (write(1, "# from the background\n", 22) != 22)
		_exit(1);
}

TEST(terminal_and_those_who_do_not_stop)
{
	struct termios before, t;
	int status;
	pid_t pid = in_background(refuse_signals);

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(tcgetattr(0, &before), 0);
	/* Writing is for everybody, unless TOSTOP says otherwise. */
	pid = in_background(write_with_tostop);
	EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
	EXPECT_EQ(status, 0);
	t = before;
	t.c_lflag |= TOSTOP;
	EXPECT_EQ(tcsetattr(0, TCSANOW, &t), 0);
	pid = in_background(write_with_tostop);
	EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTTOU);
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(tcsetattr(0, TCSANOW, &before), 0);
}
