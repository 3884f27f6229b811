/* SPDX-License-Identifier: MIT */
/* The kernel command line: words separated by blanks; those after a word "--" are init's. */
#include <hotregs/boot_info.h>
#include <hotregs/string.h>

struct boot_info boot_info;

/* The word at or after @s and its length; "--" and the end of the line are words of length 0. */
static const char *next_word(const char *s, size_t *len)
{
	size_t n = 0;

	while (*s == ' ')
		s++;
	while (s[n] && s[n] != ' ')
		n++;
	*len = n == 2 && s[0] == '-' && s[1] == '-' ? 0 : n;
	return s;
}

int cmdline_get(const char *key, char *value, size_t size)
{
	size_t key_len = strlen(key), len, found_len = 0;
	const char *found = NULL, *word = boot_info.cmdline;

	for (; word = next_word(word, &len), len; word += len) {
		if (len < key_len || strncmp(word, key, key_len))
			continue;
		if (len > key_len && word[key_len] != '=')
			continue;
		/* A bare key has an empty value. */
		found = word + MIN(key_len + 1, len);
		found_len = word + len - found;
	}
	if (!found)
		return -ENOENT;
	if (size == 0)
		return -ENOSPC;
	len = MIN(found_len, size - 1);
	memcpy(value, found, len);
	value[len] = '\0';
	return len < found_len ? -ENOSPC : 0;
}

const char *cmdline_init_args(void)
{
	const char *word = boot_info.cmdline;
	size_t len;

	while (word = next_word(word, &len), len)
		word += len;
	if (!*word)
		return word;
	word += 2;
	while (*word == ' ')
		word++;
	return word;
}
