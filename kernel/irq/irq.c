/* SPDX-License-Identifier: MIT */
/* Device interrupts: one handler a line; and the depth that tells contexts apart. */
#include <hotregs/cpu.h>
#include <hotregs/irq.h>
#include <hotregs/printk.h>
#include <hotregs/spinlock.h>

static struct {
	irq_handler_t handler;
	void *ctx;
} lines[NR_IRQS];

static struct spinlock lock = SPINLOCK_INIT; /* changes of lines[]; entries are never taken back */
static const struct irq_chip *chip;

void irq_set_chip(const struct irq_chip *new_chip)
{
	ASSERT(!chip);
	chip = new_chip;
}

void irq_start_cpu(void)
{
	chip->start_cpu();
}

int irq_register(unsigned irq, irq_handler_t handler, void *ctx)
{
	unsigned long flags;
	bool busy;

	if (!chip || irq >= MIN(chip->nr_irqs, (unsigned)NR_IRQS))
		return -EINVAL;
	flags = spin_lock_irqsave(&lock);
	busy = lines[irq].handler;
	if (!busy) {
		lines[irq].ctx = ctx;
		/* Any CPU may be the first to be interrupted once the line is unmasked. */
		__atomic_store_n(&lines[irq].handler, handler, __ATOMIC_RELEASE);
		chip->unmask(irq);
	}
	spin_unlock_irqrestore(&lock, flags);
	return busy ? -EBUSY : 0;
}

void irq_dispatch(unsigned irq)
{
	irq_handler_t handler = __atomic_load_n(&lines[irq].handler, __ATOMIC_ACQUIRE);

	/* Nobody unmasked it: left over from before, and a level would come back for ever. */
	if (unlikely(!handler)) {
		if (chip)
			chip->mask(irq);
		return;
	}
	handler(lines[irq].ctx);
}

void irq_enter(void)
{
	this_cpu()->irq_depth++;
}

void irq_exit(void)
{
	check_no_spinlocks();
	this_cpu()->irq_depth--;
}
