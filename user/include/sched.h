/* SPDX-License-Identifier: MIT */
/* newlib's <sched.h>, and the processors that a thread may run on. */
#pragma once

#include_next <sched.h>
#include <stddef.h>
#include <sys/types.h>

#define CPU_SETSIZE 64

typedef struct {
	unsigned long bits[CPU_SETSIZE / (8 * sizeof(long))];
} cpu_set_t;

#define CPU_WORD_(cpu, set) ((set)->bits[(cpu) / (8 * sizeof(long))])
#define CPU_BIT_(cpu)       (1UL << (cpu) % (8 * sizeof(long)))
#define CPU_ZERO(set)       (*(set) = (cpu_set_t){})
#define CPU_SET(cpu, set)   (CPU_WORD_(cpu, set) |= CPU_BIT_(cpu))
#define CPU_CLR(cpu, set)   (CPU_WORD_(cpu, set) &= ~CPU_BIT_(cpu))
#define CPU_ISSET(cpu, set) ((CPU_WORD_(cpu, set) & CPU_BIT_(cpu)) != 0)
#define CPU_COUNT(set)      cpu_set_count_(set)

static inline int cpu_set_count_(const cpu_set_t *set)
{
	int n = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		n += CPU_ISSET(cpu, set);
	return n;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);

/* The processor that the caller runs on, or just did. */
int sched_getcpu(void);
