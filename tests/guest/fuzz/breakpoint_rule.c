/* SPDX-License-Identifier: MIT */
/*
 * What docs/abi.md says of breakpoints, held against what became of each that was asked for: one
 * that no slot can watch is never opened, and one that is like any program's is refused only as it
 * may be.
 */
#include <string.h>

#include <uapi/hw_breakpoint.h>

#include "calls.h"

#ifdef __x86_64__
#define READS_ALONE false
#define USER_END    0x00007ffffffff000ULL
#define KERNEL_LOW  0xffff800000000000ULL
#define KERNEL_LAST UINT64_MAX
#else
#define READS_ALONE true
#define USER_END    0x80000000ULL
#define KERNEL_LOW  USER_END
#define KERNEL_LAST 0xffffffffULL
#endif

/* Of an instruction it says nothing. */
static uint64_t watched_bytes(const struct perf_event_attr *attr)
{
	return attr->bp_type == HW_BREAKPOINT_X ? 1 : attr->bp_len;
}

static bool is_users(const struct perf_event_attr *attr)
{
	return attr->bp_addr < USER_END && watched_bytes(attr) <= USER_END - attr->bp_addr;
}

/* All of it, and it does not go beyond the end of addresses. */
static bool is_kernels(const struct perf_event_attr *attr)
{
	return attr->bp_addr >= KERNEL_LOW && attr->bp_addr <= KERNEL_LAST &&
	       watched_bytes(attr) - 1 <= KERNEL_LAST - attr->bp_addr;
}

static bool has_type_and_length(const struct perf_event_attr *attr)
{
	switch (attr->bp_type) {
	case HW_BREAKPOINT_X:
		return attr->bp_len <= 8;
	case HW_BREAKPOINT_R:
		return READS_ALONE && attr->bp_len && attr->bp_len <= 8;
	case HW_BREAKPOINT_W:
	case HW_BREAKPOINT_RW:
		return attr->bp_len && attr->bp_len <= 8;
	}
	return false;
}

/* Can a slot watch that? Of the kernel's addresses not all can be, which depends on the kernel. */
static bool can_be_watched(const struct perf_event_attr *attr)
{
	return !attr->config && has_type_and_length(attr) &&
	       (is_users(attr) || (is_kernels(attr) && !attr->exclude_kernel));
}

/* Each sample as a signal: for a task's, of what it does itself, till it becomes another program.
 */
static bool may_trap(const struct perf_event_attr *attr)
{
	return attr->sample_period && attr->exclude_kernel && attr->remove_on_exec;
}

/* Is there nothing in it but what is watched? */
static bool is_plain(const struct perf_event_attr *attr)
{
	struct perf_event_attr plain = {.type = PERF_TYPE_BREAKPOINT,
					.size = attr->size,
					.bp_type = attr->bp_type,
					.bp_addr = attr->bp_addr,
					.bp_len = attr->bp_len};

	return !memcmp(&plain, attr, sizeof(plain));
}

/* On the caller or a CPU that there is, or both, in no group. */
static bool has_place(const struct op *op)
{
	int pid = op->arg[1], cpu = op->arg[2];

	return (!pid || (pid == -1 && cpu != -1)) && cpu >= -1 && cpu < (int)nr_cpus &&
	       (int)op->arg[3] == -1 && !(op->arg[4] & ~(unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static bool may_refuse(long error)
{
	static const int errors[] = {EACCES, EMFILE, ENFILE, ENOMEM, ENOSPC, EOPNOTSUPP};

	for (unsigned i = 0; i < ARRAY_SIZE(errors); i++)
		if (error == -errors[i])
			return true;
	return false;
}

/* The structure that the call was given, if it is whole and of a breakpoint. */
static bool take_attr(unsigned long addr, struct perf_event_attr *attr)
{
	if (addr - ARENA > ARENA_SIZE - sizeof(*attr))
		return false;
	memcpy(attr, (void *)addr, sizeof(*attr));
	return attr->type == PERF_TYPE_BREAKPOINT && attr->size >= PERF_ATTR_SIZE_VER5 &&
	       attr->size <= sizeof(*attr);
}

#define BREAKPOINT "breakpoint of type %#lx, %#llx bytes at %#llx"
#define ARGUMENTS(attr)                                                     \
	(unsigned long)(attr)->bp_type, (unsigned long long)(attr)->bp_len, \
	    (unsigned long long)(attr)->bp_addr

void check_breakpoint(const struct op *op, unsigned long addr)
{
	struct perf_event_attr attr;
	bool done = (unsigned long)op->result < -4095UL, can;

	/* Then the size in it is the kernel's. */
	if (op->result == -E2BIG || !take_attr(addr, &attr))
		return;
	can = can_be_watched(&attr);
	CHECK(!done || can, "opened: " BREAKPOINT, ARGUMENTS(&attr));
	CHECK(!done || !attr.sigtrap || may_trap(&attr), "sigtrap, and not what that wants");
	if (done || op->nr != SYS_perf_event_open || !is_plain(&attr) || !has_place(op))
		return;
	if (can && is_users(&attr))
		CHECK(may_refuse(op->result), "%ld: " BREAKPOINT, op->result, ARGUMENTS(&attr));
}
