/* SPDX-License-Identifier: MIT */
/* Opens and reads breakpoint events for tests. */
#include "strikes.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../policy.h"

struct perf_event_attr breakpoint(uint32_t type, volatile const void *addr, uint64_t len)
{
	return (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					.size = PERF_ATTR_SIZE_VER5,
					.bp_type = type,
					.bp_addr = (uintptr_t)addr,
					.bp_len = len};
}

int count_on_self(uint32_t type, volatile const void *addr, uint64_t len)
{
	struct perf_event_attr attr = breakpoint(type, addr, len);

	return perf_event_open(&attr, 0, -1, -1, 0);
}

bool no_breakpoints(void)
{
	static const uint32_t data;
	int fd = count_on_self(HW_BREAKPOINT_W, &data, 4);

	if (fd < 0 && errno == EOPNOTSUPP) {
		ktap_skip("this machine has no breakpoints");
		return true;
	}
	EXPECT(fd >= 0);
	close(fd);
	return fd < 0;
}

uint64_t value(int fd)
{
	uint64_t n = -1;

	EXPECT_EQ(read(fd, &n, sizeof(n)), sizeof(n));
	return n;
}

uint64_t slots_used(void)
{
	int fd = open("/dev/handler", O_RDWR);
	uint64_t n = -1;

	EXPECT_EQ(ioctl(fd, HANDLER_SLOTS, &n), 0);
	close(fd);
	return n;
}

unsigned fill_slots(int fd[SLOTS_MAX], uint32_t type, volatile const void *addr)
{
	unsigned n = 0;

	while (n < SLOTS_MAX && (fd[n] = count_on_self(type, addr, 1)) >= 0)
		n++;
	EXPECT(n && n < SLOTS_MAX && errno == ENOSPC);
	return n;
}

void close_all(const int fd[], unsigned n)
{
	while (n--)
		close(fd[n]);
}
