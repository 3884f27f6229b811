/* SPDX-License-Identifier: MIT */
/*
 * Who may profile what: every level of perf_event_paranoid, for both kinds of users and all kinds
 * of targets; what a ring costs; what an unprivileged program sees of the kernel and of others.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define SETTINGS "/proc/sys/kernel/"
#define USER     1000

static struct recorder recorder;

/* Writes @text to a setting; 0, or the errno. */
static int set(const char *name, const char *text)
{
	char path[64];
	int fd, err = 0;

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = errno;
	close(fd);
	return err;
}

static int get(const char *name)
{
	char path[64];
	int value = -100;
	FILE *f;

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &value) != 1)
		value = -100;
	if (f)
		fclose(f);
	return value;
}

static void set_level(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", level);
	EXPECT_EQ(set("perf_event_paranoid", text), 0);
}

/* In a child: EXPECT says what went wrong, and the exit status that something did. */
static bool good;

static void run_user(void (*body)(void))
{
	good = setuid(USER) == 0;
	body();
	fflush(stdout);
	_exit(!good);
}

static void (*user_body)(void);

static void user_child(void)
{
	run_user(user_body);
}

static void as_user(void (*body)(void))
{
	user_body = body;
	EXPECT_EQ(in_child(user_child), 0);
}

/* --- perf_event_open: level, privilege, target, exclusions --- */

enum target { SELF, OWN_CHILD, OTHERS, KERNEL_THREAD, WHOLE_CPU, NR_TARGETS };
enum view { USER_MODE, WITH_KERNEL, TRIMMED_KERNEL, PHYSICAL, NR_VIEWS };

static const char *const target_names[] = {"self", "own child", "another's", "kernel thread",
					   "CPU"};
static const char *const view_names[] = {"user", "kernel", "kernel without chain", "physical"};

/*
 * What an unprivileged user gets at levels -1 to 3: '+' is a descriptor, '-' EACCES. Another user's
 * task is never his to see, whatever the level.
 */
static const char allowed[NR_TARGETS][NR_VIEWS][6] = {
    [SELF] = {"++++-", "+++--", "+++--", "+++--"},
    [OWN_CHILD] = {"++++-", "+++--", "+++--", "+++--"},
    [OTHERS] = {"-----", "-----", "-----", "-----"},
    [KERNEL_THREAD] = {"-----", "-----", "-----", "-----"},
    [WHOLE_CPU] = {"++---", "++---", "++---", "++---"},
};

static pid_t target_pids[NR_TARGETS] = {[OTHERS] = 1, [WHOLE_CPU] = -1};

static struct perf_event_attr attr_of(enum view view, uint64_t period)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);

	attr.sample_period = period;
	attr.exclude_kernel = view == USER_MODE || view == PHYSICAL;
	attr.exclude_callchain_kernel = view == TRIMMED_KERNEL;
	if (view == PHYSICAL)
		attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	return attr;
}

/* Tries one opening; @expected '+' or '-'. */
static void try(enum target target, enum view view, char expected)
{
	for (int period = 0; period < 2; period++) {
		struct perf_event_attr attr = attr_of(view, period);
		int fd = perf_event_open(&attr, target_pids[target], target == WHOLE_CPU ? 0 : -1,
					 -1, 0);
		int err = fd < 0 ? errno : 0, wanted = expected == '+' ? 0 : EACCES;

		good &=
		    ktap_expect(err == wanted, __FILE__, __LINE__, "%s, %s, uid %d: %d, not %d",
				target_names[target], view_names[view], (int)getuid(), wanted, err);
		if (fd >= 0)
			close(fd);
	}
}

static int level;

static void try_all(void)
{
	int go[2];
	char c;
	pid_t child;

	good &= pipe(go) == 0;
	child = fork();
	if (!child) {
		close(go[1]);
		_exit(read(go[0], &c, 1) != 0);
	}
	target_pids[OWN_CHILD] = child;
	for (int target = 0; target < NR_TARGETS; target++)
		for (int view = 0; view < NR_VIEWS; view++)
			try(target, view, getuid() ? allowed[target][view][level + 1] : '+');
	close(go[0]);
	close(go[1]);
	waitpid(child, NULL, 0);
}

