/* SPDX-License-Identifier: MIT */
/*
 * What perf asks of ARMv7-A: the two functions that append frames, and registers by number.
 *
 * Kernel frames come from the kernel's unwind tables. User frames come from frame records where
 * each function on the way has one, as in a program of ARM code with frame pointers; else, and for
 * the first frame, from the program's unwind tables.
 */
#include <hotregs/address_space.h>
#include <hotregs/cpu.h>
#include <hotregs/unwind.h>
#include <uapi/perf_event.h>

#include <arch/perf.h>
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <arch/words.h>

#include "../common/frame_repair.h"
#include "../common/kernel_walk.h"
#include "../common/recipe.h"

/* --- The kernel's chain --- */

/* As kernel_walk_from(), with the steps that nearly all are inline: unwind_by_record()'s. */
void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
	u64 *entry = chain->ip + chain->nr, *end = chain->ip + chain->max;
	unsigned long ip = regs->pc, sp = regs->sp, fp = regs->r[ARM_FP];
	unsigned long low = current->stack, high = low + KERNEL_STACK_SIZE;
	const unsigned long *record;

	if (unlikely(regs->lr) || unlikely(!leaves_record(ip)) ||
	    unlikely(sp - low > KERNEL_STACK_SIZE)) {
		kernel_walk_from(chain, regs);
		return;
	}
	do {
		if (unlikely(entry == end))
			break;
		*entry++ = ip;
		if (unlikely(fp & (sizeof(long) - 1)) || unlikely(fp < sp + sizeof(long)) ||
		    unlikely(fp >= high)) {
			ip = 0;
			break;
		}
		record = (const unsigned long *)fp;
		sp = fp + sizeof(long);
		ip = record[0];
		fp = record[-1];
	} while (likely(leaves_record(ip)));
	chain->nr = entry - chain->ip;
	if (ip)
		kernel_walk_on(chain, ip, sp, fp);
}

/* --- The user's chain --- */

/*
 * What the decoder may do for one chain, beyond what any sound program asks for: a table can make
 * it read the same words again and again.
 */
#define OPCODE_BYTES_MAX (6 * PERF_MAX_STACK_DEPTH)
#define WORDS_MAX        (4 * PERF_MAX_STACK_DEPTH)

/* User memory, with a reader for each place that is read from in turn. */
struct user_memory {
	struct arm_memory memory;
	struct user_reader reader;
	u32 words_left;
};

static bool user_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	struct user_memory *m = container_of(memory, struct user_memory, memory);
	unsigned long value;

	if (!m->words_left || !user_reader_word(&m->reader, addr, &value))
		return false;
	m->words_left--;
	*word = value;
	return true;
}

/* Page 0 is no user page: nothing was read yet. */
#define USER_MEMORY                                                             \
	((struct user_memory){                                                  \
	    .memory = {.low = USER_START, .high = USER_END, .word = user_word}, \
	    .words_left = WORDS_MAX,                                            \
	})

struct user_walk {
	struct arm_frame frame __aligned(8); /* pc and sp never are outside of user space */
	struct user_memory stack;
	const struct unwind_tables *unwind;
	u32 opcodes_left; /* bytes */
};

/* recipe_apply(), for registers saved in the page that was read last, as nearly always they are. */
static bool step_by_recipe(struct user_walk *w, struct recipe recipe)
{
	u32 *r = w->frame.r, first = r[recipe_base(recipe)] + recipe_start(recipe);
	u32 size = recipe_size(recipe), offset = first - w->stack.reader.page, pc;
	const u32 *saved, *word;

	if ((first & 3) || first < r[ARM_SP] || offset >= PAGE_SIZE || size > PAGE_SIZE - offset)
		return recipe_apply(recipe, &w->frame, &w->stack.memory);
	word = saved = (const u32 *)(w->stack.reader.data + offset);
	for (u32 mask = recipe_mask(recipe), *to = r + 4; mask; mask >>= 1, to++)
		if (mask & 1)
			*to = *word++;
	if (recipe_has_fp(recipe))
		r[ARM_FP] = saved[recipe_fp(recipe)];
	pc = recipe.saved & RECIPE_LR ? r[ARM_LR] : saved[recipe_pc(recipe)];
	r[ARM_SP] = first + size;
	r[ARM_LR] = 0;
	r[ARM_PC] = pc & ~1u;
	w->frame.thumb = pc & 1;
	return r[ARM_PC];
}

