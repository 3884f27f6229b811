/* SPDX-License-Identifier: MIT */
/*
 * A file on the host of an emulator or a debugger as export channel, by semihosting. Only when the
 * command line names one ("export=FILE"): what it names is written over.
 */
#include <hotregs/boot_info.h>
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <asm/semihosting.h>

#define MODE_WRITE_BINARY 5 /* fopen()'s "wb" (Semihosting 2.0, SYS_OPEN) */

static long file;

static int semihosting_write(const void *buf, size_t n)
{
	const unsigned long block[] = {file, (unsigned long)buf, n};

	/* The result is how many bytes were not written. */
	return semihosting_call(SEMIHOSTING_WRITE, block) ? -EIO : 0;
}

static void semihosting_start(void)
{
	static const struct export_channel channel = {.name = "semihosting",
						      .write = semihosting_write};
	char name[256];
	unsigned long block[] = {(unsigned long)name, MODE_WRITE_BINARY, 0};
	long now = semihosting_call(SEMIHOSTING_TIME, NULL);
	int err = cmdline_get("export", name, sizeof(name));

	if (now != -1 && !clock_boot_epoch)
		clock_boot_epoch = now - clock_ns() / 1000000000;
	if (err == -ENOENT)
		return;
	block[2] = strlen(name);
	file = err ? -1 : semihosting_call(SEMIHOSTING_OPEN, block);
	if (file == -1) {
		printk("semihosting: export=%s: %s\n", name,
		       err         ? "the name is too long"
		       : now == -1 ? "there is no debugger to write it"
				   : "the debugger cannot create it");
		return;
	}
	export_register(&channel);
	printk("semihosting: export channel is the file %s\n", name);
}
INITCALL(5, semihosting_start);
