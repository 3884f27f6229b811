/* SPDX-License-Identifier: MIT */
/*
 * Samples ten of its own system calls that sleep, with registers and stack, and exports the records
 * as they are in the ring, behind a stream's head. Says "stack SP SIZE" of the samples, and how
 * many they are: on a busy host a sleep may be over before it began.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE       4096
#define RING_PAGES 16

#if __SIZEOF_POINTER__ == 8
#define SP 7
#else
#define SP 13
#endif

static struct perf_event_attr attr = {
    .type = PERF_TYPE_SOFTWARE,
    .size = PERF_ATTR_SIZE_VER5,
    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
    .sample_period = 1,
    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
		   PERF_SAMPLE_STACK_USER,
    .exclude_guest = 1,
    .sample_regs_user = 1 << SP,
    .sample_stack_user = 1024,
};

/* Pipe mode: magic and header size, then an ATTR record, the one event of which needs no id. */
static void write_head(int fd)
{
	const uint64_t head[2] = {0x32454c4946524550, 16};
	const struct perf_event_header h = {64, 0, sizeof(h) + PERF_ATTR_SIZE_VER5};

	write(fd, head, sizeof(head));
	write(fd, &h, sizeof(h));
	write(fd, &attr, PERF_ATTR_SIZE_VER5);
}

int main(void)
{
	int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
	int out = open("/dev/export", O_WRONLY);
	struct perf_event_mmap_page *page;
	const uint64_t *sample;
	uint64_t samples = 0;

	page = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (event < 0 || out < 0 || page == MAP_FAILED)
		return 1;
	for (int i = 0; i < 10; i++)
		usleep(1000);
	/* What is told below is no sample of its own. */
	if (ioctl(event, PERF_EVENT_IOC_DISABLE, 0))
		return 1;
	/* header, IP, TID, TIME, ABI, the register, the stack's size */
	sample = (const uint64_t *)((const char *)page + PAGE);
	read(event, &samples, sizeof(samples));
	printf("stack %#llx %llu %llu\n", (unsigned long long)sample[5],
	       (unsigned long long)sample[6], (unsigned long long)samples);
	write_head(out);
	write(out, sample, page->data_head);
	close(out);
	return 0;
}
