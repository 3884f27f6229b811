/* SPDX-License-Identifier: MIT */
/* What a host test can see and set of the kernel around the code under test: see stubs.c. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hotregs/cpu.h>
#include <hotregs/types.h>

struct irq_work;

/* Becomes @task on @cpu: this_cpu(), current and cpu->running. */
void host_run_as(struct cpu *cpu, struct task *task);

/* smp_call() asks each CPU in turn; how often it was called. */
extern unsigned host_smp_calls;

/* The @n-th allocation from now fails (1: the next one); 0: none does. */
extern unsigned host_fail_alloc;

/* Allocations of any kind that are still held. */
extern long host_allocations;

/* Bytes that copy_from_user() and copy_to_user() copy before they fail. */
extern size_t host_user_limit;

/* Runs what irq_work_queue() has queued; returns how many. */
unsigned host_run_irq_work(void);

/* Moves host_clock on to @until, running the timers that expire on the way with @regs. */
void host_run_timers(u64 until, struct pt_regs *regs);

/* CLOCK_REALTIME when host_clock was 0. */
#define HOST_EPOCH 1700000000000000000ULL

/* How often wake_up() was called on any queue. */
extern unsigned host_wakeups;

/* Where in_sched_text() is true: an address inside, for chains. */
extern const char host_sched_text[64];
