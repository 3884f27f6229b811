/* SPDX-License-Identifier: MIT */
/* Model-specific registers (Intel SDM vol. 4, 2.1; AMD APM vol. 2, A.1) and CPUID. */
#pragma once

#include <hotregs/types.h>

#define MSR_APIC_BASE      0x1b
#define MSR_TSC_ADJUST     0x3b
#define MSR_SYSENTER_CS    0x174
#define MSR_EVENT_SELECT   0x186 /* + counter */
#define MSR_DEBUGCTL       0x1d9
#define MSR_FIXED_CTR_CTRL 0x38d
#define MSR_GLOBAL_CTRL    0x38f
#define MSR_GLOBAL_RESET   0x390
#define MSR_EFER           0xc0000080
#define MSR_STAR           0xc0000081
#define MSR_LSTAR          0xc0000082
#define MSR_FMASK          0xc0000084
#define MSR_FS_BASE        0xc0000100
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102

#define MSR_AMD_GLOBAL_CTRL        0xc0000301
#define MSR_AMD_GLOBAL_RESET       0xc0000302
#define MSR_AMD_EVENT_SELECT       0xc0010000 /* + counter, of the four oldest */
#define MSR_AMD_EVENT_SELECT_CORE  0xc0010200 /* + 2 * counter */
#define MSR_AMD_IBS_FETCH_CTRL     0xc0011030
#define MSR_AMD_IBS_EXECUTION_CTRL 0xc0011033

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	__asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
	return (u64)hi << 32 | lo;
}

static inline void wrmsr(u32 msr, u64 value)
{
	__asm__ volatile("wrmsr" ::"c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "memory");
}

struct cpuid {
	u32 eax, ebx, ecx, edx;
};

/* Leaf @leaf, subleaf 0; all zero when this processor has no such leaf (SDM vol. 2, CPUID). */
static inline struct cpuid cpuid(u32 leaf)
{
	struct cpuid r;
	u32 max;

	__asm__("cpuid"
		: "=a"(max), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
		: "a"(leaf & 0x80000000), "c"(0));
	if (leaf > max)
		return (struct cpuid){0};
	__asm__("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(0));
	return r;
}
