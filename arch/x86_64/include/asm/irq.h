/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/irq.h: the interrupt flag, RFLAGS bit 9 (Intel SDM vol. 1, 3.4.3). */
#pragma once

#define X86_EFLAGS_IF (1UL << 9)

static inline unsigned long irq_save(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags)::"memory");
	return flags;
}

static inline bool irqs_enabled(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags)::"memory");
	return flags & X86_EFLAGS_IF;
}

static inline void irq_enable(void)
{
	__asm__ volatile("sti" ::: "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("cli" ::: "memory");
}

static inline void irq_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		irq_enable();
}

/* STI keeps interrupts off for one more instruction, which is the HLT (SDM vol. 2, STI). */
static inline void irq_enable_and_wait(void)
{
	__asm__ volatile("sti; hlt" ::: "memory");
}

static inline void cpu_relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}
