/* SPDX-License-Identifier: MIT */
/* boot/cmdline.c and kernel/proc/words.c: whatever a command line says, words of it stay in it. */
#include "fuzz.h"
#include <hotregs/process.h>

#define MAX_WORDS 16

void fuzz_examples(void)
{
	static const char line[] =
	    "\4key=value key export=virtio -- perf record 'a b' \"c\\\"d\" e\\ f";

	fuzz_add_example(line, sizeof(line) - 1);
}

static void look_up(const char *key, size_t room)
{
	char *value = fuzz_copy("################", room);
	int err = cmdline_get(key, value, room);

	CHECK(!err || err == -ENOENT || err == -ENOSPC);
	if (err != -ENOENT && room)
		CHECK(strnlen(value, room) < room);
}

/* What splitting makes is no longer than what it was made of. */
static void split(const char *args)
{
	size_t size = strlen(args) + 1, total = 0;
	char *line = fuzz_copy(args, size), *word[MAX_WORDS];
	int n = split_words(line, word, MAX_WORDS);

	CHECK((n >= 0 && n <= MAX_WORDS) || n == -E2BIG || n == -EINVAL);
	for (int i = 0; i < n; i++) {
		CHECK(word[i] >= line && word[i] < line + size);
		total += strlen(word[i]) + 1;
	}
	CHECK(total <= size);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t room;

	if (!size || size > BOOT_CMDLINE_MAX)
		return 0;
	room = data[0] % 17;
	memcpy(boot_info.cmdline, data + 1, size - 1);
	boot_info.cmdline[size - 1] = '\0';
	look_up("key", room);
	look_up("export", room);
	CHECK(strstr(boot_info.cmdline, cmdline_init_args()));
	split(cmdline_init_args());
	split(boot_info.cmdline);
	fuzz_free_copies();
	return 0;
}
