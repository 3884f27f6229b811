/* SPDX-License-Identifier: MIT */
/* Events by name, opening them, and why that failed. event_parse.c reads lists of them. */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <inttypes.h>
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

const char *event_find(const char *text, size_t n, struct event *event)
{
	for (size_t i = 0; i < NR_NAMES; i++) {
		const struct event_name *e = &names[i];

		if ((strlen(e->name) != n || memcmp(e->name, text, n)) &&
		    (!e->alias || strlen(e->alias) != n || memcmp(e->alias, text, n)))
			continue;
		event->type = e->type;
		event->config = e->config;
		return e->name;
	}
	return NULL;
}

void event_print_names(void)
{
	for (size_t i = 0; i < NR_NAMES; i++) {
		const struct event_name *e = &names[i];
		const struct event event = {.type = e->type, .config = e->config};
		struct perf_event_attr attr;
		int fd;

		event_attr(&event, &attr);
		attr.disabled = 1;
		fd = event_open(&attr, 0, -1, -1);
		if (fd >= 0)
			close(fd);
		else if (event_unsupported(errno))
			continue;
		fprintf(stderr, "  %s%s%s\n", e->name, e->alias ? ", " : "",
			e->alias ? e->alias : "");
	}
	fputs("  mem:ADDRESS[/LENGTH][:rwx], an address or a symbol\n", stderr);
}

void event_attr(const struct event *event, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = PERF_ATTR_SIZE_VER5;
	attr->type = event->type;
	attr->config = event->config;
	if (event->type == PERF_TYPE_BREAKPOINT) {
		attr->bp_type = event->bp_type;
		attr->bp_addr = event->bp_addr;
		attr->bp_len = event->bp_len;
	}
	attr->exclude_user = event->kernel && !event->user;
	attr->exclude_kernel = event->user && !event->kernel;
	attr->exclude_idle = event->exclude_idle;
	attr->exclude_guest = 1; /* else perf prints the name with ":H" */
	attr->pinned = event->pinned;
	attr->exclusive = event->exclusive;
	attr->precise_ip = event->precise;
}

int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return syscall(__NR_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static bool opens(const struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void event_find_precise(const struct event *event, struct perf_event_attr *attr)
{
	struct perf_event_attr probe = *attr;

	if (!event->precise_best)
		return;
	for (probe.precise_ip = 3; probe.precise_ip && !opens(&probe);)
		probe.precise_ip--;
	attr->precise_ip = probe.precise_ip;
}

uint64_t event_registers(void)
{
	static uint64_t registers;

	for (int nr = 0; nr < 64; nr++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					       .size = PERF_ATTR_SIZE_VER5,
					       .config = PERF_COUNT_SW_DUMMY,
					       .sample_period = 1,
					       .sample_type = PERF_SAMPLE_REGS_USER,
					       .exclude_kernel = 1,
					       .sample_regs_user = UINT64_C(1) << nr};

		if (opens(&attr))
			registers |= UINT64_C(1) << nr;
	}
	return registers;
}

bool event_unsupported(int err)
{
	return err == ENOENT || err == ENODEV || err == EOPNOTSUPP || err == ENXIO;
}

static bool accepts_frequency(struct perf_event_attr attr, uint64_t hz)
{
	attr.sample_freq = hz;
	return opens(&attr);
}

/* The highest frequency that the kernel takes for @attr, where that is what it refused; else 0. */
static uint64_t highest_frequency(const struct perf_event_attr *attr)
{
	uint64_t low = 1, high = attr->sample_freq;

	if (!attr->freq || !accepts_frequency(*attr, low))
		return 0;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (accepts_frequency(*attr, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static bool paranoid_level(int *level)
{
	FILE *f = fopen(PARANOID, "r");
	bool known = f && fscanf(f, "%d", level) == 1;

	if (f)
		fclose(f);
	return known;
}

/* At which level an unprivileged user may open it, of a task that is the user's own. */
static int level_needed(const struct perf_event_attr *attr, pid_t target)
{
	if (target == -1)
		return 0;
	return attr->exclude_kernel ? 2 : 1;
}

static void explain_permission(const struct perf_event_attr *attr, pid_t target)
{
	static const char *const meanings[] = {
	    "  -1  everything",
	    "   0  everything, with rings of up to perf_event_mlock_kb",
	    "   1  own tasks, the kernel too; no whole CPUs (-a)",
	    "   2  own tasks in user mode, e.g. -e cpu-clock:u",
	    "   3  nothing",
	};
	int level, needed = level_needed(attr, target);

	if (!paranoid_level(&level))
		return;
	if (level <= needed && target > 0) {
		error("process %d is another user's, or a thread of the kernel: only the "
		      "privileged user may profile it, whatever " PARANOID " says",
		      (int)target);
		return;
	}
	error(PARANOID " is %d. It says what unprivileged users may profile:", level);
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		fprintf(stderr, "%s\n", meanings[i]);
	if (level > needed)
		fprintf(stderr, "The privileged user may lower it: echo %d > " PARANOID "\n",
			needed);
}

bool event_fall_back(struct event *event, struct perf_event_attr *attr, int err)
{
	int level;

	if ((err != EACCES && err != EPERM) || attr->exclude_kernel || attr->exclude_user ||
	    breakpoint_of_kernel(attr) || !paranoid_level(&level) || level < 2)
		return false;
	error("event \"%s\": perf_event_paranoid is %d, so the kernel is left out", event->name,
	      level);
	attr->exclude_kernel = event->user = true;
	event_add_modifier(event, 'u');
	return true;
}

void event_open_error(const struct event *event, const struct perf_event_attr *attr, pid_t target,
		      int err)
{
	uint64_t hz = err == EINVAL ? highest_frequency(attr) : 0;

	if (event_unsupported(err) && event->precise) {
		error("event \"%s\": there are no samples as precise as that; P takes the most "
		      "precise there are",
		      event->name);
	} else if (err == EOPNOTSUPP && !attr->sample_period && attr->sample_type &&
		   (attr->exclude_kernel || attr->exclude_user)) {
		error("event \"%s\" can be sampled in one mode alone, but not counted",
		      event->name);
	} else if (breakpoint_open_error(event, attr, err)) {
		/* It has been told. */
	} else if (event_unsupported(err)) {
		error("event \"%s\" is not supported on this machine", event->name);
	} else if (err == EACCES || err == EPERM) {
		error("event \"%s\": no permission (%s)", event->name, strerror(err));
		explain_permission(attr, target);
	} else if (hz) {
		error("event \"%s\": %" PRIu64 " samples a second are out of range: 1 to %" PRIu64,
		      event->name, (uint64_t)attr->sample_freq, hz);
	} else if (err == EINVAL && event->rate && !event->freq) {
		error("event \"%s\": the kernel does not take a period of %" PRIu64, event->name,
		      event->rate);
	} else if (err == EINVAL && attr->use_clockid) {
		error("event \"%s\": the kernel does not take this clock (-k); monotonic, "
		      "monotonic_raw, boottime and realtime are those that most take",
		      event->name);
	} else if (err == ESRCH) {
		error("there is no process or thread %d to watch", (int)target);
	} else if (err == EMFILE) {
		error("event \"%s\": %s: there is one for each event, thread and CPU; take fewer "
		      "events, or some CPUs alone (-C)",
		      event->name, strerror(err));
	} else if (err == ENOSYS) {
		error("this kernel has no perf_event_open()");
	} else {
		error("event \"%s\": %s", event->name, strerror(err));
	}
}
