/* SPDX-License-Identifier: MIT */
/* The program status register (ARM DDI 0406C, B1.3.3). Assembly includes this too. */
#pragma once

#define CPSR_MODE 0x1f
#define CPSR_T    0x20  /* Thumb state */
#define CPSR_F    0x40  /* FIQ masked */
#define CPSR_I    0x80  /* IRQ masked */
#define CPSR_A    0x100 /* asynchronous aborts masked */

#define MODE_USR 0x10
#define MODE_SVC 0x13
#define MODE_MON 0x16
#define MODE_ABT 0x17
#define MODE_HYP 0x1a
