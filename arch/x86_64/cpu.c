/* SPDX-License-Identifier: MIT */
/*
 * A processor's own set-up: descriptor tables, exception stacks, control registers, system-call
 * entry; and a clean slate in the debug and performance registers.
 */
#include <hotregs/cpu.h>
#include <hotregs/main.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/breakpoint.h>
#include <arch/init.h>
#include <arch/mmu.h>
#include <asm/debugreg.h>
#include <asm/msr.h>
#include <asm/traps.h>

/* Intel SDM vol. 3, 2.5 and 2.2.1. */
#define CR0_PE            BIT(0)
#define CR0_MP            BIT(1)
#define CR0_ET            BIT(4)
#define CR0_NE            BIT(5)
#define CR0_WP            BIT(16)
#define CR0_PG            BIT(31)
#define CR4_PAE           BIT(5)
#define CR4_PGE           BIT(7)
#define CR4_OSFXSR        BIT(9)
#define CR4_OSXMMEXCPT    BIT(10)
#define CR4_UMIP          BIT(11)
#define CR4_SMEP          BIT(20)
#define CR4_SMAP          BIT(21)
#define EFER_SCE          BIT(0)
#define EFER_LME          BIT(8)
#define EFER_LMA          BIT(10)
#define EFER_NXE          BIT(11)
#define CPUID7_EBX_SMEP   BIT(7)
#define CPUID7_EBX_SMAP   BIT(20)
#define CPUID7_ECX_UMIP   BIT(2)
#define CPUID81_EDX_NX    BIT(20)
#define EFLAGS_TF         BIT(8)
#define EFLAGS_IF         BIT(9)
#define EFLAGS_DF         BIT(10)
#define EFLAGS_NT         BIT(14)
#define EFLAGS_AC         BIT(18)
#define GDT_TSS_AVAILABLE 0x89UL

bool cpu_has_smap __debug_data;

/* The boot processor's exception stacks, a guard page below each. */
static u8 boot_ist[NR_IST][PAGE_SIZE + IST_STACK_SIZE] __aligned(PAGE_SIZE) __section(".bss.pages");
extern u8 boot_stack_guard[]; /* boot/head.S */

_Static_assert(KERNEL_STACK_SIZE == 16384, "boot/head.S has this number");

void syscall_entry(void); /* entry.S; not to be called */

void percpu_init(struct cpu *cpu)
{
	cpu->self = cpu;
	wrmsr(MSR_GS_BASE, (u64)cpu);
	wrmsr(MSR_KERNEL_GS_BASE, 0); /* what programs see; SWAPGS exchanges the two */
	wrmsr(MSR_FS_BASE, 0);
}

/* Loads the tables that exceptions and mode changes go by (SDM vol. 3, 3.4.5, 7.2.3). */
static void load_descriptor_tables(struct cpu *cpu)
{
	struct arch_cpu *arch = &cpu->arch;
	u64 tss = (u64)&arch->tss, limit = sizeof(arch->tss) - 1;
	struct {
		u16 limit;
		u64 base;
	} __packed gdtr = {sizeof(arch->gdt) - 1, (u64)arch->gdt};

	arch->gdt[KERNEL_CS / 8] = 0x00af9b000000ffff;
	arch->gdt[KERNEL_DS / 8] = 0x00cf93000000ffff;
	arch->gdt[USER_DS / 8] = 0x00cff3000000ffff;
	arch->gdt[USER_CS / 8] = 0x00affb000000ffff;
	arch->gdt[TSS_SEL / 8] =
	    limit | (tss & 0xffffff) << 16 | GDT_TSS_AVAILABLE << 40 | (tss >> 24 & 0xff) << 56;
	arch->gdt[TSS_SEL / 8 + 1] = tss >> 32;
	for (int i = 0; i < NR_IST; i++)
		arch->tss.ist[i] = (u64)arch->ist_stack[i] + IST_STACK_SIZE;
	arch->tss.iomap_base = sizeof(arch->tss); /* no port is a program's */

	/* CS and SS keep their selectors, whose descriptors are the boot code's; the rest is null,
	 * and GS stays untouched, for loading it would clear its base. */
	__asm__ volatile("lgdt %0" ::"m"(gdtr));
	__asm__ volatile("ltr %w0" ::"r"(TSS_SEL));
	idt_load();
}

static void set_control_registers(void)
{
	struct cpuid features = cpuid(7);
	u64 cr4 = CR4_PAE | CR4_PGE | CR4_OSFXSR | CR4_OSXMMEXCPT;

	if (!(cpuid(0x80000001).edx & CPUID81_EDX_NX))
		panic("this processor cannot forbid execution of data (no NX)");
	wrmsr(MSR_EFER, EFER_SCE | EFER_LME | EFER_LMA | EFER_NXE);

	if (features.ebx & CPUID7_EBX_SMEP)
		cr4 |= CR4_SMEP;
	if (features.ebx & CPUID7_EBX_SMAP)
		cr4 |= CR4_SMAP;
	if (features.ecx & CPUID7_ECX_UMIP)
		cr4 |= CR4_UMIP;
	cpu_has_smap = cr4 & CR4_SMAP;
	/* Not set: FSGSBASE, or programs could give the entry code a GS base to mistake for ours.
	 */
	__asm__ volatile("movq %0, %%cr4" ::"r"(cr4) : "memory");
	__asm__ volatile("movq %0, %%cr0" ::"r"(CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_PG)
			 : "memory");
}

