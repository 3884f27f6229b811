/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/v7a/step.c: where instructions go on, as the assembler encodes them and ARM DDI 0406C,
 * A8 says; every condition with every flags; what is not to be interrupted; what access.c says they
 * access; and those that are carried out.
 */
#include <string.h>

#include "host.h"

#include "../../arch/arm/v7a/step.c"

/* --- Registers and memory --- */

#define CODE 0x20000U
#define ODD  0x3000U /* where there is a word that says Thumb */
#define GONE 0x9000U

static unsigned long r[16];
static u32 code[16];
static unsigned code_size;
static bool unreadable;

#define R(n)   ((u32)r[n])
#define PC_AT  ((u32)r[15])
#define MEM(a) word_at(a)

static u32 word_at(u32 addr)
{
	return addr == ODD ? 0xffff : (addr ^ 0x35a7c) & ~3U;
}

static bool read_memory(u32 addr, void *to, size_t n)
{
	if (unreadable || (addr & ~0xfffU) == GONE)
		return false;
	for (size_t i = 0; i < n; i++, addr++)
		((u8 *)to)[i] = addr - CODE < code_size
				    ? ((u8 *)code)[addr - CODE]
				    : (u8)(word_at(addr & ~3U) >> 8 * (addr & 3));
	return true;
}

static int set_up(void **state)
{
	static const u32 values[16] = {
	    0,      0x4000,     0x8000, 0xc000, 0x40, 0x07654400, 0x12345670, ODD,
	    0xa000, 0x87654440, 0xb000, 0xb100, GONE, 0x7000,     0x5001,     CODE,
	};

	for (unsigned i = 0; i < 16; i++)
		r[i] = values[i];
	code_size = 0;
	unreadable = false;
	return 0;
}

static void put(u32 insn, bool thumb)
{
	if (thumb && insn >> 16)
		insn = insn << 16 | insn >> 16;
	code[0] = insn;
	code_size = 4;
}

static struct step_next next_of(u32 cpsr)
{
	struct step_cpu cpu = {.r = r, .cpsr = cpsr, .read = read_memory};
	struct step_next next;

	step_fetch(&cpu);
	step_next(&cpu, &next);
	return next;
}

/* --- One instruction --- */

enum state { ARM, THUMB, FROM_MEMORY };

static void expect(const char *text, u32 insn, bool thumb, u32 pc, enum state in)
{
	struct step_next next;
	bool to_thumb = in == THUMB;

	/* An exception return has the next word for the status. */
	if (in == FROM_MEMORY) {
		to_thumb = false;
		for (u32 at = 0; at < 16; at += 4)
			if (word_at(r[1] - 8 + at) == pc)
				to_thumb = word_at(r[1] - 4 + at) & CPSR_T;
	}
	put(insn, thumb);
	next = next_of(thumb ? CPSR_T : 0);
	code_size = 0;
	if (!thumb && step_falls_through(insn))
		assert_true(pc == PC_AT + 4 && !to_thumb);
	if (next.nr != 1 || next.at[0].pc != pc || next.at[0].thumb != to_thumb)
		fail_msg("%s: goes on at 0x%x, %s, not 0x%x", text, next.at[0].pc,
			 next.at[0].thumb ? "Thumb" : "ARM", pc);
}

