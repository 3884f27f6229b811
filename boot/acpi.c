/* SPDX-License-Identifier: MIT */
/*
 * ACPI tables: from the root pointer to interrupt controllers, HPET and power registers. Firmware
 * wrote them, so nothing is believed before its length and its checksum are; nothing is read
 * outside of a table.
 */
#include <hotregs/acpi.h>
#include <hotregs/string.h>

struct acpi_info acpi_info;

/* All numbers are little-endian and at any alignment. Sections are of ACPI 6.4. */
struct acpi_rsdp { /* 5.2.5.3 */
	char signature[8];
	u8 checksum; /* of the first 20 bytes */
	char oem[6];
	u8 revision; /* 2 and above: the rest is there */
	u32 rsdt;
	u32 length;
	u64 xsdt;
	u8 extended_checksum, reserved[3];
} __packed;
#define RSDP_SIZE_V1 20

struct acpi_header { /* 5.2.6 */
	char signature[4];
	u32 length;
	u8 revision, checksum;
	char oem[26];
} __packed;
_Static_assert(sizeof(struct acpi_header) == 36, "as the specification has it");
#define MAX_TABLE_SIZE (1U << 20)

struct acpi_madt { /* 5.2.12, and entries of a type, a length and their content */
	struct acpi_header header;
	u32 lapic, flags;
} __packed;
enum { MADT_LAPIC = 0, MADT_IOAPIC = 1, MADT_OVERRIDE = 2, MADT_X2APIC = 9 };
#define MADT_CPU_ENABLED BIT(0)

struct madt_lapic {
	u8 type, length, uid, apic_id;
	u32 flags;
} __packed;

struct madt_ioapic {
	u8 type, length, id, reserved;
	u32 base, gsi_base;
} __packed;

struct madt_override {
	u8 type, length, bus, source;
	u32 gsi;
	u16 flags; /* 1:0 polarity, 3:2 trigger mode: 1 high or edge, 3 low or level, 0 as ISA */
} __packed;

struct madt_x2apic {
	u8 type, length, reserved[2];
	u32 apic_id, flags, uid;
} __packed;

struct acpi_hpet { /* HPET specification 1.0a, 3.2.4; the address is in a generic structure */
	struct acpi_header header;
	u32 block_id;
	u8 space, bit_width, bit_offset, access;
	u64 base;
} __packed;
#define SPACE_MEMORY 0

static bool checksum_ok(const void *data, size_t size)
{
	const u8 *p = data;
	u8 sum = 0;

	while (size--)
		sum += *p++;
	return sum == 0;
}

/* The table at @pa if it is a whole one with signature @signature, else NULL. */
static const struct acpi_header *get_table(phys_addr_t pa, const char *signature,
					   phys_window_t window)
{
	const struct acpi_header *t = window(pa, sizeof(*t));
	u32 length;

	if (!t || memcmp(t->signature, signature, sizeof(t->signature)))
		return NULL;
	length = t->length;
	if (length < sizeof(*t) || length > MAX_TABLE_SIZE)
		return NULL;
	t = window(pa, length);
	return t && checksum_ok(t, length) ? t : NULL;
}

static void add_cpu(struct acpi_info *info, u32 apic_id, u32 flags)
{
	if (!(flags & MADT_CPU_ENABLED))
		return;
	if (info->nr_cpus < BOOT_MAX_CPUS)
		info->apic_id[info->nr_cpus] = apic_id;
	info->nr_cpus++;
}

static void add_ioapic(struct acpi_info *info, const struct madt_ioapic *e)
{
	if (info->nr_ioapics < ACPI_MAX_IOAPICS)
		info->ioapic[info->nr_ioapics++] =
		    (struct acpi_ioapic){.base = e->base, .gsi_base = e->gsi_base};
}

static void add_override(struct acpi_info *info, const struct madt_override *e)
{
	if (e->bus != 0 || info->nr_overrides == ACPI_MAX_OVERRIDES)
		return;
	info->override[info->nr_overrides++] =
	    (struct acpi_override){.gsi = e->gsi,
				   .source = e->source,
				   .active_low = (e->flags & 3) == 3,
				   .level = (e->flags >> 2 & 3) == 3};
}

