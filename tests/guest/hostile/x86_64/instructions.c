/* SPDX-License-Identifier: MIT */
/*
 * Instructions and processor states by which an x86_64 program could get at the kernel, or at
 * another program: each ends it with a signal, or does nothing to anybody else.
 */
#include <cpuid.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/ktap.h"
#include "../ends.h"
#include "../hostile.h"

#define USER_DS 0x1b
#define USER_CS 0x23

#define FLAG_TF   (1 << 8)
#define FLAG_IF   (1 << 9)
#define FLAG_DF   (1 << 10)
#define FLAG_IOPL (3 << 12)
#define FLAG_NT   (1 << 14)
#define FLAG_RF   (1 << 16)
#define FLAG_VM   (1 << 17)
#define FLAG_AC   (1 << 18)

/*
 * A processor refuses these (Intel SDM vol. 2, INVD, INTO), QEMU 10 executes them as if they were
 * nothing: the kernel has no part in it.
 */
#define UNLESS_EMULATED NOTHING

/* Each is executed by a process of its own, with RAX a kernel address. */
#define INSTRUCTIONS(X)                                                                            \
	/* privileged */                                                                           \
	X(SEGV, "hlt")                                                                             \
	X(SEGV, "cli")                                                                             \
	X(SEGV, "sti")                                                                             \
	X(SEGV, "inb $0x60, %%al")                                                                 \
	X(SEGV, "movl $0xf4, %%edx; outb %%al, %%dx") /* would end the machine */                  \
	X(SEGV, "rep insb")                                                                        \
	X(SEGV, "rep outsb")                                                                       \
	X(SEGV, "lgdt (%%rsp)")                                                                    \
	X(SEGV, "lidt (%%rsp)")                                                                    \
	X(SEGV, "lldt %%ax")                                                                       \
	X(SEGV, "ltr %%ax")                                                                        \
	X(SEGV, "lmsw %%ax")                                                                       \
	X(SEGV, "clts")                                                                            \
	X(SEGV, "movq %%cr0, %%rax")                                                               \
	X(SEGV, "movq %%cr2, %%rax")                                                               \
	X(SEGV, "movq %%cr3, %%rax")                                                               \
	X(SEGV, "movq %%rax, %%cr3")                                                               \
	X(SEGV, "movq %%cr4, %%rax")                                                               \
	X(SEGV, "movq %%cr8, %%rax")                                                               \
	X(SEGV, "movq %%dr7, %%rax")                                                               \
	X(SEGV, "movq %%rax, %%dr7")                                                               \
	X(SEGV, "movl $0xc0000101, %%ecx; rdmsr")                                                  \
	X(SEGV, "movl $0xc0000082, %%ecx; wrmsr")                                                  \
	X(SEGV, "xorl %%ecx, %%ecx; rdpmc")                                                        \
	X(SEGV | UNLESS_EMULATED, "invd")                                                          \
	X(SEGV | UNLESS_EMULATED, "wbinvd")                                                        \
	X(SEGV, "invlpg (%%rsp)")                                                                  \
	X(SEGV, "swapgs")                                                                          \
	X(SEGV, "sysretq")                                                                         \
	X(SEGV | ILL, "sysexitq") /* AMD's have none in this mode */                               \
	X(SEGV | ILL, "sysenter")                                                                  \
	X(ILL, "xgetbv")                                                                           \
	X(SEGV | ILL, "xsetbv")                                                                    \
	X(ILL, "stac")                                                                             \
	X(ILL, "clac")                                                                             \
	X(ILL, "rdfsbase %%rax")                                                                   \
	X(ILL, "wrgsbase %%rax")                                                                   \
	X(ILL, "vmxoff")                                                                           \
	/* software interrupts, traps */                                                           \
	X(TRAP, "int3")                                                                            \
	X(TRAP, ".byte 0xcd, 3")    /* INT 3 of two bytes */                                       \
	X(TRAP | ILL, ".byte 0xf1") /* INT1: QEMU has none */                                      \
	X(SEGV, "int $0")                                                                          \
	X(SEGV, "int $1")                                                                          \
	X(SEGV, "int $2")                                                                          \
	X(SEGV, "int $4")                                                                          \
	X(SEGV, "int $8")                                                                          \
	X(SEGV, "int $13")                                                                         \
	X(SEGV, "int $14")                                                                         \
	X(SEGV, "int $0x20")                                                                       \
	X(SEGV, "int $0x80")                                                                       \
	X(SEGV, "int $0xef")                                                                       \
	X(SEGV, "int $0xff")                                                                       \
	X(ILL | UNLESS_EMULATED, ".byte 0xce") /* INTO */                                          \
	X(ILL, ".byte 0x62, 0x04, 0x24")                                                           \
	X(ILL, "ud2")                                                                              \
	X(FPE, "xorl %%ecx, %%ecx; divl %%ecx")                                                    \
	X(FPE, "fldcw 1f(%%rip); fldz; fld1; fdivp; fwait; .pushsection .rodata; 1: .word 0x300; " \
	       ".popsection")                                                                      \
	/* selectors */                                                                            \
	X(SEGV, "movl $0x10, %%eax; movl %%eax, %%ds")                                             \
	X(SEGV, "movl $0x10, %%eax; movl %%eax, %%es")                                             \
	X(SEGV, "movl $0x13, %%eax; movl %%eax, %%fs")                                             \
	X(SEGV, "movl $0x10, %%eax; movl %%eax, %%gs")                                             \
	X(SEGV, "movl $0x10, %%eax; movl %%eax, %%ss")                                             \
	X(SEGV, "movl $0, %%eax; movl %%eax, %%ss")                                                \
	X(SEGV, "movl $0x08, %%eax; movl %%eax, %%ds")                                             \
	X(SEGV, "movl $0x28, %%eax; movl %%eax, %%gs") /* the TSS */                               \
	X(SEGV, "movl $0x2b, %%eax; movl %%eax, %%fs")                                             \
	X(SEGV, "movl $0x0f, %%eax; movl %%eax, %%ds") /* of a local table */                      \
	X(SEGV, "movl $0xfffb, %%eax; movl %%eax, %%gs")                                           \
	X(NOTHING, "movl $0x23, %%eax; movl %%eax, %%ds")                                          \
	X(NOTHING, "movl $0x1b, %%eax; movl %%eax, %%ss")                                          \
	X(NOTHING, "movl $3, %%eax; movl %%eax, %%gs; movl %%eax, %%fs; movl %%eax, %%es")         \
	X(NOTHING, "verr %%ax; verw %%ax; lar %%ax, %%eax; movl $0x28, %%eax; lsl %%eax, %%ecx")   \
	/* far jumps and returns */                                                                \
	X(SEGV, "pushq $0x08; pushq %%rax; lretq")                                                 \
	X(SEGV, "pushq $0x28; pushq %%rax; lretq")                                                 \
	X(SEGV, "pushq $0x1b; pushq %%rax; lretq")                                                 \
	X(SEGV, "pushq $0x10; pushq %%rsp; pushfq; pushq $0x08; pushq %%rax; iretq")               \
	X(SEGV, "pushq $0x1b; pushq %%rsp; pushfq; pushq $0x23; pushq %%rax; iretq")               \
	X(SEGV, "pushq $0x1b; pushq %%rsp; pushfq; pushq $0x23; movq $1, %%rax; shlq $47, %%rax; " \
		"pushq %%rax; iretq")                                                              \
	X(SEGV,                                                                                    \
	  "pushq $0x10; pushq %%rsp; pushfq; pushq $0x23; leaq 1f(%%rip), %%rax; pushq %%rax; "    \
	  "iretq; 1:")                                                                             \
	X(SEGV,                                                                                    \
	  "pushfq; orq $0x4000, (%%rsp); popfq; pushq $0x1b; pushq %%rsp; pushfq; pushq $0x23; "   \
	  "leaq 1f(%%rip), %%rax; pushq %%rax; iretq; 1:") /* NT: a task switch */                 \
	/* addresses */                                                                            \
	X(SEGV, "jmpq *%%rax")                                                                     \
	X(SEGV, "callq *%%rax")                                                                    \
	X(SEGV, "pushq %%rax; ret")                                                                \
	X(SEGV, "movq $1, %%rax; shlq $47, %%rax; jmpq *%%rax")                                    \
	X(SEGV, "movq $1, %%rax; shlq $63, %%rax; movq (%%rax), %%rax")                            \
	X(BUS | SEGV, "movq $1, %%rax; shlq $63, %%rax; movq %%rax, %%rsp; pushq %%rax")           \
	X(SEGV, "movb (%%rax), %%cl")                                                              \
	X(SEGV, "movb %%cl, (%%rax)")                                                              \
	X(SEGV, "movq %%rax, %%rsp; pushq %%rax")                                                  \
	X(NOTHING, "prefetcht0 (%%rax); prefetchnta (%%rax)")

