/* SPDX-License-Identifier: MIT */
/*
 * drivers/irq/bcm2836.c on a model of its two controllers ("QA7" rev 3.4, chapter 4; BCM2835 ARM
 * Peripherals, 7.5).
 */
#include "host.h"

#include "../../drivers/irq/bcm2836.c"

enum { LOCAL = 0, GPU = 0x1200 }; /* in space[] */

static struct {
	u32 routing, timer_control[4], mailbox_control[4], mail[4], start[4];
	unsigned events;
	u32 timer; /* asks */
	u32 enabled[2], arm_enabled, asking[2], fiq;
} model;
static u8 space[0x2000];
static bool in_table;
static unsigned worked, timed, called;
static const struct arm_parked *waiting;

void mmio_write32(volatile void *p, u32 value)
{
	size_t reg = (u8 *)p - space;
	unsigned cpu = reg / 4 % 4;

	if (reg == GPU + 0x0c)
		model.fiq = value;
	else if (reg == GPU + 0x10 || reg == GPU + 0x14)
		model.enabled[(reg - GPU - 0x10) / 4] |= value;
	else if (reg == GPU + 0x1c || reg == GPU + 0x20)
		model.enabled[(reg - GPU - 0x1c) / 4] &= ~value;
	else if (reg == GPU + 0x24)
		model.arm_enabled &= ~value;
	else if (reg == 0x0c)
		model.routing = value;
	else if (reg >= 0x40 && reg < 0x50)
		model.timer_control[cpu] = value;
	else if (reg >= 0x50 && reg < 0x60)
		model.mailbox_control[cpu] = value;
	else if (reg >= 0x80 && reg < 0xc0 && reg % 16 == 0)
		model.mail[(reg - 0x80) / 16] |= value;
	else if (reg >= 0x80 && reg < 0xc0 && reg % 16 == 12)
		model.start[(reg - 0x80) / 16] |= value;
	else if (reg >= 0xc0 && reg < 0x100 && reg % 16 == 0)
		model.mail[(reg - 0xc0) / 16] &= ~value;
	else
		fail_msg("write of %#zx", reg);
}

static u32 pending(unsigned n)
{
	return model.asking[n] & model.enabled[n];
}

static u32 source_of(unsigned cpu)
{
	u32 source = 0;

	if (model.timer && model.timer_control[cpu] & 8)
		source |= 8;
	if (model.mail[cpu] && model.mailbox_control[cpu] & 1)
		source |= 0x10;
	if (model.routing % 4 == cpu && (pending(0) || pending(1)))
		source |= 0x100;
	return source;
}

u32 mmio_read32(const volatile void *p)
{
	size_t reg = (const u8 *)p - space;

	if (reg == GPU + 0x04 || reg == GPU + 0x08)
		return pending((reg - GPU - 0x04) / 4);
	if (reg >= 0xc0 && reg < 0x100 && reg % 16 == 0)
		return model.mail[(reg - 0xc0) / 16];
	assert_in_range(reg, 0x60, 0x6c);
	return source_of((reg - 0x60) / 4);
}

void *ioremap(phys_addr_t pa, size_t size)
{
	return space + pa;
}

bool board_next_device(struct board_device *dev, const char *compatible)
{
	bool is_local = !strcmp(compatible, "brcm,bcm2836-l1-intc");

	if (!in_table || (!is_local && strcmp(compatible, "brcm,bcm2836-armctrl-ic")))
		return false;
	dev->reg[0].start = is_local ? LOCAL : GPU;
	dev->reg[0].size = is_local ? 0x100 : 0x200;
	return true;
}

const char boot_park[1];

void send_event(void)
{
	model.events++;
}

void irq_work_run(void)
{
	worked++;
}

void smp_interrupt(void)
{
	called++;
}

void arm_set_parked(const struct arm_parked *parked)
{
	waiting = parked;
}

void arm_timer_interrupt(struct pt_regs *regs)
{
	assert_ptr_equal(regs, (void *)0x1000);
	timed++;
	model.timer = false;
}

void irq_dispatch(unsigned irq)
{
	check_expected(irq);
	model.asking[irq / 32] &= ~(1U << irq % 32);
}

void irq_set_chip(const struct irq_chip *chip)
{
	assert_int_equal(chip->nr_irqs, 64);
}

static int setup(void **state)
{
	memset(&model, 0xff, sizeof(model)); /* all on, all asking */
	memset(model.start, 0, sizeof(model.start));
	model.events = 0;
	in_table = true;
	worked = timed = called = 0;
	memset(cpus, 0, sizeof(cpus));
	local = gpu = NULL;
	bcm2836_init();
	return 0;
}

static void dispatch(void)
{
	arm_irq_dispatch((void *)0x1000);
}

static void nothing_of_the_firmware_is_left(void **state)
{
	assert_int_equal(model.enabled[0] | model.enabled[1] | model.arm_enabled, 0);
	assert_int_equal(model.fiq & 0x80, 0); /* bit 7 enables it */
	assert_int_equal(model.routing, 0);
	assert_int_equal(model.timer_control[0], 0);
	assert_int_equal(model.mailbox_control[0], 1); /* the first mailbox, as IRQ */
	assert_int_equal(source_of(0), 0);
	dispatch();
	assert_int_equal(worked + timed, 0);
}

