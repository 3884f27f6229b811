/* SPDX-License-Identifier: MIT */
/* PSTATE as SPSR_EL1 has it (Arm ARM DDI 0487, C5.2.19). Assembly includes this too. */
#pragma once

#define PSTATE_MODE 0x1f /* bit 4: AArch32 */
#define PSTATE_F    0x40
#define PSTATE_I    0x80
#define PSTATE_A    0x100
#define PSTATE_D    0x200 /* debug exceptions masked */
#define PSTATE_MASK (PSTATE_D | PSTATE_A | PSTATE_I | PSTATE_F)
#define PSTATE_SS   0x200000 /* one instruction, then a step exception */

#define MODE_EL0  0x0
#define MODE_EL1H 0x5 /* on SP_EL1 */
#define MODE_EL2H 0x9

/* What MSR DAIFSet and DAIFClr are told of each. */
#define DAIF_F 1
#define DAIF_I 2
#define DAIF_A 4
#define DAIF_D 8
