/* SPDX-License-Identifier: MIT */
/* Variables: those that are exported are the environment's, the others are kept here. */
#include "sh.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct variable {
	struct variable *next;
	char *value; /* inside name's memory */
	char name[];
};

static struct variable *variables;

bool is_name(const char *s, size_t n)
{
	if (!n || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}

static struct variable **find(const char *name)
{
	struct variable **v = &variables;

	while (*v && strcmp((*v)->name, name))
		v = &(*v)->next;
	return v;
}

static void forget(const char *name)
{
	struct variable **v = find(name), *old = *v;

	if (!old)
		return;
	*v = old->next;
	free(old);
}

const char *variable_get(const char *name)
{
	const struct variable *v = *find(name);

	return v ? v->value : getenv(name);
}

void variable_set(const char *name, const char *value)
{
	size_t n = strlen(name) + 1;
	struct variable *v;

	if (getenv(name)) {
		setenv(name, value, 1);
		return;
	}
	v = malloc(sizeof(*v) + n + strlen(value) + 1);
	if (!v) {
		complain("%s: out of memory", name);
		return;
	}
	v->value = strcpy(v->name + n, value);
	memcpy(v->name, name, n);
	forget(name);
	v->next = variables;
	variables = v;
}

void variable_export(const char *name)
{
	const struct variable *v = *find(name);

	if (!v)
		return; /* it is exported, or not there: then it will be when it is set */
	setenv(name, v->value, 1);
	forget(name);
}

void variable_unset(const char *name)
{
	forget(name);
	unsetenv(name);
}
