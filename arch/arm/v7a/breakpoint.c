// SPDX-License-Identifier: MIT
/* Breakpoints: none, as the debug registers are only turned off (cpu.c). */
#include <hotregs/printk.h>

#include <arch/breakpoint.h>

static int refuse(const char **why)
{
	*why = "this architecture's debug registers are not used";
	return -EOPNOTSUPP;
}

int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why)
{
	return refuse(why);
}

int bp_check(const struct bp_form *form, const char **why)
{
	return refuse(why);
}

struct bp_range bp_range(const struct bp_form *form)
{
	return (struct bp_range){form->addr, form->addr};
}

bool bp_watches_data(const struct bp_form *form)
{
	return false;
}

void bp_install(struct bp_bank *bank, unsigned pool, unsigned slot, const struct bp_form *form)
{
	bank->addr = form->addr;
}

void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
}

void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX])
{
	snprintf(buf, BP_DESCRIPTION_MAX, "0x%lx", form->addr);
}
