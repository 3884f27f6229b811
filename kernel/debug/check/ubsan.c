/* SPDX-License-Identifier: MIT */
/*
 * What the compiler calls where undefined behaviour happens in a kernel that was built with SAN=1
 * (-fsanitize=undefined). Each says where and with which values, once for each place, and goes on;
 * a run with any report does not end well (check_reports()).
 *
 * Names and structures are the compiler's (GCC's libsanitizer, ubsan_handlers.h).
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/unwind.h>

#include "check.h"

struct location {
	const char *file;
	u32 line, column;
};

struct type {
	u16 kind; /* 0: integer */
	u16 info; /* of an integer: bit 0 signed, above that the logarithm of its width in bits */
	char name[];
};

struct at {
	struct location at;
};

struct at_type {
	struct location at;
	const struct type *type;
};

struct at_types {
	struct location at;
	const struct type *left, *right;
};

struct mismatch {
	struct location at;
	const struct type *type;
	u8 log_alignment, access;
};

struct argument {
	struct location at, attribute;
	int index;
};

/* A value as text. Those that are wider than a word are passed by a pointer. */
struct text {
	char s[24];
};

static struct text value_text(const struct type *type, unsigned long value)
{
	unsigned bits = 1u << (type->info >> 1);
	struct text text;
	u64 wide = value;

	if (type->kind != 0 || bits > 64) {
		snprintf(text.s, sizeof(text.s), "a value");
		return text;
	}
	if (bits > 8 * sizeof(value))
		__builtin_memcpy(&wide, (const void *)value, sizeof(wide));
	wide <<= 64 - bits;
	if (type->info & 1)
		snprintf(text.s, sizeof(text.s), "%lld", (s64)wide >> (64 - bits));
	else
		snprintf(text.s, sizeof(text.s), "%llu", wide >> (64 - bits));
	return text;
}

/* Has this place been told? A column of all ones marks it. */
static bool told(struct location *at)
{
	return __atomic_exchange_n(&at->column, UINT32_MAX, __ATOMIC_RELAXED) == UINT32_MAX;
}

static void __printf(2, 3) report(struct location *at, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	if (told(at))
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	check_report("undefined behaviour at %s:%u: %s", at->file, at->line, what);
}

static void arithmetic(struct at_type *data, const char *operation, unsigned long left,
		       unsigned long right)
{
	report(&data->at, "%s %s %s overflows %s", value_text(data->type, left).s, operation,
	       value_text(data->type, right).s, data->type->name);
}

void __ubsan_handle_add_overflow(struct at_type *data, unsigned long left, unsigned long right);
void __ubsan_handle_add_overflow(struct at_type *data, unsigned long left, unsigned long right)
{
	arithmetic(data, "+", left, right);
}

void __ubsan_handle_sub_overflow(struct at_type *data, unsigned long left, unsigned long right);
void __ubsan_handle_sub_overflow(struct at_type *data, unsigned long left, unsigned long right)
{
	arithmetic(data, "-", left, right);
}

void __ubsan_handle_mul_overflow(struct at_type *data, unsigned long left, unsigned long right);
void __ubsan_handle_mul_overflow(struct at_type *data, unsigned long left, unsigned long right)
{
	arithmetic(data, "*", left, right);
}

void __ubsan_handle_divrem_overflow(struct at_type *data, unsigned long left, unsigned long right);
void __ubsan_handle_divrem_overflow(struct at_type *data, unsigned long left, unsigned long right)
{
	arithmetic(data, "/", left, right);
}

void __ubsan_handle_negate_overflow(struct at_type *data, unsigned long value);
void __ubsan_handle_negate_overflow(struct at_type *data, unsigned long value)
{
	report(&data->at, "-(%s) overflows %s", value_text(data->type, value).s, data->type->name);
}

void __ubsan_handle_shift_out_of_bounds(struct at_types *data, unsigned long left,
					unsigned long right);
void __ubsan_handle_shift_out_of_bounds(struct at_types *data, unsigned long left,
					unsigned long right)
{
	report(&data->at, "%s of type %s shifted by %s", value_text(data->left, left).s,
	       data->left->name, value_text(data->right, right).s);
}

void __ubsan_handle_out_of_bounds(struct at_types *data, unsigned long index);
void __ubsan_handle_out_of_bounds(struct at_types *data, unsigned long index)
{
	report(&data->at, "index %s of %s", value_text(data->right, index).s, data->left->name);
}

void __ubsan_handle_type_mismatch_v1(struct mismatch *data, unsigned long pointer);
void __ubsan_handle_type_mismatch_v1(struct mismatch *data, unsigned long pointer)
{
	static const char *const access[] = {
	    "load of",        "store to",        "reference to",  "member access in",
	    "member call in", "construction of", "downcast of",   "downcast of",
	    "upcast of",      "upcast of",       "null check of", "dynamic operation on",
	};
	const char *kind = data->access < ARRAY_SIZE(access) ? access[data->access] : "access to";

	if (!pointer)
		report(&data->at, "%s %s at NULL", kind, data->type->name);
	else if (pointer & ((1UL << data->log_alignment) - 1))
		report(&data->at, "%s %s at 0x%lx, which is not aligned to %lu", kind,
		       data->type->name, pointer, 1UL << data->log_alignment);
	else
		report(&data->at, "%s %s at 0x%lx, where there is less", kind, data->type->name,
		       pointer);
}

void __ubsan_handle_pointer_overflow(struct at *data, unsigned long base, unsigned long result);
void __ubsan_handle_pointer_overflow(struct at *data, unsigned long base, unsigned long result)
{
	report(&data->at, "from pointer 0x%lx to 0x%lx", base, result);
}

void __ubsan_handle_load_invalid_value(struct at_type *data, unsigned long value);
void __ubsan_handle_load_invalid_value(struct at_type *data, unsigned long value)
{
	report(&data->at, "%s is no %s", value_text(data->type, value).s, data->type->name);
}

void __ubsan_handle_vla_bound_not_positive(struct at_type *data, unsigned long bound);
void __ubsan_handle_vla_bound_not_positive(struct at_type *data, unsigned long bound)
{
	report(&data->at, "an array of %s elements", value_text(data->type, bound).s);
}

void __ubsan_handle_nonnull_arg(struct argument *data);
void __ubsan_handle_nonnull_arg(struct argument *data)
{
	report(&data->at, "argument %d is NULL", data->index);
}

void __ubsan_handle_nonnull_return_v1(struct at *attribute, struct location *at);
void __ubsan_handle_nonnull_return_v1(struct at *attribute, struct location *at)
{
	report(at, "NULL is returned by a function that says it never is");
}

void __ubsan_handle_invalid_builtin(struct at *data);
void __ubsan_handle_invalid_builtin(struct at *data)
{
	report(&data->at, "count of zeroes in 0");
}

/* Nothing is behind the call, so this one is the end. */
void __ubsan_handle_builtin_unreachable(struct at *data);
void __ubsan_handle_builtin_unreachable(struct at *data)
{
	panic("undefined behaviour at %s:%u: what is never reached was", data->at.file,
	      data->at.line);
}
