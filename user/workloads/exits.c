/* SPDX-License-Identifier: MIT */
/* exits [N]: ends with exit status N (0). */
#include "arguments.h"

int main(int argc, char **argv)
{
	struct number status = {0, .most = 255};

	take_numbers(argc, argv, &status, 1, "exits [STATUS]");
	return status.value;
}
