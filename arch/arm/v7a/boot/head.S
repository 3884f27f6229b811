/* SPDX-License-Identifier: MIT */
/*
 * Where the boot processor starts, at the image's first byte, wherever a loader put that (any 4 KiB
 * boundary): r1 = machine number, r2 = physical address of a device tree or of ATAGS, or 0 (the
 * convention of 32-bit ARM Linux). It may come in Hyp mode, in Secure or in Non-secure state, with
 * MMU and caches on or off, as long as what it runs on is mapped where it is. It ends in Non-secure
 * Supervisor mode if the processor has that state, and else as it was entered; then makes the boot
 * page tables, goes to the kernel's address and calls arm_start().
 *
 * The other processors come the same way, from the firmware to boot_secondary or by themselves to
 * boot_park, with the physical address of a struct cpu_start in r2. They find the boot page tables
 * made, change to the kernel's and call smp_begin().
 *
 * References: ARM DDI 0406C, by section. Registers: r1, r2 stay; r8 = boot_entry_state, r9 = 1 in
 * Secure state, r10 = where to go in the end, and then the first-level table; r11 = virtual minus
 * physical address of the image.
 */
#include <asm/constants.h>
#include <asm/offsets.h>
#include <asm/psr.h>
#include <asm/pte.h>
#include <asm/start.h>

	.cfi_sections .debug_frame
	.arch_extension sec
	.arch_extension virt

#define SVC_MASKED (CPSR_A | CPSR_I | CPSR_F | MODE_SVC)

/* SCTLR (B4.1.130). Bits that read as one, and what this kernel wants: no alignment checks, low
 * vectors by VBAR, little-endian ARM-state exceptions, no TEX remap, no access flag. */
#define SCTLR_M      0x1
#define SCTLR_A      0x2
#define SCTLR_C      0x4
#define SCTLR_Z      0x800
#define SCTLR_I      0x1000
#define SCTLR_RESET  0x00c50078
#define SCTLR_ON     (SCTLR_RESET | SCTLR_M | SCTLR_C | SCTLR_Z | SCTLR_I)

#define ACTLR_SMP    0x40 /* the TRMs of all multiprocessor Cortex-A of version 7 */
#define MIDR_ARM     0x41

#define SCR_NS       0x1
#define SCR_FW       0x10 /* Non-secure state masks FIQ */
#define SCR_AW       0x20 /* and asynchronous aborts */
/* NSACR (B4.1.111): what Non-secure state may use, and what is kept from it: the upper half of the
 * VFP registers (NSD32DIS), Advanced SIMD (NSASEDIS), the registers of FIQ mode (RFR). */
#define NSACR_VFP    0xc00
#define NSACR_SMP    0x40000
#define NSACR_KEPT   0x8c000

#define PFR1_TIMER   0xf0000 /* ID_PFR1 (B4.1.94): the Generic Timer Extension */
#define HCPTR_NONE   0x33ff /* the bits that are one */
#define CNTHCTL_PL1  0x3 /* counter and timer are not trapped */

#define GICD_TYPER   0x4
#define GICD_IGROUPR 0x80
#define GICC_PMR     0x4

	.section .boot.text, "ax"
	.globl boot_entry
	.type boot_entry, %function
boot_entry:
	.fnstart
	.cantunwind
	/* Of processors that all come here, one boots. */
	mrc p15, 0, r0, c0, c0, 5 /* MPIDR */
	tst r0, #0xff
	bne boot_park
	/* Nor does one without the generic timer, the clock from the first message on. */
	mrc p15, 0, r0, c0, c1, 1 /* ID_PFR1 */
	tst r0, #PFR1_TIMER
	beq boot_stop
	ldr r10, =boot_high
	b boot_any

/* From the firmware, which puts what it was given into r0 (ARM DEN 0022, 6.4). */
	.globl boot_secondary
boot_secondary:
	mov r2, r0
boot_released:
	ldr r10, =boot_high_secondary

boot_any:
	mrs r3, cpsr
	cpsid aif
	mov r8, #BOOT_ENTRY_SVC
	mov r9, #0
	and r3, r3, #CPSR_MODE
	cmp r3, #MODE_HYP
	beq boot_hyp
	cps #MODE_SVC
	bl caches_off
	bl is_secure
	movs r9, r0
	beq boot_nonsecure
	mov r8, #BOOT_ENTRY_SECURE
	b boot_secure

/*
 * Waits for a place in boot_parked[], by WFI: in an emulator WFE would keep a processor of the host
 * busy. An interrupt ends it, though masked (B1.8.14).
 */
	.globl boot_park
boot_park:
	cpsid aif
	mrc p15, 0, r0, c0, c0, 5 /* MPIDR */
	and r0, r0, #0xff
	cmp r0, #BOOT_MAX_PARKED
	bhs boot_stop
	adr r3, boot_parked_offset
	ldr r2, [r3]
	add r3, r3, r2