static void arm_goes_on_where_the_manual_says(void **state)
{
	expect("b .+0x100", 0xea00003e, false, PC_AT + 0x100, ARM);
	expect("b .-0x100", 0xeaffffbe, false, PC_AT - 0x100, ARM);
	expect("bl .+0x1000000", 0xeb3ffffe, false, PC_AT + 0x1000000, ARM);
	expect("blx .+0x102", 0xfb00003e, false, PC_AT + 0x102, THUMB);
	expect("blx .+0x100", 0xfa00003e, false, PC_AT + 0x100, THUMB);
	expect("bx lr", 0xe12fff1e, false, R(14) - 1, THUMB);
	expect("bx r1", 0xe12fff11, false, R(1), ARM);
	expect("bxj r1", 0xe12fff21, false, R(1), ARM);
	expect("blx r2", 0xe12fff32, false, R(2), ARM);
	expect("bx pc", 0xe12fff1f, false, PC_AT + 8, ARM);
	expect("mov pc, lr", 0xe1a0f00e, false, R(14) - 1, THUMB);
	expect("mov pc, r3", 0xe1a0f003, false, R(3), ARM);
	expect("add pc, r1, #0x10", 0xe281f010, false, R(1) + 0x10, ARM);
	expect("add pc, pc, r4, lsl #2", 0xe08ff104, false, PC_AT + 8 + 4 * R(4), ARM);
	expect("sub pc, r5, r4, lsr #4", 0xe045f224, false, R(5) - R(4) / 16, ARM);
	expect("rsb pc, r4, r5", 0xe064f005, false, R(5) - R(4), ARM);
	expect("adc pc, r1, r2", 0xe0a1f002, false, R(1) + R(2), ARM);
	expect("sbc pc, r2, #3", 0xe2c2f003, false, R(2) - 4, ARM);
	expect("rsc pc, r1, r2", 0xe0e1f002, false, R(2) - R(1) - 2, THUMB);
	expect("and pc, r6, #0xff00", 0xe206fcff, false, R(6) & 0xff00, ARM);
	expect("orr pc, r1, r2", 0xe181f002, false, R(1) | R(2), ARM);
	expect("eor pc, r1, r3", 0xe021f003, false, R(1) ^ R(3), ARM);
	expect("bic pc, r6, #0x4000", 0xe3c6f901, false, R(6) - 0x4000, ARM);
	expect("mvn pc, #0x0f000000", 0xe3e0f40f, false, 0xf0fffffe, THUMB);
	expect("mov pc, r5, ror #8", 0xe1a0f465, false, R(5) >> 8 | R(5) << 24, ARM);
	expect("mov pc, r5, asr #4", 0xe1a0f245, false, R(5) >> 4, ARM);
	expect("mov pc, r9, asr #4", 0xe1a0f249, false, R(9) >> 4 | 0xf0000000, ARM);
	expect("mov pc, r5, rrx", 0xe1a0f065, false, R(5) >> 1, ARM);
	expect("ldr pc, [r1]", 0xe591f000, false, MEM(R(1)), ARM);
	expect("ldr pc, [r1, #8]", 0xe591f008, false, MEM(R(1) + 8), ARM);
	expect("ldr pc, [r1, #-8]!", 0xe531f008, false, MEM(R(1) - 8), ARM);
	expect("ldr pc, [r1], #8", 0xe491f008, false, MEM(R(1)), ARM);
	expect("ldr pc, [r1, r4, lsl #2]", 0xe791f104, false, MEM(R(1) + 4 * R(4)), ARM);
	expect("ldr pc, [r5, -r4]", 0xe715f004, false, MEM(R(5) - R(4)), ARM);
	expect("ldr pc, [pc, #16]", 0xe59ff010, false, MEM(PC_AT + 8 + 16), ARM);
	expect("ldr pc, [r7]", 0xe597f000, false, 0xfffe, THUMB);
	expect("ldr r0, [r1]", 0xe5910000, false, PC_AT + 4, ARM);
	expect("ldrb r0, [r1]", 0xe5d10000, false, PC_AT + 4, ARM);
	expect("str pc, [r1]", 0xe581f000, false, PC_AT + 4, ARM);
	expect("ldm r1, {r0, r2, pc}", 0xe8918005, false, MEM(R(1) + 8), ARM);
	expect("ldmib r1!, {r0, r2, pc}", 0xe9b18005, false, MEM(R(1) + 12), ARM);
	expect("ldmda r1, {r0, r2, pc}", 0xe8118005, false, MEM(R(1)), ARM);
	expect("ldmdb r1, {r0, r2, pc}", 0xe9118005, false, MEM(R(1) - 4), ARM);
	expect("pop {r4, pc}", 0xe8bd8010, false, MEM(R(13) + 4), ARM);
	expect("pop {pc}", 0xe49df004, false, MEM(R(13)), ARM);
	expect("stm r1, {r0, pc}", 0xe8818001, false, PC_AT + 4, ARM);
	expect("ldm r1, {r0, r2}", 0xe8910005, false, PC_AT + 4, ARM);
	expect("rfeia r1", 0xf8910a00, false, MEM(R(1)), FROM_MEMORY);
	expect("rfeib r1", 0xf9910a00, false, MEM(R(1) + 4), FROM_MEMORY);
	expect("rfeda r1", 0xf8110a00, false, MEM(R(1) - 4), FROM_MEMORY);
	expect("rfedb r1", 0xf9110a00, false, MEM(R(1) - 8), FROM_MEMORY);
	expect("subs pc, lr, #4", 0xe25ef004, false, R(14) - 5, ARM);
	expect("mov r0, r1", 0xe1a00001, false, PC_AT + 4, ARM);
	expect("mul r0, r1, r2", 0xe0000291, false, PC_AT + 4, ARM);
	expect("cmp pc, #0", 0xe35f0000, false, PC_AT + 4, ARM);
	expect("tst r1, r2", 0xe1110002, false, PC_AT + 4, ARM);
	expect("msr cpsr_f, #0xf0000000", 0xe328f20f, false, PC_AT + 4, ARM);
	expect("mrs r0, cpsr", 0xe10f0000, false, PC_AT + 4, ARM);
	expect("movw r0, #0xffff", 0xe30f0fff, false, PC_AT + 4, ARM);
	expect("movt r0, #0xffff", 0xe34f0fff, false, PC_AT + 4, ARM);
	expect("ldrh r0, [r1]", 0xe1d100b0, false, PC_AT + 4, ARM);
	expect("ldrd r0, r1, [r2]", 0xe1c200d0, false, PC_AT + 4, ARM);
	expect("strd r0, r1, [r2]", 0xe1c200f0, false, PC_AT + 4, ARM);
	expect("clz r0, r1", 0xe16f0f11, false, PC_AT + 4, ARM);
	expect("mrc p15, 0, apsr_nzcv, c7, c14, 3", 0xee17ff7e, false, PC_AT + 4, ARM);
	expect("vmrs apsr_nzcv, fpscr", 0xeef1fa10, false, PC_AT + 4, ARM);
	expect("vldr d15, [r1]", 0xed91fb00, false, PC_AT + 4, ARM);
	expect("svc 0", 0xef000000, false, PC_AT + 4, ARM);
	expect("bkpt 0", 0xe1200070, false, PC_AT + 4, ARM);
	expect("strex r0, r1, [r2]", 0xe1820f91, false, PC_AT + 4, ARM);
	expect("usad8 r0, r1, r2", 0xe780f211, false, PC_AT + 4, ARM);
	expect("sdiv r0, r1, r2", 0xe710f211, false, PC_AT + 4, ARM);
	expect("pld [r1]", 0xf5d1f000, false, PC_AT + 4, ARM);
	expect("nop", 0xe320f000, false, PC_AT + 4, ARM);
	expect("beq .+0x100", 0xa00003e, false, PC_AT + 4, ARM);
	expect("ldreq pc, [r1]", 0x591f000, false, PC_AT + 4, ARM);
	expect("bne .+0x100", 0x1a00003e, false, PC_AT + 0x100, ARM);
}
static void thumb_goes_on_where_the_manual_says(void **state)
{
	expect("b.n .+0x100", 0xe07e, true, PC_AT + 0x100, THUMB);
	expect("b.n .-0x100", 0xe77e, true, PC_AT - 0x100, THUMB);
	expect("b.w .+0x100000", 0xf0ffbffe, true, PC_AT + 0x100000, THUMB);
	expect("b.w .-0x100000", 0xf6ffbffe, true, PC_AT - 0x100000, THUMB);
	expect("bl .+0xabcde", 0xf0abfe6d, true, PC_AT + 0xabcde, THUMB);
	expect("bl .-0xabcde", 0xf754f98f, true, PC_AT - 0xabcde, THUMB);
	expect("blx .+0xabcdc", 0xf0abee6c, true, PC_AT + 0xabcdc, ARM);
	expect("beq.n .+0x40", 0xd01e, true, PC_AT + 2, THUMB);
	expect("bne.n .+0x40", 0xd11e, true, PC_AT + 0x40, THUMB);
	expect("bne.n .-0x40", 0xd1de, true, PC_AT - 0x40, THUMB);
	expect("bne.w .+0xabcde", 0xf06b8e6d, true, PC_AT + 0xabcde, THUMB);
	expect("bne.w .-0xabcde", 0xf454a18f, true, PC_AT - 0xabcde, THUMB);
	expect("beq.w .+0xabcde", 0xf02b8e6d, true, PC_AT + 4, THUMB);
	expect("cbz r1, .+0x44", 0xb301, true, PC_AT + 2, THUMB);
	expect("cbnz r1, .+0x44", 0xbb01, true, PC_AT + 0x44, THUMB);
	expect("cbz r0, .+0x84 - 4", 0xb3f0, true, PC_AT + 0x80, THUMB);
	expect("bx lr", 0x4770, true, R(14) - 1, THUMB);
	expect("bx r1", 0x4708, true, R(1), ARM);
	expect("blx r2", 0x4790, true, R(2), ARM);
	expect("bx pc", 0x4778, true, PC_AT + 4, ARM);
	expect("mov pc, r3", 0x469f, true, R(3), THUMB);
	expect("mov pc, lr", 0x46f7, true, R(14) - 1, THUMB);
	expect("add pc, r4", 0x44a7, true, PC_AT + 4 + R(4), THUMB);
	expect("pop {r4, pc}", 0xbd10, true, MEM(R(13) + 4), ARM);
	expect("pop {pc}", 0xbd00, true, MEM(R(13)), ARM);
	expect("pop.w {r4, r8, pc}", 0xe8bd8110, true, MEM(R(13) + 8), ARM);
	expect("ldmia.w r1, {r0, r2, pc}", 0xe8918005, true, MEM(R(1) + 8), ARM);
	expect("ldmdb r1, {r0, r2, pc}", 0xe9118005, true, MEM(R(1) - 4), ARM);
	expect("ldmia.w r1, {r0, r2}", 0xe8910005, true, PC_AT + 4, THUMB);
	expect("ldr.w pc, [r1, #8]", 0xf8d1f008, true, MEM(R(1) + 8), ARM);
	expect("ldr.w pc, [r1, #-8]", 0xf851fc08, true, MEM(R(1) - 8), ARM);
	expect("ldr.w pc, [r1, #8]!", 0xf851ff08, true, MEM(R(1) + 8), ARM);
	expect("ldr.w pc, [r1], #8", 0xf851fb08, true, MEM(R(1)), ARM);
	expect("ldr.w pc, [r1, r4, lsl #2]", 0xf851f024, true, MEM(R(1) + 4 * R(4)), ARM);
	expect("ldr.w pc, [pc, #16]", 0xf8dff010, true, MEM(PC_AT + 4 + 16), ARM);
	expect("ldr.w pc, [pc, #-16]", 0xf85ff010, true, MEM(PC_AT + 4 - 16), ARM);
	expect("ldr.w pc, [r7]", 0xf8d7f000, true, 0xfffe, THUMB);
	expect("ldr.w r8, [r1]", 0xf8d18000, true, PC_AT + 4, THUMB);
	expect("ldrb.w r8, [r1]", 0xf8918000, true, PC_AT + 4, THUMB);
	expect("str.w r8, [r1]", 0xf8c18000, true, PC_AT + 4, THUMB);
	expect("pld [r1]", 0xf891f000, true, PC_AT + 4, THUMB);
	expect("tbb [r1, r0]", 0xe8d1f000, true, PC_AT + 4 + 2 * (MEM(R(1)) & 0xff), THUMB);
	expect("tbh [r1, r0, lsl #1]", 0xe8d1f010, true, PC_AT + 4 + 2 * (MEM(R(1)) & 0xffff),
	       THUMB);
	expect("tbb [pc, r0]", 0xe8dff000, true, PC_AT + 4 + 2 * (MEM(PC_AT + 4) & 0xff), THUMB);
	expect("rfeia r1", 0xe991c000, true, MEM(R(1)), FROM_MEMORY);
	expect("rfedb r1", 0xe811c000, true, MEM(R(1) - 8), FROM_MEMORY);
	expect("subs pc, lr, #4", 0xf3de8f04, true, R(14) - 4 - 1, THUMB);
	expect("mov r0, r1", 0x4608, true, PC_AT + 2, THUMB);
	expect("mov r8, r1", 0x4688, true, PC_AT + 2, THUMB);
	expect("add r8, r1", 0x4488, true, PC_AT + 2, THUMB);
	expect("cmp r8, r1", 0x4588, true, PC_AT + 2, THUMB);
	expect("push {r0, lr}", 0xb501, true, PC_AT + 2, THUMB);
	expect("pop {r0}", 0xbc01, true, PC_AT + 2, THUMB);
	expect("svc 0", 0xdf00, true, PC_AT + 2, THUMB);
	expect("bkpt 0", 0xbe00, true, PC_AT + 2, THUMB);
	expect("udf #0", 0xde00, true, PC_AT + 2, THUMB);
	expect("it eq", 0xbf08, true, PC_AT + 2, THUMB);
	expect("nop.n", 0xbf00, true, PC_AT + 2, THUMB);
	expect("nop.w", 0xf3af8000, true, PC_AT + 4, THUMB);
	expect("msr cpsr_f, r1", 0xf3818800, true, PC_AT + 4, THUMB);
	expect("mrs r0, cpsr", 0xf3ef8000, true, PC_AT + 4, THUMB);
	expect("dmb", 0xf3bf8f5f, true, PC_AT + 4, THUMB);
	expect("ldrd r0, r1, [r2]", 0xe9d20100, true, PC_AT + 4, THUMB);
	expect("strexb r0, r1, [r2]", 0xe8c21f40, true, PC_AT + 4, THUMB);
	expect("movw r0, #0x1234", 0xf2412034, true, PC_AT + 4, THUMB);
	expect("vldr d15, [r1]", 0xed91fb00, true, PC_AT + 4, THUMB);
	expect("ldrh r0, [r1, r2]", 0x5a88, true, PC_AT + 2, THUMB);
}