#define TABLE_ROW(expected, text) {expected, text},
static const struct {
	unsigned expected;
	const char *text;
} instructions[] = {INSTRUCTIONS(TABLE_ROW)};

static unsigned chosen;

#define EXECUTE(expected, text)                                                     \
	if (n++ == chosen)                                                          \
		__asm__ volatile("subq $128, %%rsp; " text                          \
				 "; leaq %c[size](%%rsp), %%rsp" ::[size] "i"(128), \
				 "a"(kernel_addresses[0])                           \
				 : "rcx", "rdx", "memory", "cc");

static void execute(void)
{
	unsigned n = 0;

	INSTRUCTIONS(EXECUTE)
	_exit(0);
}

TEST(c10_x86_instructions)
{
	for (chosen = 0; chosen < ARRAY_LENGTH(instructions); chosen++)
		expect_end(instructions[chosen].text, execute, instructions[chosen].expected);
}

/* --- Where the kernel keeps its tables --- */

static void store_tables(void)
{
	uint8_t table[16] = {0};
	uint64_t word = 0;

	switch (chosen) {
	case 0:
		__asm__ volatile("sgdt %0" : "=m"(table));
		break;
	case 1:
		__asm__ volatile("sidt %0" : "=m"(table));
		break;
	case 2:
		__asm__ volatile("sldt %0" : "=r"(word));
		break;
	case 3:
		__asm__ volatile("str %0" : "=r"(word));
		break;
	default:
		__asm__ volatile("smsw %0" : "=r"(word));
	}
	_exit(1);
}