1:	ldr r2, [r3, r0, lsl #2]
	cmp r2, #0
	bne boot_released
	wfi
	b 1b
boot_parked_offset:
	.word boot_parked - .

boot_stop:
	wfi
	b boot_stop

/*
 * Hyp mode: nothing of Non-secure PL1 is trapped, and it sees the physical count (B3.17.6, B8.1).
 */
boot_hyp:
	mov r8, #BOOT_ENTRY_HYP
	mrc p15, 4, r4, c1, c0, 0 /* HSCTLR */
	bic r0, r4, #SCTLR_M | SCTLR_C
	bic r0, r0, #SCTLR_I
	mcr p15, 4, r0, c1, c0, 0
	isb
	tst r4, #SCTLR_C
	blne clean_data_caches
	mov r0, #0
	mcr p15, 4, r0, c1, c1, 0 /* HCR */
	mcr p15, 4, r0, c1, c1, 3 /* HSTR */
	mcrr p15, 4, r0, r0, c14  /* CNTVOFF */
	movw r0, #HCPTR_NONE
	mcr p15, 4, r0, c1, c1, 2
	mrc p15, 0, r0, c9, c12, 0 /* PMCR.N: all counters are PL1's */
	ubfx r0, r0, #11, #5
	mcr p15, 4, r0, c1, c1, 1 /* HDCR */
	mov r0, #CNTHCTL_PL1
	mcr p15, 4, r0, c14, c1, 0
	mrc p15, 0, r0, c0, c0, 0
	mcr p15, 4, r0, c0, c0, 0 /* VPIDR = MIDR */
	mrc p15, 0, r0, c0, c0, 5
	mcr p15, 4, r0, c0, c0, 5 /* VMPIDR = MPIDR */
	adr r0, boot_vectors
	mcr p15, 4, r0, c12, c0, 0 /* HVBAR */
	mov r0, #SVC_MASKED
	msr spsr_cxsf, r0
	adr r0, boot_dropped
	msr elr_hyp, r0
	eret

/*
 * Secure state: breakpoints do not strike in the kernel there, and event counters stand still. By
 * Monitor mode to the other one (B1.5, B4.1.129). First, what Non-secure state cannot do itself.
 */
boot_secure:
#ifdef BOARD_GICD_BASE
	/* All interrupts in Group 1, and a priority mask from the half that it may change (ARM IHI
	 * 0048, 4.3.4 and 4.4.2). */
	movw r4, #:lower16:BOARD_GICD_BASE
	movt r4, #:upper16:BOARD_GICD_BASE
	ldr r0, [r4, #GICD_TYPER]
	and r0, r0, #31
	add r4, r4, #GICD_IGROUPR
	mvn r5, #0
1:	str r5, [r4], #4
	subs r0, r0, #1
	bpl 1b
	movw r4, #:lower16:BOARD_GICC_BASE
	movt r4, #:upper16:BOARD_GICC_BASE
	mov r0, #0xff
	str r0, [r4, #GICC_PMR]
#endif
#ifdef BOARD_TIMER_HZ
	/* CNTFRQ says what firmware wrote; only Secure state may. */
	mrc p15, 0, r0, c14, c0, 0
	cmp r0, #0
	movweq r0, #:lower16:BOARD_TIMER_HZ
	movteq r0, #:upper16:BOARD_TIMER_HZ
	mcreq p15, 0, r0, c14, c0, 0
#endif
	mrc p15, 0, r0, c1, c1, 2 /* NSACR */
	bic r0, r0, #NSACR_KEPT
	orr r0, r0, #NSACR_VFP
	orr r0, r0, #NSACR_SMP
	mcr p15, 0, r0, c1, c1, 2
	cps #MODE_MON
	adr r0, boot_vectors
	mcr p15, 0, r0, c12, c0, 1 /* MVBAR */
	mov r0, #SCR_NS | SCR_FW | SCR_AW
	mcr p15, 0, r0, c1, c1, 0 /* SCR */
	isb
	/* The copies of Non-secure state from here on. */
	movw r0, #:lower16:SCTLR_RESET
	movt r0, #:upper16:SCTLR_RESET
	mcr p15, 0, r0, c1, c0, 0 /* SCTLR */
	mrc p15, 0, r0, c0, c1, 1 /* ID_PFR1 */
	tst r0, #0xf000           /* virtualization */
	beq 2f
	mov r0, #0
	mcrr p15, 4, r0, r0, c14 /* CNTVOFF */
	mov r0, #CNTHCTL_PL1
	mcr p15, 4, r0, c14, c1, 0
2:	mov r0, #SVC_MASKED
	msr spsr_cxsf, r0
	adr lr, boot_dropped
	movs pc, lr

boot_dropped:
	bl caches_off
	bl is_secure
	mov r9, r0

boot_nonsecure:
	adr r3, boot_entry
	ldr r0, =boot_entry
	sub r11, r0, r3
	mov r7, r10

	/* The first level wants 16 KiB of alignment, of which the image has 4. */
	ldr r10, =boot_tables + 0x3fff
	sub r10, r10, r11
	bfc r10, #0, #14
	ldr r0, =boot_high
	cmp r7, r0
	bne boot_mmu_on

	/* The image, in pages: first level 0xf00 to 0xf03, second level in boot_image_table. */
	ldr r4, =boot_image_table
	sub r4, r4, r11
	add r5, r10, #IMAGE_LINK >> L1_SHIFT << 2
	orr r0, r4, #L1_TABLE
	mov r6, #4
1:	str r0, [r5], #4
	add r0, r0, #L2_ENTRIES * 4
	subs r6, r6, #1
	bne 1b
	movw r0, #PAGE_TYPE | PAGE_PL1 | PAGE_NORMAL
	orr r0, r0, r3
	ldr r6, =__image_end
	sub r6, r6, r11
	sub r6, r6, r3
	lsr r6, r6, #L2_SHIFT
1:	str r0, [r4], #4
	add r0, r0, #1 << L2_SHIFT
	subs r6, r6, #1
	bne 1b

	/* This code, where it is: it lies in one page, so in one section. */
	movw r0, #:lower16:(L1_SECTION | SECTION_PL1 | SECTION_NORMAL)
	movt r0, #:upper16:(L1_SECTION | SECTION_PL1 | SECTION_NORMAL)
	lsr r4, r3, #L1_SHIFT
	orr r0, r0, r4, lsl #L1_SHIFT
	str r0, [r10, r4, lsl #2]

boot_mmu_on:
	/* Coherency with other processors must be on before a cache is. Written only if it is off: not
	 * every Non-secure state may. */
	mrc p15, 0, r0, c0, c0, 0
	lsr r0, r0, #24
	cmp r0, #MIDR_ARM
	bne 1f
	mrc p15, 0, r0, c1, c0, 1 /* ACTLR */
	tst r0, #ACTLR_SMP
	orreq r0, r0, #ACTLR_SMP
	mcreq p15, 0, r0, c1, c0, 1
	isb
1:
	/* Both halves by one table (B3.5.4); domain 0 is checked; ASID 0. */
	mov r0, #1
	mcr p15, 0, r0, c2, c0, 2 /* TTBCR.N: TTBR0 translates the lower half */
	mcr p15, 0, r0, c3, c0, 0 /* DACR */
	orr r4, r10, #TTBR_WALKS
	mcr p15, 0, r4, c2, c0, 0 /* TTBR0 */
	mcr p15, 0, r4, c2, c0, 1 /* TTBR1 */
	mov r0, #0
	mcr p15, 0, r0, c13, c0, 1 /* CONTEXTIDR */
	dsb
	mcr p15, 0, r0, c8, c7, 0 /* TLBIALL */
	mcr p15, 0, r0, c7, c5, 6 /* BPIALL */
	dsb
	isb
	movw r0, #:lower16:SCTLR_ON
	movt r0, #:upper16:SCTLR_ON
	mcr p15, 0, r0, c1, c0, 0
	isb
	bx r7

/*
 * r0 = 1 in Secure state, else 0: the Secure Configuration Register is undefined elsewhere. Changes
 * VBAR, r3, r4.
 */
is_secure:
	mrc p15, 0, r0, c0, c1, 1 /* ID_PFR1 */
	ands r0, r0, #0xf0        /* Security Extensions */
	bxeq lr
	mov r4, lr
	adr r0, boot_vectors
	mcr p15, 0, r0, c12, c0, 0
	isb
	mov r0, #1
	mrc p15, 0, r3, c1, c1, 0 /* SCR; boot_undefined clears r0 */
	bx r4

/*
 * MMU and caches off. A data cache that was on has data that memory lacks; one that was off may still
 * have old data of before. Changes r0, r3-r7, r12.
 */
caches_off:
	mrc p15, 0, r4, c1, c0, 0 /* SCTLR */
	bic r0, r4, #SCTLR_M | SCTLR_C
	bic r0, r0, #SCTLR_A
	bic r0, r0, #SCTLR_Z | SCTLR_I
	mcr p15, 0, r0, c1, c0, 0
	isb
	mov r12, lr
	tst r4, #SCTLR_C
	adr lr, 1f
	bne clean_data_caches
	b forget_data_cache
1:	mov r0, #0
	mcr p15, 0, r0, c7, c5, 0 /* ICIALLU */
	mcr p15, 0, r0, c7, c5, 6 /* BPIALL */
	mcr p15, 0, r0, c8, c7, 0 /* TLBIALL */
	dsb
	isb
	bx r12

/*
 * By set and way (B2.2.7): \op of CP15 c7 on every line of each data or unified cache, up to level
 * \levels (doubled), or the one of coherency. Changes r0, r3-r7, and the banked or high ones not at
 * all.
 */
.macro BY_SET_WAY name, op, levels
\name:
	dmb
	mov r3, #0 /* level, doubled, as CSSELR has it */
1:	mrc p15, 1, r0, c0, c0, 1 /* CLIDR */
	ubfx r4, r0, #24, #3      /* level of coherency */
	cmp r3, r4, lsl #1
	cmplo r3, #\levels
	bhs 5f
	add r4, r3, r3, lsr #1
	lsr r0, r0, r4
	and r0, r0, #7
	cmp r0, #2 /* instructions only, or none */
	blo 4f
	mcr p15, 2, r3, c0, c0, 0 /* CSSELR */
	isb
	mrc p15, 1, r0, c0, c0, 0 /* CCSIDR */
	ubfx r4, r0, #13, #15     /* last set */
2:	ubfx r5, r0, #3, #10      /* last way */
	clz r6, r5
3:	and r7, r0, #7
	add r7, r7, #4 /* log2 of the bytes of a line */
	lsl r7, r4, r7
	orr r7, r7, r5, lsl r6
	orr r7, r7, r3
	mcr p15, 0, r7, c7, \op, 2
	subs r5, r5, #1
	bpl 3b
	subs r4, r4, #1
	bpl 2b
4:	add r3, r3, #2
	b 1b
5:	mov r3, #0
	mcr p15, 2, r3, c0, c0, 0
	dsb
	isb
	bx lr
.endm
	BY_SET_WAY clean_data_caches, c14, 14 /* and invalidate: DCCISW */
	BY_SET_WAY forget_data_cache, c6, 2   /* the first level: DCISW */

	.ltorg

/* Of this code only, of Monitor and of Hyp mode: calls to them fail, the rest stops. */
	.balign 32
boot_vectors:
	b boot_stop
	b boot_undefined
	b boot_call
	b boot_stop
	b boot_stop
	b boot_hyp_call
	b boot_stop
	b boot_stop
boot_undefined:
	mov r0, #0
	movs pc, lr
boot_call:
	mvn r0, #0
	movs pc, lr
boot_hyp_call:
	mvn r0, #0
	eret
	.fnend
	.size boot_entry, . - boot_entry

	.text
	.type boot_high, %function
boot_high:
	.fnstart
	.cantunwind
	.cfi_startproc
	.cfi_undefined lr /* the same for debuggers */
	ldr sp, =boot_stack + KERNEL_STACK_SIZE
	ldr r0, =boot_entry_state
	str r8, [r0]
	ldr r0, =boot_is_secure
	str r9, [r0]
	ldr r0, =arm_image_offset
	str r11, [r0]
	mov fp, #0 /* no frame lies above this one */
	mov r0, r2
	mrrc p15, 1, r2, r3, c14 /* CNTVCT */
	bl arm_start
	udf #0
	.cfi_endproc
	.fnend
	.size boot_high, . - boot_high

	.type boot_high_secondary, %function
boot_high_secondary:
	.fnstart
	.cantunwind
	.cfi_startproc
	.cfi_undefined lr
	/* From the boot tables to the kernel's. Nothing but this code is needed in between: the same
	 * address may be in a page of these and in a section of those. */
	ldr r0, =kernel_mmu
	ldr r0, [r0] /* root */
	ldr r1, =arm_direct_map_offset
	ldr r1, [r1]
	orr r0, r0, #TTBR_WALKS
	mcr p15, 0, r0, c2, c0, 0 /* TTBR0: its lower half is empty */
	mcr p15, 0, r0, c2, c0, 1 /* TTBR1 */
	isb
	mcr p15, 0, r0, c8, c7, 0 /* TLBIALL */
	mcr p15, 0, r0, c7, c5, 6 /* BPIALL */
	dsb
	isb
	add r0, r2, r1
	ldr sp, [r0, #CPU_START_STACK]
	add sp, sp, #KERNEL_STACK_SIZE
	mov fp, #0 /* no frame lies above this one */
	bl smp_begin
	udf #0
	.cfi_endproc
	.fnend
	.size boot_high_secondary, . - boot_high_secondary

	/* The loader has zeroed all of .bss, or it is in the raw image. */
	.section .bss.pages, "aw", %nobits
	.balign 4096
boot_tables:      .skip 2 * 16384
boot_image_table: .skip 4096

	/* Becomes the idle task's stack. Without a page below it, once arch_init() has run. */
	.globl boot_stack, boot_stack_guard
boot_stack_guard: .skip 4096
boot_stack:       .skip KERNEL_STACK_SIZE

	.section .note.GNU-stack, "", %progbits
