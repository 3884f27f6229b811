/* SPDX-License-Identifier: MIT */
/*
 * Other processors: which there are, by the ACPI tables, and how they are made to run
 * boot/trampoline.S.
 */
#include <hotregs/acpi.h>
#include <hotregs/cpu.h>
#include <hotregs/mm.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/irq.h>
#include <arch/smp.h>
#include <asm/lapic.h>

/* In the local APIC's memory-mapped mode an id has eight bits, and the last one is all of them. */
#define BROADCAST_ID 0xffU

/* Intel MultiProcessor Specification 1.4, B.4. */
#define INIT_NS    10000000ULL
#define STARTUP_NS 200000ULL

extern const u8 ap_trampoline[], ap_trampoline_end[]; /* boot/trampoline.S */

/* By APIC id, for ever: one that comes too late must not begin with what another one got. */
struct cpu_start *ap_starts[BROADCAST_ID + 1];

static phys_addr_t trampoline; /* the page that has it; 0: none yet */

_Static_assert(offsetof(struct cpu_start, stack) == 0, "boot/trampoline.S reads it");
_Static_assert(offsetof(struct mmu, root) == 0, "boot/trampoline.S reads kernel_mmu's");

static bool is_listed(const u64 hwid[], unsigned n, u64 id)
{
	while (n--)
		if (hwid[n] == id)
			return true;
	return false;
}

unsigned arch_cpus_find(u64 hwid[], unsigned max)
{
	unsigned listed = MIN(acpi_info.nr_cpus, (unsigned)BOOT_MAX_CPUS), n = 1;

	hwid[0] = this_cpu()->arch.apic_id;
	for (unsigned i = 0; i < listed; i++) {
		u32 id = acpi_info.apic_id[i];

		/* Those beyond take x2APIC mode. */
		if (id < BROADCAST_ID && n < max && !is_listed(hwid, n, id))
			hwid[n++] = id;
	}
	return n + acpi_info.nr_cpus - listed;
}

/*
 * Below RAM_RESERVED_END nothing is allocated, ever, so that the page stays what it is also for a
 * processor that comes late. Page 0 has the real-mode vectors.
 */
static int place_trampoline(void)
{
	const struct boot_region *archive = &boot_info.archive;

	for (phys_addr_t pa = PAGE_SIZE; pa < RAM_RESERVED_END; pa += PAGE_SIZE) {
		struct boot_region page = {pa, PAGE_SIZE};

		if (!boot_in_ram(&boot_info, &page) ||
		    (archive->start < pa + PAGE_SIZE && pa < archive->start + archive->size))
			continue;
		memcpy(phys_to_virt(pa), ap_trampoline, ap_trampoline_end - ap_trampoline);
		trampoline = pa;
		return 0;
	}
	return -ENOMEM;
}

/* Intel SDM vol. 3, 8.4.4.1: INIT, and the start-up interrupt twice, for the first may be lost. */
int arch_cpu_start(struct cpu_start *start, u64 hwid)
{
	if (!trampoline && place_trampoline())
		return -ENOMEM;
	ap_starts[hwid] = start;
	lapic_send(hwid, LAPIC_ICR_INIT);
	time_wait(INIT_NS);
	for (int i = 0; i < 2 && READ_ONCE(start->state) == CPU_START_WAITED; i++) {
		lapic_send(hwid, LAPIC_ICR_STARTUP | trampoline >> PAGE_SHIFT);
		time_wait(STARTUP_NS);
	}
	return 0;
}

int arch_cpu_prepare(struct cpu *cpu)
{
	for (int i = 0; i < NR_IST; i++) {
		cpu->arch.ist_stack[i] = vmap_alloc(IST_STACK_SIZE / PAGE_SIZE);
		if (!cpu->arch.ist_stack[i]) {
			arch_cpu_discard(cpu);
			return -ENOMEM;
		}
	}
	return 0;
}

void arch_cpu_discard(struct cpu *cpu)
{
	for (int i = 0; i < NR_IST; i++) {
		vmap_free(cpu->arch.ist_stack[i], IST_STACK_SIZE / PAGE_SIZE);
		cpu->arch.ist_stack[i] = NULL;
	}
}

void arch_cpu_begin(struct cpu *cpu)
{
	arch_clear_debug_state();
	percpu_init(cpu);
	arch_cpu_init(cpu);
}

void arch_cpu_park(void)
{
	irq_disable();
	for (;;)
		__asm__ volatile("hlt");
}
