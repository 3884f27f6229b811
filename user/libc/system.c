/* SPDX-License-Identifier: MIT */
/* What a program may ask about the machine it runs on. */
#include "libc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct utsname) == sizeof(struct uapi_utsname), "struct utsname");

int uname(struct utsname *name)
{
	return SYSCALL(uname, name);
}

int gethostname(char *name, size_t size)
{
	struct utsname u;

	if (uname(&u) < 0)
		return -1;
	if (strlcpy(name, u.nodename, size) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

int getpagesize(void)
{
	return 4096;
}

/* /proc/stat has one line "cpuN ..." for each. */
static long count_cpus(void)
{
	FILE *f = fopen("/proc/stat", "r");
	char line[128];
	long n = 0;

	if (!f)
		return 1;
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3]);
	fclose(f);
	return n ? n : 1;
}

long sysconf(int name)
{
	switch (name) {
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN:
		return count_cpus();
	case _SC_PAGESIZE:
		return getpagesize();
	case _SC_CLK_TCK:
		return CLOCKS_PER_SEC;
	case _SC_OPEN_MAX:
		return 64; /* MAX_FILES of the kernel */
	case _SC_ARG_MAX:
		return 8192; /* EXEC_ARGS_SIZE of the kernel */
	}
	errno = EINVAL;
	return -1;
}