/* A8.3, table A8-1, as it stands there. */
static bool holds(unsigned cond, bool n, bool z, bool c, bool v)
{
	switch (cond) {
	case 0:
		return z;
	case 1:
		return !z;
	case 2:
		return c;
	case 3:
		return !c;
	case 4:
		return n;
	case 5:
		return !n;
	case 6:
		return v;
	case 7:
		return !v;
	case 8:
		return c && !z;
	case 9:
		return !c || z;
	case 10:
		return n == v;
	case 11:
		return n != v;
	case 12:
		return !z && n == v;
	case 13:
		return z || n != v;
	}
	return true;
}

static void every_condition_with_all_flags(void **state)
{
	for (u32 flags = 0; flags < 16; flags++) {
		for (u32 cond = 0; cond < 15; cond++) {
			bool taken = holds(cond, flags & 8, flags & 4, flags & 2, flags & 1);
			u32 it = cond << 4 | 8, cpsr = flags << 28;
			u32 it_bits = (it & 3) << 25 | it >> 2 << 10;

			put(cond << 28 | 0x0a00003e, false); /* B<c> .+0x100 */
			assert_int_equal(next_of(cpsr).at[0].pc, CODE + (taken ? 0x100 : 4));
			put(cond << 28 | 0x0591f000, false); /* LDR<c> pc, [r1] */
			assert_int_equal(next_of(cpsr).at[0].pc, taken ? MEM(R(1)) : CODE + 4);
			put(0x4708, true); /* BX r1, in an IT block */
			assert_int_equal(next_of(cpsr | CPSR_T | it_bits).at[0].pc,
					 taken ? R(1) : CODE + 2);
			put(0xf851f000, true); /* LDR pc, [r1] there, twice: not its last one */
			it_bits = ((it | 4) & 3) << 25 | (it | 4) >> 2 << 10;
			assert_int_equal(next_of(cpsr | CPSR_T | it_bits).at[0].pc,
					 taken ? MEM(R(1)) : CODE + 4);
			if (cond == 14)
				continue;
			put(0xd01e | cond << 8, true); /* B<c> .+0x40 */
			assert_int_equal(next_of(cpsr | CPSR_T).at[0].pc,
					 CODE + (taken ? 0x40 : 2));
			put(0xf0008020 | cond << 22, true); /* B<c>.W .+0x44 */
			assert_int_equal(next_of(cpsr | CPSR_T).at[0].pc,
					 CODE + (taken ? 0x44 : 4));
		}
	}
}

