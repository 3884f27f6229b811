/* SPDX-License-Identifier: MIT */
/* Starts the drivers, in the order into which the linker sorted their initcalls. */
#include <hotregs/device.h>

void initcalls_run(void)
{
	extern const initcall_t __initcalls_start[], __initcalls_end[];

	for (const initcall_t *call = __initcalls_start; call < __initcalls_end; call++)
		(*call)();
}
