/* SPDX-License-Identifier: MIT */
/*
 * Kernel symbols by address and by name, from the table that tools/kallsyms.py makes of the linked
 * kernel. The table is constant, so every function here is NMI-safe.
 */
#include <hotregs/string.h>
#include <hotregs/unwind.h>

struct kallsyms {
	u32 count;     /* functions, and then data */
	u32 functions; /* that many of them */
	u32 end;       /* of the last function, from _text */
	u32 word[];    /* count offsets from _text, rising in both; count name offsets; the names */
};

/* Missing in the link whose symbols are to fill it; the final link has it. */
extern const struct kallsyms kallsyms_table __attribute__((weak));

extern const char _text[];

static u32 nr_symbols(void)
{
	return &kallsyms_table ? kallsyms_table.count : 0;
}

static u32 nr_functions(void)
{
	return &kallsyms_table ? kallsyms_table.functions : 0;
}

static unsigned long symbol_address(u32 i)
{
	return (unsigned long)_text + kallsyms_table.word[i];
}

static const char *symbol_name(u32 i)
{
	u32 count = kallsyms_table.count;

	return (const char *)&kallsyms_table.word[2 * count] + kallsyms_table.word[count + i];
}

/* How many functions are at or below @offset. */
static u32 functions_up_to(u32 offset)
{
	u32 low = 0, high = nr_functions();

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (kallsyms_table.word[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *kallsyms_lookup(unsigned long ip, unsigned long *offset, unsigned long *size)
{
	const struct kallsyms *t = &kallsyms_table;
	unsigned long at = ip - (unsigned long)_text; /* below _text it wraps and is too large */
	u32 next, i, end;

	if (!nr_functions() || at >= t->end)
		return NULL;
	next = functions_up_to(at);
	if (!next)
		return NULL;
	end = next < t->functions ? t->word[next] : t->end;
	/* Of several names for one address the table has the best first. */
	for (i = next - 1; i && t->word[i - 1] == t->word[i]; i--)
		;
	if (offset)
		*offset = at - t->word[i];
	if (size)
		*size = end - t->word[i];
	return symbol_name(i);
}

unsigned long kallsyms_address(const char *name)
{
	for (u32 i = 0; i < nr_symbols(); i++)
		if (!strcmp(symbol_name(i), name))
			return symbol_address(i);
	return 0;
}

bool kallsyms_entry(size_t i, const char **name, unsigned long *address, bool *data)
{
	if (i >= nr_symbols())
		return false;
	*data = i >= nr_functions();
	*name = symbol_name(i);
	*address = symbol_address(i);
	return true;
}