/* Every amount of every kind of shift, by the definitions of A2.2.1 bit for bit. */
static void every_shift(void **state)
{
	const u32 value = 0x87654440;

	for (u32 type = 0; type < 4; type++) {
		for (u32 amount = 0; amount < 32; amount++) {
			u32 by = !amount && type ? 32 : amount, expected = 0;
			bool rrx = type == 3 && !amount;

			for (u32 i = 0; i < 32; i++) {
				s32 from = type == 0 ? (s32)(i - by) : (s32)(i + (rrx ? 1 : by));

				if (type == 2 && from > 31)
					from = 31;
				if (type == 3 && !rrx)
					from &= 31;
				if (from >= 0 && from < 32)
					expected |= (value >> from & 1) << i;
			}
			if (rrx)
				expected |= 1U << 31;
			put(0xe1a0f009 | amount << 7 | type << 5, false); /* MOV pc, r9, ... */
			assert_int_equal(next_of(CPSR_C).at[0].pc, by_bit_0(expected).pc);
		}
	}
}

static void what_can_not_be_read_goes_nowhere(void **state)
{
	unreadable = true;
	assert_int_equal(next_of(0).nr, 0);
	assert_int_equal(next_of(CPSR_T).nr, 0);
	unreadable = false;
	/* A load that will fault. */
	put(0xe59cf000, false);
	assert_int_equal(next_of(0).at[0].pc, CODE + 4);
	put(0xf8dcf000, true);
	assert_int_equal(next_of(CPSR_T).at[0].pc, CODE + 4);
}

/* --- Exclusive accesses --- */

static void expect_places(const u32 *insns, unsigned n, bool thumb, const u32 *offsets, unsigned nr)
{
	struct step_next next;

	memcpy(code, insns, n * sizeof(u32));
	code_size = n * sizeof(u32);
	next = next_of(thumb ? CPSR_T : 0);
	assert_int_equal(next.nr, nr);
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(next.at[i].pc, CODE + offsets[i]);
		assert_int_equal(next.at[i].thumb, thumb);
	}
}

#define EXPECT_PLACES(insns, thumb, ...)                                           \
	expect_places(insns, ARRAY_SIZE(insns), thumb, (const u32[]){__VA_ARGS__}, \
		      ARRAY_SIZE(((const u32[]){__VA_ARGS__})))

static void exclusive_sequences_are_left_whole(void **state)
{
	/* LDREX; CMP; BNE/BHI .+12; STREX */
	static const u32 swap[] = {0xe1910f9f, 0xe1500002, 0x1a000001, 0xe1813f92};
	static const u32 high[] = {0xe1910f9f, 0xe1500002, 0x8a000001, 0xe1813f92};
	static const u32 inside[] = {0xe1910f9f, 0xe1500002, 0x1affffff, 0xe1813f92};
	static const u32 doubles[] = {0xe1b14f9f, 0xe1500002, 0xe1a13f94};
	static const u32 cleared[] = {0xe1d10f9f, 0xe1500002, 0xf57ff01f};
	static const u32 again[] = {0xe1910f9f, 0xe1910f9f, 0xe1813f92};
	static const u32 endless[16] = {0xe1910f9f};
	static const u32 store[] = {0xe1813f92};
	/* LDREX; NOP, CBNZ r0, .+8; STREX; and with LDREXH, B<ne>.N .+8, CLREX */
	static const u32 thumb[] = {0x0f00e851, 0xb910bf00, 0x2300e841};
	static const u32 thumb_half[] = {0x0f5fe8d1, 0xbf00d102, 0x8f2ff3bf};

	EXPECT_PLACES(swap, false, 16, 20);
	EXPECT_PLACES(high, false, 16, 20);
	EXPECT_PLACES(inside, false, 16);
	EXPECT_PLACES(doubles, false, 12);
	EXPECT_PLACES(cleared, false, 12);
	EXPECT_PLACES(again, false, 4);
	EXPECT_PLACES(endless, false, 4);
	EXPECT_PLACES(store, false, 4);
	EXPECT_PLACES(thumb, true, 12, 14);
	EXPECT_PLACES(thumb_half, true, 12);
}

/* The instruction at @at of what is at CODE; no offsets: it is in no sequence. */
static void expect_exits(const u32 *insns, unsigned n, bool thumb, u32 at, const u32 *offsets,
			 unsigned nr)
{
	struct step_cpu cpu = {.r = r, .cpsr = thumb ? CPSR_T : 0, .read = read_memory};
	struct step_next next;
	bool inside;

	memcpy(code, insns, n * sizeof(u32));
	code_size = n * sizeof(u32);
	r[15] = CODE + at;
	assert_true(step_fetch(&cpu));
	inside = step_leave_sequence(&cpu, &next);
	r[15] = CODE;
	assert_int_equal(inside, !!nr);
	if (inside)
		assert_int_equal(next.nr, nr);
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(next.at[i].pc, CODE + offsets[i]);
		assert_int_equal(next.at[i].thumb, thumb);
	}
}

