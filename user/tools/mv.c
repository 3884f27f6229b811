/* SPDX-License-Identifier: MIT */
/*
 * Moves files and directories: mv FILE TARGET, mv FILE... DIRECTORY. What lies in /proc, /dev or
 * /sys stays there: a copy is not what was asked for.
 */
#include "target.h"

static int move(const char *from, const char *to)
{
	return rename(from, to) < 0 ? fail(from) : 0;
}

int main(int argc, char **argv)
{
	program = "mv";
	return for_each(argc, argv, move);
}
