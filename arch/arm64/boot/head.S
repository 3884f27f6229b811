/* SPDX-License-Identifier: MIT */
/*
 * Where the boot processor starts, at the image's first byte, wherever a loader put that (any 4 KiB
 * boundary), by the convention of 64-bit ARM Linux: x0 = physical address of a device tree, or 0; MMU
 * off, the image written back to memory. It may come at EL3, EL2 or EL1; it ends at EL1, in Non-secure
 * state if it came from above; then makes the boot page tables, goes to the kernel's address and calls
 * arm64_start().
 *
 * The other processors come the same way, from the firmware to boot_secondary or by themselves to
 * boot_park, with the physical address of a struct cpu_start in x0. They find the boot page tables
 * made, change to the kernel's and call smp_begin().
 *
 * References: Arm ARM DDI 0487, by section. Registers: x20 = what was handed over; x19 = where to go in
 * the end; x21 = exception level of the entry, x22 = virtual minus physical address of the image.
 */
#include <asm/constants.h>
#include <asm/offsets.h>
#include <asm/pstate.h>
#include <asm/pte.h>
#include <asm/start.h>

/* SCTLR_EL1 (D17.2.118): bits that read as one where nothing uses them, PAN's (SPAN) among them. */
#define SCTLR_RES1 0x30d00800
#define SCTLR_M    (1 << 0)
#define SCTLR_C    (1 << 2)
#define SCTLR_SA   (1 << 3)
#define SCTLR_SA0  (1 << 4)
#define SCTLR_I    (1 << 12)
#define SCTLR_DZE  (1 << 14) /* programs may zero a block, */
#define SCTLR_UCT  (1 << 15) /* see how large a cache line is, */
#define SCTLR_NTWI (1 << 16) /* and wait */
#define SCTLR_NTWE (1 << 18)
#define SCTLR_ON   (SCTLR_RES1 | SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_SA0 | SCTLR_I | SCTLR_DZE | \
		    SCTLR_UCT | SCTLR_NTWI | SCTLR_NTWE)

/* SCR_EL3 (D17.2.117). */
#define SCR_NS   (1 << 0)
#define SCR_RES1 (3 << 4)
#define SCR_HCE  (1 << 8)
#define SCR_RW   (1 << 10)
/* Pointer authentication is not trapped, where there is such. */
#define SCR_APK  (3 << 16)

#define HCR_RW_BIT  31         /* EL1 is AArch64 */
#define HCR_API     (3 << 40)  /* as SCR_APK */
#define CPTR_NONE   0x33ff     /* CPTR_EL2 (D17.2.31): the bits that are one */
#define CNTHCTL_EL1 3          /* counter and timer are not trapped (D17.11.2) */
#define ICC_SRE     0x9        /* ICC_SRE_ELx (D17.7): system registers, for lower levels, too */

#define PFR0_EL2_SHIFT 8  /* ID_AA64PFR0_EL1 (D17.2.64) */
#define PFR0_GIC_SHIFT 24

#define GICD_TYPER   0x4
#define GICD_IGROUPR 0x80
#define GICC_PMR     0x4

#define SPSR_EL1 (PSTATE_MASK | MODE_EL1H)
#define SPSR_EL2 (PSTATE_MASK | MODE_EL2H)

/* \reg = the physical address of a symbol of the image. */
.macro PHYS reg, symbol
	adrp \reg, \symbol
	add \reg, \reg, :lo12:\symbol
.endm

	.section .boot.text, "ax"
	.globl boot_entry
	.type boot_entry, %function
boot_entry:
	/* The header of an "Image" (Linux, booting.rst). */
	b boot_primary
	.long 0
	.quad 0x10000                    /* wanted offset in RAM; any other will do */
	.quad image_size
	.quad 0xa                        /* little-endian, 4 KiB pages, anywhere in RAM */
	.quad 0, 0, 0
	.ascii "ARM\x64"
	.long 0

boot_primary:
	/* Of processors that all come here, one boots. */
	mrs x1, mpidr_el1
	tst x1, #0xff
	b.ne boot_park
	ldr x19, =boot_high
	b boot_any

/* From the firmware, which puts what it was given into x0 (ARM DEN 0022, 6.4). */
	.globl boot_secondary
boot_secondary:
	ldr x19, =boot_high_secondary

boot_any:
	msr daifset, #0xf
	mov x20, x0
	mrs x21, CurrentEL
	lsr x21, x21, #2
	cmp x21, #2
	b.hi boot_el3
	b.eq boot_el2
	b boot_el1

/*
 * Waits for a place in boot_parked[], by WFI: in an emulator WFE would keep a processor of the host
 * busy. An interrupt ends it, though masked (D1.6.2).
 */
	.globl boot_park
boot_park:
	msr daifset, #0xf
	mrs x1, mpidr_el1
	and x1, x1, #0xff
	cmp x1, #BOOT_MAX_PARKED
	b.hs boot_stop
	PHYS x2, boot_parked
	add x2, x2, x1, lsl #3