#define EXPECT_EXITS(insns, thumb, at, ...)                                           \
	expect_exits(insns, ARRAY_SIZE(insns), thumb, at, (const u32[]){__VA_ARGS__}, \
		     ARRAY_SIZE(((const u32[]){__VA_ARGS__})))

static void sequences_are_left_from_within(void **state)
{
	/* DMB; LDREX; CMP; BNE .+24; STREX; CMP; BNE .-20; DMB */
	static const u32 swap[] = {0xf57ff05b, 0xe1910f9f, 0xe1500002, 0x1a000004,
				   0xe1813f92, 0xe3530000, 0x1afffff9, 0xf57ff05b};
	/* LDREX; STREX; BX lr: it is tried once. */
	static const u32 once[] = {0xe1910f9f, 0xe1813f92, 0xe12fff1e};
	/* One sequence after the other. */
	static const u32 two[] = {0xe1910f9f, 0xe1813f92, 0xe1910f9f, 0xe1500002, 0xe1813f92};
	/* LDREX; ADDS r0, #1; STREX; CMP r3, #0; BNE .-12; NOP */
	static const u32 thumb[] = {0x0f00e851, 0xe8413001, 0x2b000300, 0xbf00d1f8};

	EXPECT_EXITS(swap, false, 4);
	for (u32 at = 8; at <= 16; at += 4)
		EXPECT_EXITS(swap, false, at, 28, 36);
	EXPECT_EXITS(swap, false, 20);
	EXPECT_EXITS(once, false, 4, 8);
	EXPECT_EXITS(once, false, 8);
	EXPECT_EXITS(two, false, 4, 8);
	EXPECT_EXITS(two, false, 12, 20);
	EXPECT_EXITS(thumb, true, 4, 14);
	EXPECT_EXITS(thumb, true, 6, 14);
	EXPECT_EXITS(thumb, true, 10);
	unreadable = true;
	assert_false(step_leave_sequence(&(struct step_cpu){.r = r, .read = read_memory}, NULL));
}

/* --- Loads and stores --- */

/* @size 0: it accesses nothing, or that is not told. */
static void expect_access(const char *text, u32 insn, bool thumb, u32 first, u32 size,
			  unsigned kinds)
{
	struct step_cpu cpu = {.r = r, .cpsr = thumb ? CPSR_T : 0, .read = read_memory};
	struct step_access access = {};
	bool told;

	put(insn, thumb);
	assert_true(step_fetch(&cpu));
	told = step_access(&cpu, &access);
	if (told != !!size || (told && (access.first != first || access.last - first + 1 != size ||
					access.kinds != kinds)))
		fail_msg("%s: %d, 0x%x to 0x%x, kinds %u", text, told, access.first, access.last,
			 access.kinds);
}