/* SYSCALL and SYSRET (SDM vol. 3, 5.8.8). */
static void set_syscall_entry(void)
{
	/* SYSRET adds 8 for SS and 16 for CS. */
	wrmsr(MSR_STAR, (u64)(USER_DS - 8) << 48 | (u64)KERNEL_CS << 32);
	wrmsr(MSR_LSTAR, (u64)syscall_entry);
	wrmsr(MSR_SYSENTER_CS, 0); /* without a selector SYSENTER is a fault (SDM vol. 3, 5.8.7) */
	wrmsr(MSR_FMASK, EFLAGS_TF | EFLAGS_IF | EFLAGS_DF | EFLAGS_NT | EFLAGS_AC);
}

void arch_cpu_init(struct cpu *cpu)
{
	cpu->arch.dr7 = DR7_IDLE;
	load_descriptor_tables(cpu);
	set_control_registers();
	set_syscall_entry();
}

/*
 * Architectural performance monitoring (SDM vol. 3, 19.2). Version 0, the rule under a hypervisor,
 * means that not even the registers exist.
 */
static void clear_intel_pmu(void)
{
	struct cpuid leaf = cpuid(10);
	u32 version = leaf.eax & 0xff, counters = leaf.eax >> 8 & 0xff;
	u64 overflow = counters < 32 ? BIT(counters) - 1 : 0xffffffff;

	if (version == 0)
		return;
	if (version >= 2) {
		wrmsr(MSR_GLOBAL_CTRL, 0);
		wrmsr(MSR_FIXED_CTR_CTRL, 0);
		overflow |= (BIT(leaf.edx & 0x1f) - 1) << 32;
	}
	for (u32 i = 0; i < counters; i++)
		wrmsr(MSR_EVENT_SELECT + i, 0);
	if (version >= 2)
		wrmsr(MSR_GLOBAL_RESET, overflow);
}

/* AMD APM vol. 2, 13.2 and 13.3. */
static void clear_amd_pmu(void)
{
	u32 features = cpuid(0x80000001).ecx;
	struct cpuid v2 = cpuid(0x80000022);

	if (v2.eax & BIT(0))
		wrmsr(MSR_AMD_GLOBAL_CTRL, 0);
	for (u32 i = 0; i < 4; i++)
		wrmsr(MSR_AMD_EVENT_SELECT + i, 0);
	if (features & BIT(23)) { /* PerfCtrExtCore */
		for (u32 i = 0; i < 6; i++)
			wrmsr(MSR_AMD_EVENT_SELECT_CORE + 2 * i, 0);
	}
	if (v2.eax & BIT(0))
		wrmsr(MSR_AMD_GLOBAL_RESET, BIT(v2.ebx & 0xf) - 1);
	if (features & BIT(10)) { /* IBS */
		wrmsr(MSR_AMD_IBS_FETCH_CTRL, 0);
		wrmsr(MSR_AMD_IBS_EXECUTION_CTRL, 0);
	}
}

void arch_clear_debug_state(void)
{
	static const char amd[] = "AuthenticAMD", hygon[] = "HygonGenuine";
	struct cpuid leaf = cpuid(0);
	u32 vendor[3] = {leaf.ebx, leaf.edx, leaf.ecx};

	bp_reset_cpu();
	wrmsr(MSR_DEBUGCTL, 0); /* SDM vol. 3, 17.4.1 */

	if (!memcmp(vendor, amd, sizeof(vendor)) || !memcmp(vendor, hygon, sizeof(vendor)))
		clear_amd_pmu();
	clear_intel_pmu(); /* other vendors have it too, if the leaf says so */
}

/*
 * On the first CPU; INIT has reset the debug registers of the others (SDM vol. 3, table 9-1). If
 * they were locked by DR7.GD, the first write raises an exception, which opens them.
 */
static void clear_what_firmware_left(void)
{
	idt_set_entry(VECTOR_DEBUG, debug_ignored);
	idt_load();
	arch_clear_debug_state();
	idt_set_entry(VECTOR_DEBUG, trap_stubs + 16 * VECTOR_DEBUG);
}

void arch_init_early(void)
{
	struct cpu *cpu = &cpus[0];

	tsc_base = kernel_entry_cycles; /* time begins */
	idt_init();
	clear_what_firmware_left();
	percpu_init(cpu);
	for (int i = 0; i < NR_IST; i++)
		cpu->arch.ist_stack[i] = boot_ist[i] + PAGE_SIZE;
	arch_cpu_init(cpu);
}

void arch_init(void)
{
	mmu_unmap(&kernel_mmu, (unsigned long)boot_stack_guard);
	mmu_flush((unsigned long)boot_stack_guard, (unsigned long)boot_stack_guard + PAGE_SIZE);
	for (int i = 0; i < NR_IST; i++) {
		unsigned long guard = (unsigned long)boot_ist[i];

		mmu_unmap(&kernel_mmu, guard);
		mmu_flush(guard, guard + PAGE_SIZE);
	}
}
