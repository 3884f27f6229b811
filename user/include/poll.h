/* SPDX-License-Identifier: MIT */
/* Waiting for any of several descriptors. */
#pragma once

#include <uapi/types.h>

struct pollfd {
	int fd;
	short events;
	short revents;
};

#define POLLIN   UAPI_POLLIN
#define POLLOUT  UAPI_POLLOUT
#define POLLERR  UAPI_POLLERR
#define POLLHUP  UAPI_POLLHUP
#define POLLNVAL UAPI_POLLNVAL

typedef unsigned long nfds_t;

/* @timeout in ms, negative: for ever. */
int poll(struct pollfd *fds, nfds_t n, int timeout);