static void arm_accesses_are_told(void **state)
{
	expect_access("ldr r0, [r1, #8]", 0xe5910008, false, R(1) + 8, 4, STEP_LOADS);
	expect_access("str r0, [r1, #-8]", 0xe5010008, false, R(1) - 8, 4, STEP_STORES);
	expect_access("str r0, [r1, #8]!", 0xe5a10008, false, R(1) + 8, 4, STEP_STORES);
	expect_access("ldr r0, [r1], #8", 0xe4910008, false, R(1), 4, STEP_LOADS);
	expect_access("ldrb r0, [r1, r4, lsl #2]", 0xe7d10104, false, R(1) + 4 * R(4), 1,
		      STEP_LOADS);
	expect_access("strb r0, [r1, -r4]", 0xe7410004, false, R(1) - R(4), 1, STEP_STORES);
	expect_access("strt r0, [r1], #4", 0xe4a10004, false, R(1), 4, STEP_STORES);
	expect_access("ldr r0, [pc, #16]", 0xe59f0010, false, PC_AT + 8 + 16, 4, STEP_LOADS);
	expect_access("ldrh r0, [r1, #0x24]", 0xe1d102b4, false, R(1) + 0x24, 2, STEP_LOADS);
	expect_access("strh r0, [r1, -r4]", 0xe10100b4, false, R(1) - R(4), 2, STEP_STORES);
	expect_access("ldrsb r0, [r1, #3]", 0xe1d100d3, false, R(1) + 3, 1, STEP_LOADS);
	expect_access("ldrsh r0, [r1], #2", 0xe0d100f2, false, R(1), 2, STEP_LOADS);
	expect_access("ldrd r2, r3, [r1, #-16]", 0xe14121d0, false, R(1) - 16, 8, STEP_LOADS);
	expect_access("strd r2, r3, [r1, r4]", 0xe18120f4, false, R(1) + R(4), 8, STEP_STORES);
	expect_access("ldrex r0, [r1]", 0xe1910f9f, false, R(1), 4, STEP_LOADS);
	expect_access("strex r0, r2, [r1]", 0xe1810f92, false, R(1), 4, STEP_STORES);
	expect_access("ldrexd r2, r3, [r1]", 0xe1b12f9f, false, R(1), 8, STEP_LOADS);
	expect_access("strexb r0, r2, [r1]", 0xe1c10f92, false, R(1), 1, STEP_STORES);
	expect_access("ldrexh r0, [r1]", 0xe1f10f9f, false, R(1), 2, STEP_LOADS);
	expect_access("swp r0, r2, [r1]", 0xe1010092, false, R(1), 4, STEP_LOADS | STEP_STORES);
	expect_access("swpb r0, r2, [r1]", 0xe1410092, false, R(1), 1, STEP_LOADS | STEP_STORES);
	expect_access("ldm r1, {r0, r2, r3}", 0xe891000d, false, R(1), 12, STEP_LOADS);
	expect_access("stmib r1!, {r0, r2}", 0xe9a10005, false, R(1) + 4, 8, STEP_STORES);
	expect_access("ldmda r1, {r0, r2, r3}", 0xe811000d, false, R(1) - 8, 12, STEP_LOADS);
	expect_access("stmdb r1, {r0, r2}", 0xe9010005, false, R(1) - 8, 8, STEP_STORES);
	expect_access("push {r4, r5, lr}", 0xe92d4030, false, R(13) - 12, 12, STEP_STORES);
	expect_access("pop {r4, pc}", 0xe8bd8010, false, R(13), 8, STEP_LOADS);
	expect_access("rfeia r1", 0xf8910a00, false, R(1), 8, STEP_LOADS);
	expect_access("rfeib r1", 0xf9910a00, false, R(1) + 4, 8, STEP_LOADS);
	expect_access("rfeda r1", 0xf8110a00, false, R(1) - 4, 8, STEP_LOADS);
	expect_access("rfedb r1", 0xf9110a00, false, R(1) - 8, 8, STEP_LOADS);
	expect_access("vldr d15, [r1, #-8]", 0xed11fb02, false, R(1) - 8, 8, STEP_LOADS);
	expect_access("vstr s1, [r1, #12]", 0xedc10a03, false, R(1) + 12, 4, STEP_STORES);
	expect_access("vldr d1, [pc, #8]", 0xed9f1b02, false, PC_AT + 8 + 8, 8, STEP_LOADS);
	expect_access("vldmia r1!, {d0-d3}", 0xecb10b08, false, R(1), 32, STEP_LOADS);
	expect_access("vstmdb r1!, {d0-d1}", 0xed210b04, false, R(1) - 16, 16, STEP_STORES);
	expect_access("vpush {s0-s2}", 0xed2d0a03, false, R(13) - 12, 12, STEP_STORES);
	expect_access("vldmia r1, {s0-s2}", 0xec910a03, false, R(1), 12, STEP_LOADS);
	expect_access("vld1.32 {d8}, [r1]", 0xf421878f, false, R(1), 8, STEP_LOADS);
	expect_access("vst1.8 {d0-d3}, [r1]!", 0xf401020d, false, R(1), 32, STEP_STORES);
	expect_access("vst1.64 {d0-d2}, [r1], r4", 0xf40106c4, false, R(1), 24, STEP_STORES);
	expect_access("vld1.16 {d0, d1}, [r1]", 0xf4210a4f, false, R(1), 16, STEP_LOADS);
	expect_access("vld2.8 {d0, d1}, [r1]", 0xf421080f, false, R(1), 16, STEP_LOADS);
	expect_access("vld2.8 {d0, d2}, [r1]", 0xf421090f, false, R(1), 16, STEP_LOADS);
	expect_access("vst2.8 {d0-d3}, [r1]", 0xf401030f, false, R(1), 32, STEP_STORES);
	expect_access("vld3.16 {d0-d2}, [r1]", 0xf421044f, false, R(1), 24, STEP_LOADS);
	expect_access("vld3.16 {d0, d2, d4}, [r1]", 0xf421054f, false, R(1), 24, STEP_LOADS);
	expect_access("vst4.32 {d0-d3}, [r1]", 0xf401008f, false, R(1), 32, STEP_STORES);
	expect_access("vst4.32 {d0, d2, d4, d6}, [r1]", 0xf401018f, false, R(1), 32, STEP_STORES);
	expect_access("vst1.8 {d0[3]}, [r1]", 0xf481006f, false, R(1), 1, STEP_STORES);
	expect_access("vld2.16 {d0[1], d1[1]}, [r1]", 0xf4a1054f, false, R(1), 4, STEP_LOADS);
	expect_access("vst4.32 {d0[1], d1[1], d2[1], d3[1]}, [r1]", 0xf4810b8f, false, R(1), 16,
		      STEP_STORES);
	expect_access("vld1.32 {d0[]}, [r1]", 0xf4a10c8f, false, R(1), 4, STEP_LOADS);
	expect_access("vld3.8 {d0[], d1[], d2[]}, [r1]", 0xf4a10e0f, false, R(1), 3, STEP_LOADS);
	expect_access("vld4.32 {d0[], d1[], d2[], d3[]}, [r1]", 0xf4a10f8f, false, R(1), 16,
		      STEP_LOADS);
	expect_access("mul r0, r1, r2", 0xe0000291, false, 0, 0, 0);
	expect_access("add r0, r1, r2", 0xe0810002, false, 0, 0, 0);
	expect_access("b .", 0xeafffffe, false, 0, 0, 0);
	expect_access("svc 0", 0xef000000, false, 0, 0, 0);
	expect_access("usad8 r0, r1, r2", 0xe780f211, false, 0, 0, 0);
	expect_access("pld [r1]", 0xf5d1f000, false, 0, 0, 0);
	expect_access("vmov r0, r1, d0", 0xec510b10, false, 0, 0, 0);
	expect_access("mrrc p15, 0, r0, r1, c14", 0xec510f0e, false, 0, 0, 0);
	expect_access("srsdb sp!, #19", 0xf96d0513, false, 0, 0, 0);
}