/* The kernel thread that keeps the load averages is the first task with no memory. */
static pid_t find_kernel_thread(void)
{
	char path[32], c;

	for (pid_t pid = 2; pid < 20; pid++) {
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, &c, 1) == 0) {
			close(fd);
			return pid;
		}
		close(fd);
	}
	return 0;
}

TEST(perf_permission_to_open)
{
	int before = get("perf_event_paranoid");

	target_pids[KERNEL_THREAD] = find_kernel_thread();
	if (!EXPECT(target_pids[KERNEL_THREAD]))
		return;
	EXPECT_EQ(before, 2);
	for (level = -1; level <= 3; level++) {
		set_level(level);
		good = true;
		try_all();
		EXPECT(good);
		as_user(try_all);
	}
	set_level(before);
}

/* --- What was opened stays open --- */

static void drop_after_opening(void)
{
	struct perf_event_attr attr = attr_of(WITH_KERNEL, 1);
	uint64_t count = 0;

	good = EXPECT(recorder_open(&recorder, &attr, -1, 0, 4)) && EXPECT_EQ(setuid(USER), 0);
	usleep(1000);
	good = good && EXPECT_EQ(read(recorder.fd, &count, sizeof(count)), sizeof(count)) &&
	       EXPECT(count > 0) && EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_DISABLE, 0), 0) &&
	       EXPECT(recorder.page->data_head > 0) &&
	       EXPECT_ERRNO(perf_event_open(&attr, -1, 0, -1, 0), EACCES);
	recorder_close(&recorder);
	_exit(!good);
}

/* The child of one who dropped privileges goes on counting for whoever opened the event. */
static void count_dropped(void)
{
	good = setuid(USER) == 0;
	for (int i = 0; i < 3; i++)
		usleep(1000);
	_exit(!good);
}

TEST(perf_permission_is_asked_at_open)
{
	struct perf_event_attr attr = attr_of(WITH_KERNEL, 0);
	uint64_t count = 0;
	int fd;

	EXPECT_EQ(in_child(drop_after_opening), 0);
	attr.inherit = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT_EQ(in_child(count_dropped), 0);
	EXPECT_EQ(read(fd, &count, sizeof(count)), sizeof(count));
	EXPECT(count >= 4);
	close(fd);
}

/* Exec changes nobody's rights: an event on the own child starts with its new program. */
static void profile_exec(void)
{
	struct perf_event_attr attr = attr_of(USER_MODE, 0);
	char *const argv[] = {"true", NULL}, *const envp[] = {NULL};
	uint64_t count = 0;
	int go[2], fd;
	pid_t child;
	char c;

	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.disabled = attr.enable_on_exec = 1;
	good &= pipe(go) == 0;
	child = fork();
	if (!child) {
		good = read(go[0], &c, 1) == 1;
		execve("/bin/true", argv, envp);
		_exit(1);
	}
	fd = perf_event_open(&attr, child, -1, -1, 0);
	good &= EXPECT(fd >= 0) && EXPECT_EQ(write(go[1], "x", 1), 1);
	waitpid(child, NULL, 0);
	good &= EXPECT_EQ(read(fd, &count, sizeof(count)), sizeof(count)) && EXPECT(count > 0);
}

TEST(perf_permission_survives_exec)
{
	as_user(profile_exec);
}

/* --- Memory for rings --- */

static struct recorder map_pages(size_t pages, int *err)
{
	struct perf_event_attr attr = attr_of(USER_MODE, 1);
	struct recorder r = {.fd = -1};

	*err = recorder_open(&r, &attr, 0, 0, pages) ? 0 : errno;
	return r;
}

static void map_alone(void)
{
	int err;

	map_pages(16, &err);
	_exit(err == EPERM ? 0 : 1);
}

static void use_quota(void)
{
	struct recorder large, small;
	int err;

	map_pages(256, &err);
	good &= EXPECT_EQ(err, EPERM);
	large = map_pages(128, &err); /* 516 KiB with the control page */
	good &= EXPECT_EQ(err, 0);
	map_pages(1, &err);
	good &= EXPECT_EQ(err, EPERM);
	good &= EXPECT_EQ(in_child(map_alone), 0); /* the user's, not the process's */
	recorder_close(&large);
	small = map_pages(1, &err);
	good &= EXPECT_EQ(err, 0);
	recorder_close(&small);
	large = map_pages(64, &err);
	good &= EXPECT_EQ(err, 0);
	map_pages(64, &err); /* a page more than is left */
	good &= EXPECT_EQ(err, EPERM);
	recorder_close(&large);
}

