// SPDX-License-Identifier: MIT
/* Which processor this is, by the Main ID Register (ARM DDI 0406C, B4.1.105). */
#include <hotregs/printk.h>

#include <arch/identify.h>
#include <asm/cp15.h>

size_t arch_cpuinfo(char *buf, size_t size)
{
	u32 midr = cp_read(MIDR);

	return snprintf(buf, size,
			"model name\t: ARMv7 Processor rev %u (v7l)\nCPU implementer\t: 0x%02x\n"
			"CPU architecture: 7\nCPU variant\t: 0x%x\nCPU part\t: 0x%03x\n"
			"CPU revision\t: %u\n",
			midr & 0xf, midr >> 24, midr >> 20 & 0xf, midr >> 4 & 0xfff, midr & 0xf);
}
