/* SPDX-License-Identifier: MIT */
/*
 * Boards whose devices cannot be asked what they are: a device tree tells, or, where the boot
 * loader hands none over, the board's own table. Drivers look their devices up here, and do not
 * see which of the two it was.
 */
#pragma once

#include <hotregs/boot_info.h>
#include <hotregs/fdt.h>

/* A device of the board's table, by the name that device trees have for it. */
struct board_entry {
	const char *compatible;
	struct boot_region reg[2];
	int irq; /* its line for irq_register(); negative: none */
};

/* What an image is built for: boards/<board>.c. */
struct board {
	const char *name;
	const char *compatible; /* what the root of its device tree is compatible with */
	/* In which a boot loader hands over a device tree, for messages; NULL: r2, beside r1. */
	const char *tree_register;
	/* All that its RAM can be, where the boot loader may put things; the start is always RAM.
	 */
	struct boot_region ram;
	struct boot_region firmware; /* RAM in which the other processors wait; size 0: none */
	/* The serial port of the earliest messages, a PL011, and its input clock. */
	phys_addr_t uart;
	u32 uart_hz;
	/* Without a device tree: the devices, and bytes of RAM from ram.start on when no ATAG
	 * tells. No entries: the board does not start without a device tree. */
	const struct board_entry *devices;
	unsigned nr_devices;
	u64 ram_untold;
};

extern const struct board board;

/* A device that was found, and where the search for the next of its kind goes on. */
struct board_device {
	struct boot_region reg[2]; /* size 0: it has no such registers */
	unsigned next;
	const struct board_entry
	    *entry; /* in the board's table; NULL: in the device tree, at node */
	struct fdt_node node;
};

/*
 * Finds the first device with this name, then the next: @dev is all zero at first, and its own in
 * later calls. False: there is no other one. After boot_parse_arm(), any context.
 */
bool board_next_device(struct board_device *dev, const char *compatible);

/* The line of @dev's interrupt for irq_register(); negative: it has none. Any context. */
int board_device_irq(const struct board_device *dev);

/*
 * The line for irq_register() of an interrupt that a device tree describes by these cells; -EINVAL
 * when it is none. Defined by the driver of the board's interrupt controller. Any context.
 */
int irq_line(const u32 *cells, unsigned n);

/* The device tree that the machine was started with; NULL: without one. */
extern const struct fdt *boot_fdt;

/* How the firmware's power functions are called (ARM DEN 0022, 5.2). */
extern enum boot_psci { BOOT_PSCI_NONE, BOOT_PSCI_HVC, BOOT_PSCI_SMC } boot_psci;

/* Processors that the tree names and does not disable; of more than these, their number alone. */
extern struct boot_cpus {
	unsigned nr;
	struct boot_cpu {
		u64 hwid;  /* "reg": on ARM, MPIDR's affinity levels */
		bool psci; /* the firmware starts it */
	} cpu[BOOT_MAX_CPUS];
} boot_cpus;

/*
 * Fills boot_info from what an ARM boot loader hands over in registers R1 and R2: a device tree,
 * which QEMU leaves at the start of RAM when it starts an ELF file; ATAGs; else by the board's
 * table. What @window shows must stay there. Once. Negative: says before what it found and what is
 * missing.
 */
int boot_parse_arm(u32 r1, phys_addr_t r2, phys_window_t window);

/*
 * The parts of it. Each fills @info from what lies at @pa. -ENOENT: there is no such thing;
 * -EINVAL: it is damaged; others are said where they are found.
 */
int atags_parse(struct boot_info *info, phys_addr_t pa, phys_window_t window);
int fdt_parse(struct boot_info *info, struct fdt *fdt, phys_addr_t pa, phys_window_t window);

/* Sends the earliest messages to another serial port. Boot only. */
void early_console_move(phys_addr_t uart);
