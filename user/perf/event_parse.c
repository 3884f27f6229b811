/* SPDX-License-Identifier: MIT */
/*
 * Lists of events, as -e takes them: names with their terms and modifiers, alone or in groups.
 * Every message names the event and says what would be right.
 */
#define _GNU_SOURCE
#include "perf.h"

#include <string.h>

void event_add_modifier(struct event *event, char letter)
{
	/* In a breakpoint's name there are colons of other meaning. */
	bool own = event->type == PERF_TYPE_BREAKPOINT;
	char *colon = own ? NULL : strchr(event->name, ':');
	size_t n = strlen(event->name);

	if ((colon && strchr(colon, letter)) || n + 2 >= sizeof(event->name))
		return;
	if (!colon)
		event->name[n++] = ':';
	event->name[n++] = letter;
	event->name[n] = '\0';
}

/* Modifiers that perf knows and that mean nothing here, with what to write instead. */
static const char *instead(char letter)
{
	switch (letter) {
	case 'h':
		return "nothing below the kernel is counted; leave it out";
	case 'G':
		return "there are no guests; leave it out";
	case 'W':
		return "groups are not broken up; list the events without braces";
	case 'b':
		return "there are no BPF programs; leave it out";
	}
	return "the modifiers are u, k, I, p, P, S, D and e";
}

/* Takes one modifier; of a group, those that only leaders have pass its siblings by. */
static bool take_modifier(struct event *event, char letter, bool leads)
{
	switch (letter) {
	case 'u':
		event->user = true;
		break;
	case 'k':
		event->kernel = true;
		break;
	case 'I':
		event->exclude_idle = true;
		break;
	case 'p':
		event->precise++;
		break;
	case 'P':
		event->precise_best = true;
		break;
	case 'H': /* as always */
		break;
	case 'S':
		event->sample_read = true;
		return true; /* not part of the name, nor are those of the group */
	case 'D':
		event->pinned = leads;
		return true;
	case 'e':
		event->exclusive = leads;
		return true;
	default:
		return false;
	}
	event_add_modifier(event, letter);
	return event->precise <= 3;
}

static int parse_modifiers(struct event *event, const char *text, size_t n, bool leads)
{
	if (!n)
		return error("event \"%s\": no modifier after \":\"", event->name);
	for (size_t i = 0; i < n; i++)
		if (!take_modifier(event, text[i], leads))
			return error("event \"%s\": modifier %c: %s", event->name, text[i],
				     text[i] == 'p' ? "at most three" : instead(text[i]));
	return 0;
}

/* "period=N" or "freq=N", several with commas between them, of which the last counts. */
static bool parse_terms(struct event *event, const char *text, size_t n)
{
	char terms[64], *next = terms, *term;

	if (n >= sizeof(terms))
		return false;
	memcpy(terms, text, n);
	terms[n] = '\0';
	while ((term = strsep(&next, ","))) {
		char *value = strchr(term, '=');

		if (!value)
			return false;
		*value++ = '\0';
		event->freq = !strcmp(term, "freq");
		if ((!event->freq && strcmp(term, "period") != 0) ||
		    !parse_number(value, term, &event->rate))
			return false;
	}
	return true;
}

/* The parts of "name/terms/modifiers" or "name:modifiers". */
struct event_text {
	const char *name, *terms, *modifiers; /* NULL: none */
	size_t name_len, terms_len, modifiers_len;
};

static bool divide(const char *text, size_t n, struct event_text *parts)
{
	const char *end = text + n, *slash = memchr(text, '/', n), *rest;

	*parts = (struct event_text){.name = text};
	if (slash) {
		parts->terms = slash + 1;
		rest = memchr(parts->terms, '/', end - parts->terms);
		if (!rest)
			return false;
		parts->terms_len = rest - parts->terms;
		/* stock perf takes a colon here, and none */
		rest += rest + 1 < end && rest[1] == ':';
		parts->modifiers = rest + 1 < end ? rest + 1 : NULL;
	} else {
		rest = memchr(text, ':', n);
		parts->modifiers = rest ? rest + 1 : NULL;
	}
	parts->name_len = slash ? (size_t)(slash - text) : rest ? (size_t)(rest - text) : n;
	parts->modifiers_len = parts->modifiers ? (size_t)(end - parts->modifiers) : 0;
	return true;
}

static int add_event(struct event_list *list, const struct event *event, const char *text, size_t n)
{
	if (list->nr == MAX_EVENTS)
		return error("more than %d events", MAX_EVENTS);
	if ((event->pinned || event->exclusive) && event->leader != list->nr)
		return error("event \"%.*s\": D and e are for the first of a group", (int)n, text);
	list->event[list->nr++] = *event;
	return 0;
}

