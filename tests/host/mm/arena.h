/* SPDX-License-Identifier: MIT */
/* Physical memory for host tests of the page allocator, which can be started once a process. */
#pragma once

#include "host.h"
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK (PAGE_SIZE << MAX_PAGE_ORDER)
#define KIB   1024UL
#define MIB   (1024 * KIB)

/* The kernel image lies in the arena as it does in a PC's memory. */
#define IMAGE_OFFSET 0x100000UL
#define IMAGE_SIZE   0x80800UL

unsigned char arena[ARENA_SIZE] __aligned(PAGE_SIZE << MAX_PAGE_ORDER);
__asm__(".globl __image_start, __image_end\n"
	".set __image_start, arena + 0x100000\n"
	".set __image_end, arena + 0x180800\n");

struct boot_info boot_info;

static inline void add_ram(unsigned long from, unsigned long to)
{
	boot_info.ram[boot_info.nr_ram++] =
	    (struct boot_region){(phys_addr_t)arena + from, to - from};
}

static inline void set_archive(unsigned long from, unsigned long size)
{
	boot_info.archive = (struct boot_region){(phys_addr_t)arena + from, size};
}

/* What memory happens to contain looks like descriptors of free blocks. */
static inline void fill_arena(void)
{
	memset(arena, 1, ARENA_SIZE);
}

/* A PC with @to bytes of memory; starts the allocator. */
static inline void start_pc(unsigned long to)
{
	fill_arena();
	host_run_as(cpus, NULL);
	add_ram(0, 640 * KIB);
	add_ram(MIB, to);
	page_init();
	page_init_high();
}

/* Runs @body in a process of its own. */
static inline void in_child(void (*body)(unsigned), unsigned arg)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		body(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
