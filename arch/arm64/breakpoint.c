// SPDX-License-Identifier: MIT
/* AArch64's breakpoints: none yet. What firmware has left armed is turned off. */
#include <hotregs/printk.h>

#include <arch/breakpoint.h>

int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why)
{
	*why = "there are no breakpoints on this processor yet";
	return -EOPNOTSUPP;
}

int bp_check(const struct bp_form *form, const char **why)
{
	*why = "there are no breakpoints on this processor yet";
	return -EINVAL;
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
}

void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
}

void bp_reset_cpu(void)
{
}

void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX])
{
	buf[0] = '\0';
}
