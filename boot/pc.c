/* SPDX-License-Identifier: MIT */
/* A PC's start: which protocol the loader spoke, and the ACPI tables that it leads to. */
#include <hotregs/acpi.h>
#include <hotregs/boot_info.h>
#include <hotregs/printk.h>

#include <arch/mmu.h>

#define MULTIBOOT2_LOADER 0x36d76289 /* in EAX; specification 2.0, 3.3 */

/* boot/head.S shows the first 4 GiB of physical memory where the direct map will be. */
static const void *boot_window(phys_addr_t pa, size_t size)
{
	return pa < BOOT_MAP_END && size <= BOOT_MAP_END - pa ? phys_to_virt(pa) : NULL;
}

int boot_parse_pc(u32 magic, phys_addr_t pa)
{
	int err;

	if (magic == MULTIBOOT2_LOADER)
		err = multiboot2_parse(&boot_info, pa, boot_window);
	else if (magic == 0)
		err = pvh_parse(&boot_info, phys_to_virt(pa), boot_window);
	else
		return -EINVAL;
	if (err || !boot_info.rsdp)
		return err;
	/* Without tables there are no device interrupts, which the drivers say. */
	acpi_parse(&acpi_info, boot_info.rsdp, boot_window);
	if (acpi_info.beyond)
		printk("acpi: the table at %#llx is out of reach and was not read\n",
		       acpi_info.beyond);
	return 0;
}
