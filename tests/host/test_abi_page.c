/* SPDX-License-Identifier: MIT */
/*
 * docs/abi.md, the header and the kernel say the same: every name that the header defines has its
 * row, under its number, and what the row says is what the kernel does.
 */
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>

#include "perf_fixture.h"
#include "user_memory.h"
#include <hotregs/fs.h>
#include <hotregs/process.h>
#include <hotregs/syscalls.h>
#include <uapi/hw_breakpoint.h>

#include "abi_page.h"

#define ABI_LIST abi_list_ours
#include "abi_list.h"

#define ROWS_MAX 64

/* --- The kernel around sys_perf.c: one privileged process --- */

static struct process process;

bool process_privileged(void)
{
	return true;
}

int process_may_access(const struct task *target)
{
	return 0;
}

void poll_wait(struct poll_table *table, struct wait_queue *q)
{
}

/* --- Reading text --- */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	text = calloc(1, size + 1);
	assert_int_equal(fread(text, 1, size, f), size);
	fclose(f);
	return text;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where @word stands in @text, alone; NULL: nowhere. */
static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		if ((p == text || !in_word(p[-1])) && !in_word(p[n]))
			return p;
	return NULL;
}

/* All of kernel/perf, where records are made and the control page is filled. */
static bool kernel_says(const char *format, const char *name)
{
	bool found = false;
	char word[96];
	glob_t files;

	snprintf(word, sizeof(word), format, name);
	assert_int_equal(glob("kernel/perf/*.[ch]", 0, NULL, &files), 0);
	assert_int_equal(glob("include/hotregs/perf_ring.h", GLOB_APPEND, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char *text = read_file(files.gl_pathv[i]);

		found |= find_word(text, word) != NULL;
		free(text);
	}
	globfree(&files);
	return found;
}

/* --- What the header defines --- */

#define HEADER "include/uapi/perf_event.h"

/* Is the name that ends at @end defined there: "NAME = " or "#define NAME "? */
static bool is_defined_at(const char *line, const char *end)
{
	return !strncmp(line, "#define ", 8) || !strncmp(end, " = ", 3);
}

/* Calls func with each name that begins with @prefix and says no range; returns how many. */
static size_t for_each_name(const char *prefix, void (*func)(const char *name, const char *rest))
{
	char *text = read_file(HEADER), *next = text, *line;
	size_t n = 0;

	while ((line = strsep(&next, "\n"))) {
		const char *start = strstr(line, prefix), *end = start;
		char name[96];

		while (end && in_word(*end))
			end++;
		if (!start || (start > line && in_word(start[-1])) || !is_defined_at(line, end))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(end - start), start);
		if (!strcmp(name + strlen(name) - 4, "_MAX") || name[strlen(name) - 1] == '_')
			continue;
		func(name, name + strlen(prefix));
		n++;
	}
	free(text);
	return n;
}

/* Calls func with each member of structure @tag but for reserved ones; "bits": 0 if it is none. */
static void for_each_member(const char *tag, void (*func)(const char *name, unsigned bits))
{
	char *text = read_file(HEADER), *next, *line, heading[64];

	snprintf(heading, sizeof(heading), "struct %s {", tag);
	next = strstr(text, heading);
	assert_non_null(next);
	while ((line = strsep(&next, "\n")) && strcmp(line, "};") != 0) {
		unsigned bits = 0;
		char name[64];

		if (sscanf(line, " %*[u]int%*[0-9]_t %63[a-z0-9_] : %u;", name, &bits) < 1 &&
		    sscanf(line, " int%*[0-9]_t %63[a-z0-9_]", name) < 1)
			continue;
		if (name[0] != '_' && strcmp(name, "cap_____res") != 0)
			func(name, bits);
	}
	free(text);
}

/* The number that test_abi.c has compared with the distribution's. */
static u64 value_of_name(const char *name)
{
	static struct abi_value ours[ABI_VALUES_MAX];
	size_t n = abi_list_ours(ours);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(ours[i].what, name))
			return ours[i].value;
	fail_msg("%s is not compared with the distribution's header", name);
	return 0;
}

/* --- Tables --- */

static struct row rows[ROWS_MAX];
static size_t nr_rows, nr_found;

static void begin_table(const char *section)
{
	nr_rows = read_table(section, rows, ROWS_MAX);
	nr_found = 0;
}

/* Says whether a cell, which may have blanks around it, is @text. */
static bool cell_is(const char *cell, const char *text)
{
	size_t n = strlen(text);

	while (*cell == ' ')
		cell++;
	return !strncmp(cell, text, n) && cell[n + strspn(cell + n, " \n")] == '\0';
}

