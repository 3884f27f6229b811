/* SPDX-License-Identifier: MIT */
/* Reads its input more slowly than it comes, and prints its size in bytes and a checksum. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	unsigned long bytes = 0, sum = 0;

	for (int c; (c = getchar()) != EOF; bytes++) {
		sum = (sum * 31 + c) % 1000003;
		if (bytes % 1000 == 0)
			usleep(100000);
	}
	printf("checksum %lu %lu\n", bytes, sum);
	return 0;
}
