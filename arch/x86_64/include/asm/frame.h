/* SPDX-License-Identifier: MIT */
/* Decides from the instruction bytes whether a function has its frame at this very instruction. */
#pragma once

#include <hotregs/types.h>

/* How many bytes of code it takes. */
#define FRAME_CODE_SIZE 4

/*
 * @code: the bytes at an interrupted IP, the first one lowest; zero where there are none. Returns
 * the return address's offset from the stack pointer when the instruction proves that the frame is
 * not built yet or gone already, -1 when it proves nothing. Encodings: Intel SDM vol. 2, PUSH, MOV,
 * RET, ENDBR64. Any context.
 */
static inline long frame_missing(u32 code)
{
	u8 opcode = code;

	if (opcode == 0x55 || opcode == 0xc3)
		return 0; /* push %rbp comes first; ret comes after the pop */
	if (code == 0xfa1e0ff3)
		return 0; /* endbr64 comes first of all */
	if ((code & 0xffffff) == 0xe58948)
		return 8; /* mov %rsp, %rbp follows the push */
	return -1;
}
