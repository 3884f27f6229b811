/* SPDX-License-Identifier: MIT */
/* The texts of errors, by each function that tells them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"

TEST(strerror_says_what_is_usual)
{
	char text[64];
	int fds[2], saved;
	ssize_t n;

	EXPECT(!strcmp(strerror(EPERM), "Operation not permitted"));
	EXPECT(!strcmp(strerror(ENOMEM), "Cannot allocate memory"));
	EXPECT(!strcmp(strerror(EOVERFLOW), "Value too large for defined data type"));
	errno = 0;
	EXPECT(!strcmp(strerror(9999), "Unknown error 9999"));
	EXPECT_EQ(errno, EINVAL);
	EXPECT(!strcmp(strerror(-1), "Unknown error -1"));
	/* perror() writes to descriptor 2. */
	EXPECT_EQ(pipe(fds), 0);
	saved = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	errno = EPERM;
	perror("x");
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	n = read(fds[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	EXPECT(!strcmp(text, "x: Operation not permitted\n"));
	close(fds[0]);
	close(fds[1]);
	close(saved);
}
