/* SPDX-License-Identifier: MIT */
/* Prints its arguments. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("%s%s", i > 1 ? " " : "", argv[i]);
	printf("\n");
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "echo: write: %s\n", strerror(errno));
	return 1;
}
