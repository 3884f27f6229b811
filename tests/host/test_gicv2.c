/* SPDX-License-Identifier: MIT */
/*
 * drivers/irq/gic.c and gicv2.c on a model of the controller, from its specification (Arm IHI
 * 0048B, 3.2, 3.6, 4.3 and 4.4): in the Non-secure view of one with the Security Extensions, and in
 * that of one without.
 */
#include "host.h"

#include "../../drivers/irq/gic.c"
#include "../../drivers/irq/gicv2.c"

enum { NR_IDS = 96, SELF = 2 /* our number as a sender */, OWN_TARGET = 0x04 };

static struct {
	bool nonsecure; /* which of the two views this is */
	u32 dist_on, interface_on, mask;
	bool enabled[NR_IDS], pending[NR_IDS], active[NR_IDS], group1[NR_IDS], line[NR_IDS],
	    edge[NR_IDS];
	u8 priority[NR_IDS], targets[NR_IDS];
	unsigned ended;
	u32 sent; /* to others: what was written last */
} gic;
static u8 space[0x3000]; /* distributor, then interface */
static u32 timer_cells[3] = {1, 11, 4};
static bool gic_in_tree;
static unsigned worked, timed, called;
static struct pt_regs *timed_regs;

/* --- The model --- */

/* The world that speaks sees nothing of the other one's interrupts. */
static bool ours(unsigned id)
{
	return !gic.nonsecure || gic.group1[id];
}

static bool *bits_of(unsigned reg, unsigned *id)
{
	*id = reg % 0x80 / 4 * 32;
	switch (reg & ~0x7fU) {
	case 0x080:
		return gic.group1;
	case 0x100:
	case 0x180:
		return gic.enabled;
	case 0x200:
	case 0x280:
		return gic.pending;
	case 0x300:
	case 0x380:
		return gic.active;
	default:
		return NULL;
	}
}

static void write_bits(unsigned reg, u32 value)
{
	unsigned id;
	bool *bits = bits_of(reg, &id), clears = reg & 0x80;

	for (unsigned i = 0; i < 32 && id + i < NR_IDS; i++) {
		if (bits == gic.group1 && !gic.nonsecure)
			bits[id + i] = value >> i & 1;
		else if (bits != gic.group1 && value >> i & 1 && ours(id + i))
			/* Software-generated ones are enabled for good here, as they may be. */
			bits[id + i] = !clears || (bits == gic.enabled && id + i < 16);
	}
}

static void write_bytes(unsigned reg, u32 value)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned id = (reg & 0x3ff) + i;
		u8 byte = value >> 8 * i;

		if (id >= NR_IDS || !ours(id))
			continue;
		if (reg < 0x800)
			gic.priority[id] = gic.nonsecure ? byte >> 1 | 0x80 : byte;
		else if (id >= 32)
			gic.targets[id] = byte;
	}
}

void mmio_write32(volatile void *p, u32 value)
{
	size_t reg = (u8 *)p - space;
	unsigned id;

	if (reg == 0x000)
		gic.dist_on = value;
	else if (reg == 0xf00 && !(value >> 24)) /* to a list */
		gic.sent = value;
	else if (reg == 0xf00) {
		assert_int_equal(value >> 24, 2); /* to the sender alone */
		gic.pending[value & 0xf] = true;
	} else if (reg == 0x1000)
		gic.interface_on = value;
	else if (reg == 0x1004)
		gic.mask = gic.nonsecure ? value >> 1 | 0x80 : value;
	else if (reg == 0x1010) {
		id = value & 0x3ff;
		assert_int_equal(value, id < 16 ? id | SELF << 10 : id); /* as it was read */
		assert_true(gic.active[id]);
		gic.active[id] = false;
		gic.ended++;
	} else if (reg >= 0x400 && reg < 0xc00)
		write_bytes(reg, value);
	else if (reg >= 0xc00 && reg < 0xd00) {
		for (unsigned i = 0; i < 16 && (reg - 0xc00) * 4 + i < NR_IDS; i++)
			gic.edge[(reg - 0xc00) * 4 + i] = value >> (2 * i + 1) & 1;
	} else {
		assert_non_null(bits_of(reg, &id));
		write_bits(reg, value);
	}
}