TEST(c05_x86_table_addresses_are_not_told)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(c & 1 << 2)) {
		ktap_skip("this processor has no UMIP: SGDT and SIDT are for everybody");
		return;
	}
	for (chosen = 0; chosen < 5; chosen++)
		expect_end("SGDT and its like", store_tables, SEGV);
}

/* --- RFLAGS --- */

static uint64_t flags_after(uint64_t flags)
{
	__asm__ volatile(
	    "subq $128, %%rsp\n\tpushq %0\n\tpopfq\n\tpushfq\n\tpopq %0\n\taddq $128, %%rsp"
	    : "+r"(flags)::"memory", "cc");
	return flags;
}

/* A system call, a page fault and a wait for interrupts; true when all went well. */
static bool live_with(uint64_t flags)
{
	static char source[3 * PAGE], target[3 * PAGE];
	char *fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ends[2];
	long got;

	if (fresh == MAP_FAILED || pipe(ends))
		return false;
	for (unsigned i = 0; i < sizeof(source); i++)
		source[i] = i * 7;
	for (int i = 0; i < 2; i++) {
		long n = sizeof(source);

		got = i ? SYS_read : SYS_write;
		__asm__ volatile("subq $128, %%rsp\n\tpushq %[flags]\n\tpopfq\n\tsyscall\n\tcld\n\t"
				 "addq $128, %%rsp"
				 : "+a"(got)
				 : "D"((long)ends[!i]), "S"(i ? target : source),
				   "d"(n), [flags] "r"(flags)
				 : "rcx", "r11", "memory", "cc");
		if (got <= 0)
			return false;
	}
	/* Interrupts on the way, and a fault. */
	__asm__ volatile("subq $128, %%rsp\n\tpushq %[flags]\n\tpopfq\n\tmovl $100000, %%ecx\n"
			 "1:\tdecl %%ecx\n\tjnz 1b\n\tmovb $1, %[fresh]\n\tcld\n\taddq $128, %%rsp"
			 : [fresh] "=m"(*fresh)
			 : [flags] "r"(flags)
			 : "rcx", "memory", "cc");
	/* With AC set the kernel still reads nothing that is not the program's. */
	got = SYS_write;
	__asm__ volatile(
	    "subq $128, %%rsp\n\tpushq %[flags]\n\tpopfq\n\tsyscall\n\tcld\n\taddq $128, %%rsp"
	    : "+a"(got)
	    : "D"((long)ends[1]), "S"(kernel_addresses[0]), "d"(8L), [flags] "r"(flags)
	    : "rcx", "r11", "memory", "cc");
	return got == -EFAULT && !memcmp(source, target, PAGE);
}

