/* SPDX-License-Identifier: MIT */
/* Requests to a device or an event; one argument, a number or a pointer. */
#pragma once

int ioctl(int fd, unsigned long request, ...);