/* Marks the most urgent one as being served (4.4.4). */
static u32 acknowledge(void)
{
	unsigned best = 1023;

	for (unsigned id = 0; id < NR_IDS; id++) {
		bool asks = gic.pending[id] || gic.line[id];
		bool to_us = id < 32 || gic.targets[id] & OWN_TARGET;

		if (asks && gic.enabled[id] && !gic.active[id] && ours(id) && to_us &&
		    gic.dist_on & 1 && gic.interface_on & 1 && gic.priority[id] < gic.mask &&
		    (best == 1023 || gic.priority[id] < gic.priority[best]))
			best = id;
	}
	if (best == 1023)
		return best;
	gic.pending[best] = false;
	gic.active[best] = true;
	return best < 16 ? best | SELF << 10 : best;
}

u32 mmio_read32(const volatile void *p)
{
	size_t reg = (const u8 *)p - space;

	if (reg == 0x004)
		return NR_IDS / 32 - 1;
	if (reg == 0x800)
		return OWN_TARGET * 0x01010101U;
	assert_int_equal(reg, 0x100c);
	return acknowledge();
}

/* --- The kernel around it --- */

void *ioremap(phys_addr_t pa, size_t size)
{
	assert_int_equal(size, 0x1000);
	return pa == 0x8000000 ? space : pa == 0x8010000 ? space + 0x1000 : NULL;
}

static struct fdt tree;
const struct fdt *boot_fdt;

bool board_next_device(struct board_device *dev, const char *compatible)
{
	if (!strcmp(compatible, "arm,armv7-timer"))
		return boot_fdt;
	if (!gic_in_tree || strcmp(compatible, "arm,cortex-a7-gic"))
		return false;
	dev->reg[0] = (struct boot_region){0x8000000, 0x10000};
	dev->reg[1] = (struct boot_region){0x8010000, 0x10000};
	return true;
}

unsigned fdt_interrupt(const struct fdt *fdt, const struct fdt_node *node, u32 i,
		       u32 cells[FDT_MAX_CELLS])
{
	assert_int_equal(i, 2); /* the virtual one */
	memcpy(cells, timer_cells, sizeof(timer_cells));
	return 3;
}

void irq_work_run(void)
{
	worked++;
}

void smp_interrupt(void)
{
	called++;
}

void arm_timer_interrupt(struct pt_regs *regs)
{
	timed++;
	timed_regs = regs;
	gic.line[gic_timer_id] = false;
}

/* What firmware may have left, and the tables of both worlds where they begin. */
static void setup_in(bool nonsecure)
{
	memset(&gic, 0, sizeof(gic));
	gic.nonsecure = nonsecure;
	for (unsigned id = 0; id < NR_IDS; id++) {
		gic.enabled[id] = id % 3 == 0 || id < 16;
		gic.pending[id] = id % 5 == 0;
		gic.active[id] = id % 7 == 0;
		gic.group1[id] = nonsecure;
		gic.edge[id] = id % 2;
		gic.priority[id] = 0xff;
	}
	gic.dist_on = 1;
	boot_fdt = &tree;
	gic_timer_id = 27;
	gic_in_tree = true;
	worked = timed = called = 0;
	cpus[0].irq_work = NULL;
	gicv2_init();
}

static int setup_secure_view(void **state)
{
	setup_in(false);
	return 0;
}

static int setup_nonsecure_view(void **state)
{
	setup_in(true);
	return 0;
}

static struct pt_regs *const regs = (void *)0x1000;

static void nothing_of_the_firmware_is_left(void **state)
{
	for (unsigned id = 0; id < NR_IDS; id++) {
		assert_int_equal(gic.enabled[id], id < 16);
		assert_false(gic.pending[id]);
		assert_false(gic.active[id]);
		assert_int_equal(gic.group1[id], gic.nonsecure);
		if (id >= 32) {
			assert_int_equal(gic.targets[id], OWN_TARGET);
			assert_false(gic.edge[id]);
		}
	}
	arm_irq_dispatch(regs); /* nothing asks: nothing is ended */
	assert_int_equal(gic.ended, 0);
}

static void device_line_is_served_and_ended(void **state)
{
	gicv2_unmask(33);
	gic.line[32 + 33] = true;
	expect_value(irq_dispatch, irq, 33);
	arm_irq_dispatch(regs);
	assert_int_equal(gic.ended, 1);
	gic.line[32 + 33] = true;
	gicv2_mask(33);
	arm_irq_dispatch(regs);
	assert_int_equal(gic.ended, 1);
}

