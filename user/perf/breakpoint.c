/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints among the events: "mem:ADDRESS[/LENGTH][:ACCESS][:MODIFIERS]", where the address may
 * be a symbol of the program that is measured or of the kernel.
 */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX         "mem:"
#define DEFAULT_LENGTH 4
#define PATH_SIZE      256

bool breakpoint_is(const char *text)
{
	return !strncmp(text, PREFIX, strlen(PREFIX));
}

size_t breakpoint_length(const char *text)
{
	return strcspn(text, ",{}");
}

/* The kinds of access in [text, text + n); 0: it is something else. */
static uint32_t access_type(const char *text, size_t n)
{
	static const struct {
		char letter;
		uint32_t type;
	} kinds[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
	uint32_t type = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned k = 0;

		while (k < 3 && kinds[k].letter != text[i])
			k++;
		if (k == 3 || (type & kinds[k].type))
			return 0;
		type |= kinds[k].type;
	}
	return type;
}

static bool is_number(const char *text, size_t n, uint64_t *value)
{
	char digits[24], *end;

	if (!n || n >= sizeof(digits) || text[0] < '0' || text[0] > '9')
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	*value = strtoull(digits, &end, 0);
	return !*end;
}

int breakpoint_parse(struct event *event, const char *text, size_t n, const char **modifiers)
{
	const char *end = text + n, *where = text + strlen(PREFIX), *rest;
	size_t len;

	*modifiers = NULL;
	event->type = PERF_TYPE_BREAKPOINT;
	event->bp_type = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	event->bp_len = 0;
	len = strcspn(where, "/:");
	if (len > (size_t)(end - where))
		len = end - where;
	if (!len)
		return error("event \"%.*s\": behind \"" PREFIX "\" there has to be an address",
			     (int)n, text);
	if (!is_number(where, len, &event->bp_addr)) {
		event->symbol = where;
		event->symbol_len = len;
	}
	rest = where + len;
	if (rest < end && *rest == '/') {
		len = strcspn(++rest, ":");
		if (len > (size_t)(end - rest))
			len = end - rest;
		if (!is_number(rest, len, &event->bp_len) || !event->bp_len)
			return error("event \"%.*s\": no length after \"/\"", (int)n, text);
		rest += len;
	}
	if (rest < end) {
		uint32_t type;

		len = strcspn(++rest, ":");
		if (len > (size_t)(end - rest))
			len = end - rest;
		type = access_type(rest, len);
		if (type) {
			event->bp_type = type;
			rest += len;
			rest += rest < end;
		}
		if (rest < end || !type)
			*modifiers = rest;
	}
	if (!event->bp_len)
		event->bp_len = event->bp_type == HW_BREAKPOINT_X ? sizeof(long) : DEFAULT_LENGTH;
	return 0;
}

/* --- Where symbols are --- */

/* The file that execvp() would take. */
static bool find_program(const char *name, char path[PATH_SIZE])
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PATH_SIZE, "%s", name);
		return true;
	}
	for (dirs = dirs ? dirs : "/bin"; *dirs;) {
		size_t n = strcspn(dirs, ":");

		snprintf(path, PATH_SIZE, "%.*s/%s", (int)n, n ? dirs : ".", name);
		if (access(path, X_OK) == 0)
			return true;
		dirs += n + (dirs[n] == ':');
	}
	return false;
}

static bool is_symbol(const struct event *event, const char *name)
{
	return strlen(name) == event->symbol_len && !memcmp(name, event->symbol, event->symbol_len);
}

/*
 * Looks in the file at @path. Of one that may be loaded anywhere, @m says where its beginning is
 * (NULL: nobody knows).
 */
static bool find_in_file(struct event *event, const char *path, const struct mapping *m)
{
	uint64_t first = 0, moved = 0;
	bool found = false;
	struct elf elf;

	if (elf_open(&elf, path) < 0)
		return false;
	if (!elf.fixed && m && m->pgoff == 0 && elf_address(&elf, 0, &first))
		moved = m->start - first;
	if ((elf.fixed || moved) && elf_load_symbols(&elf) == 0) {
		for (size_t i = 0; i < elf.nr_symbols && !found; i++) {
			found = is_symbol(event, elf.symbols[i].name);
			if (found)
				event->bp_addr = elf.symbols[i].start + moved;
		}
	}
	elf_close(&elf);
	return found;
}

static bool find_in_program(struct event *event, const char *program)
{
	char path[PATH_SIZE];

	return program && find_program(program, path) && find_in_file(event, path, NULL);
}

/* In all files that the process has mapped; each is looked at as it begins. */
static bool find_in_process(struct event *event, pid_t pid)
{
	struct mapping m;
	char path[64];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = pid ? fopen(path, "r") : NULL;
	while (f && !found && mapping_next(f, &m))
		found = m.file[0] == '/' && find_in_file(event, m.file, &m);
	if (f)
		fclose(f);
	return found;
}

static bool find_in_kernel(struct event *event)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	uint64_t address;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = sscanf(line, "%" SCNx64 " %*c %255s", &address, name) == 2 && address &&
			is_symbol(event, name);
		if (found)
			event->bp_addr = address;
	}
	if (f)
		fclose(f);
	return found;
}

int breakpoints_find(struct event_list *list, const char *program, pid_t pid)
{
	const char *where = pid ? "process" : "program";

	for (unsigned i = 0; i < list->nr; i++) {
		struct event *event = &list->event[i];

		if (!event->symbol || find_in_program(event, program) ||
		    find_in_process(event, pid) || find_in_kernel(event))
			continue;
		return error("event \"%s\": neither the %s nor the kernel has a symbol \"%.*s\" at "
			     "a known address; give the address",
			     event->name, where, (int)event->symbol_len, event->symbol);
	}
	return 0;
}

/* --- What may be wrong --- */

bool breakpoint_of_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr >> (8 * sizeof(long) - 1);
}

static const char *why_invalid(const struct perf_event_attr *attr)
{
	bool kernel = breakpoint_of_kernel(attr);

	if (attr->bp_len > 8)
		return "a range has 1 to 8 bytes";
	if (attr->bp_type == HW_BREAKPOINT_R)
		return "it sees reads together with writes alone (:rw)";
	if (kernel && attr->exclude_kernel)
		return "only the kernel can touch that address, and it is left out (:u)";
	if (kernel)
		return "by what is there the kernel is entered, or keeps its stacks there";
	return "the range goes beyond the end of addresses, or no instruction can be there";
}

bool breakpoint_open_error(const struct event *event, const struct perf_event_attr *attr, int err)
{
	if (attr->type != PERF_TYPE_BREAKPOINT)
		return false;
	if (err == ENOSPC)
		error("event \"%s\": the processor has no breakpoint left: all are in use, also "
		      "those of other users; an aligned range takes one, others take two",
		      event->name);
	else if (err == EINVAL)
		error("event \"%s\": the processor can not watch that: %s", event->name,
		      why_invalid(attr));
	else if ((err == EACCES || err == EPERM) && breakpoint_of_kernel(attr))
		error("event \"%s\": the kernel's addresses are for the privileged user alone",
		      event->name);
	else if (event_unsupported(err))
		error("event \"%s\": this processor has no breakpoints, or they are locked away: "
		      "what the kernel says of \"debug\" as it starts tells why",
		      event->name);
	else
		return false;
	return true;
}