static void spend_quota(void *arg)
{
	(void)arg;
	as_user(use_quota);
}

TEST(perf_permission_memory_of_a_user)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct recorder large;
	char share[24];
	int err;

	/* It is so much for each processor: here, as much for all of them. */
	EXPECT_EQ(get("perf_event_mlock_kb"), 516);
	snprintf(share, sizeof(share), "%ld", (516 + cpus - 1) / cpus);
	EXPECT_EQ(set("perf_event_mlock_kb", share), 0);
	/* It comes back when the process ends. */
	EXPECT(leaves_nothing("a user's rings", spend_quota, NULL, 3));
	large = map_pages(256, &err);
	EXPECT_EQ(err, 0);
	if (!err)
		recorder_close(&large);
	EXPECT_EQ(set("perf_event_mlock_kb", "516"), 0);
}

/* --- Settings --- */

static void touch_settings(void)
{
	char c;
	int fd = open(SETTINGS "perf_event_paranoid", O_RDONLY);

	good &= EXPECT(fd >= 0) && EXPECT_EQ(read(fd, &c, 1), 1) && EXPECT_EQ(c, '2');
	good &= EXPECT_EQ(set("perf_event_paranoid", "-1"), EACCES);
	good &= EXPECT_EQ(set("perf_event_mlock_kb", "1"), EACCES);
	good &= EXPECT_EQ(set("perf_event_max_sample_rate", "1"), EACCES);
	good &= EXPECT_EQ(set("perf_cpu_time_max_percent", "1"), EACCES);
	good &= EXPECT_ERRNO(open(SETTINGS "perf_event_paranoid", O_RDWR), EACCES);
}

TEST(perf_permission_settings)
{
	static const char *const wrong[] = {"4", "-2", "x", "1x", "1 2", "", "-", "99999999999999"};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd;

	as_user(touch_settings);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(set("perf_event_paranoid", wrong[i]), *wrong[i] ? EINVAL : 0);
	EXPECT_EQ(get("perf_event_paranoid"), 2);
	EXPECT_EQ(set("perf_event_paranoid", " 0 \n"), 0);
	EXPECT_EQ(get("perf_event_paranoid"), 0);
	set_level(2);
	EXPECT_EQ(get("perf_event_max_sample_rate"), 100000);
	EXPECT_EQ(set("perf_event_max_sample_rate", "100001"), EINVAL);
	EXPECT_EQ(set("perf_event_max_sample_rate", "1000"), 0);
	attr.freq = 1;
	attr.sample_freq = 1001;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
	attr.sample_freq = 1000;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(fd >= 0);
	close(fd);
	EXPECT_EQ(set("perf_event_max_sample_rate", "100000"), 0);
	EXPECT_EQ(get("perf_cpu_time_max_percent"), 25);
	EXPECT_EQ(set("perf_cpu_time_max_percent", "-1"), EINVAL);
	EXPECT_EQ(set("perf_cpu_time_max_percent", "101"), EINVAL);
	EXPECT_EQ(set("perf_cpu_time_max_percent", "25"), 0);
}

/* --- What of the kernel and of others an unprivileged program reads --- */

/* How many addresses /proc/kallsyms tells, of how many symbols. */
static unsigned count_addresses(unsigned *symbols)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned addresses = 0;
	char line[256];

	for (*symbols = 0; f && fgets(line, sizeof(line), f); ++*symbols)
		addresses += strtoull(line, NULL, 16) != 0;
	if (f)
		fclose(f);
	return addresses;
}

static void look_around(void)
{
	unsigned symbols, addresses = count_addresses(&symbols);

	good &= EXPECT(symbols > 100) && EXPECT_EQ(addresses, level <= 1 ? symbols : 0);
	good &= EXPECT_ERRNO(open("/proc/1/maps", O_RDONLY), EACCES);
	good &= EXPECT(open("/proc/self/maps", O_RDONLY) >= 0);
	good &= EXPECT(open("/proc/1/stat", O_RDONLY) >= 0);
}

TEST(perf_permission_to_look_around)
{
	unsigned symbols;

	for (level = -1; level <= 3; level++) {
		set_level(level);
		as_user(look_around);
		EXPECT_EQ(count_addresses(&symbols), symbols);
	}
	set_level(2);
}