static void live_with_flags(void)
{
	static const uint64_t flags[] = {FLAG_DF, FLAG_NT, FLAG_AC, FLAG_RF,
					 FLAG_DF | FLAG_NT | FLAG_AC};

	for (unsigned i = 0; i < ARRAY_LENGTH(flags); i++)
		if (!live_with(flags[i] | FLAG_IF))
			_exit(1 + i);
}

static void claim_flags(void)
{
	uint64_t flags = flags_after(FLAG_IOPL | FLAG_VM);

	/* IF stays, the rest does not come (Intel SDM vol. 2, POPF). */
	if ((flags & (FLAG_IF | FLAG_IOPL | FLAG_VM)) != FLAG_IF)
		_exit(1);
}

static void claim_flags_by_iret(void)
{
	uint64_t flags;

	__asm__ volatile(
	    "movq %%rsp, %%rcx\n\tpushq %[ss]\n\tpushq %%rcx\n\tpushq %[flags]\n\tpushq %[cs]\n\t"
	    "leaq 1f(%%rip), %%rcx\n\tpushq %%rcx\n\tiretq\n1:\tpushfq\n\tpopq %[flags]"
	    : [flags] "=r"(flags)
	    : "0"((uint64_t)FLAG_IOPL), [ss] "i"(USER_DS), [cs] "i"(USER_CS)
	    : "rcx", "memory", "cc");
	if ((flags & (FLAG_IF | FLAG_IOPL)) != FLAG_IF)
		_exit(1);
}

static void step(void)
{
	flags_after(FLAG_TF | FLAG_IF);
}

/* The trap comes after the call, in the program. */
static void step_over_call(void)
{
	__asm__ volatile(
	    "pushfq; orq $0x100, (%%rsp); movl %0, %%eax; popfq; syscall; nop; nop" ::"i"(
		SYS_getpid)
	    : "rax", "rcx", "r11", "memory");
}

static void step_after_stack_switch(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); movl %%ss, %%ecx; movl %0, %%eax; popfq; "
			 "movl %%ecx, %%ss; syscall; nop; nop" ::"i"(SYS_getpid)
			 : "rax", "rcx", "r11", "memory");
}

TEST(c10_x86_flags)
{
	expect_end("DF, NT, AC, RF", live_with_flags, NOTHING);
	expect_end("IOPL, VM, IF", claim_flags, NOTHING);
	/* QEMU 7.2 reads its stack with the rights of the kernel, which SMAP refuses. */
	expect_end("IOPL, IF by IRET", claim_flags_by_iret, NOTHING | SEGV);
	expect_end("TF", step, TRAP);
	expect_end("TF at a system call", step_over_call, TRAP);
	expect_end("TF at a system call behind MOV SS", step_after_stack_switch, TRAP);
}

/* --- Selectors are each process's own --- */

/* The base of FS, by which the C library finds its data, goes with the selector: it is set again.
 */
static void load_selectors(uint16_t s)
{
	uintptr_t base;

	__asm__ volatile("movq %%fs:0, %0" : "=r"(base));
	__asm__ volatile("movl %1, %%ds; movl %1, %%es; movl %1, %%fs; movl %1, %%gs; syscall"
			 :
			 : "a"((long)SYS_thread_set_tls), "r"((uint32_t)s), "D"(base)
			 : "rcx", "r11", "memory");
}

