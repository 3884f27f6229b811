/* SPDX-License-Identifier: MIT */
/* Patterns of file names: *, ? and [...]. */
#include "sh.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does @c match the set that begins behind "["? *@end: behind its "]"; NULL: it is no set. */
static bool match_set(const char *set, char c, const char **end)
{
	bool negated = *set == '!', matched = false;
	const char *s = set + negated;

	do {
		char low = *s == '\\' ? *++s : *s, high = low;

		if (!low) {
			*end = NULL;
			return false;
		}
		s++;
		if (s[0] == '-' && s[1] && s[1] != ']') {
			high = s[1];
			s += 2;
		}
		matched |= low <= c && c <= high;
	} while (*s != ']');
	*end = s + 1;
	return matched != negated;
}

bool pattern_match(const char *pattern, const char *name)
{
	const char *end;

	for (; *pattern; pattern++, name++) {
		switch (*pattern) {
		case '*':
			do
				if (pattern_match(pattern + 1, name))
					return true;
			while (*name++);
			return false;
		case '?':
			if (!*name)
				return false;
			break;
		case '[':
			if (match_set(pattern + 1, *name, &end) && *name) {
				pattern = end - 1;
				break;
			}
			if (end || *name != '[')
				return false;
			break;
		case '\\':
			pattern++;
			/* fall through */
		default:
			if (*pattern != *name)
				return false;
		}
	}
	return !*name;
}

static bool has_magic(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\')
			i++;
		else if (strchr("*?[", s[i]))
			return true;
	}
	return false;
}

/* @n characters of a pattern without magic, as a name. */
static void add_plain(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text_add(t, s[i] == '\\' ? s[++i] : s[i]);
}

static void expand_at(const char *done, const char *pattern, struct strings *out);

/* Goes on with @rest behind @done and @name. */
static void descend(const char *done, const char *name, const char *rest, struct strings *out)
{
	struct text path = {0};

	text_add_string(&path, done);
	text_add_string(&path, name);
	if (!*rest) {
		if (access(path.s, F_OK) == 0)
			strings_add(out, path.s);
		return;
	}
	while (*rest == '/')
		text_add(&path, *rest++);
	expand_at(path.s, rest, out);
}

/* Adds what @pattern matches below directory @done ("": the current one, "/", "a/"). */
static void expand_at(const char *done, const char *pattern, struct strings *out)
{
	size_t n = strcspn(pattern, "/");
	struct text plain = {0};
	const char *component;
	struct dirent *entry;
	DIR *dir;

	if (!has_magic(pattern, n)) {
		text_add_string(&plain, "");
		add_plain(&plain, pattern, n);
		descend(done, plain.s ? plain.s : "", pattern + n, out);
		return;
	}
	component = arena_strndup(pattern, n);
	dir = opendir(*done ? done : ".");
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if ((entry->d_name[0] != '.' || *component == '.') &&
		    pattern_match(component, entry->d_name))
			descend(done, arena_strndup(entry->d_name, strlen(entry->d_name)),
				pattern + n, out);
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t pattern_expand(const char *pattern, struct strings *out)
{
	size_t before = out->n;
	const char *rest = pattern;

	if (!has_magic(pattern, strlen(pattern)))
		return 0;
	while (*rest == '/')
		rest++;
	expand_at(rest > pattern ? "/" : "", rest, out);
	if (out->n > before)
		qsort(out->s + before, out->n - before, sizeof(*out->s), compare);
	return out->n - before;
}
