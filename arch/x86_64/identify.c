// SPDX-License-Identifier: MIT
/* Which processor this is, by CPUID (SDM vol. 2). */
#include <hotregs/printk.h>
#include <hotregs/string.h>

#include <arch/identify.h>
#include <asm/msr.h>

#define CPUID_BRAND       0x80000002U /* and the next two: 48 characters */
#define BRAND_SIZE        48
#define FAMILY_EXTENDED   0xf /* the family goes on in another field */
#define FAMILY_WITH_MODEL 0x6 /* so does the model, in this family and from that one on */

static void read_vendor(char vendor[13])
{
	struct cpuid leaf = cpuid(0);

	memcpy(vendor, &leaf.ebx, 4);
	memcpy(vendor + 4, &leaf.edx, 4);
	memcpy(vendor + 8, &leaf.ecx, 4);
	vendor[12] = '\0';
}

/* The name that the maker gave it, without the blanks that fill it up; "unknown". */
static void read_brand(char brand[BRAND_SIZE + 1])
{
	size_t blanks;

	for (u32 i = 0; i < 3; i++) {
		struct cpuid leaf = cpuid(CPUID_BRAND + i);

		memcpy(brand + 16 * i, &leaf, 16);
	}
	brand[BRAND_SIZE] = '\0';
	for (blanks = 0; brand[blanks] == ' '; blanks++)
		;
	memmove(brand, brand + blanks, BRAND_SIZE + 1 - blanks);
	if (!brand[0])
		strlcpy(brand, "unknown", BRAND_SIZE);
}

size_t arch_cpuinfo(char *buf, size_t size)
{
	char vendor[13], brand[BRAND_SIZE + 1];
	u32 version = cpuid(1).eax;
	u32 family = version >> 8 & 0xf, model = version >> 4 & 0xf;

	if (family >= FAMILY_EXTENDED || family == FAMILY_WITH_MODEL)
		model |= version >> 12 & 0xf0;
	if (family == FAMILY_EXTENDED)
		family += version >> 20 & 0xff;
	read_vendor(vendor);
	read_brand(brand);
	return snprintf(buf, size,
			"vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n"
			"stepping\t: %u\n",
			vendor, family, model, brand, version & 0xf);
}