static bool has_selectors(uint16_t s)
{
	uint16_t ds, es, fs, gs;

	__asm__ volatile("movw %%ds, %0; movw %%es, %1; movw %%fs, %2; movw %%gs, %3"
			 : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
	return ds == s && es == s && fs == s && gs == s;
}

static void keep_selectors(void)
{
	static const uint16_t values[] = {USER_DS,     0,           USER_CS,
					  USER_DS - 1, USER_CS - 3, USER_DS - 2};

	for (unsigned i = 0; i < 60; i++) {
		uint16_t value = values[(getpid() + i) % ARRAY_LENGTH(values)];

		load_selectors(value);
		for (unsigned n = 0; n < 3; n++)
			sched_yield();
		if (i % 8 == 0)
			usleep(100);
		if (!has_selectors(value))
			_exit(1);
	}
	/* A child has its parent's. */
	load_selectors(USER_DS);
	if (!fork())
		_exit(!has_selectors(USER_DS));
	int status;
	_exit(wait(&status) < 0 || status);
}

TEST(c10_x86_selectors_are_its_own)
{
	int status, n = 0;

	fflush(stdout);
	EXPECT(has_selectors(0));
	for (int i = 0; i < 5; i++) {
		if (!fork())
			keep_selectors();
	}
	for (int i = 0; i < 100; i++) {
		sched_yield();
		EXPECT(has_selectors(0));
	}
	for (; wait(&status) > 0; n++)
		EXPECT_EQ(status, 0);
	EXPECT_EQ(n, 5);
	EXPECT(has_selectors(0));
}

/* --- System calls from odd places --- */

/* A page whose last instruction is SYSCALL, with what makes it getpid(). */
__asm__(".pushsection .text\n"
	"	.balign 4096\n"
	"call_at_page_end:\n"
	"	.fill 4094, 1, 0x90\n"
	"	syscall\n"
	"	.popsection");
extern const char call_at_page_end[];

/* The page is the last one of user space, where the stack was: what follows is no program's. */
static void call_at_end_of_user_space(void)
{
	extern const char __executable_start[];
	static uint64_t other_stack[512];
	unsigned long last = USER_END - PAGE;
	long fd = syscall(SYS_open, ktap_program, 0, 0), result = SYS_mmap;
	long offset = (uintptr_t)call_at_page_end - ((uintptr_t)__executable_start & -PAGE);
	register long r10 __asm__("r10") = MAP_PRIVATE | MAP_FIXED;
	register long r8 __asm__("r8") = fd;
	register long r9 __asm__("r9") = offset;

	/* No memory of this function is used from here on. */
	__asm__ volatile("movq %[stack], %%rsp\n\t"
			 "movq %[last], %%rbx\n\t"
			 "syscall\n\t"
			 "cmpq %%rbx, %%rax\n\t"
			 "jne 1f\n\t"
			 "movl %[getpid], %%eax\n\t"
			 "addq $4094, %%rbx\n\t"
			 "jmpq *%%rbx\n"
			 "1:\tmovl %[exit], %%eax\n\t"
			 "movl $1, %%edi\n\t"
			 "syscall"
			 : "+a"(result)
			 : [stack] "r"(other_stack + 500), [last] "r"(last), "D"(last), "S"(PAGE),
			   "d"((long)(PROT_READ | PROT_EXEC)), "r"(r10), "r"(r8),
			   "r"(r9), [getpid] "i"(SYS_getpid), [exit] "i"(SYS_exit)
			 : "rbx", "rcx", "r11", "memory");
}

static void call_without_a_stack(void)
{
	__asm__ volatile(
	    "movq %0, %%rsp; movl %1, %%eax; xorl %%edi, %%edi; syscall" ::"r"(kernel_addresses[0]),
	    "i"(SYS_exit)
	    : "rax", "rdi", "rcx", "r11");
}

static void call_without_a_canonical_stack(void)
{
	__asm__ volatile(
	    "movq %0, %%rsp; movl %1, %%eax; xorl %%edi, %%edi; syscall" ::"r"(1ul << 47),
	    "i"(SYS_exit)
	    : "rax", "rdi", "rcx", "r11");
}

/* Numbers that are none, the upper half included. */
static void call_odd_numbers(void)
{
	static const long numbers[] = {-1,       NR_SYSCALLS, 1l << 31,
				       1l << 32, 1l << 63,    (1l << 32) + SYS_getpid};

	make_absent_calls(numbers, ARRAY_LENGTH(numbers));
}

TEST(c10_x86_odd_system_calls)
{
	expect_end("a stack of the kernel's", call_without_a_stack, NOTHING);
	expect_end("a stack that is nowhere", call_without_a_canonical_stack, NOTHING);
	expect_end("numbers that are none", call_odd_numbers, NOTHING);
	/* It comes back, to where there is nothing. */
	expect_end("the end of user space", call_at_end_of_user_space, SEGV);
}
