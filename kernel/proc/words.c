/* SPDX-License-Identifier: MIT */
/* Splitting a line into words as a shell does, for init's arguments. */
#include <hotregs/process.h>
#include <hotregs/string.h>

/* Copies the word at *@s to *@out, unquoted, and moves both past it. -EINVAL: an open quote. */
static int copy_word(const char **s, char **out)
{
	const char *in = *s;
	char quote = 0, *to = *out;

	for (; *in && (quote || (*in != ' ' && *in != '\t')); in++) {
		if (*in == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (*in == '"' || *in == '\'')) {
			quote = *in;
			continue;
		}
		/* GRUB hands over what it was given with a backslash before ' too. */
		if (*in == '\\' && in[1] && (!quote || (quote == '"' && strchr("\"\\'", in[1]))))
			in++;
		*to++ = *in;
	}
	*s = in;
	*out = to;
	return quote ? -EINVAL : 0;
}

int split_words(char *s, char *word[], int max)
{
	const char *in = s;
	char *out = s; /* never overtakes in */
	int n = 0;

	for (;;) {
		while (*in == ' ' || *in == '\t')
			in++;
		if (!*in)
			return n;
		if (n == max)
			return -E2BIG;
		word[n++] = out;
		if (copy_word(&in, &out))
			return -EINVAL;
		/* The blank that ended the word may be where its NUL goes. */
		in += *in != '\0';
		*out++ = '\0';
	}
}
