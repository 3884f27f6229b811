/* SPDX-License-Identifier: MIT */
/* The third argument of a handler with SA_SIGINFO, by the names that programs for Linux expect. */
#ifndef HOTREGS_SYS_UCONTEXT_H
#define HOTREGS_SYS_UCONTEXT_H

#include <sys/signal.h>
#include <uapi/ucontext.h>

typedef struct uapi_mcontext mcontext_t;
typedef struct uapi_ucontext ucontext_t;

#if defined(__x86_64__) && __MISC_VISIBLE
typedef long long greg_t;
#define NGREG   UAPI_NGREG
#define REG_R8  UAPI_REG_R8
#define REG_R9  UAPI_REG_R9
#define REG_R10 UAPI_REG_R10
#define REG_R11 UAPI_REG_R11
#define REG_R12 UAPI_REG_R12
#define REG_R13 UAPI_REG_R13
#define REG_R14 UAPI_REG_R14
#define REG_R15 UAPI_REG_R15
#define REG_RDI UAPI_REG_RDI
#define REG_RSI UAPI_REG_RSI
#define REG_RBP UAPI_REG_RBP
#define REG_RBX UAPI_REG_RBX
#define REG_RDX UAPI_REG_RDX
#define REG_RAX UAPI_REG_RAX
#define REG_RCX UAPI_REG_RCX
#define REG_RSP UAPI_REG_RSP
#define REG_RIP UAPI_REG_RIP
#define REG_EFL UAPI_REG_EFL
#endif

#endif
