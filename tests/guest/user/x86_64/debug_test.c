/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions that come together with something else: a step, a page fault, an entry into the
 * kernel that they are put off to (Intel SDM vol. 3, 17.3.1.1).
 */
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../ktap.h"
#include "../samples.h"

static volatile uint64_t data __attribute__((aligned(64)));

/* Strikes of what the caller's own code does, with a sample of each if @r is not NULL. */
static int watch(uint32_t type, volatile const void *addr, uint64_t len, struct recorder *r)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = PERF_ATTR_SIZE_VER5,
				       .bp_type = type,
				       .bp_addr = (uintptr_t)addr,
				       .bp_len = len,
				       .exclude_kernel = 1,
				       .sample_type = SAMPLE_TYPE};

	if (!r)
		return perf_event_open(&attr, 0, -1, -1, 0);
	attr.sample_period = 1;
	return recorder_open(r, &attr, 0, -1, 8) ? r->fd : -1;
}

static uint64_t value(int fd)
{
	uint64_t n = -1;

	EXPECT_EQ(read(fd, &n, sizeof(n)), sizeof(n));
	return n;
}

static volatile unsigned traps;
static volatile uintptr_t trap_ip;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)signal;
	(void)info;
	traps++;
	trap_ip = uc->uc_mcontext.gregs[REG_RIP];
}

static void catch_traps(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	EXPECT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	traps = 0;
}

/* The instruction behind the one that sets TF is stepped, and stores to what is watched. */
TEST(x86_debug_step_and_strike_at_once)
{
	static struct record record;
	struct recorder r;
	struct sample s;
	uintptr_t next;
	int fd;

	catch_traps();
	fd = watch(HW_BREAKPOINT_W, &data, 8, NULL);
	if (!EXPECT(fd >= 0 && watch(HW_BREAKPOINT_W, &data, 8, &r) >= 0))
		return;
	for (int i = 0; i < 3; i++)
		__asm__ volatile("leaq 1f(%%rip), %0\n\t"
				 "pushfq\n\t"
				 "orq $0x100, (%%rsp)\n\t"
				 "popfq\n\t"
				 "movq $1, %1\n"
				 "1:\tnop"
				 : "=&r"(next), "=m"(data)
				 :
				 : "memory", "cc");
	EXPECT_EQ(traps, 3);
	EXPECT_EQ(trap_ip, next);
	EXPECT_EQ(value(r.fd), 3);
	EXPECT_EQ(value(fd), 3);
	close(fd);
	for (int i = 0; i < 3; i++)
		if (EXPECT(recorder_next_sample(&r, getpid(), &record, &s)))
			EXPECT_EQ(s.ip, next);
	recorder_close(&r);
	signal(SIGTRAP, SIG_DFL);
}

static volatile int codes[4];

static void note_code(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	codes[traps++ % 4] = info->si_code;
}

/* One instruction is stepped, and struck by an event with sigtrap: both are told. */
TEST(x86_debug_step_and_sigtrap_at_once)
{
	struct sigaction action = {.sa_sigaction = note_code, .sa_flags = SA_SIGINFO};
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = sizeof(attr),
				       .bp_type = HW_BREAKPOINT_W,
				       .bp_addr = (uintptr_t)&data,
				       .bp_len = 8,
				       .sample_period = 1,
				       .exclude_kernel = 1,
				       .remove_on_exec = 1,
				       .sigtrap = 1};
	int fd = perf_event_open(&attr, 0, -1, -1, 0);

	EXPECT(fd >= 0);
	EXPECT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	traps = 0;
	__asm__ volatile("subq $128, %%rsp\n\t" /* the red zone */
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "movq $1, %0\n\t"
			 "addq $128, %%rsp"
			 : "=m"(data)
			 :
			 : "memory", "cc");
	EXPECT_EQ(traps, 2);
	EXPECT_EQ(codes[0], TRAP_TRACE);
	EXPECT_EQ(codes[1], TRAP_PERF);
	close(fd);
	signal(SIGTRAP, SIG_DFL);
}

/* A step to an instruction that is watched. */
TEST(x86_debug_step_and_instruction)
{
	uintptr_t first;
	int fd;

	catch_traps();
	__asm__ volatile("leaq 2f(%%rip), %0\n\t"
			 "jmp 3f\n"
			 "2:\tnop\n\t"
			 "ret\n"
			 "3:"
			 : "=r"(first));
	fd = watch(HW_BREAKPOINT_X, (void *)first, 0, NULL);
	if (!EXPECT(fd >= 0))
		return;
	for (int i = 0; i < 3; i++)
		__asm__ volatile("subq $128, %%rsp\n\t" /* the red zone */
				 "pushfq\n\t"
				 "orq $0x100, (%%rsp)\n\t"
				 "popfq\n\t"
				 "callq *%0\n\t"
				 "addq $128, %%rsp"
				 :
				 : "r"(first)
				 : "memory", "cc");
	EXPECT_EQ(traps, 3);
	EXPECT_EQ(trap_ip, first);
	EXPECT_EQ(value(fd), 3);
	close(fd);
	signal(SIGTRAP, SIG_DFL);
}

static volatile uint16_t stack_selector __attribute__((aligned(8)));

/*
 * MOV to SS puts off what its own access has struck until the next instruction, which is an entry
 * into the kernel: on a stack that the program has chosen, if there were no other.
 */
TEST(x86_debug_strike_put_off_to_an_entry)
{
	long pid = 0, marker;
	int fd;

	catch_traps();
	__asm__ volatile("movw %%ss, %0" : "=m"(stack_selector));
	fd = watch(HW_BREAKPOINT_RW, &stack_selector, 2, NULL);
	if (!EXPECT(fd >= 0))
		return;
	for (int i = 0; i < 10; i++) {
		__asm__ volatile("movq %%rsp, %1\n\t"
				 "movw %3, %%ss\n\t"
				 "syscall\n\t"
				 "cmpq %%rsp, %1\n\t"
				 "je 1f\n\t"
				 "ud2\n"
				 "1:"
				 : "=a"(pid), "=&r"(marker)
				 : "0"((long)SYS_getpid), "m"(stack_selector)
				 : "rcx", "r11", "memory", "cc");
		EXPECT_EQ(pid, getpid());
	}
	EXPECT_EQ(value(fd), 10);
	__asm__ volatile("movw %0, %%ss\n\tint3" : : "m"(stack_selector) : "memory");
	/* Bochs loses the strike here; there is one trap with and without it. */
	EXPECT_EQ(traps, 1);
	EXPECT(value(fd) == 10 || value(fd) == 11);
	close(fd);
	signal(SIGTRAP, SIG_DFL);
}

/* Its instruction is executed without another strike, though it faults first. */
TEST(x86_debug_instruction_that_faults)
{
	extern char x86_debug_touch[];
	char *page =
	    mmap(NULL, 4096 * 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = watch(HW_BREAKPOINT_X, x86_debug_touch, 0, NULL);

	if (!EXPECT(page != MAP_FAILED && fd >= 0))
		return;
	for (char *at = page; at < page + 4096 * 16; at += 4096)
		__asm__ volatile("jmp x86_debug_touch\n"
				 "x86_debug_touch:\tmovb $1, (%0)"
				 :
				 : "r"(at)
				 : "memory");
	EXPECT_EQ(value(fd), 16);
	munmap(page, 4096 * 16);
	close(fd);
}