/* Hostile numbers reach ehabi.c as they are. */
static struct ehabi_tables program_tables(struct user_walk *w)
{
	const struct unwind_tables *unwind = w->unwind;

	return (struct ehabi_tables){
	    .data = unwind->data,
	    .start = unwind->start,
	    .size = unwind->size,
	    .index = unwind->index,
	    .nr = unwind->index_size / 8,
	    .left = &w->opcodes_left,
	};
}

/* Decodes the table for address @pc, a return address if @called; remembers the recipe, and takes
 * the step. */
static noinline bool step_by_decoder(struct user_walk *w, u32 pc, bool called)
{
	const struct ehabi_tables tables = program_tables(w);
	struct ehabi_code code;
	struct recipe recipe;

	if (ehabi_find(&tables, pc - called, &code) != EHABI_OK) {
		recipe_remember(pc | !called, w->unwind->program, RECIPE_END);
		return false;
	}
	if (recipe_make(code, &recipe))
		recipe_remember(pc | !called, w->unwind->program, recipe);
	return ehabi_execute(&code, &w->frame, &w->stack.memory);
}

static bool step_by_table(struct user_walk *w)
{
	u32 pc = w->frame.r[ARM_PC], program = w->unwind->program;
	bool called = !w->frame.r[ARM_LR];
	struct recipe recipe;

	if (!program)
		return false;
	if (likely(recipe_find(pc | !called, program, &recipe)))
		return recipe_size(recipe) && step_by_recipe(w, recipe);
	return step_by_decoder(w, pc, called);
}

/* Can this be where a program goes on? A return address is whatever the program wrote there. */
static inline bool is_user_code(unsigned long pc)
{
	return pc - USER_START < USER_END - USER_START;
}

/* Appends where the frame is; false: the chain is full, or it is nowhere. */
static inline bool add_frame(struct callchain *chain, const struct arm_frame *frame)
{
	return likely(is_user_code(frame->r[ARM_PC])) && callchain_add(chain, frame->r[ARM_PC]);
}

/* Code lies at the bottom of user space, and the stack above it. */
static inline bool is_return_address(unsigned long word, unsigned long fp)
{
	return word - USER_START < fp - USER_START;
}

/* Can a stack pointer be so? It is aligned, and what is added to it does not wrap. */
static inline bool is_stack(unsigned long sp)
{
	return !(sp & ~(USER_END - sizeof(long))) && sp >= USER_START;
}

/* Is @n a multiple of @size that is at most @most? One compare says both. */
#define IS_MULTIPLE_UPTO(n, size, most) \
	(((n) / (size) | (n) << (32 - __builtin_ctz(size))) <= (most) / (size))

/* Is @fp a multiple of words above @low, where the next record can begin? */
static inline bool is_above(unsigned long fp, unsigned long low)
{
	return IS_MULTIPLE_UPTO(fp - low, sizeof(long), USER_END - sizeof(long));
}

/* Two words of stack, at @addr. */
static inline bool user_pair(struct user_reader *r, unsigned long addr, unsigned long pair[2])
{
	const unsigned long *shown;

	/* Nearly always they lie in the page that the last ones did. */
	if (likely(addr - r->page <= PAGE_SIZE - 2 * sizeof(long))) {
		shown = (const unsigned long *)(r->data + (addr - r->page));
		pair[0] = shown[0];
		pair[1] = shown[1];
		return true;
	}
	return addr >= USER_START && addr < USER_END - sizeof(long) &&
	       user_reader_word(r, addr, &pair[0]) &&
	       user_reader_word(r, addr + sizeof(long), &pair[1]);
}

