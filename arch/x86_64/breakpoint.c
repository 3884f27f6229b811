/* SPDX-License-Identifier: MIT */
/*
 * The processor's breakpoints: what a slot can watch, and telling it. A slot watches 1, 2, 4 or 8
 * bytes that begin at a multiple of their number (Intel SDM vol. 3, 17.2.5). A range of any other
 * kind is watched by one or two of these: exactly where that will do, else by those with the fewest
 * bytes beside it.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/breakpoint.h>
#include <arch/mmu.h>
#include <asm/debugreg.h>

#define RANGE_MAX 8UL

/* The lowest address that is canonical and not a user's (SDM vol. 1, 3.3.7.1). */
#define KERNEL_START 0xffff800000000000UL

/* Bytes by LEN (SDM vol. 3, 17.2.4), and LEN by the logarithm of bytes. */
static const u8 size_of_len[4] = {1, 2, 8, 4};
static const u8 len_of_log[4] = {0, 1, 3, 2};

static unsigned long form_size(const struct bp_form *form)
{
	return size_of_len[DR7_LEN(form->control)];
}

bool bp_watches_data(const struct bp_form *form)
{
	return DR7_TYPE(form->control) != DR7_EXEC;
}

struct bp_range bp_range(const struct bp_form *form)
{
	return (struct bp_range){form->addr, form->addr + form_size(form) - 1};
}

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

/* Are [first, last] a user's addresses, or the kernel's, all of them? */
static int check_range(unsigned long first, unsigned long last, const char **why)
{
	if (last < first)
		return refuse(why, "the range goes beyond the end of addresses");
	if (last >= USER_END && first < KERNEL_START)
		return refuse(why, "not canonical, or beyond user space");
	return 0;
}

int bp_check(const struct bp_form *form, const char **why)
{
	struct bp_range range = bp_range(form);

	if (form->control & ~0xfU)
		return refuse(why, "no control bits of a slot");
	/* Those are for the operands of IN and OUT (SDM vol. 3, 17.2.4). */
	if (DR7_TYPE(form->control) == DR7_IO)
		return refuse(why, "ports can not be watched");
	if (!bp_watches_data(form) && DR7_LEN(form->control))
		return refuse(why, "an instruction's length is 0 in DR7");
	/* The processor ignores the lower bits; an emulator may not. */
	if (form->addr & (form_size(form) - 1))
		return refuse(why, "not aligned to its length");
	return check_range(range.first, range.last, why);
}

/* A slot for at least [first, last]: bytes that it watches; 0: there is none. */
static unsigned long cover(struct bp_form *form, unsigned long first, unsigned long last, u32 type)
{
	for (unsigned log = 0; log < ARRAY_SIZE(len_of_log); log++) {
		unsigned long size = BIT(log);

		if ((first ^ last) & ~(size - 1))
			continue;
		form->addr = first & ~(size - 1);
		form->control = (u32)len_of_log[log] << 2 | type;
		return size;
	}
	return 0;
}

/* One slot for @size bytes from @first on, which it watches exactly; false: none does. */
static bool cover_exactly(struct bp_parts *parts, unsigned long first, unsigned long size, u32 type)
{
	/* Not a power of two, or not aligned. */
	if ((size | first) & (size - 1))
		return false;
	parts->form[0] = (struct bp_form){first, (u32)len_of_log[__builtin_ctzl(size)] << 2 | type};
	parts->nr = 1;
	return true;
}

/* Slots for [first, last], at most RANGE_MAX bytes: those that watch least beside it. */
static noinline void cover_range(struct bp_parts *parts, unsigned long first, unsigned long last,
				 u32 type)
{
	unsigned long least = cover(&parts->form[0], first, last, type);

	parts->nr = 1;
	for (unsigned long middle = first; middle != last; middle++) {
		struct bp_form low, high;
		unsigned long a = cover(&low, first, middle, type);
		unsigned long b = cover(&high, middle + 1, last, type);

		if (!a || !b || (least && a + b >= least))
			continue;
		least = a + b;
		*parts = (struct bp_parts){{low, high}, 2};
	}
}

static int parse_exec(unsigned long addr, u64 len, struct bp_parts *parts, const char **why)
{
	/* Whatever the caller takes for an instruction's length: DR7 has none. */
	if (len > RANGE_MAX)
		return refuse(why, "longer than an address");
	*parts = (struct bp_parts){{{addr, DR7_EXEC}}, 1};
	return check_range(addr, addr, why);
}

int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why)
{
	unsigned long addr = attr->bp_addr, last = addr + attr->bp_len - 1;
	u32 type = DR7_WRITE;
	int err;

	switch (attr->bp_type) {
	case HW_BREAKPOINT_X:
		return parse_exec(addr, attr->bp_len, parts, why);
	case HW_BREAKPOINT_RW:
		type = DR7_READ_WRITE;
		break;
	case HW_BREAKPOINT_W:
		break;
	case HW_BREAKPOINT_R:
		return refuse(why, "reads can be watched only together with writes");
	default:
		return refuse(why, "neither data nor an instruction");
	}
	if (!attr->bp_len || attr->bp_len > RANGE_MAX)
		return refuse(why, "not 1 to 8 bytes");
	err = check_range(addr, last, why);
	if (!err && !cover_exactly(parts, addr, attr->bp_len, type))
		cover_range(parts, addr, last, type);
	return err;
}

void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX])
{
	static const char *const types[] = {"execution", "write", "port", "access"};

	if (bp_watches_data(form))
		snprintf(buf, BP_DESCRIPTION_MAX, "%s of %lu bytes at 0x%lx",
			 types[DR7_TYPE(form->control)], form_size(form), form->addr);
	else
		snprintf(buf, BP_DESCRIPTION_MAX, "%s at 0x%lx", types[DR7_EXEC], form->addr);
}

/* --- Registers --- */

/*
 * A slot that is on while its address changes would watch with the other one's control. What DR7 is
 * to be is noted before a slot may strike, and after it last could: see debug_exception().
 */
void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
	struct arch_cpu *arch = &this_cpu()->arch;
	unsigned long dr7 = arch->dr7, on;

	if (from) {
		dr7 &= ~from->dr7;
		dr7_write(dr7);
	}
	if (to) {
		on = to->dr7;
		if (on & DR7_ON(0))
			dr0_write(to->addr[0]);
		if (on & DR7_ON(1))
			dr1_write(to->addr[1]);
		if (on & DR7_ON(2))
			dr2_write(to->addr[2]);
		if (on & DR7_ON(3))
			dr3_write(to->addr[3]);
		dr7 |= on;
	}
	arch->dr7 = dr7;
	if (to)
		dr7_write(dr7);
}

/* The enables first: a slot that is on must not see the next one's address. */
void bp_reset_cpu(void)
{
	dr7_write(DR7_IDLE);
	dr0_write(0);
	dr1_write(0);
	dr2_write(0);
	dr3_write(0);
	dr6_write(DR6_IDLE);
}
