/* SPDX-License-Identifier: MIT */
/*
 * A board's start and its devices, from whatever there is to tell of them: device tree, ATAGs, the
 * board's own table.
 */
#include <hotregs/board.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/mmu.h>

static struct fdt tree;
const struct fdt *boot_fdt;

static bool next_of_table(struct board_device *dev, const char *compatible)
{
	while (dev->next < board.nr_devices) {
		const struct board_entry *entry = &board.devices[dev->next++];

		if (strcmp(entry->compatible, compatible))
			continue;
		dev->reg[0] = entry->reg[0];
		dev->reg[1] = entry->reg[1];
		dev->entry = entry;
		return true;
	}
	return false;
}

bool board_next_device(struct board_device *dev, const char *compatible)
{
	if (!boot_fdt)
		return next_of_table(dev, compatible);
	if (dev->next++ == 0)
		fdt_root(boot_fdt, &dev->node);
	if (!fdt_next_compatible(boot_fdt, &dev->node, compatible))
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(dev->reg); i++) {
		struct boot_region *reg = &dev->reg[i];

		if (!fdt_reg(boot_fdt, &dev->node, i, &reg->start, &reg->size))
			*reg = (struct boot_region){0};
	}
	return true;
}

int board_device_irq(const struct board_device *dev)
{
	u32 cells[FDT_MAX_CELLS];
	unsigned n;

	if (dev->entry)
		return dev->entry->irq;
	n = fdt_interrupt(boot_fdt, &dev->node, 0, cells);
	return n ? irq_line(cells, n) : -EINVAL;
}

/* Memory that is no RAM of this board, as long as nobody prints; a mebibyte of it at most. */
static const void *foreign_window(phys_addr_t pa, size_t size)
{
	const phys_addr_t mib = 1UL << 20;

	return pa < UINT32_MAX && size <= mib - pa % mib ? arm_early_device(pa) : NULL;
}

/*
 * What is where something was hoped for. A device tree beyond the board's RAM is another board's:
 * fdt_parse() then says whose.
 */
static void print_found(phys_addr_t pa, phys_window_t window)
{
	const u8 *p = window(pa, 4);

	if (p) {
		printk("boot: at %#llx there is %02x %02x %02x %02x\n", pa, p[0], p[1], p[2], p[3]);
		return;
	}
	printk("boot: at %#llx there is no RAM of %s\n", pa, board.name);
	if (pa % 8 == 0 && !fdt_parse(&boot_info, &tree, pa, foreign_window))
		printk("boot: but a device tree of this board\n");
}

static const char *tree_register(void)
{
	return board.tree_register ? board.tree_register : "r2";
}

/* The description of the machine that the board's own table is. */
static int go_by_table(struct boot_info *info)
{
	if (!board.nr_devices) {
		printk("boot: %s needs a device tree, its address in %s or at %#llx\n", board.name,
		       tree_register(), board.ram.start);
		return -ENOENT;
	}
	info->protocol = "bare";
	boot_add_ram(info, board.ram.start, board.ram.start + board.ram_untold);
	return 0;
}

/* Fills @info from the first description of the machine that there is. */
static int parse(struct boot_info *info, u32 r1, phys_addr_t r2, phys_window_t window)
{
	/* QEMU starts an ELF file with all registers zero, and the tree at the start of RAM. */
	phys_addr_t at = r2 ? r2 : board.ram.start;
	int err = fdt_parse(info, &tree, at, window);

	if (!err)
		boot_fdt = &tree;
	if (err == -EINVAL)
		printk("boot: the device tree at %#llx is damaged, or longer than it says\n", at);
	if (err != -ENOENT)
		return err;
	if (board.nr_devices)
		err = atags_parse(info, r2, window);
	if (err == -EINVAL)
		printk("boot: the ATAGs at %#llx are damaged\n", r2);
	if (err != -ENOENT)
		return err;

	printk("boot: no device tree%s: ", board.nr_devices ? " and no ATAGs" : "");
	if (!board.tree_register)
		printk("r1 = %#x, ", r1);
	printk("%s = %#llx\n", tree_register(), r2);
	print_found(at, window);
	if (!r2)
		return go_by_table(info);
	printk("boot: %s should be the address of a device tree%s, or 0\n", tree_register(),
	       board.nr_devices ? " or of ATAGs" : "");
	return -ENOENT;
}

int boot_parse_arm(u32 r1, phys_addr_t r2, phys_window_t window)
{
	const struct boot_region *archive = &boot_info.archive;
	int err;

	if (board.firmware.size)
		boot_info.reserved[boot_info.nr_reserved++] = board.firmware;
	err = parse(&boot_info, r1, r2, window);
	if (err)
		return err;
	if (boot_info.nr_ram == 0) {
		printk("boot: the %s name no memory\n", boot_info.protocol);
		return -ENOMEM;
	}
	if (archive->size && (!boot_in_ram(&boot_info, archive) || archive->size > SIZE_MAX ||
			      !window(archive->start, archive->size))) {
		printk("boot: the boot archive at %#llx, %llu KiB, is not in RAM within reach\n",
		       archive->start, archive->size >> 10);
		return -EFAULT;
	}
	return 0;
}
