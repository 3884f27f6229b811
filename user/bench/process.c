/* SPDX-License-Identifier: MIT */
/* Processes from birth to death, and the memory they ask for. */
#include "bench.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS      10
#define FORK_PAGES 30
#define PAGES      128
#define PAGE       4096
#define PROGRAM    "/bin/true"

static double fork_batch(bool exec)
{
	char *argv[] = {PROGRAM, NULL}, *envp[] = {NULL};
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			if (exec)
				execve(PROGRAM, argv, envp);
			_exit(exec);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return bench_failed("a child could not be made, or failed");
	}
	return (clock_instructions() - start) / (double)FORKS;
}

static double fork_exit_batch(void)
{
	return fork_batch(false);
}

static double fork_exec_batch(void)
{
	return fork_batch(true);
}

/* Touches pages until so many are mapped as the rows of a fork are for. */
static bool map_pages(void)
{
	volatile char *area =
	    mmap(0, FORK_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return bench_failed("mmap failed") > 0;
	for (unsigned i = 0; count_pages() < FORK_PAGES; i++)
		area[i * PAGE] = 1;
	return count_pages() == FORK_PAGES ||
	       bench_failed("%u pages are mapped already", (unsigned)count_pages()) > 0;
}

bool bench_processes(void)
{
	bool ok = map_pages() && bench_row("fork+exit+wait", fork_exit_batch);

	return bench_row("fork+exec+exit+wait", fork_exec_batch) && ok;
}

static double page_fault_batch(void)
{
	double overhead = bench_loop_overhead(PAGES);
	volatile char *area =
	    mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = count_faults(), start, took, faults;

	if (area == MAP_FAILED)
		return bench_failed("mmap failed");
	start = clock_instructions();
	for (unsigned i = 0; i < PAGES; i++)
		area[i * PAGE] = 1;
	took = clock_instructions() - start;
	faults = count_faults() - before;
	munmap((void *)area, PAGES * PAGE);
	if (faults < PAGES || faults > PAGES + 8)
		return bench_failed("%d fresh pages made %u faults", PAGES, (unsigned)faults);
	return (took - overhead) / PAGES;
}

bool bench_memory(void)
{
	return bench_row("page fault", page_fault_batch);
}
