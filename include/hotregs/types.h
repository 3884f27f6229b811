/* SPDX-License-Identifier: MIT */
/* Basic types and compiler helpers; the one header every other one may include. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uapi/errno.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef unsigned int u32;       /* and %u for it, where uint32_t is a long */
typedef unsigned long long u64; /* so %llu prints it on every architecture */
typedef int8_t s8;
typedef int16_t s16;
typedef int s32;
typedef long long s64;

#if __STDC_HOSTED__ /* the same code under host tests */
#include <sys/types.h>
#else
typedef long ssize_t;
typedef s64 loff_t;
typedef int pid_t;
typedef u32 uid_t;
#endif
typedef u64 phys_addr_t;

/* Marks a pointer into user memory: only the functions of arch/uaccess.h may follow it. */
#define __user

#define likely(x)       __builtin_expect(!!(x), 1)
#define unlikely(x)     __builtin_expect(!!(x), 0)
#define noinline        __attribute__((noinline))
#define __always_inline inline __attribute__((always_inline))
#define __used          __attribute__((used))
#define __packed        __attribute__((packed))
#define __aligned(n)    __attribute__((aligned(n)))
#define __noreturn      __attribute__((noreturn))
#define __printf(f, a)  __attribute__((format(printf, f, a)))
#define __section(s)    __attribute__((section(s)))

/*
 * Code through which a task goes to sleep. A context-switch sample is where the task slept, so the
 * frames of this section are stepped over before the sample is taken (contract C1).
 */
#define __sched __section(".sched.text") noinline

/*
 * Code and zeroed data of entries into the kernel and of debug exceptions: no breakpoint is set
 * there, for what it leads to would need them.
 */
#define __noinstr    __section(".noinstr.text") noinline
#define __debug_data __section(".bss.debug")

#define ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define BIT(n)                          (1UL << (n))
#define ALIGN_UP(x, a)                  (((x) + ((a)-1)) & ~((typeof(x))(a)-1))
#define ALIGN_DOWN(x, a)                ((x) & ~((typeof(x))(a)-1))
#define MIN(a, b)                       ((a) < (b) ? (a) : (b))
#define MAX(a, b)                       ((a) > (b) ? (a) : (b))
#define READ_ONCE(x)                    (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)                (*(volatile typeof(x) *)&(x) = (v))
#define barrier()                       __asm__ volatile("" ::: "memory")
/* The value of the variable @x is kept: the compiler does not find it out anew when it is used
 * again. */
#define keep_value(x)                   __asm__("" : "+r"(x))
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Small negative errno values travel inside pointers, so that one return value tells both. */
#define ERR_PTR(err) ((void *)(long)(err))
#define PTR_ERR(ptr) ((long)(ptr))
#define IS_ERR(ptr)  ((unsigned long)(ptr) >= (unsigned long)-4095L)
