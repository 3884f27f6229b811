/* SPDX-License-Identifier: MIT */
/*
 * Formatted output without memory allocation, locks or state, so that any context may use it. The
 * formatter hands out pieces; snprintf() gathers them in a buffer, printk() sends them on.
 */
#include <hotregs/printk.h>
#include <hotregs/string.h>

/* One conversion specification. */
struct spec {
	bool left, zero, alternate;
	int width;
	int precision; /* -1: none given */
	char length;   /* 'H' for hh, 'h', 0, 'l', 'q' for ll, 'z' */
	char conversion;
};

struct sink {
	printf_emit_t emit;
	void *ctx;
	size_t total;
};

static void put(struct sink *sink, const char *s, size_t n)
{
	if (n)
		sink->emit(sink->ctx, s, n);
	sink->total += n;
}

static void pad(struct sink *sink, char c, int n)
{
	static const char spaces[] = "                ", zeroes[] = "0000000000000000";

	for (; n > 0; n -= 16)
		put(sink, c == '0' ? zeroes : spaces, MIN(n, 16));
}

/* A number in the format, or the next argument for '*'; -1 when there is none. */
static int parse_number(const char **fmt, va_list *ap)
{
	int n = 0;

	if (**fmt == '*') {
		(*fmt)++;
		return va_arg(*ap, int);
	}
	if (**fmt < '0' || **fmt > '9')
		return -1;
	while (**fmt >= '0' && **fmt <= '9')
		n = n * 10 + *(*fmt)++ - '0';
	return n;
}

static char parse_length(const char **fmt)
{
	char c = **fmt;

	if (c != 'h' && c != 'l' && c != 'z')
		return 0;
	(*fmt)++;
	if (c == 'z' || **fmt != c)
		return c;
	(*fmt)++;
	return c == 'h' ? 'H' : 'q';
}

/* Parses what follows a '%'; returns what follows the conversion. */
static const char *parse_spec(const char *fmt, struct spec *spec, va_list *ap)
{
	*spec = (struct spec){.precision = -1};
	for (;; fmt++) {
		if (*fmt == '-')
			spec->left = true;
		else if (*fmt == '0')
			spec->zero = true;
		else if (*fmt == '#')
			spec->alternate = true;
		else
			break;
	}
	spec->width = parse_number(&fmt, ap);
	if (spec->width < -1) { /* a negative '*' is the '-' flag */
		spec->left = true;
		spec->width = -spec->width;
	}
	if (*fmt == '.') {
		fmt++;
		/* A '.' alone is precision 0; a negative '*' is none. */
		spec->precision =
		    *fmt == '*' || (*fmt >= '0' && *fmt <= '9') ? parse_number(&fmt, ap) : 0;
	}
	spec->length = parse_length(&fmt);
	spec->conversion = *fmt;
	return *fmt ? fmt + 1 : fmt;
}

static u64 signed_arg(char length, va_list *ap)
{
	switch (length) {
	case 'H':
		return (s8)va_arg(*ap, int);
	case 'h':
		return (s16)va_arg(*ap, int);
	case 'l':
	case 'z':
		return va_arg(*ap, long);
	case 'q':
		return va_arg(*ap, long long);
	default:
		return va_arg(*ap, int);
	}
}

static u64 unsigned_arg(char length, va_list *ap)
{
	switch (length) {
	case 'H':
		return (u8)va_arg(*ap, unsigned);
	case 'h':
		return (u16)va_arg(*ap, unsigned);
	case 'l':
	case 'z':
		return va_arg(*ap, unsigned long);
	case 'q':
		return va_arg(*ap, unsigned long long);
	default:
		return va_arg(*ap, unsigned);
	}
}

static void format_string(struct sink *sink, const struct spec *spec, const char *s)
{
	size_t n;

	if (!s)
		s = "(null)";
	n = spec->precision < 0 ? strlen(s) : strnlen(s, spec->precision);
	if (!spec->left)
		pad(sink, ' ', spec->width - (int)n);
	put(sink, s, n);
	if (spec->left)
		pad(sink, ' ', spec->width - (int)n);
}

/* @prefix is a sign or "0x" and stands before padding zeroes, but behind padding spaces. */
static void format_number(struct sink *sink, const struct spec *spec, u64 value, unsigned base,
			  const char *prefix)
{
	const char *digits = spec->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char buf[20], *p = buf + sizeof(buf);
	int n, zeroes, spaces;

	for (; value; value /= base)
		*--p = digits[value % base];
	n = buf + sizeof(buf) - p;
	zeroes = MAX((spec->precision < 0 ? 1 : spec->precision) - n, 0);
	spaces = MAX(spec->width - (int)strlen(prefix) - zeroes - n, 0);
	if (spec->zero && !spec->left && spec->precision < 0) {
		zeroes += spaces;
		spaces = 0;
	}
	if (!spec->left)
		pad(sink, ' ', spaces);
	put(sink, prefix, strlen(prefix));
	pad(sink, '0', zeroes);
	put(sink, p, n);
	if (spec->left)
		pad(sink, ' ', spaces);
}

static void format_spec(struct sink *sink, const struct spec *spec, va_list *ap)
{
	u64 value;

	switch (spec->conversion) {
	case 'd':
	case 'i':
		value = signed_arg(spec->length, ap);
		if ((s64)value < 0)
			format_number(sink, spec, -value, 10, "-");
		else
			format_number(sink, spec, value, 10, "");
		break;
	case 'u':
		format_number(sink, spec, unsigned_arg(spec->length, ap), 10, "");
		break;
	case 'x':
	case 'X':
		value = unsigned_arg(spec->length, ap);
		format_number(sink, spec, value, 16,
			      !spec->alternate || !value ? ""
			      : spec->conversion == 'X'  ? "0X"
							 : "0x");
		break;
	case 'p':
		format_number(sink, spec, (unsigned long)va_arg(*ap, void *), 16, "0x");
		break;
	case 's':
		format_string(sink, spec, va_arg(*ap, const char *));
		break;
	case 'c': {
		char c = va_arg(*ap, int);

		if (!spec->left)
			pad(sink, ' ', spec->width - 1);
		put(sink, &c, 1);
		if (spec->left)
			pad(sink, ' ', spec->width - 1);
		break;
	}
	case '%':
		put(sink, "%", 1);
		break;
	default:
		/* The compiler's format check lets no other one through. */
		put(sink, "%?", 2);
	}
}

size_t vprintf_to(printf_emit_t emit, void *ctx, const char *fmt, va_list args)
{
	struct sink sink = {emit, ctx, 0};
	va_list ap;

	va_copy(ap,
		args); /* a va_list parameter may be an array, whose address is of another type */
	while (*fmt) {
		const char *start = fmt;
		struct spec spec;

		while (*fmt && *fmt != '%')
			fmt++;
		put(&sink, start, fmt - start);
		if (!*fmt)
			break;
		fmt = parse_spec(fmt + 1, &spec, &ap);
		format_spec(&sink, &spec, &ap);
	}
	va_end(ap);
	return sink.total;
}

/* A caller's buffer being filled; what does not fit is dropped. */
struct buffer {
	char *next;
	size_t left; /* bytes, not counting the final NUL */
};

static void emit_to_buffer(void *ctx, const char *s, size_t n)
{
	struct buffer *b = ctx;

	n = MIN(n, b->left);
	if (!n)
		return;
	memcpy(b->next, s, n);
	b->next += n;
	b->left -= n;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	struct buffer b = {buf, size ? size - 1 : 0};
	size_t total = vprintf_to(emit_to_buffer, &b, fmt, ap);

	if (size)
		*b.next = '\0';
	return total;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n;
}