static struct row *row_named(const char *name)
{
	for (size_t i = 0; i < nr_rows; i++)
		if (cell_is(rows[i].name, name))
			return &rows[i];
	fail_msg("docs/abi.md has no row for %s", name);
	return NULL;
}

static struct row *row_of_key(const char *name)
{
	for (size_t i = 0; i < nr_rows; i++)
		if (find_word(rows[i].key, name))
			return &rows[i];
	fail_msg("docs/abi.md has no row for %s", name);
	return NULL;
}

/* A result is either @yes, when the kernel does it, or @no. */
static void check_result(const char *name, const char *cell, bool done, const char *yes,
			 const char *no)
{
	if (!cell_is(cell, done ? yes : no))
		fail_msg("docs/abi.md says of %s '%s', but it is %s", name, cell, done ? yes : no);
}

/* --- Bits that are numbered: perf_attr_check() is tried with each by test_attr.c --- */

static void check_bit(const char *name, const char *rest)
{
	struct row *row;

	if (!strncmp(rest, "REGS_ABI_", 9))
		return;
	row = row_named(rest);
	assert_int_equal(value_of_name(name), 1ULL << atoi(row->key));
	nr_found++;
}

static void sample_fields_have_rows(void **state)
{
	begin_table("sample_type");
	for_each_name("PERF_SAMPLE_", check_bit);
	assert_int_equal(nr_found, nr_rows);
}

static void read_formats_have_rows(void **state)
{
	begin_table("read_format and read");
	for_each_name("PERF_FORMAT_", check_bit);
	assert_int_equal(nr_found, nr_rows);
}

static void check_flag(const char *name, unsigned bits)
{
	char full[96];
	u64 mask;

	if (!bits)
		return;
	snprintf(full, sizeof(full), "perf_event_attr.%s", name);
	mask = value_of_name(full);
	assert_int_equal(__builtin_popcountll(mask), bits);
	for (size_t i = 0; i < nr_rows; i++) {
		if (!(mask >> atoi(rows[i].key) & 1))
			continue;
		if (!cell_is(rows[i].name, name))
			fail_msg("flag %s: docs/abi.md says '%s'", name, rows[i].name);
		nr_found++;
	}
}

static void flags_have_rows(void **state)
{
	begin_table("Attribute flags");
	for_each_member("perf_event_attr", check_flag);
	assert_int_equal(nr_found, nr_rows);
}

static void check_field(const char *name, unsigned bits)
{
	if (!bits)
		row_of_key(name);
}

static void fields_have_rows(void **state)
{
	begin_table("Attribute fields");
	for_each_member("perf_event_attr", check_field);
}

/* --- Configurations, opening --- */

static char *section; /* the text of one */

static char *read_section(const char *title)
{
	char *text = read_file("docs/abi.md"), *start, *end, *copy, heading[64];

	snprintf(heading, sizeof(heading), "\n## %s\n", title);
	start = strstr(text, heading);
	assert_non_null(start);
	end = strstr(start + 1, "\n## ");
	copy = strndup(start, end ? (size_t)(end - start) : strlen(start));
	free(text);
	return copy;
}

/* The line of the section that has `@name`. */
static char *line_of(const char *name)
{
	const char *start, *end;
	char quoted[96];

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	start = strstr(section, quoted);
	if (!start)
		fail_msg("docs/abi.md does not mention %s", quoted);
	end = start + strcspn(start, "\n");
	while (start > section && start[-1] != '\n')
		start--;
	return strndup(start, end - start);
}

static void check_config(const char *name, const char *rest)
{
	struct perf_event_attr attr = attr_of(value_of_name(name), 0);
	char *line = line_of(rest);
	int err = perf_attr_check(&attr);

	if (!strstr(line, err ? "`ENOENT`" : "| done"))
		fail_msg("%s: %d, but docs/abi.md says %s", name, err, line);
	free(line);
}

static void configurations_are_as_documented(void **state)
{
	section = read_section("Types and configurations");
	assert_int_equal(for_each_name("PERF_COUNT_SW_", check_config), PERF_COUNT_SW_MAX);
	free(section);
}

/* Opens an event that counts; the descriptor, or -errno. */
static long open_fd(int group_fd, unsigned long flags)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);

	return sys_perf_event_open(&attr, 0, -1, group_fd, flags);
}

static u64 flags_named;