static void thumb_accesses_are_told(void **state)
{
	expect_access("ldr.n r0, [pc, #16]", 0x4804, true, PC_AT + 4 + 16, 4, STEP_LOADS);
	expect_access("str r0, [r1, r4]", 0x5108, true, R(1) + R(4), 4, STEP_STORES);
	expect_access("strh r0, [r1, r4]", 0x5308, true, R(1) + R(4), 2, STEP_STORES);
	expect_access("strb r0, [r1, r4]", 0x5508, true, R(1) + R(4), 1, STEP_STORES);
	expect_access("ldrsb r0, [r1, r4]", 0x5708, true, R(1) + R(4), 1, STEP_LOADS);
	expect_access("ldr r0, [r1, r4]", 0x5908, true, R(1) + R(4), 4, STEP_LOADS);
	expect_access("ldrh r0, [r1, r4]", 0x5b08, true, R(1) + R(4), 2, STEP_LOADS);
	expect_access("ldrb r0, [r1, r4]", 0x5d08, true, R(1) + R(4), 1, STEP_LOADS);
	expect_access("ldrsh r0, [r1, r4]", 0x5f08, true, R(1) + R(4), 2, STEP_LOADS);
	expect_access("ldr r0, [r1, #8]", 0x6888, true, R(1) + 8, 4, STEP_LOADS);
	expect_access("str r0, [r1, #124]", 0x67c8, true, R(1) + 124, 4, STEP_STORES);
	expect_access("ldrb r0, [r1, #5]", 0x7948, true, R(1) + 5, 1, STEP_LOADS);
	expect_access("strb r0, [r1, #31]", 0x77c8, true, R(1) + 31, 1, STEP_STORES);
	expect_access("ldrh r0, [r1, #6]", 0x88c8, true, R(1) + 6, 2, STEP_LOADS);
	expect_access("strh r0, [r1, #62]", 0x87c8, true, R(1) + 62, 2, STEP_STORES);
	expect_access("ldr r0, [sp, #1020]", 0x98ff, true, R(13) + 1020, 4, STEP_LOADS);
	expect_access("str r0, [sp, #4]", 0x9001, true, R(13) + 4, 4, STEP_STORES);
	expect_access("push {r0, r4, lr}", 0xb511, true, R(13) - 12, 12, STEP_STORES);
	expect_access("pop {r0, r4}", 0xbc11, true, R(13), 8, STEP_LOADS);
	expect_access("pop {r0, pc}", 0xbd01, true, R(13), 8, STEP_LOADS);
	expect_access("ldmia r1!, {r0, r2}", 0xc905, true, R(1), 8, STEP_LOADS);
	expect_access("stmia r1!, {r0, r2, r3}", 0xc10d, true, R(1), 12, STEP_STORES);
	expect_access("movs r0, #1", 0x2001, true, 0, 0, 0);
	expect_access("bx lr", 0x4770, true, 0, 0, 0);
	expect_access("adds r0, r1, r2", 0x1888, true, 0, 0, 0);
	expect_access("cbz r1, .+0x44", 0xb301, true, 0, 0, 0);
	expect_access("nop.n", 0xbf00, true, 0, 0, 0);
	expect_access("ldr.w r8, [r1, #0xffc]", 0xf8d18ffc, true, R(1) + 0xffc, 4, STEP_LOADS);
	expect_access("str.w r8, [r1, #-8]", 0xf8418c08, true, R(1) - 8, 4, STEP_STORES);
	expect_access("str.w r8, [r1, #8]!", 0xf8418f08, true, R(1) + 8, 4, STEP_STORES);
	expect_access("ldr.w r8, [r1], #8", 0xf8518b08, true, R(1), 4, STEP_LOADS);
	expect_access("ldrb.w r8, [r1, r4, lsl #3]", 0xf8118034, true, R(1) + 8 * R(4), 1,
		      STEP_LOADS);
	expect_access("strh.w r8, [r1, #0x124]", 0xf8a18124, true, R(1) + 0x124, 2, STEP_STORES);
	expect_access("ldrsh.w r8, [r1, #-2]", 0xf9318c02, true, R(1) - 2, 2, STEP_LOADS);
	expect_access("ldrsb.w r8, [pc, #-16]", 0xf91f8010, true, PC_AT + 4 - 16, 1, STEP_LOADS);
	expect_access("strt r8, [r1, #4]", 0xf8418e04, true, R(1) + 4, 4, STEP_STORES);
	expect_access("ldmia.w r1, {r0, r8}", 0xe8910101, true, R(1), 8, STEP_LOADS);
	expect_access("stmdb r1!, {r0, r8, r9}", 0xe9210301, true, R(1) - 12, 12, STEP_STORES);
	expect_access("push.w {r4, r8, lr}", 0xe92d4110, true, R(13) - 12, 12, STEP_STORES);
	expect_access("ldrd r2, r3, [r1, #-16]", 0xe9512304, true, R(1) - 16, 8, STEP_LOADS);
	expect_access("strd r2, r3, [r1], #8", 0xe8e12302, true, R(1), 8, STEP_STORES);
	expect_access("ldrex r0, [r1, #12]", 0xe8510f03, true, R(1) + 12, 4, STEP_LOADS);
	expect_access("strex r0, r2, [r1, #4]", 0xe8412001, true, R(1) + 4, 4, STEP_STORES);
	expect_access("ldrexb r0, [r1]", 0xe8d10f4f, true, R(1), 1, STEP_LOADS);
	expect_access("strexh r0, r2, [r1]", 0xe8c12f50, true, R(1), 2, STEP_STORES);
	expect_access("strexd r0, r2, r3, [r1]", 0xe8c12370, true, R(1), 8, STEP_STORES);
	expect_access("tbb [r1, r4]", 0xe8d1f004, true, R(1) + R(4), 1, STEP_LOADS);
	expect_access("tbh [r1, r4, lsl #1]", 0xe8d1f014, true, R(1) + 2 * R(4), 2, STEP_LOADS);
	expect_access("rfeia r1", 0xe991c000, true, R(1), 8, STEP_LOADS);
	expect_access("rfedb r1", 0xe811c000, true, R(1) - 8, 8, STEP_LOADS);
	expect_access("vldr d15, [r1, #8]", 0xed91fb02, true, R(1) + 8, 8, STEP_LOADS);
	expect_access("vstmia r1, {s0-s2}", 0xec810a03, true, R(1), 12, STEP_STORES);
	expect_access("vst1.32 {d8}, [r1]", 0xf901878f, true, R(1), 8, STEP_STORES);
	expect_access("vld4.8 {d0[2], d1[2], d2[2], d3[2]}, [r1]", 0xf9a1034f, true, R(1), 4,
		      STEP_LOADS);
	expect_access("pld [r1, #4]", 0xf891f004, true, 0, 0, 0);
	expect_access("movw r0, #0x1234", 0xf2412034, true, 0, 0, 0);
	expect_access("bl .+0x100", 0xf000f87e, true, 0, 0, 0);
	expect_access("dmb", 0xf3bf8f5f, true, 0, 0, 0);
	expect_access("mul r0, r1, r2", 0xfb01f002, true, 0, 0, 0);
}

static void what_can_not_be_read_accesses_nothing(void **state)
{
	struct step_cpu cpu = {.r = r, .cpsr = 0, .read = read_memory};
	struct step_access access;

	unreadable = true;
	assert_false(step_fetch(&cpu));
	assert_false(step_access(&cpu, &access));
}

/* --- Words of a program --- */

static struct {
	u32 addr, value;
} stored[16];
static unsigned nr_stored, room;

static bool store_memory(u32 addr, u32 value)
{
	if (nr_stored == room)
		return false;
	stored[nr_stored].addr = addr;
	stored[nr_stored++].value = value;
	return true;
}

static bool carry_out_words_of(u32 insn, bool thumb)
{
	struct step_cpu cpu = {.r = r, .cpsr = thumb ? CPSR_T : 0, .read = read_memory};

	put(insn, thumb);
	nr_stored = 0;
	assert_true(step_fetch(&cpu));
	return step_carry_out_words(&cpu, r, store_memory);
}

