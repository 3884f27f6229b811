/* SPDX-License-Identifier: MIT */
/* Calls on address spaces. */
#include "calls.h"

static unsigned long gen_prot(struct op *op)
{
	static const unsigned long prots[] = {UAPI_PROT_READ | UAPI_PROT_WRITE,
					      UAPI_PROT_READ | UAPI_PROT_WRITE,
					      UAPI_PROT_READ,
					      UAPI_PROT_READ | UAPI_PROT_EXEC,
					      0,
					      UAPI_PROT_WRITE | UAPI_PROT_EXEC};

	return one_in(16) ? hostile_word() : PICK(prots);
}

static unsigned long gen_map_flags(struct op *op)
{
	static const unsigned flags[] = {UAPI_MAP_PRIVATE | UAPI_MAP_ANONYMOUS,
					 UAPI_MAP_PRIVATE | UAPI_MAP_ANONYMOUS,
					 UAPI_MAP_SHARED,
					 UAPI_MAP_SHARED,
					 UAPI_MAP_PRIVATE,
					 UAPI_MAP_SHARED | UAPI_MAP_ANONYMOUS};
	unsigned long value = PICK(flags) | (one_in(2) ? UAPI_MAP_FIXED : 0);

	return one_in(16) ? hostile_word() : value;
}

static unsigned long gen_map_fd(struct op *op)
{
	if (op->arg[3] & UAPI_MAP_ANONYMOUS)
		return -1;
	return op->arg[3] & UAPI_MAP_SHARED ? any_fd(FD_PERF) : any_fd(FD_FILE);
}

static unsigned long gen_map_offset(struct op *op)
{
	return one_in(12) ? hostile_word() : one_in(4) ? below(8) * PAGE : 0;
}

static bool map_allowed(const struct op *op)
{
	return self.wild || !(op->arg[3] & UAPI_MAP_FIXED) || !overlaps_own(op->arg[0], op->arg[1]);
}

static bool unmap_allowed(const struct op *op)
{
	return self.wild || !overlaps_own(op->arg[0], op->arg[1]);
}

static bool brk_allowed(const struct op *op)
{
	/* The heap of the C library stays; more than this would be all memory there is. */
	return op->arg[0] < 4096 || op->arg[0] - self.brk_min < 32 * PAGE ||
	       op->arg[0] - self.brk_min > 1UL << 30;
}

static void map_done(const struct op *op)
{
	unsigned long addr = op->result;
	bool ring = op->arg[3] & UAPI_MAP_SHARED;

	CHECK(addr && !(addr & (PAGE - 1)), "a mapping at %#lx", addr);
	CHECK(!overlaps_own(addr, op->arg[1]), "a mapping at %#lx, where something is", addr);
	CHECK(!(op->arg[3] & UAPI_MAP_FIXED) || addr == op->arg[0], "a mapping at %#lx", addr);
	add_region(addr, op->arg[1], op->arg[2], ring);
}

static void unmap_done(const struct op *op)
{
	forget_regions(op->arg[0], op->arg[0] + ((op->arg[1] + PAGE - 1) & ~(PAGE - 1)));
}

static void brk_done(const struct op *op)
{
	CHECK(op->result == (long)op->arg[0] || op->result == (long)self.brk, "a break of %#lx",
	      op->result);
	self.brk = op->result;
	forget_regions(self.brk_min, self.brk);
}

CALL(mmap, ARGS(gen_map_addr, gen_map_len, gen_prot, gen_map_flags, gen_map_fd, gen_map_offset),
     .weight = 32, .allowed = map_allowed, .done = map_done);
CALL(munmap, ARGS(gen_map_addr, gen_map_len), .allowed = unmap_allowed, .done = unmap_done);
CALL(brk, ARGS(gen_brk), .weight = 4, .allowed = brk_allowed, .done = brk_done);
