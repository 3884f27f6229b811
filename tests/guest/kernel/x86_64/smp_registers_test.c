/* SPDX-License-Identifier: MIT */
/* Every processor is set up as the first one is, with stacks and tables of its own. */
#include <hotregs/cpu.h>
#include <hotregs/mm.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>

#include <asm/cpu.h>
#include <asm/msr.h>

#include "../ktest.h"

#define MSR_PAT 0x277

/* What must be the same everywhere. */
struct setup {
	unsigned long cr0, cr3, cr4, dr6, dr7;
	u64 msr[9];
	u64 idt;
	u16 tr;
};

static const u32 same_msrs[] = {MSR_EFER,        MSR_STAR,     MSR_LSTAR,
				MSR_FMASK,       MSR_DEBUGCTL, MSR_KERNEL_GS_BASE,
				MSR_SYSENTER_CS, MSR_FS_BASE,  MSR_PAT};
static struct setup setups[MAX_CPUS];
static u64 gdts[MAX_CPUS];

struct table {
	u16 limit;
	u64 base;
} __packed;

static void note_setup(void *arg)
{
	u32 id = this_cpu()->id;
	struct setup *s = &setups[id];
	struct table idt, gdt;

	memset(s, 0, sizeof(*s));
	__asm__ volatile("movq %%cr0, %0" : "=r"(s->cr0));
	__asm__ volatile("movq %%cr3, %0" : "=r"(s->cr3));
	__asm__ volatile("movq %%cr4, %0" : "=r"(s->cr4));
	__asm__ volatile("movq %%db6, %0" : "=r"(s->dr6));
	__asm__ volatile("movq %%db7, %0" : "=r"(s->dr7));
	__asm__ volatile("sidt %0" : "=m"(idt));
	__asm__ volatile("sgdt %0" : "=m"(gdt));
	__asm__ volatile("str %0" : "=r"(s->tr));
	for (size_t i = 0; i < ARRAY_SIZE(same_msrs); i++)
		s->msr[i] = rdmsr(same_msrs[i]);
	s->idt = idt.base;
	gdts[id] = gdt.base;
}

KTEST(x86_processors_are_set_up_alike)
{
	if (nr_cpus == 1) {
		ktest_skip("one processor runs");
		return;
	}
	smp_call(cpus_online(), note_setup, NULL);
	for (u32 id = 1; id < nr_cpus; id++) {
		const u64 *first = (const u64 *)&setups[0], *this = (const u64 *)&setups[id];

		for (size_t i = 0; i < sizeof(struct setup) / sizeof(u64); i++)
			EXPECT_EQ(this[i], first[i]);
	}
}

KTEST(x86_processors_have_stacks_and_tables_of_their_own)
{
	phys_addr_t pa;
	unsigned prot;

	smp_call(cpus_online(), note_setup, NULL);
	for (u32 id = 0; id < nr_cpus; id++) {
		const struct arch_cpu *arch = &cpus[id].arch;

		EXPECT_EQ(gdts[id], (unsigned long)arch->gdt);
		for (int i = 0; i < NR_IST; i++) {
			unsigned long stack = (unsigned long)arch->ist_stack[i];

			EXPECT_EQ(arch->tss.ist[i], stack + IST_STACK_SIZE);
			EXPECT(mmu_lookup(&kernel_mmu, stack, &pa, &prot));
			EXPECT(!mmu_lookup(&kernel_mmu, stack - 1, &pa, &prot));
			for (u32 other = 0; other < id; other++)
				EXPECT(cpus[other].arch.ist_stack[i] != arch->ist_stack[i]);
		}
	}
}

/* Times are moved forth and back: where this is possible, a skew can be corrected. */
KTEST(x86_the_clock_can_be_adjusted)
{
	const s64 far = 1LL << 40;
	unsigned long flags = irq_save();
	u64 before = clock_cycles(), between, after;
	int err = clock_adjust(far);

	between = clock_cycles();
	if (!err)
		clock_adjust(-far);
	after = clock_cycles();
	irq_restore(flags);
	if (err) {
		EXPECT_EQ(err, -ENOSYS);
		ktest_skip("the processor has no IA32_TSC_ADJUST");
		return;
	}
	EXPECT(between - before >= (u64)far && between - before < 2 * (u64)far);
	EXPECT(after >= before && after - before < (u64)far);
}