/* Entries may be longer than the structure known here, never shorter. */
static void parse_madt(struct acpi_info *info, const struct acpi_header *header)
{
	const u8 *p = (const u8 *)header + sizeof(struct acpi_madt);
	const u8 *end = (const u8 *)header + header->length;

	if (header->length < sizeof(struct acpi_madt))
		return;
	while (end - p >= 2 && p[1] >= 2 && p[1] <= end - p) {
		const struct madt_lapic *lapic = (const void *)p;
		const struct madt_x2apic *x2apic = (const void *)p;
		u8 type = p[0], length = p[1];

		if (type == MADT_LAPIC && length >= sizeof(*lapic))
			add_cpu(info, lapic->apic_id, lapic->flags);
		else if (type == MADT_X2APIC && length >= sizeof(*x2apic))
			add_cpu(info, x2apic->apic_id, x2apic->flags);
		else if (type == MADT_IOAPIC && length >= sizeof(struct madt_ioapic))
			add_ioapic(info, (const void *)p);
		else if (type == MADT_OVERRIDE && length >= sizeof(struct madt_override))
			add_override(info, (const void *)p);
		p += length;
	}
}

static void parse_hpet(struct acpi_info *info, const struct acpi_header *header)
{
	const struct acpi_hpet *hpet = (const void *)header;

	if (header->length >= sizeof(*hpet) && hpet->space == SPACE_MEMORY)
		info->hpet = hpet->base;
}

/* 5.2.9. The table has grown over time; a field beyond its end is as good as zero. */
static void parse_fadt(struct acpi_info *info, const struct acpi_header *header)
{
	const u8 *p = (const u8 *)header;
	const u32 pm1a_control_offset = 64, century_offset = 108;
	u32 port;

	if (header->length >= pm1a_control_offset + sizeof(port)) {
		memcpy(&port, p + pm1a_control_offset, sizeof(port));
		info->pm1a_control = port <= 0xffff ? port : 0;
	}
	if (header->length > century_offset)
		info->rtc_century = p[century_offset];
}

static const struct {
	char signature[5];
	void (*parse)(struct acpi_info *info, const struct acpi_header *header);
} parsers[] = {{"APIC", parse_madt}, {"HPET", parse_hpet}, {"FACP", parse_fadt}};

/* The table of 64-bit addresses that a root pointer of revision 2 names, or NULL. */
static const struct acpi_header *get_xsdt(phys_addr_t pa, phys_window_t window)
{
	const struct acpi_rsdp *rsdp = window(pa, sizeof(*rsdp));

	if (!rsdp || rsdp->revision < 2 || rsdp->length != sizeof(*rsdp) ||
	    !checksum_ok(rsdp, sizeof(*rsdp)))
		return NULL;
	return get_table(rsdp->xsdt, "XSDT", window);
}

/* The root table, and the size of its entries; NULL when there is no sound one. */
static const struct acpi_header *get_root(phys_addr_t pa, phys_window_t window, size_t *entry_size)
{
	const struct acpi_rsdp *rsdp = window(pa, RSDP_SIZE_V1);
	const struct acpi_header *xsdt;

	if (!rsdp || memcmp(rsdp->signature, "RSD PTR ", 8) || !checksum_ok(rsdp, RSDP_SIZE_V1))
		return NULL;
	xsdt = get_xsdt(pa, window);
	*entry_size = xsdt ? sizeof(u64) : sizeof(u32);
	return xsdt ? xsdt : get_table(rsdp->rsdt, "RSDT", window);
}

int acpi_parse(struct acpi_info *info, phys_addr_t rsdp, phys_window_t window)
{
	size_t entry_size;
	const struct acpi_header *root = get_root(rsdp, window, &entry_size);
	const u8 *p, *end;

	memset(info, 0, sizeof(*info));
	if (!root)
		return -EINVAL;
	p = (const u8 *)(root + 1);
	end = (const u8 *)root + root->length;
	for (; end - p >= (ptrdiff_t)entry_size; p += entry_size) {
		u64 pa = 0;

		memcpy(&pa, p, entry_size);
		if (!window(pa, sizeof(struct acpi_header)))
			info->beyond = pa;
		for (unsigned i = 0; i < ARRAY_SIZE(parsers); i++) {
			const struct acpi_header *t = get_table(pa, parsers[i].signature, window);

			if (t)
				parsers[i].parse(info, t);
		}
	}
	return 0;
}