/* Its name is all of the text. */
static int parse_breakpoint(struct event_list *list, unsigned leader, const char *text, size_t n)
{
	struct event event = {.leader = leader, .nr_group = 1};
	const char *modifiers;

	if (n >= sizeof(event.name))
		return error("event \"%.*s\": longer than %zu characters", (int)n, text,
			     sizeof(event.name) - 1);
	if (breakpoint_parse(&event, text, n, &modifiers) < 0)
		return -1;
	snprintf(event.name, sizeof(event.name), "%.*s", (int)n, text);
	if (modifiers && parse_modifiers(&event, modifiers, text + n - modifiers, true))
		return -1;
	snprintf(event.name, sizeof(event.name), "%.*s", (int)n, text);
	return add_event(list, &event, text, n);
}

/* Adds the event that the first @n characters are, to the group of @leader. */
static int parse_one(struct event_list *list, unsigned leader, const char *text, size_t n)
{
	struct event event = {.leader = leader, .nr_group = 1};
	struct event_text parts;
	const char *name;

	if (breakpoint_is(text))
		return parse_breakpoint(list, leader, text, n);
	if (!divide(text, n, &parts))
		return error("event \"%.*s\": the second \"/\" is missing", (int)n, text);
	name = event_find(parts.name, parts.name_len, &event);
	if (!name) {
		error("event \"%.*s\" is not known; there are:", (int)parts.name_len, text);
		event_print_names();
		return -1;
	}
	if (parts.terms && !parse_terms(&event, parts.terms, parts.terms_len))
		return error("event \"%.*s\": the terms are period=N and freq=N", (int)n, text);
	snprintf(event.name, sizeof(event.name), "%s", name);
	if (parts.modifiers && parse_modifiers(&event, parts.modifiers, parts.modifiers_len, true))
		return -1;
	return add_event(list, &event, text, n);
}

/* The length of the first event in @text: commas between slashes part terms. */
static size_t event_length(const char *text)
{
	size_t n = strcspn(text, ",/{}");

	if (breakpoint_is(text))
		return breakpoint_length(text);
	if (text[n] != '/')
		return n;
	n++;
	n += strcspn(text + n, "/");
	return n + strcspn(text + n, ",{}");
}

/* What "{a,b}" has in common: modifiers, and that its first one leads. */
static int make_group(struct event_list *list, unsigned leader, const char *modifiers, size_t n)
{
	struct event *first = &list->event[leader];

	first->nr_group = list->nr - leader;
	for (unsigned i = leader; i < list->nr; i++)
		if (modifiers && parse_modifiers(&list->event[i], modifiers, n, i == leader) < 0)
			return -1;
	for (unsigned i = leader + 1; i < list->nr; i++) {
		struct event *event = &list->event[i];

		if (event->sample_read != first->sample_read)
			return error("event \"%s\": S is for a whole group: {...}:S", event->name);
		if (event->sample_read && event->rate)
			return error("event \"%s\": with S the first of a group is sampled alone; "
				     "leave out period= and freq= of others",
				     event->name);
	}
	return 0;
}

/* The events from @text, behind "{", on; how many characters that took, or -1. */
static int parse_group(struct event_list *list, const char *text)
{
	const char *start = text, *modifiers = NULL;
	unsigned leader = list->nr;
	size_t n;

	for (;; text++) {
		n = event_length(text);
		if (!n && text[n] == '}')
			return error("group \"{%s\": before \"}\" there must be an event", start);
		if (text[n] == '{')
			return error("group \"{%s\": groups do not hold groups", start);
		if (!text[n])
			return error("group \"{%s\": the \"}\" is missing", start);
		if (parse_one(list, leader, text, n) < 0)
			return -1;
		text += n;
		if (*text == '}')
			break;
	}
	text++;
	n = strcspn(text, ",");
	if (*text == ':') {
		modifiers = text + 1;
		n--;
	} else if (n) {
		return error("group \"{%s\": after \"}\" there may be \":\" with modifiers, or "
			     "\",\" with more events",
			     start);
	}
	if (make_group(list, leader, modifiers, n) < 0)
		return -1;
	return (modifiers ? modifiers : text) + n - start;
}

int events_parse(struct event_list *list, const char *text)
{
	for (;;) {
		int n;

		if (*text == '{') {
			n = parse_group(list, ++text);
		} else {
			n = event_length(text);
			if (text[n] == '{' || text[n] == '}')
				return error("events \"%s\": a \"%c\" that begins or ends no group",
					     text, text[n]);
			if (parse_one(list, list->nr, text, n) < 0)
				return -1;
		}
		if (n < 0)
			return -1;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}
