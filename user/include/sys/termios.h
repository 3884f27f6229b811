/* SPDX-License-Identifier: MIT */
/* The system's part of newlib's <termios.h>. Settings that are not named here are EINVAL. */
#pragma once

#include <sys/types.h>
#include <uapi/termios.h>

typedef unsigned char cc_t;
typedef unsigned speed_t;
typedef unsigned tcflag_t;

#define NCCS UAPI_NCCS

struct termios {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_cc[NCCS];
};

#define INLCR UAPI_INLCR
#define IGNCR UAPI_IGNCR
#define ICRNL UAPI_ICRNL

#define OPOST UAPI_OPOST
#define ONLCR UAPI_ONLCR

#define ISIG    UAPI_ISIG
#define ICANON  UAPI_ICANON
#define ECHO    UAPI_ECHO
#define ECHOE   UAPI_ECHOE
#define ECHOK   UAPI_ECHOK
#define ECHONL  UAPI_ECHONL
#define NOFLSH  UAPI_NOFLSH
#define TOSTOP  UAPI_TOSTOP
#define ECHOCTL UAPI_ECHOCTL
#define ECHOKE  UAPI_ECHOKE
#define IEXTEN  UAPI_IEXTEN

/* Known by name so that programs can clear or keep them; none can be set. */
#define IGNBRK 0x001
#define BRKINT 0x002
#define IGNPAR 0x004
#define PARMRK 0x008
#define INPCK  0x010
#define ISTRIP 0x020
#define IXON   0x400
#define IXANY  0x800
#define IXOFF  0x1000

/* The line is 115200 baud, 8N1, and nothing else. */
#define CS8     UAPI_CS8
#define CSIZE   0x0030
#define CS5     0x0000
#define CS6     0x0010
#define CS7     0x0020
#define CSTOPB  0x0040
#define CREAD   UAPI_CREAD
#define PARENB  0x0100
#define PARODD  0x0200
#define HUPCL   0x0400
#define CLOCAL  UAPI_CLOCAL
#define B0      0
#define B9600   0x000d
#define B19200  0x000e
#define B38400  0x000f
#define B57600  0x1001
#define B115200 UAPI_B115200
#define CBAUD   0x100f

#define VINTR   UAPI_VINTR
#define VQUIT   UAPI_VQUIT
#define VERASE  UAPI_VERASE
#define VKILL   UAPI_VKILL
#define VEOF    UAPI_VEOF
#define VTIME   UAPI_VTIME
#define VMIN    UAPI_VMIN
#define VSUSP   UAPI_VSUSP
#define VEOL    UAPI_VEOL
#define VWERASE UAPI_VWERASE
#define VLNEXT  UAPI_VLNEXT

#define TCSANOW   0
#define TCSADRAIN 1
#define TCSAFLUSH 2

#define TCIFLUSH  UAPI_TCIFLUSH
#define TCOFLUSH  UAPI_TCOFLUSH
#define TCIOFLUSH UAPI_TCIOFLUSH

int tcgetattr(int fd, struct termios *t);
int tcsetattr(int fd, int when, const struct termios *t);
int tcdrain(int fd);
int tcflush(int fd, int what);
void cfmakeraw(struct termios *t);
speed_t cfgetispeed(const struct termios *t);
speed_t cfgetospeed(const struct termios *t);
int cfsetispeed(struct termios *t, speed_t speed);
int cfsetospeed(struct termios *t, speed_t speed);
