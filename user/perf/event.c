/* SPDX-License-Identifier: MIT */
/* Events by name, and opening them. */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct event_name {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
} names[] = {
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static const struct event_name *find(const char *text, size_t n)
{
	for (size_t i = 0; i < NR_NAMES; i++) {
		const struct event_name *e = &names[i];

		if ((strlen(e->name) == n && !memcmp(e->name, text, n)) ||
		    (e->alias && strlen(e->alias) == n && !memcmp(e->alias, text, n)))
			return e;
	}
	return NULL;
}

/* "u" counts in user mode, "k" in the kernel, both or none everywhere. */
static bool parse_modifiers(struct event *event, const char *text, size_t n)
{
	bool user = false, kernel = false;

	for (size_t i = 0; i < n; i++) {
		user |= text[i] == 'u';
		kernel |= text[i] == 'k';
		if (text[i] != 'u' && text[i] != 'k')
			return false;
	}
	event->exclude_kernel = user && !kernel;
	event->exclude_user = kernel && !user;
	return n > 0;
}

static int parse_one(struct event_list *list, const char *text, size_t n)
{
	const char *colon = memchr(text, ':', n);
	size_t name_len = colon ? (size_t)(colon - text) : n;
	const struct event_name *name = find(text, name_len);
	struct event event = {0};

	if (!name || n >= sizeof(event.name)) {
		error("event \"%.*s\" is not known; there are:", (int)n, text);
		for (size_t i = 0; i < NR_NAMES; i++)
			fprintf(stderr, "  %s%s%s\n", names[i].name, names[i].alias ? ", " : "",
				names[i].alias ? names[i].alias : "");
		return -1;
	}
	if (colon && !parse_modifiers(&event, colon + 1, n - name_len - 1))
		return error("event \"%.*s\": the modifiers are u and k", (int)n, text);
	if (list->nr == MAX_EVENTS)
		return error("more than %d events", MAX_EVENTS);
	snprintf(event.name, sizeof(event.name), "%s%.*s", name->name, (int)(n - name_len),
		 text + name_len);
	event.type = name->type;
	event.config = name->config;
	list->event[list->nr++] = event;
	return 0;
}

int events_parse(struct event_list *list, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, ",");

		if (parse_one(list, text, n) < 0)
			return -1;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

void event_attr(const struct event *event, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = PERF_ATTR_SIZE_VER5;
	attr->type = event->type;
	attr->config = event->config;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel = event->exclude_kernel;
	attr->exclude_guest = 1; /* else perf prints the name with ":H" */
}

int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return syscall(__NR_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

bool event_unsupported(int err)
{
	return err == ENOENT || err == ENODEV || err == EOPNOTSUPP || err == ENXIO;
}

void event_open_error(const struct event *event, int err)
{
	FILE *f;
	int level;

	if (event_unsupported(err)) {
		error("event \"%s\" is not supported on this machine", event->name);
	} else if (err == EACCES || err == EPERM) {
		error("event \"%s\": no permission (%s)", event->name, strerror(err));
		f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
		if (f && fscanf(f, "%d", &level) == 1)
			error("/proc/sys/kernel/perf_event_paranoid is %d: above 1 forbids "
			      "the kernel's events, above 0 whole CPUs; try event:u",
			      level);
		if (f)
			fclose(f);
	} else if (err == ENOSYS) {
		error("this kernel has no perf_event_open()");
	} else {
		error("event \"%s\": %s", event->name, strerror(err));
	}
}