1:	ldr x0, [x2]
	cbnz x0, boot_secondary
	wfi
	b 1b

boot_stop:
	wfi
	b boot_stop

/* EL3: the Secure state is left, for event counters stand still there; to EL2, if there is one. */
boot_el3:
	mov x1, #SCR_NS | SCR_RES1 | SCR_HCE | SCR_RW
	orr x1, x1, #SCR_APK
	msr scr_el3, x1
	msr cptr_el3, xzr
	msr mdcr_el3, xzr
#ifdef BOARD_TIMER_HZ
	/* CNTFRQ says what firmware wrote; only the highest level may. */
	ldr x1, =BOARD_TIMER_HZ
	msr cntfrq_el0, x1
#endif
	mrs x1, id_aa64pfr0_el1
	ubfx x2, x1, #PFR0_GIC_SHIFT, #4
	cbz x2, 1f
	mov x2, #ICC_SRE
	msr s3_6_c12_c12_5, x2 /* ICC_SRE_EL3 */
	isb
#ifdef BOARD_GICD_BASE
	b 2f
#endif
1:
#ifdef BOARD_GICD_BASE
	/* All interrupts in Group 1, and a priority mask from the half that Non-secure state may change
	 * (ARM IHI 0048, 4.3.4 and 4.4.2). */
	ldr x2, =BOARD_GICD_BASE
	ldr w3, [x2, #GICD_TYPER]
	and w3, w3, #31
	add x2, x2, #GICD_IGROUPR
	mov w4, #-1
3:	str w4, [x2], #4
	subs w3, w3, #1
	b.pl 3b
	ldr x2, =BOARD_GICC_BASE
	mov w3, #0xff
	str w3, [x2, #GICC_PMR]
2:
#endif
	adr x2, boot_vectors
	msr vbar_el3, x2
	mov x2, #SPSR_EL2
	ubfx x3, x1, #PFR0_EL2_SHIFT, #4
	adr x4, boot_el2
	cbnz x3, 4f
	mov x2, #SPSR_EL1
	adr x4, boot_el1_reset
4:	msr spsr_el3, x2
	msr elr_el3, x4
	isb
	eret

/* EL2: nothing of EL1 is trapped, and that sees the physical count (D1.2, D17.2). */
boot_el2:
	mov x1, #1
	lsl x1, x1, #HCR_RW_BIT
	orr x1, x1, #HCR_API
	msr hcr_el2, x1
	msr hstr_el2, xzr
	msr vttbr_el2, xzr
	msr cntvoff_el2, xzr
	mov x1, #CPTR_NONE
	msr cptr_el2, x1
	mov x1, #CNTHCTL_EL1
	msr cnthctl_el2, x1
	/* All counters are EL1's, where there are any (MDCR_EL2.HPMN), and so are debug exceptions. */
	mrs x1, id_aa64dfr0_el1
	ubfx x1, x1, #8, #4
	sub x2, x1, #1
	mov x1, #0
	cmp x2, #13 /* none is 0, and 15 another kind */
	b.hi 1f
	mrs x1, pmcr_el0
	ubfx x1, x1, #11, #5
1:	msr mdcr_el2, x1
	mrs x1, midr_el1
	msr vpidr_el2, x1
	mrs x1, mpidr_el1
	msr vmpidr_el2, x1
	mrs x1, id_aa64pfr0_el1
	ubfx x1, x1, #PFR0_GIC_SHIFT, #4
	cbz x1, 2f
	mrs x1, s3_4_c12_c9_5 /* ICC_SRE_EL2 */
	mov x2, #ICC_SRE
	orr x1, x1, x2
	msr s3_4_c12_c9_5, x1
	isb
	msr s3_4_c12_c11_0, xzr /* ICH_HCR_EL2 */
2:	adr x1, boot_vectors
	msr vbar_el2, x1
	mov x1, #SPSR_EL1
	msr spsr_el2, x1
	adr x1, boot_el1_reset
	msr elr_el2, x1
	isb
	eret

boot_el1_reset:
	ldr x1, =SCTLR_RES1
	msr sctlr_el1, x1
	isb

boot_el1:
	PHYS x1, boot_entry
	ldr x22, =IMAGE_LINK
	sub x22, x22, x1
	ldr x1, =boot_high
	cmp x19, x1
	b.ne boot_mmu_on

	/* Lines of the tables that are in a cache from before would come back over them. */
	PHYS x0, boot_root
	PHYS x1, boot_tables_end
	mrs x2, ctr_el0
	ubfx x2, x2, #16, #4 /* DminLine: log2 of words */
	mov x3, #4
	lsl x3, x3, x2
	dmb sy
1:	dc ivac, x0
	add x0, x0, x3
	cmp x0, x1
	b.lo 1b
	dsb sy

	/* The image, in pages: the top of the root, one table of the second level, one of the third. */
	PHYS x0, boot_root
	PHYS x1, boot_image_l1
	orr x2, x1, #PTE_VALID | PTE_TABLE
	str x2, [x0, #8 * ((IMAGE_LINK >> 39) & 511)]
	PHYS x2, boot_image_l2
	orr x3, x2, #PTE_VALID | PTE_TABLE
	str x3, [x1, #8 * ((IMAGE_LINK >> 30) & 511)]
	PHYS x4, boot_image_l3
	orr x3, x4, #PTE_VALID | PTE_TABLE
	mov x5, #IMAGE_MAX >> 21
1:	str x3, [x2], #8
	add x3, x3, #4096
	subs x5, x5, #1
	b.ne 1b
	PHYS x0, boot_entry
	PHYS x1, __image_end
	mov x2, #PTE_NORMAL | PTE_TABLE
	orr x0, x0, x2
1:	str x0, [x4], #8
	add x0, x0, #4096
	cmp x0, x1
	b.lo 1b

	/* This code, where it is: it lies in one page, so in one block of 2 MiB. */
	PHYS x0, boot_entry
	PHYS x1, boot_same_root
	PHYS x2, boot_same_l1
	PHYS x3, boot_same_l2
	orr x4, x2, #PTE_VALID | PTE_TABLE
	ubfx x5, x0, #39, #8
	str x4, [x1, x5, lsl #3]
	orr x4, x3, #PTE_VALID | PTE_TABLE
	ubfx x5, x0, #30, #9
	str x4, [x2, x5, lsl #3]
	ubfx x5, x0, #21, #9
	and x4, x0, #~0x1fffff
	mov x6, #PTE_NORMAL
	orr x4, x4, x6
	str x4, [x3, x5, lsl #3]
	dsb sy

boot_mmu_on:
	mov x0, #MAIR
	msr mair_el1, x0
	ldr x0, =TCR_T0SZ | TCR_T1SZ | TCR_WALKS | TCR_TG1_4K
	mrs x1, id_aa64mmfr0_el1 /* PARange (D17.2.61) */
	and x1, x1, #0xf
	cmp x1, #TCR_IPS_48
	mov x2, #TCR_IPS_48
	csel x1, x1, x2, lo
	orr x0, x0, x1, lsl #TCR_IPS_SHIFT
	msr tcr_el1, x0
	PHYS x0, boot_same_root
	msr ttbr0_el1, x0
	PHYS x0, boot_root
	msr ttbr1_el1, x0
	isb
	tlbi vmalle1
	ic iallu
	dsb nsh
	isb
	ldr x0, =SCTLR_ON
	msr sctlr_el1, x0
	isb
	br x19

	.ltorg

/* Of this code only, of EL3 and EL2: calls to them are not supported, the rest stops. */
	.balign 2048
boot_vectors:
	.rept 8
	.balign 128
	b boot_stop
	.endr
	.balign 128
	mov x0, #-1
	eret
	.rept 7
	.balign 128
	b boot_stop
	.endr
	.size boot_entry, . - boot_entry

	.text
	.type boot_high, %function
boot_high:
	ldr x0, =boot_stack + KERNEL_STACK_SIZE
	mov sp, x0
	ldr x0, =boot_entry_level
	str x21, [x0]
	ldr x0, =arm64_image_offset
	str x22, [x0]
	mov x29, #0 /* no frame lies above this one */
	mov x30, #0
	mov x0, x20
	mrs x1, cntvct_el0
	bl arm64_start
	brk #0
	.size boot_high, . - boot_high

	.type boot_high_secondary, %function
boot_high_secondary:
	/* From the boot tables to the kernel's, which show the image the same way. */
	ldr x0, =kernel_mmu
	ldr x0, [x0] /* root */
	msr ttbr0_el1, x0 /* its lower half is empty */
	msr ttbr1_el1, x0
	isb
	tlbi vmalle1
	dsb nsh
	isb
	ldr x0, =0xffff800000000000 /* DIRECT_MAP_BASE */
	add x0, x0, x20
	ldr x1, [x0, #CPU_START_STACK]
	add x1, x1, #KERNEL_STACK_SIZE
	mov sp, x1
	mov x29, #0 /* no frame lies above this one */
	mov x30, #0
	bl smp_begin
	brk #0
	.size boot_high_secondary, . - boot_high_secondary

	/* The loader has zeroed all of .bss, or it is in the raw image. */
	.section .bss.pages, "aw", %nobits
	.balign 4096
	.globl boot_root, boot_image_l2
boot_root:      .skip 4096
boot_image_l1:  .skip 4096
boot_image_l2:  .skip 4096
boot_image_l3:  .skip (IMAGE_MAX >> 21) * 4096
boot_same_root: .skip 4096
boot_same_l1:   .skip 4096
boot_same_l2:   .skip 4096
boot_tables_end:

	/* Becomes the idle task's stack. Without a page below it, once arch_init() has run. */
	.globl boot_stack, boot_stack_guard
boot_stack_guard: .skip 4096
boot_stack:       .skip KERNEL_STACK_SIZE

	.section .note.GNU-stack, "", %progbits
