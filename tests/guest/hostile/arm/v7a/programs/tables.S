/* SPDX-License-Identifier: MIT */
/*
 * A whole ELF file, headers and all, whose unwind tables lie; LIE_* says how. Each of its functions
 * has an entry of random opcodes (EHABI32, 10.3), and is sampled at a page fault and at a switch,
 * with random registers, on a stack of random words: return addresses into the functions, places of
 * the stack, addresses of the kernel's, and such as are nowhere. Ends with the mean cost of a page fault,
 * in 256 instructions.
 *
 * Everything has its place, so that all words are numbers to the assembler.
 */
#define NR        512
#define HEADER    0x10000
#define FUNCTIONS 0x11000 /* of 16 bytes */
#define INDEX     (FUNCTIONS + NR * 16)
#define TABLES    (INDEX + NR * 8) /* of 32 bytes */
#define END       (TABLES + NR * 32)

#define STATE      0x100000
#define STACK      (STATE + 0x1000)
#define STACK_MASK 0x1fff
#define FRESH      (STACK + 0x2000)
#define OWN_STACK  (FRESH + NR * 0x1000)
#define MEMORY_END (OWN_STACK + 0x1000)

#define SYS_exit        0
#define SYS_sched_yield 28

/* Words of STATE. */
#define SEED  0
#define NEXT  4  /* function */
#define START 8  /* of the measurement */
#define TIMES 12 /* added up */
#define REGS  16 /* r4 to r11, lr, sp */

/* Where the index is said to be. */
#if defined(LIE_none) || defined(LIE_work) || defined(LIE_order) || defined(LIE_links)
#define TOLD_INDEX INDEX
#define TOLD_SIZE  (NR * 8)
#elif defined(LIE_alignment)
#define TOLD_INDEX (INDEX + 2)
#define TOLD_SIZE  (NR * 8 - 13)
#elif defined(LIE_size)
#define TOLD_INDEX INDEX
#define TOLD_SIZE  0xfffffff8
#elif defined(LIE_place)
#define TOLD_INDEX 0xf0010000 /* the kernel's image */
#define TOLD_SIZE  (NR * 8)
#elif defined(LIE_code)
#define TOLD_INDEX HEADER
#define TOLD_SIZE  (END - HEADER)
#endif

	.syntax unified
	.arm
	.text

/* --- ELF header, three program headers --- */
header:
	.byte	0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.short	2, 40
	.word	1, HEADER + start - header, 52, 0, 0x05000000
	.org	40
	.short	52, 32, 3, 40, 0, 0
	.org	52
	.word	1, 0, HEADER, HEADER, END - HEADER, END - HEADER, 5, 0x1000
	.word	1, 0, STATE, STATE, 0, MEMORY_END - STATE, 6, 0x1000
	.word	0x70000001, TOLD_INDEX - HEADER, TOLD_INDEX, TOLD_INDEX, TOLD_SIZE, TOLD_SIZE, 4, 4

/* --- Code --- */
	.org	0x100
start:
	ldr	sp, =MEMORY_END
	bl	fill_stack
