/* SPDX-License-Identifier: MIT */
/* exits N: ends with exit status N. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	return argc > 1 ? atoi(argv[1]) : 0;
}
