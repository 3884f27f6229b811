/* SPDX-License-Identifier: MIT */
/* Architecture contract: the end of the machine. */
#pragma once

#include <hotregs/types.h>

/*
 * Ends the machine, once all console output has left it. @code 0..126 reaches the host as the exit
 * status where the board has a way to say it; the boards' run script turns QEMU's encoding back.
 * Any context.
 */
void arch_power_off(int code) __noreturn;

#define POWER_OFF_PANIC 126
