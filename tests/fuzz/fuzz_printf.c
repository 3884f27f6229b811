/* SPDX-License-Identifier: MIT */
/* kernel/lib/printf.c: any conversion prints what the C library's snprintf() prints, in any room.
 */
#include <stdio.h>

#include "fuzz.h"

/* The code under test takes other names, so that the C library's stay callable beside it. */
#define snprintf  kernel_snprintf
#define vsnprintf kernel_vsnprintf
#include "../../kernel/lib/printf.c"
#undef snprintf
#undef vsnprintf

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

void fuzz_examples(void)
{
	static const u8 conversion[] = {40, 1, 12, 3, 4, 2, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0};

	fuzz_add_example(conversion, sizeof(conversion));
}

/* Compares both in @room bytes. */
#define BOTH(...)                                                        \
	do {                                                             \
		char *got = fuzz_copy(room_bytes, room), want[512];      \
		int n = snprintf(want, sizeof(want), __VA_ARGS__);       \
                                                                         \
		CHECK(kernel_snprintf(got, room, __VA_ARGS__) == n);     \
		CHECK(!room || !strncmp(got, want, room - 1));           \
		CHECK(!room || strlen(got) == MIN(room - 1, (size_t)n)); \
	} while (0)

static const u8 room_bytes[256];

/* The value as wide as the length says, which is how the caller would have passed it. */
static void number(const char *format, u8 length, u64 value, size_t room)
{
	switch (length) {
	case 3:
		BOTH(format, (long)value);
		break;
	case 4:
		BOTH(format, (long long)value);
		break;
	case 5:
		BOTH(format, (size_t)value);
		break;
	default:
		BOTH(format, (int)value);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const flags[] = {"", "-", "0", "-0", "#", "#0", "#-"};
	static const char *const lengths[] = {"", "hh", "h", "l", "ll", "z"};
	static const char conversions[] = "diuxXsc";
	struct input in = {data, size};
	size_t room = input_u8(&in);
	const char *flag = flags[input_u8(&in) % ARRAY_SIZE(flags)];
	unsigned width = input_u8(&in) % 100, precision = input_u8(&in) % 50;
	u8 length = input_u8(&in) % ARRAY_SIZE(lengths);
	char conversion = conversions[input_u8(&in) % (sizeof(conversions) - 1)], format[64];
	char text[16];
	u64 value;

	input_take(&in, &value, sizeof(value));
	input_take(&in, text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	if (conversion == 's' || conversion == 'c')
		length = 0;
	/* Beyond what C defines: '#' and '0' are for numbers, '#' for those that are not decimal.
	 */
	if (!strchr("xX", conversion) && *flag == '#')
		flag = "";
	if (length == 0 && strchr("sc", conversion))
		flag = *flag == '-' ? "-" : "";
	/* The first precision is none, the next is 0. */
	if (precision && conversion != 'c')
		snprintf(format, sizeof(format), "a%%%s%u.%u%s%cb", flag, width + 1, precision - 1,
			 lengths[length], conversion);
	else
		snprintf(format, sizeof(format), "a%%%s%u%s%cb", flag, width + 1, lengths[length],
			 conversion);
	if (conversion == 's')
		BOTH(format, text);
	else if (conversion == 'c')
		BOTH(format, text[0] ? text[0] : 'c');
	else
		number(format, length, value, room);
	fuzz_free_copies();
	return 0;
}
