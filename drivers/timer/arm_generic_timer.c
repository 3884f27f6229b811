/* SPDX-License-Identifier: MIT */
/*
 * The generic timer (Arm ARM DDI 0406C, B8): its virtual counter is the kernel's clock, its virtual
 * timer the clock-event device of each CPU. Virtual, because that one is the kernel's own in every
 * state that it may have been entered in.
 */
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <asm/interrupts.h>
#include <asm/timer_regs.h>

#define NS_PER_S 1000000000U

struct arm_clock arm_clock;

static u32 hz;
static u32 ns_to_ticks; /* 0.32 fixed point */

u64 clock_hz(void)
{
	return hz;
}

static void generic_timer_set(u64 delta_ns)
{
	u32 ns = MIN(delta_ns, UINT32_MAX); /* longer waits end early, and kernel/time asks again */

	if (delta_ns == UINT64_MAX) {
		write_cntv_ctl(0);
		return;
	}
	/* Rounded up, as the factor is: early would be an interrupt for nothing. */
	write_cntv_cval(clock_cycles() + ((u64)ns * ns_to_ticks >> 32) + 1);
	write_cntv_ctl(CNTV_CTL_ENABLE);
}

void arm_timer_interrupt(struct pt_regs *regs)
{
	/* It asks until its condition ends (B8.1.5), and perhaps nobody wants it again. */
	write_cntv_ctl(0);
	time_interrupt(regs);
}

/* The calling processor's own timer; the counter is all processors' one. */
static void generic_timer_start_cpu(void)
{
	write_cntv_ctl(0);
	arm_timer_unmask();
}

static void generic_timer_start(void)
{
	static const struct clock_event event = {
	    .name = "generic timer",
	    .set = generic_timer_set,
	    .start_cpu = generic_timer_start_cpu,
	};
	u64 ns_per_count; /* 32.32 fixed point */

	hz = read_cntfrq();
	/* The bounds of the fixed-point numbers, of which hardware stays far away. */
	if (hz <= NS_PER_S >> 8 || hz >= NS_PER_S)
		panic("the generic timer's CNTFRQ says %u Hz: the firmware has not set it", hz);
	ns_per_count = ((u64)NS_PER_S << 32) / hz;
	arm_clock.fraction = ns_per_count;
	arm_clock.whole = ns_per_count >> 32;
	ns_to_ticks = ((u64)hz << 32) / NS_PER_S + 1;
	printk("generic timer: %u kHz\n", hz / 1000);
	generic_timer_start_cpu();
	time_set_clock_event(&event);
}
INITCALL(2, generic_timer_start);