/* By the mailbox that their loop looks into, and only they. */
static void other_processors_are_parked(void **state)
{
	u32 park = (unsigned long)boot_park - KERNEL_IMAGE_BASE;

	assert_int_equal(model.start[0], 0);
	for (int other = 1; other < 4; other++)
		assert_int_equal(model.start[other], park);
	assert_int_equal(model.events, 1);
	assert_int_equal(waiting->nr, 4);
}

/* What wakes one interrupts it, and is gone once it has set up its own part. */
static void parked_processor_is_woken(void **state)
{
	memset(model.mail, 0, sizeof(model.mail));
	memset(model.timer_control, 0, sizeof(model.timer_control));
	model.mailbox_control[3] = 0;
	waiting->wake(3);
	assert_int_equal(source_of(3), 0x10);
	assert_int_equal(source_of(1) | source_of(2), 0);
	model.timer_control[3] = 8;
	cpus[0].arch.mpidr = 0xf03;
	bcm2836_start_cpu();
	assert_int_equal(source_of(3), 0);
	arm_timer_unmask();
	assert_int_equal(model.timer_control[3], 8);
	dispatch();
	assert_int_equal(timed, 1);
	assert_int_equal(called, 0);
}

/* A processor's number here is the hardware's, whatever the kernel's is. */
static void processors_interrupt_each_other(void **state)
{
	memset(model.mail, 0, sizeof(model.mail));
	memset(model.timer_control, 0, sizeof(model.timer_control));
	cpus[1].arch.mpidr = 0xf02;
	arch_send_ipi(&cpus[1]);
	assert_int_equal(source_of(0), 0);
	assert_int_equal(source_of(2), 0x10);
	cpus[0].arch.mpidr = 0xf02;
	dispatch();
	assert_int_equal(called, 1);
	assert_int_equal(worked, 0);
	assert_int_equal(source_of(2), 0);
	arch_send_ipi(&cpus[1]);
	arch_raise_irq_work();
	dispatch();
	assert_int_equal(called, 2);
	assert_int_equal(worked, 1);
}

static void device_lines_are_masked_one_by_one(void **state)
{
	bcm2836_unmask(57);
	bcm2836_unmask(29);
	assert_int_equal(model.enabled[0], 1U << 29);
	assert_int_equal(model.enabled[1], 1U << 25);
	expect_value(irq_dispatch, irq, 29);
	dispatch();
	expect_value(irq_dispatch, irq, 57);
	dispatch();
	model.asking[0] = model.asking[1] = ~0U;
	bcm2836_mask(29);
	expect_value(irq_dispatch, irq, 57);
	dispatch();
	bcm2836_mask(57);
	dispatch();
}

static void work_interrupts_its_own_cpu(void **state)
{
	arch_raise_irq_work();
	arch_raise_irq_work();
	assert_int_equal(source_of(0), 0x10);
	dispatch();
	assert_int_equal(worked, 1);
	assert_int_equal(source_of(0), 0);
	cpus[0].arch.mpidr = 0xf02;
	arch_raise_irq_work();
	cpus[0].arch.mpidr = 0xf00;
	assert_int_not_equal(model.mail[2], 0);
	assert_int_equal(model.mail[0], 0);
}

static void work_of_before_is_made_up_for(void **state)
{
	static struct irq_work work;

	local = NULL;
	arch_raise_irq_work(); /* too early: no access */
	cpus[0].irq_work = &work;
	bcm2836_init();
	dispatch();
	assert_int_equal(worked, 1);
}

static void timer_comes_once_it_may(void **state)
{
	dispatch();
	assert_int_equal(timed, 0);
	arm_timer_unmask();
	assert_int_equal(source_of(0), 8);
	dispatch();
	assert_int_equal(timed, 1);
	assert_int_equal(source_of(0), 0);
}

static void lines_of_the_tree_are_the_gpus(void **state)
{
	assert_int_equal(irq_line((u32[]){2, 25}, 2), 57);
	assert_int_equal(irq_line((u32[]){1, 0}, 2), 0);
	assert_int_equal(irq_line((u32[]){1, 31}, 2), 31);
	assert_int_equal(irq_line((u32[]){1, 32}, 2), -EINVAL);
	assert_int_equal(irq_line((u32[]){0, 3}, 2), -EINVAL);
	assert_int_equal(irq_line((u32[]){3, 3}, 2), -EINVAL);
	assert_int_equal(irq_line((u32[]){2, 25, 4}, 3), -EINVAL);
}

static void board_without_one_is_told(void **state)
{
	in_table = false;
	expect_assert_failure(bcm2836_init());
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
	    TEST(nothing_of_the_firmware_is_left),    TEST(other_processors_are_parked),
	    TEST(device_lines_are_masked_one_by_one), TEST(work_interrupts_its_own_cpu),
	    TEST(work_of_before_is_made_up_for),      TEST(timer_comes_once_it_may),
	    TEST(parked_processor_is_woken),          TEST(processors_interrupt_each_other),
	    TEST(lines_of_the_tree_are_the_gpus),     TEST(board_without_one_is_told),
	};

	return cmocka_run_group_tests_name("bcm2836", tests, NULL, NULL);
}
