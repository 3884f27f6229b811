/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/common: whatever registers, tables, code and stack hold, a walk ends, reads what it was
 * given, and rises.
 */
#include "fuzz.h"
#include <frame_repair.h>
#include <recipe.h>

/* Bases lie so near each other that relative addresses get from one to the other. */
#define TABLES 0x10000u
#define CODE   0x20000u
#define STACK  0x30000u

/* How an input begins; tables, code and stack follow. */
struct head {
	u32 r[16];
	u16 table_words, code_words, index_word, nr;
	u8 thumb, by_recipe;
	u8 unused[2];
};

static const struct head example_head = {
    .r = {[ARM_FP] = STACK + 12, [ARM_SP] = STACK, [ARM_LR] = CODE + 8, [ARM_PC] = CODE},
    .table_words = 7,
    .code_words = 4,
    .index_word = 3,
    .nr = 2,
};
static const u32 example[] = {
    /* extab, index of two functions */
    0x8101b0b0, 0x9b4284b0, 0x83b0b0b0, CODE - TABLES - 12, (-16u) & 0x7fffffff, CODE - TABLES - 12,
    0x80a8b0b0,
    /* code: push {fp, lr}; add fp, sp, #4; pop {fp, pc} */
    0xe92d4800, 0xe28db004, 0xe8bd8800, 0xe12fff1e,
    /* stack */
    4, 5, STACK + 28, CODE + 5, 4, 5, STACK + 60, CODE + 9};

void fuzz_examples(void)
{
	u8 whole[sizeof(example_head) + sizeof(example)];

	memcpy(whole, &example_head, sizeof(example_head));
	memcpy(whole + sizeof(example_head), example, sizeof(example));
	fuzz_add_example(whole, sizeof(whole));
}

/* Memory of exactly its size, so that ASan sees a read outside. */
struct block {
	struct arm_memory memory;
	u32 *word;
	u32 reads;
};

static bool block_word(struct arm_memory *memory, u32 addr, u32 *word)
{
	struct block *b = container_of(memory, struct block, memory);

	b->reads++;
	*word = b->word[(addr - memory->low) / 4];
	return true;
}

/* The next @words words of the input, or as many as there are. */
static struct block take(const u8 **data, size_t *size, u32 words, u32 base)
{
	struct block b = {.memory = {.low = base, .word = block_word}};

	if (words > *size / 4)
		words = *size / 4;
	b.memory.high = base + 4 * words;
	b.word = malloc(words ? 4 * words : 1);
	if (words)
		memcpy(b.word, *data, 4 * words);
	*data += 4 * words;
	*size -= 4 * words;
	return b;
}

static bool step(const struct head *head, const struct ehabi_tables *t, struct arm_frame *frame,
		 struct block *code, struct block *stack)
{
	bool called = !frame->r[ARM_LR];
	struct repair_rule rule;
	struct ehabi_code ops;
	struct recipe recipe;

	if (!called && frame_repair(frame, &code->memory, &stack->memory, &rule))
		return true;
	if (ehabi_find(t, frame->r[ARM_PC] - called, &ops) != EHABI_OK)
		return false;
	if (called && head->by_recipe & 1 && recipe_make(ops, &recipe))
		return recipe_apply(recipe, frame, &stack->memory);
	return ehabi_execute(&ops, frame, &stack->memory);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct block tables, code, stack;
	struct arm_frame frame;
	struct ehabi_tables t;
	struct head head;
	u32 sp;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	data += sizeof(head);
	size -= sizeof(head);
	tables = take(&data, &size, head.table_words, TABLES);
	code = take(&data, &size, head.code_words, CODE);
	stack = take(&data, &size, UINT16_MAX, STACK);
	t = (struct ehabi_tables){
	    (const u8 *)tables.word,      TABLES,  tables.memory.high - TABLES,
	    TABLES + 4 * head.index_word, head.nr, NULL};
	frame = (struct arm_frame){.thumb = head.thumb & 1};
	memcpy(frame.r, head.r, sizeof(head.r));
	for (sp = frame.r[ARM_SP]; step(&head, &t, &frame, &code, &stack); sp = frame.r[ARM_SP]) {
		/* The first step alone may leave the stack pointer where it was. */
		if (frame.r[ARM_SP] < sp || (frame.r[ARM_SP] == sp && sp != head.r[ARM_SP]))
			abort();
		if (frame.r[ARM_SP] & 3 || frame.r[ARM_SP] > stack.memory.high || frame.r[ARM_LR])
			abort();
		if (!frame.r[ARM_PC] || frame.r[ARM_PC] & 1)
			abort();
		if (stack.reads > 17 * EHABI_MAX_OPS)
			abort();
		stack.reads = 0;
	}
	free(tables.word);
	free(code.word);
	free(stack.word);
	return 0;
}