next_function:
	ldr	sp, =MEMORY_END
	ldr	r4, =STATE
	ldr	r5, [r4, #NEXT]
	cmp	r5, #NR
	beq	end
	add	r6, r4, #REGS
	mov	r8, #9
1:	bl	odd_word
	str	r0, [r6], #4
	subs	r8, r8, #1
	bne	1b
	/* Mostly the stack pointer is good. */
	bl	random
	tst	r0, #7
	bleq	odd_word
	ldrne	r1, =STACK_MASK & ~7
	andne	r0, r0, r1
	ldrne	r1, =STACK
	addne	r0, r0, r1
	str	r0, [r6]
	ldr	r1, =FRESH
	add	r1, r1, r5, lsl #12
	ldr	r2, =FUNCTIONS
	add	r2, r2, r5, lsl #4
	add	r3, r4, #REGS
	isb
	mrrc	p15, 1, r0, r12, c14
	str	r0, [r4, #START]
	ldmia	r3!, {r4-r11, lr}
	ldr	sp, [r3]
	mov	r7, #SYS_sched_yield
	bx	r2

back:
	ldr	r4, =STATE
	ldr	r5, [r4, #START]
	sub	r2, r2, r5
	ldr	r5, [r4, #TIMES]
	add	r2, r2, r5
	str	r2, [r4, #TIMES]
	ldr	r5, [r4, #NEXT]
	add	r5, r5, #1
	str	r5, [r4, #NEXT]
	b	next_function

end:
	ldr	r0, [r4, #TIMES]
	lsr	r0, r0, #9 + 4 /* of NR; a tick of the clock stands for 16 instructions */
	cmp	r0, #250
	movhi	r0, #250
	mov	r7, #SYS_exit
	svc	#0

/* A random word in r0; r1 and r2 are lost. */
random:
	ldr	r2, =STATE
	ldr	r0, [r2, #SEED]
	ldr	r1, =1664525
	mul	r0, r1, r0
	ldr	r1, =1013904223
	add	r0, r0, r1
	str	r0, [r2, #SEED]
	ror	r0, r0, #13
	bx	lr

/* One that a stack may have. */
odd_word:
	push	{r9, lr}
	bl	random
	mov	r9, r0
	bl	random
#if defined(LIE_work)
	mov	r9, #7 /* return addresses all */
#endif
	ands	r9, r9, #7
	beq	kernels
	cmp	r9, #1
	beq	nowhere
	cmp	r9, #4
	bls	places
	ldr	r1, =NR - 1
	and	r0, r0, r1
	lsl	r0, r0, #4
	ldr	r1, =FUNCTIONS + 12
	add	r0, r0, r1
	pop	{r9, pc}
places:
	ldr	r1, =STACK_MASK & ~3
	and	r0, r0, r1
	ldr	r1, =STACK
	add	r0, r0, r1
	pop	{r9, pc}
kernels:
	orr	r0, r0, #0x80000000
	pop	{r9, pc}
nowhere:
	ldr	r1, =0xfffff
	and	r0, r0, r1
	orr	r0, r0, #0x30000000
	pop	{r9, pc}

fill_stack:
	push	{r6, r8, lr}
	ldr	r6, =STACK
	ldr	r8, =STACK + STACK_MASK + 1
1:	bl	odd_word
	str	r0, [r6], #4
	cmp	r6, r8
	blo	1b
	pop	{r6, r8, pc}
	.ltorg

/* --- The functions: a fault, a call --- */
	.org	FUNCTIONS - HEADER
	.rept	NR
	strb	r1, [r1]
	mrrc	p15, 1, r2, r3, c14
	svc	#0
	b	back
	.endr

/* --- The index --- */
	.set	seed, 1
.macro RANDOM
	.set	seed, (seed * 1103515245 + 12345) & 0x7fffffff
	.set	word, (seed >> 8) & 0xffff
	.set	seed, (seed * 1103515245 + 12345) & 0x7fffffff
	.set	word, word << 16 | ((seed >> 8) & 0xffff)
.endm

	.set	i, 0
	.rept	NR
	RANDOM
	.set	place, INDEX + 8 * i
#if defined(LIE_order)
	.set	function, FUNCTIONS + 16 * (word & (NR - 1))
#else
	.set	function, FUNCTIONS + 16 * i
#endif
	.word	(function - place) & 0x7fffffff
	RANDOM
#if !defined(LIE_work)
	.if	(word & 3) == 0
	.word	0x80000000 | (word >> 8)
	.else
#else
	.if	1
#endif
#if defined(LIE_links)
	.word	word & 0x7fffffff
#else
	.word	(TABLES + 32 * i - (place + 4)) & 0x7fffffff
#endif
	.endif
	.set	i, i + 1
	.endr

/* --- The tables: of each model, opcodes that are mostly such, and more of them than there are --- */
.macro OPCODES
	RANDOM
	.set	kind, word & 7
	.if	kind == 0 /* pops, among them of pc */
	.word	0x80008800 | (word & 0x0fff0000) | (word >> 8 & 15) << 8
	.elseif	kind == 1 /* the stack pointer is a register */
	.word	0xa8900008 | (word & 0x070f0000)
	.elseif	kind == 2 /* pops of r4 to r11 and lr */
	.word	0xa8a8a8b0 | (word & 0x07070700)
	.elseif	kind == 3 /* a large addition */
	.word	0xb2007fa8 | (word & 0x00ff0000)
	.elseif	kind == 4 /* down and up */
	.word	0x007f84a8 | (word & 0x3f000000)
	.else
	.word	word
	.endif
.endm

#if defined(LIE_work)
/* As much work as can be: 15 times r4 to r11 and lr from the same place, which no recipe has. */
	.rept	NR
	.word	0x8107af48
	.rept	6
	.word	0xaf48af48
	.endr
	.word	0xafb0b0b0
	.endr
#else
	.set	i, 0
	.rept	NR
	RANDOM
	.if	(word & 3) == 0
	.word	0x81000000 | (word & 0x00ffff00) | 0xb0
	.elseif	(word & 3) == 1
	.word	0x82060000 | (word >> 8 & 0xffff)
	.elseif	(word & 3) == 2
	.word	word & 0x7fffffff /* a routine of its own */
	.else
	.word	word
	.endif
	.rept	7
	OPCODES
	.endr
	.set	i, i + 1
	.endr
#endif
	.org	END - HEADER
