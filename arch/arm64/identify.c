// SPDX-License-Identifier: MIT
/* Which processor this is, by the Main ID Register (Arm ARM DDI 0487, D17.2.100). */
#include <hotregs/printk.h>

#include <arch/identify.h>
#include <asm/sysreg.h>

size_t arch_cpuinfo(char *buf, size_t size)
{
	u32 midr = sysreg_read(MIDR_EL1);

	return snprintf(buf, size,
			"CPU implementer\t: 0x%02x\nCPU architecture: 8\nCPU variant\t: 0x%x\n"
			"CPU part\t: 0x%03x\nCPU revision\t: %u\n",
			midr >> 24, midr >> 20 & 0xf, midr >> 4 & 0xfff, midr & 0xf);
}
