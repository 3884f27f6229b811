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
#include <asm/cp15.h>
#include <asm/interrupts.h>
#include <asm/psci.h>
#include <asm/start.h>
#include <asm/timer_regs.h>

u32 boot_parked[BOOT_MAX_PARKED];
bool tlb_shared;

static const struct arm_parked *parked;

void arm_set_parked(const struct arm_parked *new_parked)
{
	parked = new_parked;
}

/* The next processor that the tree names and that is ours to use (Devicetree Specification, 3.8).
 */
static bool next_processor(struct fdt_node *node, u64 *hwid)
{
	while (fdt_next(boot_fdt, node) && node->depth > 1) {
		const char *type = fdt_string(boot_fdt, node, "device_type", 0);

		*hwid = fdt_number(boot_fdt, node, "reg", UINT64_MAX);
		if (node->depth == 2 && type && !strcmp(type, "cpu") &&
		    fdt_enabled(boot_fdt, node) && *hwid <= MPIDR_AFFINITY)
			return true;
	}
	return false;
}

unsigned arch_cpus_find(u64 hwid[], unsigned max)
{
	u64 own = this_cpu()->arch.mpidr, id;
	struct fdt_node node;
	unsigned n = 0;

	hwid[n++] = own;
	if (boot_fdt && fdt_find(boot_fdt, &node, "/cpus")) {
		while (next_processor(&node, &id)) {
			if (id != own && n < max)
				hwid[n] = id;
			n += id != own;
		}
	} else if (!boot_fdt && parked) {
		for (u32 i = 0; i < parked->nr; i++)
			if (i != (own & 0xff) && n < max)
				hwid[n++] = (own & ~0xffULL) | i;
	}
	return n;
}

/* Is the firmware what the tree names for starting this one (Linux' binding arm,cpus)? */
static bool is_psci(u64 hwid)
{
	struct fdt_node node;
	const char *method = NULL;
	u64 id;

	if (!boot_fdt || !fdt_find(boot_fdt, &node, "/cpus"))
		return false;
	while (!method && next_processor(&node, &id))
		if (id == hwid)
			method = fdt_string(boot_fdt, &node, "enable-method", 0);
	return method && !strcmp(method, "psci");
}

static int psci_cpu_on(u32 mpidr, u32 start)
{
	extern const char boot_secondary[];
	int result;

	if (!is_psci(mpidr))
		return -ENOSYS;
	result = psci_call(PSCI_CPU_ON, mpidr, (u32)boot_secondary - KERNEL_IMAGE_BASE, start);
	switch (result) {
	case PSCI_SUCCESS:
		return 0;
	case PSCI_NOT_SUPPORTED:
		return -ENOSYS;
	case PSCI_INVALID_PARAMETERS:
	case PSCI_NOT_PRESENT:
		return -ENODEV;
	case PSCI_DENIED:
	case PSCI_DISABLED:
		return -EPERM;
	case PSCI_ALREADY_ON:
	case PSCI_ON_PENDING:
		return -EBUSY;
	default:
		return -EIO;
	}
}

static int release_parked(u32 mpidr, u32 start)
{
	u32 n = mpidr & 0xff;

	if (n >= MIN(parked->nr, (unsigned)BOOT_MAX_PARKED))
		return -ENODEV;
	WRITE_ONCE(boot_parked[n], start);
	cache_clean(&boot_parked[n], sizeof(boot_parked[n]));
	parked->wake(n);
	return 0;
}

int arch_cpu_start(struct cpu_start *start, u64 hwid)
{
	u32 pa = virt_to_phys(start);

	if (!tlb_shared) {
		tlb_shared = true;
		mmu_boot_secondary();
	}
	/* All that was written so far is seen by a processor whose caches are on; it reads nothing
	 * else before. */
	complete_accesses();
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