void irq_dispatch(unsigned irq)
{
	check_expected(irq);
	gic.line[32 + irq] = false;
}

static void work_interrupts_its_own_cpu(void **state)
{
	arch_raise_irq_work();
	arch_raise_irq_work();
	arm_irq_dispatch(regs);
	assert_int_equal(worked, 1);
	assert_int_equal(gic.ended, 1);
	assert_int_equal(timed, 0);
}

static void processors_interrupt_each_other(void **state)
{
	arch_send_ipi(&cpus[0]); /* whose number is what its own register said */
	assert_int_equal(gic.sent >> 16, OWN_TARGET);
	gic.pending[gic.sent & 0xf] = true;
	arm_irq_dispatch(regs);
	assert_int_equal(called, 1);
	assert_int_equal(worked, 0);
	assert_int_equal(gic.ended, 1);
}

/* Its private interrupts are as firmware left them, and shared ones are somebody's by now. */
static void started_processor_changes_its_own_part_alone(void **state)
{
	gicv2_unmask(33);
	memset(gic.enabled, true, 32);
	gic.interface_on = 0;
	gicv2_start_cpu();
	for (unsigned id = 16; id < 32; id++)
		assert_false(gic.enabled[id]);
	assert_true(gic.enabled[32 + 33]);
	assert_int_equal(gic.interface_on, 1);
	work_interrupts_its_own_cpu(state);
}

static void work_of_before_is_made_up_for(void **state)
{
	static struct irq_work work;

	controller = NULL;
	arch_raise_irq_work(); /* too early: no access */
	cpus[0].irq_work = &work;
	gicv2_init();
	cpus[0].irq_work = NULL;
	arm_irq_dispatch(regs);
	assert_int_equal(worked, 1);
}

static void timer_has_the_line_the_tree_says(void **state)
{
	for (timer_cells[1] = 10; timer_cells[1] <= 15; timer_cells[1] += 5) {
		gicv2_init();
		gic.line[16 + timer_cells[1]] = true;
		arm_irq_dispatch(regs);
		assert_int_equal(timed, 0); /* masked so far */
		arm_timer_unmask();
		arm_irq_dispatch(regs);
		assert_int_equal(timed, 1);
		assert_ptr_equal(timed_regs, regs);
		timed = 0;
	}
	/* One that the tree has wrong, or no tree. */
	timer_cells[1] = 16;
	gic_timer_id = 27;
	gicv2_init();
	assert_int_equal(gic_timer_id, 27);
	timer_cells[1] = 11;
}

static void lines_of_the_tree_are_shared_and_level(void **state)
{
	static const struct {
		u32 cells[4];
		unsigned n;
		int line;
	} cases[] = {
	    {{0, 1, 4}, 3, 1},        {{0, 63, 0xf04}, 3, 63}, {{0, 64, 4}, 3, -EINVAL},
	    {{1, 11, 4}, 3, -EINVAL}, {{0, 1, 1}, 3, -EINVAL}, {{0, 1}, 2, -EINVAL},
	    {{2, 1, 4}, 3, -EINVAL},  {{0, 1, 8}, 3, -EINVAL}, {{0, ~0U, 4}, 3, -EINVAL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(irq_line(cases[i].cells, cases[i].n), cases[i].line);
}

static void board_without_one_is_told(void **state)
{
	gic_in_tree = false;
	controller = NULL;
	gicv2_init();
	expect_assert_failure(arm_timer_unmask());
}

void irq_set_chip(const struct irq_chip *chip)
{
	assert_int_equal(chip->nr_irqs, NR_IDS - 32);
}

int main(void)
{
#define TEST(f)                                                              \
	cmocka_unit_test_setup(f, setup_secure_view),                        \
	{                                                                    \
#f " (Non-secure view)", f, setup_nonsecure_view, NULL, NULL \
	}
	const struct CMUnitTest tests[] = {
	    TEST(nothing_of_the_firmware_is_left),
	    TEST(device_line_is_served_and_ended),
	    TEST(work_interrupts_its_own_cpu),
	    TEST(work_of_before_is_made_up_for),
	    TEST(timer_has_the_line_the_tree_says),
	    TEST(lines_of_the_tree_are_shared_and_level),
	    TEST(processors_interrupt_each_other),
	    TEST(started_processor_changes_its_own_part_alone),
	    TEST(board_without_one_is_told),
	};

	return cmocka_run_group_tests_name("gicv2", tests, NULL, NULL);
}
