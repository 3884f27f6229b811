/* SPDX-License-Identifier: MIT */
/*
 * The breakpoints of a machine that there is not: pool 0 watches data, pool 1 instructions. A range
 * that crosses a multiple of eight takes two slots.
 */
#include <stdio.h>
#include <string.h>

#include "breakpoint_machine.h"
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

struct bp_bank host_slots[MAX_CPUS];
unsigned host_exchanges;
unsigned host_bp_slots[BP_POOLS] = {BP_SLOTS, BP_SLOTS};

char host_noinstr[64], host_debug_data[64];
__asm__(".globl __noinstr_start, __noinstr_end, __debug_data_start, __debug_data_end\n"
	".set __noinstr_start, host_noinstr\n"
	".set __noinstr_end, host_noinstr + 64\n"
	".set __debug_data_start, host_debug_data\n"
	".set __debug_data_end, host_debug_data + 64\n");

struct bp_form host_data(unsigned long addr, unsigned long len)
{
	return (struct bp_form){addr, len, 0};
}

struct bp_form host_exec(unsigned long addr)
{
	return (struct bp_form){addr, 0, 1};
}

int bp_check(const struct bp_form *form, const char **why)
{
	if (bp_range(form).last < form->addr || form->len > 8) {
		*why = "no range";
		return -EINVAL;
	}
	return 0;
}

int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why)
{
	unsigned long end = attr->bp_addr + attr->bp_len, middle = ALIGN_DOWN(end - 1, 8);

	*why = "no breakpoint";
	if (attr->bp_type == HW_BREAKPOINT_X) {
		*parts = (struct bp_parts){{host_exec(attr->bp_addr)}, 1};
		return 0;
	}
	if (attr->bp_type != HW_BREAKPOINT_W || !attr->bp_len || attr->bp_len > 8 ||
	    end - 1 < attr->bp_addr)
		return -EINVAL;
	if (middle <= attr->bp_addr)
		*parts = (struct bp_parts){{host_data(attr->bp_addr, attr->bp_len)}, 1};
	else
		*parts = (struct bp_parts){{host_data(attr->bp_addr, middle - attr->bp_addr),
					    host_data(middle, end - middle)},
					   2};
	return 0;
}

struct bp_range bp_range(const struct bp_form *form)
{
	return (struct bp_range){form->addr, form->addr + MAX(form->len, 1UL) - 1};
}

bool bp_watches_data(const struct bp_form *form)
{
	return form->len;
}

/* Nothing is turned off that is not on, or on that is. */
void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
	struct bp_bank *now = &host_slots[host_cpu->id];

	host_exchanges++;
	for (unsigned pool = 0; pool < BP_POOLS; pool++) {
		if (from) {
			assert_int_equal(from->on[pool] & ~now->on[pool], 0);
			now->on[pool] &= ~from->on[pool];
		}
		for (unsigned slot = 0; to && slot < BP_SLOTS; slot++) {
			if (!(to->on[pool] & BIT(slot)))
				continue;
			assert_false(now->on[pool] & BIT(slot));
			now->on[pool] |= BIT(slot);
			now->form[pool][slot] = to->form[pool][slot];
		}
	}
}

void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX])
{
	snprintf(buf, BP_DESCRIPTION_MAX, "%lu at 0x%lx", form->len, form->addr);
}

unsigned host_slots_with(u32 cpu, const struct bp_form *form)
{
	const struct bp_bank *now = &host_slots[cpu];
	unsigned n = 0;

	for (unsigned slot = 0; slot < BP_SLOTS; slot++)
		n += now->on[form->pool] & BIT(slot) &&
		     !memcmp(&now->form[form->pool][slot], form, sizeof(*form));
	return n;
}

unsigned host_slots_on(u32 cpu)
{
	return __builtin_popcount(host_slots[cpu].on[0]) +
	       __builtin_popcount(host_slots[cpu].on[1]);
}

void host_strike(unsigned long addr, bool exec, struct pt_regs *regs)
{
	const struct bp_bank *now = &host_slots[host_cpu->id];
	const struct bp_hit hit = {.regs = regs, .before_access = exec};
	u32 slots = 0;

	for (unsigned slot = 0; slot < BP_SLOTS; slot++) {
		struct bp_range range = bp_range(&now->form[exec][slot]);

		if ((now->on[exec] & BIT(slot)) && addr >= range.first && addr <= range.last)
			slots |= BIT(slot);
	}
	assert_int_equal(breakpoint_strike(exec, slots, &hit), 0);
}
