/* SPDX-License-Identifier: MIT */
/*
 * Unwind tables of the ARM architecture ("Exception Handling ABI for the Arm Architecture",
 * EHABI32): finding a function's entry, reading its opcodes, taking one step to the caller. Tables
 * and stack are taken for hostile: whatever they hold, only the memory that was named is read, and
 * little of it. Pure: no global state, any context, NMI-safe; host tests and fuzzing compile it as
 * it is.
 */
#pragma once

#include <hotregs/types.h>

#define ARM_FP 11
#define ARM_SP 13
#define ARM_LR 14
#define ARM_PC 15

/*
 * The registers of one frame; pc without the Thumb bit. In a caller those that a call may change
 * have no meaning: lr is 0, and r0 to r3 and r12 stay what they were in the frame called.
 */
struct arm_frame {
	u32 r[16];
	bool thumb; /* the state at pc */
};

/* Memory that a step may read: aligned words in [low, high), those of them that are there. */
struct arm_memory {
	u32 low, high;
	/* The word at @addr, which is aligned and in range; false when it can not be read. */
	bool (*word)(struct arm_memory *memory, u32 addr, u32 *word);
};

static inline bool arm_memory_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	return !(addr & 3) && addr >= memory->low && addr < memory->high &&
	       memory->high - addr >= 4 && memory->word(memory, addr, word);
}

/* Tables of one program: @size bytes at @data, which the program has at address @start. */
struct ehabi_tables {
	const u8 *data; /* 4-byte aligned */
	u32 start, size;
	u32 index; /* address of the index (.ARM.exidx), */
	u32 nr;    /* and its entries */
	u32 *left; /* bytes of opcodes that may still be read; NULL: there is no limit */
};

/* The opcodes of one function that have not been read yet. */
struct ehabi_code {
	const struct ehabi_tables *tables;
	u32 next;  /* address of the next word */
	u32 words; /* how many are left there */
	u32 word;  /* bytes of the current word: the next one is in bits 31:24 */
	u32 bytes; /* how many are left in it */
};

enum ehabi_result {
	EHABI_OK,
	EHABI_NONE,       /* no entry covers the address */
	EHABI_CANTUNWIND, /* the function says that nobody called it */
	EHABI_BAD,        /* not what the ABI allows */
};

/*
 * Finds the opcodes for the function at @pc. For a return address that is an address inside the
 * call: the call may be a function's last instruction.
 */
enum ehabi_result ehabi_find(const struct ehabi_tables *tables, u32 pc, struct ehabi_code *code);

/* What one opcode says (EHABI32, 10.3). vsp is the virtual stack pointer. */
enum ehabi_kind {
	EHABI_FINISH,
	EHABI_REFUSE,       /* refuse to unwind */
	EHABI_SET,          /* vsp = r[first] */
	EHABI_POP,          /* pop the registers of mask (bit n: rn), the lowest first */
	EHABI_ADD,          /* vsp += amount, which may be negative */
	EHABI_POP_D,        /* all others too, for a kernel does not restore what they pop: */
	EHABI_POP_D_FSTMX,  /* D[first].., count of them; FSTMFDX left another word */
	EHABI_POP_WMMX,     /* wR[first].., count of them */
	EHABI_POP_WMMX_CTL, /* wCGR registers of mask */
	EHABI_POP_PAC,      /* return address authentication code */
	EHABI_PAC_MODIFIER, /* vsp was the modifier of it */
};

struct ehabi_op {
	enum ehabi_kind kind;
	u8 first, count;
	u32 mask;
	s32 amount; /* bytes */
};

/* Reads the next opcode; false: spare, cut short, or too large. The end of the bytes is a FINISH.
 */
bool ehabi_next_op(struct ehabi_code *code, struct ehabi_op *op);

/*
 * More opcodes than any compiler writes for one function: a bound on the work that tables can ask
 * for. Each reads at most 16 words of stack.
 */
#define EHABI_MAX_OPS 32

/*
 * Carries out @code: @frame becomes its caller's. False, @frame as it was: refused, malformed, or a
 * caller that can not be. Only words of @stack from @frame's sp up are read. The stack pointer
 * rises; it may stay where it is only when @frame's lr was its return address.
 */
bool ehabi_execute(struct ehabi_code *code, struct arm_frame *frame, struct arm_memory *stack);

/* Makes @frame its caller's, which is at @pc (bit 0: Thumb) with @sp. False: it can not be. */
bool arm_frame_return(struct arm_frame *frame, u32 pc, u32 sp, u32 high);
