/* SPDX-License-Identifier: MIT */
/*
 * What a device tree says about the start: RAM, boot archive, command line, processors (Devicetree
 * Specification 0.4, 3.4 to 3.8), the firmware's call (Linux' bindings arm,psci and arm,cpus); and
 * whether it is this board's at all.
 */
#include <hotregs/board.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

enum boot_psci boot_psci;
struct boot_cpus boot_cpus;

static bool compatible_with(const struct fdt *fdt, const struct fdt_node *node, const char *name)
{
	const char *s;

	for (unsigned i = 0; (s = fdt_string(fdt, node, "compatible", i)); i++)
		if (!strcmp(s, name))
			return true;
	return false;
}

/* The node that "stdout-path" of /chosen means: a path or an alias, perhaps with options. */
static bool find_stdout(const struct fdt *fdt, struct fdt_node *node)
{
	char path[128];
	const char *s =
	    fdt_find(fdt, node, "/chosen") ? fdt_string(fdt, node, "stdout-path", 0) : NULL;
	char *options;

	if (!s || strlcpy(path, s, sizeof(path)) >= sizeof(path))
		return false;
	options = strchr(path, ':');
	if (options)
		*options = '\0';
	if (path[0] == '/')
		return fdt_find(fdt, node, path);
	s = fdt_find(fdt, node, "/aliases") ? fdt_string(fdt, node, path, 0) : NULL;
	return s && fdt_find(fdt, node, s);
}

/* An image on a board that it was not built for: says so where that board would be read. */
static int check_board(const struct fdt *fdt)
{
	struct fdt_node node;
	const char *model, *compatible;
	u64 uart, size;

	fdt_root(fdt, &node);
	if (compatible_with(fdt, &node, board.compatible))
		return 0;
	model = fdt_string(fdt, &node, "model", 0);
	compatible = fdt_string(fdt, &node, "compatible", 0);
	if (find_stdout(fdt, &node) && compatible_with(fdt, &node, "arm,pl011") &&
	    fdt_reg(fdt, &node, 0, &uart, &size))
		early_console_move(uart);
	printk(
	    "boot: this image is for another board: %s (%s); the device tree is that of %s (%s)\n",
	    board.name, board.compatible, model ? model : "a board without name",
	    compatible ? compatible : "compatible with nothing");
	return -ENODEV;
}

static void add_memory(struct boot_info *info, const struct fdt *fdt, const struct fdt_node *node)
{
	u64 start, size;

	for (u32 i = 0; fdt_reg(fdt, node, i, &start, &size); i++)
		if (size)
			boot_add_ram(info, start, start + size);
}

static void add_cpu(const struct fdt *fdt, const struct fdt_node *node)
{
	const char *method = fdt_string(fdt, node, "enable-method", 0);

	if (boot_cpus.nr < BOOT_MAX_CPUS)
		boot_cpus.cpu[boot_cpus.nr] = (struct boot_cpu){
		    .hwid = fdt_number(fdt, node, "reg", UINT64_MAX),
		    .psci = method && !strcmp(method, "psci"),
		};
	boot_cpus.nr++;
}

/* Memory is on the root, processors are below "/cpus": in one go, for it is a long way. */
static int parse_memory_and_cpus(struct boot_info *info, const struct fdt *fdt)
{
	struct fdt_node node;
	const char *type;

	boot_cpus.nr = 0;
	fdt_root(fdt, &node);
	while (fdt_next(fdt, &node)) {
		type = node.depth <= 2 ? fdt_string(fdt, &node, "device_type", 0) : NULL;
		if (!type || !fdt_enabled(fdt, &node))
			continue; /* or it is the other world's */
		if (node.depth == 1 && !strcmp(type, "memory"))
			add_memory(info, fdt, &node);
		else if (node.depth == 2 && !strcmp(type, "cpu"))
			add_cpu(fdt, &node);
	}
	if (info->nr_ram)
		return 0;
	printk("boot: the device tree names no memory: /memory is missing or without size\n");
	return -ENOMEM;
}