static void words_are_carried_out_as_the_instruction_does(void **state)
{
	room = 16;
	assert_true(carry_out_words_of(0xe5810008, false)); /* STR r0, [r1, #8] */
	assert_int_equal(nr_stored, 1);
	assert_int_equal(stored[0].addr, 0x4008);
	assert_int_equal(r[1], 0x4000);
	assert_int_equal(r[15], CODE + 4);
	set_up(NULL);
	assert_true(carry_out_words_of(0xe52d4008, false)); /* STR r4, [sp, #-8]! */
	assert_int_equal(stored[0].addr, 0x6ff8);
	assert_int_equal(stored[0].value, 0x40);
	assert_int_equal(r[13], 0x6ff8);
	set_up(NULL);
	assert_true(carry_out_words_of(0xe4910008, false)); /* LDR r0, [r1], #8 */
	assert_int_equal(r[0], MEM(0x4000));
	assert_int_equal(r[1], 0x4008);
	set_up(NULL);
	assert_true(carry_out_words_of(0xe92d4030, false)); /* PUSH {r4, r5, lr} */
	assert_int_equal(nr_stored, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const u32 of[3] = {0x40, 0x07654400, 0x5001};

		assert_int_equal(stored[i].addr, 0x6ff4 + 4 * i);
		assert_int_equal(stored[i].value, of[i]);
	}
	assert_int_equal(r[13], 0x6ff4);
	set_up(NULL);
	assert_true(carry_out_words_of(0xe9b10015, false)); /* LDMIB r1!, {r0, r2, r4} */
	assert_int_equal(r[0], MEM(0x4004));
	assert_int_equal(r[2], MEM(0x4008));
	assert_int_equal(r[4], MEM(0x400c));
	assert_int_equal(r[1], 0x400c);
}

/* With all that they change as it was: then they are stepped over. */
static void other_words_are_not(void **state)
{
	static const u32 others[] = {
	    0x05810008,                         /* STREQ r0, [r1, #8] */
	    0xe581f000, 0xe59f0008, 0xe591f000, /* the PC is stored, a base, loaded */
	    0xe5b11008, 0xe5a11008,             /* LDR, STR r1, [r1, #8]! */
	    0xe8918001, 0xe8b10003, 0xe8810000, /* LDM of the PC, and of its base; of none */
	    0xe8d10001, 0xe5d10000, 0xe7910004, /* LDM ^, LDRB, LDR by a register */
	    0xe1a00001, 0xf5d1f000, 0xe59c0000, /* MOV, PLD, LDR of what is not there */
	    0xe89c0003,                         /* LDM of it */
	};
	unsigned long before[16];

	room = 16;
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
		set_up(NULL);
		memcpy(before, r, sizeof(before));
		if (carry_out_words_of(others[i], false))
			fail_msg("0x%x", others[i]);
		assert_memory_equal(before, r, sizeof(before));
	}
	assert_false(carry_out_words_of(0x6008, true));
	r[1] |= 2;
	assert_false(carry_out_words_of(0xe8810005, false)); /* STM at no word's address */
	set_up(NULL);
	room = 2; /* PUSH {r4, r5, lr}, of which the last is not there */
	assert_false(carry_out_words_of(0xe92d4030, false));
	assert_int_equal(r[13], 0x7000);
	assert_int_equal(r[15], CODE);
}

/* --- Interrupt masks --- */

static bool carry_out(u32 insn, u32 before, u32 *after)
{
	struct step_cpu cpu = {.r = r, .cpsr = before, .read = read_memory};
	unsigned long cpsr = before;
	bool done;

	put(insn, false);
	assert_true(step_fetch(&cpu));
	done = step_carry_out_masks(&cpu, r, &cpsr);
	*after = cpsr;
	assert_int_equal(r[15], CODE + (done ? 4 : 0));
	r[15] = CODE;
	return done;
}

static void masks_are_seen_and_changed_as_they_are(void **state)
{
	u32 cpsr;

	assert_true(carry_out(0xf1080080, 0xd3, &cpsr)); /* CPSIE i */
	assert_int_equal(cpsr, 0x53);
	assert_true(carry_out(0xf10c01c0, 0x13, &cpsr)); /* CPSID aif */
	assert_int_equal(cpsr, 0x1d3);
	assert_true(carry_out(0xe10f0000, 0x60000013, &cpsr)); /* MRS r0, cpsr */
	assert_int_equal(r[0], 0x60000013);
	r[1] = 0xf00000d3;
	assert_true(carry_out(0xe121f001, 0x13, &cpsr)); /* MSR cpsr_c, r1 */
	assert_int_equal(cpsr, 0xd3);
	assert_true(carry_out(0x0121f001, 0x13, &cpsr)); /* MSReq */
	assert_int_equal(cpsr, 0x13);
	assert_true(carry_out(0xe321f0d3, 0x40000013, &cpsr)); /* MSR cpsr_c, #0xd3 */
	assert_int_equal(cpsr, 0x400000d3);
	assert_true(carry_out(0xe328f101, 0xb0000093, &cpsr)); /* MSR cpsr_f, #0x40000000 */
	assert_int_equal(cpsr, 0x40000093);
	/* To another mode; of that a saved status; and what else there is. */
	r[1] = 0xd2;
	assert_false(carry_out(0xe121f001, 0x13, &cpsr));
	assert_false(carry_out(0xf102001f, 0x13, &cpsr));
	assert_false(carry_out(0xf10e009f, 0x13, &cpsr));
	assert_false(carry_out(0xe14f0000, 0x13, &cpsr));
	assert_false(carry_out(0xe320f003, 0x13, &cpsr)); /* WFI */
	assert_false(carry_out(0xe1a00001, 0x13, &cpsr));
	assert_int_equal(cpsr, 0x13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(arm_goes_on_where_the_manual_says, set_up),
	    cmocka_unit_test_setup(thumb_goes_on_where_the_manual_says, set_up),
	    cmocka_unit_test_setup(every_condition_with_all_flags, set_up),
	    cmocka_unit_test_setup(every_shift, set_up),
	    cmocka_unit_test_setup(what_can_not_be_read_goes_nowhere, set_up),
	    cmocka_unit_test_setup(exclusive_sequences_are_left_whole, set_up),
	    cmocka_unit_test_setup(sequences_are_left_from_within, set_up),
	    cmocka_unit_test_setup(arm_accesses_are_told, set_up),
	    cmocka_unit_test_setup(thumb_accesses_are_told, set_up),
	    cmocka_unit_test_setup(what_can_not_be_read_accesses_nothing, set_up),
	    cmocka_unit_test_setup(words_are_carried_out_as_the_instruction_does, set_up),
	    cmocka_unit_test_setup(other_words_are_not, set_up),
	    cmocka_unit_test_setup(masks_are_seen_and_changed_as_they_are, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
