/* SPDX-License-Identifier: MIT */
/* From the architecture's first C code to the first program: the order in which rooms are opened.
 */
#include <hotregs/boot_info.h>
#include <hotregs/check.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/main.h>
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/time.h>

#include <arch/identify.h>
#include <arch/init.h>

u64 kernel_entry_cycles;

/* The test image has its own; the plain kernel has no tests. */
__attribute__((weak)) bool test_image_start(void)
{
	return false;
}

static void start_init(void)
{
	char path[64] = "/bin/init";
	int err;

	if (cmdline_get("init", path, sizeof(path)) == -ENOSPC)
		panic("init=: the path is longer than %zu bytes", sizeof(path) - 1);
	err = process_start_init(path, cmdline_init_args());
	if (err)
		panic("cannot start %s (error %d): is the boot archive given (-initrd)?", path,
		      -err);
}

static void print_banner(void)
{
	u64 ram = 0;

	for (unsigned i = 0; i < boot_info.nr_ram; i++)
		ram += boot_info.ram[i].size;
	printk("Hotregs on %s, %s boot, %llu KiB RAM, command line: %s\n", ARCH_NAME,
	       boot_info.protocol, ram >> 10, boot_info.cmdline);
}

void start_kernel(void)
{
	struct cpu *cpu = this_cpu();
	int err;

	check_stack_init();
	print_banner();
	page_init();
	mmu_init();
	arch_init();
	perf_init_cpu(cpu);
	initcalls_run();
	err = archive_init();
	if (err && err != -ENOENT)
		panic("the boot archive is not a newc cpio image (error %d)", -err);
	irq_enable();
	check_start();
	smp_start();
	if (!test_image_start())
		start_init(); /* first, for it is process 1 */
	loadavg_start();
	sched_idle();
}
