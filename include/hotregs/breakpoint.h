/* SPDX-License-Identifier: MIT */
/*
 * Hardware breakpoints: one pool of slots for everybody (contract C9). A breakpoint reserves what
 * it needs once, for as long as it exists, and from then on there always is room for it wherever it
 * is to strike; so it may be turned on and off anywhere. What is inside is kernel/breakpoint's.
 *
 * It is somebody's by its scope: a task's, or a CPU's, whatever runs there; a task's on one CPU; or
 * everybody's everywhere.
 */
#pragma once

#include <hotregs/list.h>

#include <arch/breakpoint.h>

struct breakpoint;
struct cpu;
struct pt_regs;
struct task;

/* One instruction that has struck, told to each breakpoint once. */
struct bp_hit {
	struct pt_regs *regs; /* as they were interrupted; moving the IP goes on there */
	bool before_access;   /* the instruction is yet to be executed; else its access is done */
};

/*
 * Called where it strikes: interrupts off, and unless it struck in user mode, as in an NMI. Nothing
 * strikes meanwhile. The instruction is then executed, if it has not been, without striking again.
 */
typedef void (*breakpoint_handler_t)(struct breakpoint *bp, const struct bp_hit *hit);

struct breakpoint {
	/* By who makes it; they stay until it has been released. */
	struct bp_parts parts; /* but for breakpoint_write() */
	struct task *task;     /* whose; NULL: everybody's */
	s32 cpu;               /* where; -1: everywhere */
	breakpoint_handler_t hit;
	void *context;

	/* kernel/breakpoint's. */
	bool on;
	u8 held[BP_POOLS];        /* slots that are reserved */
	struct list_head node;    /* its task's, all */
	struct list_head on_node; /* its task's or CPU's, or everybody's, that are on */
};

/* Whose breakpoint each slot of a CPU's has. */
struct bp_set {
	struct bp_bank bank; /* first */
	u8 nr[BP_POOLS];
	u64 id; /* of two sets the same: so are the banks; 0: that is not known, or it is empty */
	struct breakpoint *owner[BP_POOLS][BP_SLOTS]; /* by slot; NULL: not in this set */
};

/* struct task's part; zeroed with it. */
struct task_breakpoints {
	/* reserve.c's. */
	struct list_head all;
	u8 anywhere[BP_POOLS]; /* slots of those for every CPU */
	u32 nr_for_one;        /* of these, for one CPU alone */
	/* Under the run-queue lock, and on its CPU while it runs. */
	struct list_head on;
	u32 nr_bound;      /* of these, for one CPU alone */
	struct bp_set set; /* of these, on the CPU where it is or was */
};

/* struct cpu's part; zeroed with it. On that CPU with interrupts off. */
struct cpu_breakpoints {
	struct bp_set own;   /* the CPU's, and everybody's */
	struct bp_set *task; /* the running task's; NULL: switches from it do not matter */
	struct list_head on; /* the CPU's */
	bool stepping;       /* see breakpoint_begin_step() */
};

/*
 * May @parts, which bp_parse() or bp_check() let through, be watched, for @user, who may not look
 * at the kernel? 0; -EPERM, -EINVAL and *why: kernel addresses; what every entry into the kernel or
 * the debug exception itself needs. Pure.
 */
int breakpoint_check(const struct bp_parts *parts, bool user, const char **why);

/* Before anything else is done with one that has not been zeroed. */
static inline void breakpoint_init(struct breakpoint *bp)
{
	bp->on = false;
	for (unsigned pool = 0; pool < BP_POOLS; pool++)
		bp->held[pool] = 0;
}

/*
 * Reserves slots for @bp, wherever it may strike: 0 or -ENOSPC. What this costs depends on its
 * task's breakpoints alone. Any context but NMI.
 */
int breakpoint_reserve(struct breakpoint *bp);
/* Gives them back. It is off. Any context but NMI. */
void breakpoint_release(struct breakpoint *bp);

/*
 * From now on it strikes, or no longer: when the latter returns, no handler is running. Of one that
 * is as it should be already, nothing is changed. Who calls is alone in changing @bp. May sleep.
 */
void breakpoint_enable(struct breakpoint *bp);
void breakpoint_disable(struct breakpoint *bp);
/*
 * The same of a task's or a CPU's, not everybody's, for callers that are where it may be changed:
 * on its CPU, a task's run-queue lock held; or while the task runs nowhere, with that lock.
 */
void breakpoint_on(struct breakpoint *bp);
void breakpoint_off(struct breakpoint *bp);

/*
 * @bp is to watch @parts, on or off as it is: 0, or -ENOSPC and nothing has changed. In three steps
 * for several that change together: room for both; the change; back to the room that it needs. May
 * sleep.
 */
int breakpoint_modify(struct breakpoint *bp, const struct bp_parts *parts);
int breakpoint_hold(struct breakpoint *bp, const struct bp_parts *parts);
void breakpoint_write(struct breakpoint *bp, const struct bp_parts *parts);
void breakpoint_trim(struct breakpoint *bp);

/* Slots that are reserved, each breakpoint's counted once: 0 when nobody has any. Any context. */
u32 breakpoint_slots_used(void);

/* --- For the scheduler and the architecture --- */

/* @next is about to run on @cpu, this one, whose registers hold something else than it needs.
 * Interrupts off, run-queue lock held. */
void breakpoint_switch(struct cpu *cpu, struct task *next);

/* A CPU that has come to those that run takes what is everybody's. On it, interrupts off. */
void breakpoint_start_cpu(void);

/*
 * Is what strikes in the kernel now nobody's access, but a sampler's look at memory? Then no owner
 * is told. Set once, at boot; NULL: nobody samples. NMI-safe.
 */
extern bool (*breakpoint_unheard)(void);

/*
 * One instruction has struck in @slots of @pool of this CPU: their owners are told. Returns those
 * slots that have none. As the handlers.
 */
u32 breakpoint_strike(unsigned pool, u32 slots, const struct bp_hit *hit);
/* The same of one slot alone, in user mode; false: it has none. */
bool breakpoint_strike_one(unsigned pool, unsigned slot, const struct bp_hit *hit);

/*
 * For an architecture that steps over what has struck with slots off: the running task does so, in
 * user mode, and its next switch is to come to bp_exchange(), where that ends. Interrupts off.
 */
void breakpoint_hook_step(struct cpu_breakpoints *c);
static inline void breakpoint_begin_step(struct cpu_breakpoints *c)
{
	c->stepping = true;
	if (!c->task)
		breakpoint_hook_step(c);
}

/* The step has ended. */
static inline void breakpoint_end_step(struct cpu_breakpoints *c)
{
	c->stepping = false;
}

/*
 * A debug exception that nobody owns: it is counted and reported, and nobody is told. NMI-safe.
 */
void breakpoint_stray(unsigned long ip);
u32 breakpoint_strays(void);