/* What is reserved and forgotten would be given to somebody else. */
static int reserve(struct boot_info *info, u64 start, u64 size)
{
	if (!size || start + size <= start)
		return 0;
	if (info->nr_reserved == BOOT_MAX_RESERVED) {
		printk("boot: more than %u reserved ranges of memory\n", BOOT_MAX_RESERVED);
		return -E2BIG;
	}
	info->reserved[info->nr_reserved++] = (struct boot_region){.start = start, .size = size};
	return 0;
}

/* The two ways to reserve memory (5.3, and 3.5.1); ranges without an address have no owner yet. */
static int parse_reserved(struct boot_info *info, const struct fdt *fdt)
{
	struct fdt_node node;
	u64 start, size;
	int err = 0;

	for (u32 i = 0; !err && fdt_reservation(fdt, i, &start, &size); i++)
		err = reserve(info, start, size);
	if (err || !fdt_find(fdt, &node, "/reserved-memory"))
		return err;
	while (!err && fdt_next(fdt, &node) && node.depth > 1)
		for (u32 i = 0; !err && fdt_reg(fdt, &node, i, &start, &size); i++)
			err = reserve(info, start, size);
	return err;
}

/* What the loader has of randomness to give, folded into one number. */
static u64 parse_seed(const struct fdt *fdt, const struct fdt_node *chosen)
{
	u64 seed = fdt_number(fdt, chosen, "kaslr-seed", 0);
	u32 size = 0;
	const u8 *random = fdt_property(fdt, chosen, "rng-seed", &size);

	for (u32 i = 0; random && i < size; i++)
		seed = (seed << 8 | seed >> 56) ^ random[i];
	return seed;
}

static int parse_chosen(struct boot_info *info, const struct fdt *fdt)
{
	struct fdt_node node;
	const char *args;
	u64 start, end;

	if (!fdt_find(fdt, &node, "/chosen"))
		return 0;
	args = fdt_string(fdt, &node, "bootargs", 0);
	if (args && strlcpy(info->cmdline, args, sizeof(info->cmdline)) >= sizeof(info->cmdline)) {
		printk("boot: the command line is longer than %zu bytes\n",
		       sizeof(info->cmdline) - 1);
		return -E2BIG;
	}
	info->seed = parse_seed(fdt, &node);
	start = fdt_number(fdt, &node, "linux,initrd-start", 0);
	end = fdt_number(fdt, &node, "linux,initrd-end", 0);
	if (start < end)
		info->archive = (struct boot_region){.start = start, .size = end - start};
	return 0;
}

static void parse_psci(const struct fdt *fdt)
{
	struct fdt_node node;
	const char *method;

	/* Version 0.1 has function numbers of the firmware's own; nothing speaks it any more. */
	fdt_root(fdt, &node);
	if (!fdt_next_compatible(fdt, &node, "arm,psci-0.2"))
		return;
	method = fdt_string(fdt, &node, "method", 0);
	if (method && !strcmp(method, "hvc"))
		boot_psci = BOOT_PSCI_HVC;
	else if (method && !strcmp(method, "smc"))
		boot_psci = BOOT_PSCI_SMC;
}

int fdt_parse(struct boot_info *info, struct fdt *fdt, phys_addr_t pa, phys_window_t window)
{
	int err = fdt_open(fdt, pa, window);
	struct boot_region tree = {pa, fdt->size};

	if (err)
		return err;
	info->protocol = "device tree";
	err = check_board(fdt);
	if (!err)
		err = parse_memory_and_cpus(info, fdt);
	if (!err)
		err = parse_chosen(info, fdt);
	if (err)
		return err;
	/* Drivers read it later, and then RAM alone is mapped. */
	if (info->nr_ram && !boot_in_ram(info, &tree)) {
		printk(
		    "boot: the device tree at %#llx, %u bytes, is not in the RAM that it names\n",
		    pa, fdt->size);
		return -EFAULT;
	}
	parse_psci(fdt);
	return parse_reserved(info, fdt) ?: reserve(info, pa, fdt->size);
}