/* A chain boiled down to a word, one caller after the other. */
static inline u32 chain_sum(u32 sum, u32 pc)
{
	return pc + (sum >> 7 | sum << 25);
}

/* A walk by frame records: where the next one is, above what, and what has been found. */
struct record_walk {
	unsigned long fp, low;
	u64 *entry, *end;
	u32 sum;
	bool thumb; /* the last caller is Thumb code, where fp is what it was before, or anything */
};

/*
 * The steps that nearly all are: by GCC's records, of ARM code, whose return addresses are even, in
 * the page that was read last. Stops at any other.
 */
static __always_inline void walk_page(struct record_walk *w, const struct user_reader *r)
{
	unsigned long fp = w->fp, low = w->low, first = r->page + sizeof(long), pc;
	const u8 *shown = r->data - first; /* of the word below address 0 */
	u64 *entry = w->entry, *end = w->end;
	u32 sum = w->sum;

	while (likely(entry != end) &&
	       likely(IS_MULTIPLE_UPTO(fp - first, sizeof(long), PAGE_SIZE - 2 * sizeof(long))) &&
	       likely(fp >= low)) {
		pc = ((const unsigned long *)(shown + fp))[1];
		if (unlikely(!IS_MULTIPLE_UPTO(pc - USER_START, 2, fp - USER_START)))
			break;
		low = fp + 2 * sizeof(long);
		fp = *(const unsigned long *)(shown + fp);
		*entry++ = pc;
		sum = chain_sum(sum, pc);
	}
	w->fp = fp;
	w->low = low;
	w->entry = entry;
	w->sum = sum;
}

/* A step by any record; false: there is none. */
static inline bool walk_record(struct record_walk *w, struct user_reader *r)
{
	unsigned long fp = w->fp, pair[2];

	/* Above everything seen: so the walk must end. */
	if (!is_above(fp, w->low) || !user_pair(r, fp - sizeof(long), pair))
		return false;
	w->low = fp + 2 * sizeof(long);
	if (!is_return_address(pair[1], fp)) {
		if (!user_pair(r, fp, pair) || (pair[0] && pair[0] <= fp) ||
		    !is_return_address(pair[1], fp))
			return false;
		w->low += sizeof(long);
	}
	w->fp = pair[0];
	w->thumb = pair[1] & 1;
	*w->entry++ = pair[1] & ~1UL;
	w->sum = chain_sum(w->sum, pair[1] & ~1UL);
	return true;
}

/*
 * Appends the callers that frame records from @w on name, and sums them up. GCC lets fp point at
 * the saved lr, the saved fp below it; others, as AAPCS32 has it, at the saved fp with lr above.
 * False: the chain ends at something that is no record.
 */
static bool walk_records(const struct user_walk *w, struct callchain *chain, u32 *sum)
{
	struct record_walk walk = {.fp = w->frame.r[ARM_FP],
				   .low = w->frame.r[ARM_SP] + sizeof(long),
				   .entry = chain->ip + chain->nr,
				   .end = chain->ip + chain->max,
				   .thumb = w->frame.thumb};
	struct user_reader reader = w->stack.reader;

	while (!walk.thumb) {
		if (likely(reader.data))
			walk_page(&walk, &reader);
		if (!walk.fp || walk.entry == walk.end || !walk_record(&walk, &reader))
			break;
	}
	chain->nr = walk.entry - chain->ip;
	*sum = walk.sum;
	return !walk.fp || walk.entry == walk.end;
}

/* Marks sums of chains in the recipe cache. */
#define CONFIRMED BIT(31)

/*
 * A function without a record is not seen in a chain of records, which are those of its callers.
 * So each chain is walked by tables too, but when it comes again it is believed.
 */
static inline bool is_confirmed(const struct user_walk *w, u32 sum)
{
	struct recipe recipe;

	return recipe_find(sum, w->unwind->program | CONFIRMED, &recipe);
}

/*
 * Replaces what a walk by records has appended after @nr entries, their sum @by_records, by what
 * the tables say. @whole: as far as records go, that was all.
 */
