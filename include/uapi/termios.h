/* SPDX-License-Identifier: MIT */
/*
 * Terminals as ioctl() passes them. Values are Linux's. What is not named here is refused with
 * EINVAL when it is set.
 */
#pragma once

#include <stdint.h>

#define UAPI_NCCS 19

struct uapi_termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t cc[UAPI_NCCS];
	uint8_t reserved; /* 0 */
};

/* Input. */
#define UAPI_INLCR 0x040 /* NL becomes CR */
#define UAPI_IGNCR 0x080 /* CR is dropped */
#define UAPI_ICRNL 0x100 /* CR becomes NL */

/* Output. */
#define UAPI_OPOST 0x1 /* the next one holds */
#define UAPI_ONLCR 0x4 /* NL goes out as CR NL */

/* The line: it cannot be changed. */
#define UAPI_B115200 0x1002
#define UAPI_CS8     0x0030
#define UAPI_CREAD   0x0080
#define UAPI_CLOCAL  0x0800
#define UAPI_CFLAG   (UAPI_B115200 | UAPI_CS8 | UAPI_CREAD | UAPI_CLOCAL)

/* What is done with characters. */
#define UAPI_ISIG    0x0001 /* VINTR, VQUIT and VSUSP send signals */
#define UAPI_ICANON  0x0002 /* input comes in lines, which can be edited */
#define UAPI_ECHO    0x0008
#define UAPI_ECHOE   0x0010 /* what is erased disappears */
#define UAPI_ECHOK   0x0020 /* VKILL begins a new line, if the next but two does not hold */
#define UAPI_ECHONL  0x0040 /* NL is echoed without ECHO, too */
#define UAPI_NOFLSH  0x0080 /* a signal's key leaves input alone */
#define UAPI_TOSTOP  0x0100 /* writing in the background: SIGTTOU */
#define UAPI_ECHOCTL 0x0200 /* control characters are shown as ^X */
#define UAPI_ECHOKE  0x0800 /* what VKILL takes away disappears */
#define UAPI_IEXTEN  0x8000 /* VWERASE and VLNEXT */

/* Indices of cc. A character 0 is none. */
#define UAPI_VINTR   0
#define UAPI_VQUIT   1
#define UAPI_VERASE  2
#define UAPI_VKILL   3
#define UAPI_VEOF    4
#define UAPI_VTIME   5 /* without ICANON: tenths of a second, and ... */
#define UAPI_VMIN    6 /* ... bytes that a read waits for */
#define UAPI_VSUSP   10
#define UAPI_VEOL    11
#define UAPI_VWERASE 14
#define UAPI_VLNEXT  15

struct uapi_winsize {
	uint16_t rows, columns; /* 0: not known */
	uint16_t x_pixels, y_pixels;
};

/* Requests; the argument is a pointer unless said otherwise. */
#define UAPI_TCGETS     0x5401 /* struct uapi_termios */
#define UAPI_TCSETS     0x5402 /* the same: now, */
#define UAPI_TCSETSW    0x5403 /* when all output has left, which it always has, */
#define UAPI_TCSETSF    0x5404 /* and with input thrown away */
#define UAPI_TCSBRK     0x5409 /* number 1: waits for output to leave */
#define UAPI_TCFLSH     0x540b /* number: */
#define UAPI_TCIFLUSH   0      /* throws input away, */
#define UAPI_TCOFLUSH   1      /* output that has not left, of which there is none, */
#define UAPI_TCIOFLUSH  2      /* both */
#define UAPI_TIOCGPGRP  0x540f /* int32_t: the process group in the foreground */
#define UAPI_TIOCSPGRP  0x5410
#define UAPI_TIOCGWINSZ 0x5413 /* struct uapi_winsize */
#define UAPI_TIOCSWINSZ 0x5414 /* tells the foreground by SIGWINCH */
#define UAPI_FIONREAD   0x541b /* int32_t: bytes that can be read now */
