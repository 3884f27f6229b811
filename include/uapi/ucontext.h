/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler gets as its third argument: the interrupted registers, which sigreturn
 * loads again as the handler leaves them. Names and order are those that programs for Linux expect.
 * The kernel's frame on the stack is made of it (arch/<name>/signal.c).
 */
#pragma once

/* Where in the frame r4 is, and after it all registers up to pc: for the restorer's unwind table.
 */
#if defined(__arm__)
#define UAPI_SIGNAL_FRAME_R4 112
#endif

#ifndef __ASSEMBLER__
#include <stdint.h>

struct uapi_ucontext_stack {
	void *ss_sp;
	int ss_flags;
	unsigned long ss_size;
};

#if defined(__x86_64__)
/* gregs[]. The selectors, in one, tell and set nothing: programs have one choice of each. */
enum uapi_greg {
	UAPI_REG_R8,
	UAPI_REG_R9,
	UAPI_REG_R10,
	UAPI_REG_R11,
	UAPI_REG_R12,
	UAPI_REG_R13,
	UAPI_REG_R14,
	UAPI_REG_R15,
	UAPI_REG_RDI,
	UAPI_REG_RSI,
	UAPI_REG_RBP,
	UAPI_REG_RBX,
	UAPI_REG_RDX,
	UAPI_REG_RAX,
	UAPI_REG_RCX,
	UAPI_REG_RSP,
	UAPI_REG_RIP,
	UAPI_REG_EFL,
	UAPI_NGREG
};

/* The image of FXSAVE64 (Intel SDM vol. 1, 10.5.1). */
struct uapi_fpstate {
	uint16_t cwd, swd, ftw, fop;
	uint64_t rip, rdp;
	uint32_t mxcsr, mxcr_mask;
	uint32_t st[8][4]; /* 80 bits of each */
	uint32_t xmm[16][4];
	uint32_t reserved[24];
};

struct uapi_mcontext {
	long long gregs[UAPI_NGREG];
	struct uapi_fpstate fpregs[1]; /* an array, so that it reads like Linux's pointer */
};

#elif defined(__arm__)
struct uapi_mcontext {
	unsigned long arm_r0, arm_r1, arm_r2, arm_r3, arm_r4, arm_r5, arm_r6, arm_r7, arm_r8,
	    arm_r9, arm_r10, arm_fp, arm_ip, arm_sp, arm_lr, arm_pc, arm_cpsr;
	unsigned long fault_address;
	struct {
		uint64_t d[32];
		uint32_t fpscr, unused; /* 0 */
	} vfp;
};

#elif defined(__aarch64__)
struct uapi_mcontext {
	unsigned long fault_address;
	unsigned long regs[31], sp, pc, pstate;
	struct {
		uint64_t vregs[32][2];
		uint32_t fpsr, fpcr;
	} fpsimd;
};
#endif

#if defined(__x86_64__) || defined(__arm__) || defined(__aarch64__)
struct uapi_ucontext {
	unsigned long uc_flags;              /* 0 */
	struct uapi_ucontext *uc_link;       /* NULL */
	struct uapi_ucontext_stack uc_stack; /* the alternate stack, to be read */
	uint64_t uc_sigmask;                 /* the mask that the handler's end brings back */
	struct uapi_mcontext uc_mcontext;    /* last: at its end is what the kernel need not copy */
};
#endif
#endif