static noinline void walk_tables(struct user_walk *w, struct callchain *chain, u32 nr, bool whole,
				 u32 by_records)
{
	struct arm_frame start = w->frame;
	u32 records = chain->nr, sum = 0;

	chain->nr = nr;
	while (step_by_table(w) && add_frame(chain, &w->frame))
		sum = chain_sum(sum, w->frame.r[ARM_PC]);
	if (!whole)
		return;
	if (chain->nr < records) {
		/* They came to one that has a record, but no table. */
		chain->nr = nr;
		w->frame = start;
		walk_records(w, chain, &sum);
	}
	if (sum == by_records)
		recipe_remember(sum, w->unwind->program | CONFIRMED, RECIPE_END);
}

/* Marks, in the recipe cache, what is done where a function was interrupted, not called. */
#define INTERRUPTED BIT(30)

/* frame_repair() of user code. Apart, since most have no need of its memory. */
static noinline bool repair_by_code(struct user_walk *w)
{
	struct user_memory code = USER_MEMORY;
	u32 pc = w->frame.r[ARM_PC], program = w->unwind->program;
	struct repair_rule rule;
	bool done = frame_repair(&w->frame, &code.memory, &w->stack.memory, &rule);

	/* The program's own code stays what it is. */
	if (rule.known && program && pc - w->unwind->text < w->unwind->text_size)
		recipe_remember(pc | 1, program | INTERRUPTED, rule.recipe);
	return done;
}

/* The same, where somebody was interrupted before. */
static inline bool repair(struct user_walk *w)
{
	struct recipe recipe;

	if (unlikely(
		!recipe_find(w->frame.r[ARM_PC] | 1, w->unwind->program | INTERRUPTED, &recipe)))
		return repair_by_code(w);
	if (!recipe.saved)
		return false;
	/* Most often it has saved nothing yet, or nothing any more. */
	if (likely(!recipe.place))
		return arm_frame_return(&w->frame, w->frame.r[ARM_LR], w->frame.r[ARM_SP],
					w->stack.memory.high);
	return step_by_recipe(w, recipe) || repair_by_code(w);
}

/*
 * The first step starts in the middle of a function. False: no caller, or it can only be told by a
 * record. A system call, unlike an interrupt, is made neither in a prologue nor in an epilogue.
 */
static bool first_step(struct user_walk *w, bool syscall)
{
	return (!syscall && w->frame.r[ARM_LR] && repair(w)) || step_by_table(w);
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
	struct user_walk w;
	bool stepped, whole;
	u32 nr, sum;

	if (!is_user_code(regs->pc) || !callchain_add(chain, regs->pc) || !is_stack(regs->sp))
		return;
	/* The first sixteen words are r0 to r15. */
	copy_words((u64 *)w.frame.r, (const u64 *)regs, ARRAY_SIZE(w.frame.r) / 2);
	w.frame.thumb = regs->cpsr & CPSR_T;
	w.stack = USER_MEMORY;
	w.unwind = &current->mm->unwind;
	w.opcodes_left = OPCODE_BYTES_MAX;
	/* Where nearly all of the chain is. */
	user_reader_map(&w.stack.reader, regs->sp);
	stepped = first_step(&w, regs->orig_r0 != -1UL);
	if (stepped && (w.frame.r[ARM_SP] < regs->sp || !add_frame(chain, &w.frame)))
		return;
	/* A hostile prologue may have moved it. */
	if (!is_stack(w.frame.r[ARM_SP]))
		return;
	nr = chain->nr;
	whole = walk_records(&w, chain, &sum);
	if (stepped && !(whole && is_confirmed(&w, sum)))
		walk_tables(&w, chain, nr, whole, sum);
}

/* --- Registers: r0 to r15, with which struct pt_regs begins --- */

const u64 perf_reg_mask = 0xffff;
const u32 perf_reg_abi = PERF_SAMPLE_REGS_ABI_32;

u64 perf_reg_value(const struct pt_regs *regs, unsigned nr)
{
	return ((const unsigned long *)regs)[nr];
}
