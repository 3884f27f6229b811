/* SPDX-License-Identifier: MIT */
/* Requests to a device, a terminal or an event; one argument, a number or a pointer. */
#pragma once

#include <uapi/termios.h>

#define TIOCGPGRP  UAPI_TIOCGPGRP
#define TIOCSPGRP  UAPI_TIOCSPGRP
#define TIOCGWINSZ UAPI_TIOCGWINSZ
#define TIOCSWINSZ UAPI_TIOCSWINSZ
#define FIONREAD   UAPI_FIONREAD

struct winsize {
	unsigned short ws_row, ws_col; /* 0: not known */
	unsigned short ws_xpixel, ws_ypixel;
};

int ioctl(int fd, unsigned long request, ...);