static void check_open_flag(const char *name, const char *rest)
{
	char *line = line_of(name);
	u64 flag = value_of_name(name);
	/* FD_OUTPUT wants a descriptor. */
	long fd = open_fd(-1, flag);
	bool done = fd >= 0 || fd == -EBADF;

	if (!strstr(line, done ? "| done" : "| `EINVAL`"))
		fail_msg("%s: %ld, but docs/abi.md says %s", name, fd, line);
	if (fd >= 0)
		assert_int_equal(fd_close(fd), 0);
	flags_named |= flag;
	free(line);
}

static void flags_of_open_are_as_documented(void **state)
{
	flags_named = 0;
	section = read_section("perf_event_open");
	assert_int_equal(for_each_name("PERF_FLAG_", check_open_flag), 4);
	for (unsigned bit = 0; bit < 64; bit++)
		if (!(flags_named >> bit & 1))
			assert_int_equal(open_fd(-1, 1ULL << bit), -EINVAL);
	free(section);
}

/* --- ioctl --- */

/* With an argument of 0, which is wrong for many of those that are done. */
static bool answers(u64 request)
{
	long fd = open_fd(-1, 0), err;
	struct file *f;

	assert_true(fd >= 0);
	f = fd_get(fd);
	err = f->ops->ioctl(f, request, 0);
	file_put(f);
	assert_int_equal(fd_close(fd), 0);
	return err != -ENOTTY;
}

static void check_request(const char *name, const char *rest)
{
	struct row *row = row_of_key(rest);

	assert_true(cell_is(row->key, rest));
	check_result(name, row->name, answers(value_of_name(name)), "done", "ENOTTY");
	nr_found++;
}

static void requests_are_as_documented(void **state)
{
	begin_table("ioctl");
	for_each_name("PERF_EVENT_IOC_", check_request);
	assert_int_equal(nr_found, nr_rows);
	for (unsigned nr = nr_rows; nr < 256; nr++)
		assert_false(answers(PERF_EVENT_IOC_NR_(0, nr, 0)));
}

/* --- Records, and the control page --- */

static void check_record(const char *name, const char *rest)
{
	struct row *row;

	if (!strncmp(rest, "MISC_", 5))
		return;
	row = row_named(rest);
	assert_int_equal(value_of_name(name), atoi(row->key));
	check_result(name, row->result, kernel_says("%s", name), "done", "never");
	nr_found++;
}

static void records_are_as_documented(void **state)
{
	begin_table("Records");
	for_each_name("PERF_RECORD_", check_record);
	assert_int_equal(nr_found, nr_rows);
	assert_int_equal(nr_found, PERF_RECORD_MAX - 1);
}

/* A record without a mode, and the mask of all, need no word in the kernel. */
static void check_misc(const char *name, const char *rest)
{
	struct row *row = row_named(rest);
	unsigned value;

	assert_int_equal(sscanf(row->key, "%x", &value), 1);
	assert_int_equal(value_of_name(name), value);
	if (strncmp(rest, "CPUMODE_", 8) != 0)
		check_result(name, row->result, kernel_says("%s", name), "done", "never");
	nr_found++;
}

static void misc_bits_are_as_documented(void **state)
{
	begin_table("misc of a record");
	for_each_name("PERF_RECORD_MISC_", check_misc);
	assert_int_equal(nr_found, nr_rows);
}

static void check_page_field(const char *name, unsigned bits)
{
	/* A union of the bits that follow it in the header. */
	if (strcmp(name, "capabilities") != 0)
		check_result(name, row_of_key(name)->name, kernel_says("page->%s", name), "done",
			     "zero");
}

static void control_page_is_as_documented(void **state)
{
	begin_table("Control page");
	for_each_member("perf_event_mmap_page", check_page_field);
}

static int set_up(void **state)
{
	fixture_set_up(state);
	bad_start = NULL;
	bad_end = (const u8 *)PAGE_SIZE;
	current->process = &process;
	current->files = files_create();
	return IS_ERR(current->files);
}

static int tear_down(void **state)
{
	files_put(current->files);
	return fixture_tear_down(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(sample_fields_have_rows),
	    TEST(read_formats_have_rows),
	    TEST(flags_have_rows),
	    TEST(fields_have_rows),
	    TEST(configurations_are_as_documented),
	    TEST(flags_of_open_are_as_documented),
	    TEST(requests_are_as_documented),
	    TEST(records_are_as_documented),
	    TEST(misc_bits_are_as_documented),
	    TEST(control_page_is_as_documented),
	};

	return cmocka_run_group_tests_name("docs/abi.md", tests, NULL, NULL);
}
