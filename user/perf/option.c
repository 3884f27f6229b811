/* SPDX-License-Identifier: MIT */
/* Command-line options: -x, -xVALUE, -x VALUE, groups like -ga, --name, --name VALUE, --name=VALUE.
 */
#include "perf.h"

#include <string.h>

/* Takes @attached as the value if there is one, else the next argument. */
static int take_value(struct option_parser *p, const struct option_spec *spec, const char *attached)
{
	p->value = attached;
	if (!spec->has_value)
		return spec->letter;
	if (!p->value && *p->next)
		p->value = *p->next++;
	if (!p->value)
		return error("option -%c needs a value", spec->letter);
	return spec->letter;
}

static int long_option(struct option_parser *p, const struct option_spec *specs, const char *text)
{
	size_t n = strcspn(text, "=");
	const char *attached = text[n] ? text + n + 1 : NULL;

	for (; specs->letter; specs++) {
		if (!specs->name || strlen(specs->name) != n || memcmp(specs->name, text, n))
			continue;
		if (attached && !specs->has_value)
			return error("option --%s takes no value", specs->name);
		return take_value(p, specs, attached);
	}
	return error("option --%.*s is not known; -h tells the options", (int)n, text);
}

static int short_option(struct option_parser *p, const struct option_spec *specs)
{
	char letter = *p->letters++;

	for (; specs->letter; specs++) {
		const char *rest = *p->letters ? p->letters : NULL;

		if (specs->letter != letter)
			continue;
		if (specs->has_value || !rest)
			p->letters = NULL;
		return take_value(p, specs, specs->has_value ? rest : NULL);
	}
	return error("option -%c is not known; -h tells the options", letter);
}

int option_next(struct option_parser *p, const struct option_spec *specs)
{
	const char *word;

	if (p->letters)
		return short_option(p, specs);
	word = *p->next;
	if (!word || word[0] != '-' || !word[1])
		return 0;
	p->next++;
	if (!strcmp(word, "--"))
		return 0;
	if (word[1] == '-')
		return long_option(p, specs, word + 2);
	p->letters = word + 1;
	return short_option(p, specs);
}
