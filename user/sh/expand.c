/* SPDX-License-Identifier: MIT */
/*
 * What a word comes to: quotes are taken off, variables put in, what they hold is split at blanks
 * where it is not quoted, and patterns become the names that they match.
 */
#include "sh.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The field that is being put together. */
struct field {
	struct text text;
	struct text pattern; /* the same with a backslash before what is no magic */
	bool present;        /* there is one, although it may be empty */
	bool patterns;       /* patterns are looked for, and blanks split */
	struct strings *out;
};

static void add(struct field *f, char c, bool quoted)
{
	text_add(&f->text, c);
	if (quoted || c == '\\')
		text_add(&f->pattern, '\\');
	text_add(&f->pattern, c);
	f->present = true;
}

/* The field is complete. */
static void finish(struct field *f)
{
	if (!f->present)
		return;
	if (!f->patterns || !f->pattern.s || !pattern_expand(f->pattern.s, f->out))
		strings_add(f->out, f->text.s ? f->text.s : "");
	f->text = f->pattern = (struct text){0};
	f->present = false;
}

static void add_value(struct field *f, const char *value, bool quoted)
{
	for (; *value; value++) {
		if (!quoted && f->patterns && strchr(" \t\n", *value))
			finish(f);
		else
			add(f, *value, quoted);
	}
}

/* $@ or $*: all arguments, in quotes each a field of its own (or one field of them all). */
static void add_arguments(struct field *f, bool quoted, bool separate)
{
	for (char **arg = arguments + 1; *arguments && *arg; arg++) {
		add_value(f, *arg, quoted);
		if (!arg[1])
			break;
		f->present |= quoted;
		if (!f->patterns || (quoted && !separate))
			add(f, ' ', quoted);
		else
			finish(f);
	}
}

static size_t nr_arguments(void)
{
	size_t n = 0;

	while (arguments[0] && arguments[n + 1])
		n++;
	return n;
}

/* The value of the parameter of one character; NULL: there is none. @buf may hold it. */
static const char *special(char c, char buf[24])
{
	switch (c) {
	case '?':
		snprintf(buf, 24, "%d", last_status);
		return buf;
	case '$':
		snprintf(buf, 24, "%d", (int)shell_pid);
		return buf;
	case '!':
		if (!last_background)
			return "";
		snprintf(buf, 24, "%d", (int)last_background);
		return buf;
	case '#':
		snprintf(buf, 24, "%zu", nr_arguments());
		return buf;
	}
	if (!isdigit((unsigned char)c))
		return NULL;
	if (c == '0')
		return arguments[0];
	return (size_t)(c - '0') <= nr_arguments() ? arguments[c - '0'] : "";
}

/* What stands behind a "$" at @s: adds it; behind it, or NULL for an error. */
static const char *add_dollar(struct field *f, const char *s, bool quoted)
{
	bool braces = *s == '{';
	size_t n = 0;
	char buf[24];
	const char *value;

	if (*s == '(' || *s == '[') {
		complain("$%c is not known here", *s);
		return NULL;
	}
	s += braces;
	if (*s == '@' || *s == '*') {
		add_arguments(f, quoted, *s == '@');
		n = 1;
	} else if (*s && (value = special(*s, buf))) {
		add_value(f, value, quoted);
		n = 1;
	} else {
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		value = n ? variable_get(arena_strndup(s, n)) : NULL;
		if (!n && !braces)
			add(f, '$', quoted);
		if (value)
			add_value(f, value, quoted);
	}
	if (!braces)
		return s + n;
	if (!n || s[n] != '}') {
		complain("${...}: only a name can stand there");
		return NULL;
	}
	return s + n + 1;
}

/* Adds what is between double quotes from @s on; behind the quote, or NULL. */
static const char *add_double_quoted(struct field *f, const char *s)
{
	while (s && *s != '"') {
		if (*s == '$') {
			s = add_dollar(f, s + 1, true);
			continue;
		}
		if (*s == '`') {
			complain("`...` is not known here");
			return NULL;
		}
		if (*s == '\\' && s[1] == '\n') {
			s += 2;
			continue;
		}
		if (*s == '\\' && strchr("$`\"\\", s[1]))
			s++;
		add(f, *s++, true);
	}
	return s ? s + 1 : NULL;
}

static bool expand(const char *s, struct field *f)
{
	while (s && *s) {
		switch (*s) {
		case '\'':
			f->present = true;
			for (s++; *s != '\''; s++)
				add(f, *s, true);
			s++;
			break;
		case '"':
			/* "$@" without arguments is no field at all. */
			f->present |= strncmp(s, "\"$@\"", 4) != 0;
			s = add_double_quoted(f, s + 1);
			break;
		case '$':
			s = add_dollar(f, s + 1, false);
			break;
		case '`':
			complain("`...` is not known here");
			return false;
		case '\\':
			if (s[1] != '\n')
				add(f, s[1], true);
			s += 2;
			break;
		default:
			add(f, *s++, false);
		}
	}
	return s;
}

bool expand_word(const char *word, struct strings *out)
{
	struct field f = {.patterns = true, .out = out};

	if (!expand(word, &f))
		return false;
	finish(&f);
	return true;
}

char *expand_string(const char *word)
{
	struct strings none = {0};
	struct field f = {.patterns = false, .out = &none};

	if (!expand(word, &f))
		return NULL;
	return f.text.s ? f.text.s : arena_strndup("", 0);
}

const char *assignment_value(const char *word)
{
	size_t n = strcspn(word, "=");

	return word[n] && is_name(word, n) ? word + n + 1 : NULL;
}
