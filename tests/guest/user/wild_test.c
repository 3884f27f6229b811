/* SPDX-License-Identifier: MIT */
/* Wild pointers: what is no code cannot be executed, what is code or constant cannot be written,
 * and a stack that is used up ends at its guard page. The signal tells where. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

#define PAGE 4096UL
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf after_fault;
static siginfo_t fault;

static void catch (int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	fault = *info;
	siglongjmp(after_fault, 1);
}

/* Does @wild(@at), and says that it has to be a SIGSEGV with @code (0: any) about @at. */
static void expect_fault(const char *what, void (*wild)(uintptr_t), uintptr_t at, int code)
{
	const struct sigaction act = {.sa_sigaction = catch, .sa_flags = SA_SIGINFO};

	fault = (siginfo_t){0};
	sigaction(SIGSEGV, &act, NULL);
	if (!sigsetjmp(after_fault, 1))
		wild(at);
	ktap_expect(fault.si_signo == SIGSEGV && (!code || fault.si_code == code) &&
			(!code || (uintptr_t)fault.si_addr == at),
		    __FILE__, __LINE__, "%s at %#lx: signal %d, code %d, at %p", what,
		    (unsigned long)at, fault.si_signo, fault.si_code, fault.si_addr);
	signal(SIGSEGV, SIG_DFL);
}

static void jump(uintptr_t at)
{
	((void (*)(void))at)();
}

static void store(uintptr_t at)
{
	*(volatile char *)at = 0;
}

static void load(uintptr_t at)
{
	(void)*(volatile char *)at;
}

/* The instruction to return, in every state of the processor that there is. */
#ifdef __x86_64__
#define RETURN 0xc3c3c3c3
#elif defined(__aarch64__)
#define RETURN 0xd65f03c0 /* ret */
#else
#define RETURN 0xe12fff1e /* bx lr */
#endif

static const uint32_t constant = RETURN;
static uint32_t variable = RETURN, zeroes;

TEST(wild_data_is_not_executed)
{
	uint32_t local = RETURN, *heap = malloc(sizeof(*heap)),
		 *mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, ANON, -1, 0),
		 *read_only = mmap(NULL, PAGE, PROT_READ, ANON, -1, 0),
		 *none = mmap(NULL, PAGE, PROT_NONE, ANON, -1, 0);
	const struct {
		const char *what;
		const uint32_t *at;
	} rows[] = {
	    {"the stack", &local},
	    {"the heap", heap},
	    {"constants", &constant},
	    {"data", &variable},
	    {"zeroed data", &zeroes},
	    {"a mapping", mapped},
	    {"a mapping to read", read_only},
	    {"a mapping without rights", none},
	};

	*heap = *mapped = RETURN;
	__asm__ volatile("" : : "r"(&local) : "memory");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_fault(rows[i].what, jump, (uintptr_t)rows[i].at, SEGV_ACCERR);
	munmap(mapped, PAGE);
	munmap(read_only, PAGE);
	munmap(none, PAGE);
	expect_fault("what was unmapped", jump, (uintptr_t)mapped, SEGV_MAPERR);
	free(heap);
}

/* Nor may anything be both at once. */
TEST(wild_no_memory_is_both_writable_and_executable)
{
	int prot = PROT_READ | PROT_WRITE | PROT_EXEC;

	EXPECT(mmap(NULL, PAGE, prot, ANON, -1, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	EXPECT(mmap(NULL, PAGE, prot & ~PROT_READ, ANON, -1, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
}

TEST(wild_code_and_constants_are_not_written)
{
	expect_fault("code", store, (uintptr_t)jump & ~1UL, SEGV_ACCERR);
	expect_fault("the library's code", store, (uintptr_t)malloc & ~1UL, SEGV_ACCERR);
	expect_fault("constants", store, (uintptr_t)&constant, SEGV_ACCERR);
	EXPECT_EQ(constant, RETURN);
}

TEST(wild_addresses)
{
	static const struct {
		uintptr_t at;
		int code;
	} rows[] = {
	    {0, SEGV_MAPERR},
	    {PAGE, SEGV_MAPERR},
	    {UINTPTR_MAX - PAGE + 1, SEGV_MAPERR},
#ifdef __x86_64__
	    {0x7ffffffff000, SEGV_MAPERR},     /* the end of user space */
	    {0x800000000000, 0},               /* of no half: not told where */
	    {0xffff800000000000, SEGV_MAPERR}, /* the kernel's memory */
	    {0xffffffff80000000, SEGV_MAPERR}, /* and its code */
#elif defined(__aarch64__)
	    {0x7ffffffff000, SEGV_MAPERR},     /* the end of user space */
	    {0x800000000000, SEGV_MAPERR},     /* of no half */
	    {0xffff800000000000, SEGV_MAPERR}, /* the kernel's memory */
	    {0xffffffff80000000, SEGV_MAPERR}, /* and its code */
#else
	    {0x80000000, SEGV_MAPERR}, /* the kernel's memory */
	    {0xffff0000, SEGV_MAPERR}, /* the vectors */
#endif
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect_fault("a load", load, rows[i].at, rows[i].code);
		expect_fault("a store", store, rows[i].at, rows[i].code);
		expect_fault("a jump", jump, rows[i].at, 0);
	}
}

/* --- Stacks --- */

static uintptr_t deepest;

static __attribute__((noinline)) int recurse(int n)
{
	volatile char frame[512];

	frame[0] = n;
	deepest = (uintptr_t)frame;
	return n < 0 ? 0 : recurse(n + 1) + frame[0];
}

static void overflow(uintptr_t unused)
{
	(void)unused;
	recurse(0);
}

/* On the alternate stack; the fault is a step below what was reached, not where other things are.
 */
static void expect_overflow(void)
{
	static char alternate[2 * SIGSTKSZ];
	const stack_t new = {.ss_sp = alternate, .ss_size = sizeof(alternate)},
		      off = {.ss_flags = SS_DISABLE};
	const struct sigaction act = {.sa_sigaction = catch, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	fault = (siginfo_t){0};
	EXPECT_EQ(sigaltstack(&new, NULL), 0);
	sigaction(SIGSEGV, &act, NULL);
	if (!sigsetjmp(after_fault, 1))
		overflow(0);
	EXPECT_EQ(fault.si_signo, SIGSEGV);
	EXPECT(deepest - (uintptr_t)fault.si_addr < 2 * PAGE);
	signal(SIGSEGV, SIG_DFL);
	EXPECT_EQ(sigaltstack(&off, NULL), 0);
}

static void *overflow_in_thread(void *arg)
{
	expect_overflow();
	return arg;
}

static int overflow_unheard(void)
{
	overflow(0);
	return 1;
}

static void *overflow_thread(void *arg)
{
	overflow(0);
	return arg;
}

static int overflow_thread_unheard(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, overflow_thread, NULL);
	pthread_join(thread, NULL);
	return 1;
}

TEST(wild_stacks_end_at_their_guard)
{
	int (*const unheard[])(void) = {overflow_unheard, overflow_thread_unheard};
	pthread_t thread;

	expect_overflow();
	EXPECT_EQ(pthread_create(&thread, NULL, overflow_in_thread, NULL), 0);
	EXPECT_EQ(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 2; i++) {
		int status = 0;

		EXPECT(waitpid(start_child(unheard[i]), &status, 0) > 0);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	}
}
