/* SPDX-License-Identifier: MIT */
/* Devices without hardware, physical memory, and what /proc says of the system. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define USER 1000

TEST(device_null_zero_full)
{
	char buf[1000];
	int fd = open("/dev/null", O_RDWR);

	EXPECT_EQ(write(fd, buf, 10), 10);
	EXPECT_EQ(read(fd, buf, 10), 0);
	close(fd);
	fd = open("/dev/zero", O_RDWR);
	memset(buf, 'x', sizeof(buf));
	EXPECT_EQ(read(fd, buf, 999), 999);
	EXPECT(!buf[0] && !buf[998] && buf[999] == 'x');
	EXPECT_ERRNO(read(fd, bad_pointer, 1), EFAULT);
	EXPECT_EQ(write(fd, "x", 1), 1);
	close(fd);
	fd = open("/dev/full", O_RDWR);
	EXPECT_EQ(read(fd, buf, 1), 1);
	EXPECT_ERRNO(write(fd, "x", 1), ENOSPC);
	EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), ENODEV);
	close(fd);
}

static void open_memory(void)
{
	if (setuid(USER) || open("/dev/mem", O_RDONLY) >= 0 || errno != EPERM)
		_exit(1);
}

TEST(device_mem_is_for_the_privileged)
{
	struct stat st;

	EXPECT_EQ(stat("/dev/mem", &st), 0);
	EXPECT_EQ(st.st_mode, S_IFCHR | 0600);
	EXPECT_EQ(in_child(open_memory), 0);
}

static void *map_memory(int fd, unsigned long long address, int prot)
{
	return mmap(NULL, 4096, prot, MAP_SHARED, fd, address);
}

TEST(device_mem_arguments)
{
	int fd = open("/dev/mem", O_RDWR), ro = open("/dev/mem", O_RDONLY);
	char c;

	EXPECT_ERRNO(read(fd, &c, 1), EINVAL);
	EXPECT_ERRNO((long)map_memory(fd, 4096, PROT_READ | PROT_EXEC), EACCES);
	EXPECT_ERRNO((long)map_memory(ro, 4096, PROT_READ | PROT_WRITE), EACCES);
	EXPECT_ERRNO((long)map_memory(fd, 100, PROT_READ), EINVAL);
	if (sizeof(long) == 8) /* past what the processor can address */
		EXPECT_ERRNO((long)map_memory(fd, 1ULL << 52, PROT_READ), EINVAL);
	EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096), EINVAL);
	close(ro);
	close(fd);
}

/* Where RAM begins, or at least the kernel in it, and a device register that says what it is, on
 * the boards of each architecture. */
static const struct board {
	unsigned long image, device, mask, value;
} boards[] = {
#ifdef __x86_64__
    {0x100000, 0xfee00030, 0xf0, 0x10}, /* the local APIC's version */
#elif defined(__aarch64__)
    {0x40000000, 0x09000fe0, 0xff, 0x11}, /* the PL011's PeriphID0 */
#else
    {0x40000000, 0x09000fe0, 0xff, 0x11}, /* the PL011's PeriphID0 */
    {0x8000, 0x3f201fe0, 0xff, 0x11},
#endif
};

#define NR_BOARDS (sizeof(boards) / sizeof(*boards))

static const struct board *board;

static void look(void)
{
	static unsigned char note[36];
	int fd = open("/sys/kernel/notes", O_RDONLY);
	unsigned char *map;
	volatile unsigned *reg;

	if (read(fd, note, sizeof(note)) != sizeof(note))
		_exit(1);
	fd = open("/dev/mem", O_RDWR);
	reg = map_memory(fd, board->device & ~4095UL, PROT_READ);
	if (reg == MAP_FAILED || (reg[(board->device & 4095) / 4] & board->mask) != board->value)
		_exit(2);
	map = mmap(NULL, 4 << 20, PROT_READ, MAP_SHARED, fd, board->image & ~4095UL);
	if (map == MAP_FAILED)
		_exit(3);
	if (!memmem(map, 4 << 20, note, sizeof(note)))
		_exit(4);
}

TEST(device_mem_shows_ram_and_registers)
{
	int status[NR_BOARDS];
	bool seen = false;

	for (size_t i = 0; i < NR_BOARDS; i++) {
		board = &boards[i];
		status[i] = in_child(look);
		seen |= status[i] == 0;
	}
	if (!EXPECT(seen))
		for (size_t i = 0; i < NR_BOARDS; i++)
			printf("# board %zu: wait status %x\n", i, status[i]);
}

/* What fork passes on and exit gives back of such a mapping: nothing. */
static void map_and_fork(void)
{
	int fd = open("/dev/mem", O_RDONLY);
	volatile char *map = map_memory(fd, boards[0].image & ~4095UL, PROT_READ);
	pid_t pid;
	int status;

	EXPECT((void *)map != MAP_FAILED);
	close(fd);
	pid = fork();
	if (!pid)
		_exit(map[0]); /* is not there */
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	munmap((void *)map, 4096);
}

TEST(device_mem_is_not_inherited)
{
	long before;

	map_and_fork();
	before = free_memory_kb();
	map_and_fork();
	EXPECT_EQ(free_memory_kb(), before);
}

static void expect_start(const char *path, const char *want)
{
	char line[80] = "";
	FILE *f = fopen(path, "r");

	if (!EXPECT(f))
		return;
	EXPECT(fgets(line, sizeof(line), f));
	if (strncmp(line, want, strlen(want)))
		EXPECT_STR(line, want);
	fclose(f);
}

TEST(proc_tells_of_the_system)
{
	char line[80];
	double up = 0, idle = -1;
	FILE *f;
	int pid, ppid, pgid, sid;
	char state;

	expect_start("/proc/cpuinfo", "processor");
	expect_start("/proc/version", "Hotregs version ");
	expect_start("/proc/mounts", "rootfs / rootfs rw");
	expect_start("/proc/self/status", "Name:\tguest-tests");
	usleep(20000); /* more than the unit that it is told in */
	f = fopen("/proc/uptime", "r");
	EXPECT_EQ(fscanf(f, "%lf %lf", &up, &idle), 2);
	/* All processors together were idle. */
	EXPECT(up > 0 && idle >= 0 && idle <= up * sysconf(_SC_NPROCESSORS_ONLN));
	fclose(f);
	f = fopen("/proc/self/stat", "r");
	EXPECT_EQ(fscanf(f, "%d (%[^)]) %c %d %d %d", &pid, line, &state, &ppid, &pgid, &sid), 6);
	EXPECT_EQ(pid, getpid());
	EXPECT_STR(line, "guest-tests");
	EXPECT_EQ(state, 'R');
	EXPECT_EQ(ppid, getppid());
	fclose(f);
	EXPECT_ERRNO(open("/proc/self/nothing", O_RDONLY), ENOENT);
}
