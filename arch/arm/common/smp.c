/* SPDX-License-Identifier: MIT */
/*
 * Other processors: which ones there are, and how they are told to come. The firmware starts them
 * (PSCI, ARM DEN 0022); or they wait in our own boot code from the start, where the driver of the
 * board's interrupt controller reaches them. Either way they go through boot/head.S.
 */
#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>

#include <arch/irq.h>
#include <arch/smp.h>
#include <asm/interrupts.h>
#include <asm/psci.h>
#include <asm/start.h>
#include <asm/timer_regs.h>

unsigned long boot_parked[BOOT_MAX_PARKED];
bool tlb_shared;

static const struct arm_parked *parked;

void arm_set_parked(const struct arm_parked *new_parked)
{
	parked = new_parked;
}

/* Where no tree names any, those that wait are numbered in a row. */
static void find_parked(u64 own)
{
	for (unsigned i = 0; i < parked->nr; i++)
		boot_cpus.cpu[i].hwid = (own & ~0xffULL) | i;
	boot_cpus.nr = parked->nr;
}

unsigned arch_cpus_find(u64 hwid[], unsigned max)
{
	u64 own = this_cpu()->arch.mpidr;
	unsigned n = 0;

	if (!boot_cpus.nr && parked)
		find_parked(own);
	hwid[n++] = own;
	for (unsigned i = 0; i < boot_cpus.nr; i++) {
		bool listed = i < BOOT_MAX_CPUS;

		if (listed && boot_cpus.cpu[i].hwid == own)
			continue;
		if (listed && n < max)
			hwid[n] = boot_cpus.cpu[i].hwid;
		n++;
	}
	return n;
}

static bool has_psci(u64 mpidr)
{
	for (unsigned i = 0; i < MIN(boot_cpus.nr, (unsigned)BOOT_MAX_CPUS); i++)
		if (boot_cpus.cpu[i].hwid == mpidr)
			return boot_cpus.cpu[i].psci;
	return false;
}

static int psci_cpu_on(unsigned long mpidr, unsigned long start)
{
	extern const char boot_secondary[];
	static const u8 errors[] = {
	    [-PSCI_NOT_SUPPORTED] = ENOSYS, [-PSCI_INVALID_PARAMETERS] = ENODEV,
	    [-PSCI_DENIED] = EPERM,         [-PSCI_ALREADY_ON] = EBUSY,
	    [-PSCI_ON_PENDING] = EBUSY,     [-PSCI_INTERNAL_FAILURE] = EIO,
	    [-PSCI_NOT_PRESENT] = ENODEV,   [-PSCI_DISABLED] = EPERM,
	};
	int result;

	if (!has_psci(mpidr))
		return -ENOSYS;
	result =
	    psci_call(PSCI_CPU_ON, mpidr, (unsigned long)boot_secondary - KERNEL_IMAGE_BASE, start);
	return (unsigned)-result < ARRAY_SIZE(errors) ? -errors[-result] : -EIO;
}

static int release_parked(unsigned long mpidr, unsigned long start)
{
	unsigned long n = mpidr & 0xff;

	if (n >= MIN(parked->nr, (unsigned)BOOT_MAX_PARKED))
		return -ENODEV;
	WRITE_ONCE(boot_parked[n], start);
	cache_clean(&boot_parked[n], sizeof(boot_parked[n]));
	parked->wake(n);
	return 0;
}

int arch_cpu_start(struct cpu_start *start, u64 hwid)
{
	unsigned long pa = virt_to_phys(start);

	if (hwid & ~MPIDR_AFFINITY)
		return -EINVAL;
	if (!tlb_shared) {
		tlb_shared = true;
		mmu_boot_secondary();
	}
	complete_accesses(); /* what it reads, once its caches are on, is there */
	return parked ? release_parked(hwid, pa) : psci_cpu_on(hwid, pa);
}

int arch_cpu_prepare(struct cpu *cpu)
{
	cpu->arch.emergency_stack = vmap_alloc(EMERGENCY_STACK_SIZE / PAGE_SIZE);
	return cpu->arch.emergency_stack ? 0 : -ENOMEM;
}

void arch_cpu_discard(struct cpu *cpu)
{
	vmap_free(cpu->arch.emergency_stack, EMERGENCY_STACK_SIZE / PAGE_SIZE);
	cpu->arch.emergency_stack = NULL;
}

void arch_cpu_begin(struct cpu *cpu)
{
	percpu_init(cpu);
	arch_cpu_init(cpu);
}

/* An interrupt that is pending ends WFI though it is masked: the timer would be one for ever. */
void arch_cpu_park(void)
{
	irq_disable();
	write_cntv_ctl(0);
	for (;;) {
		complete_accesses();
		__asm__ volatile("wfi");
	}
}
