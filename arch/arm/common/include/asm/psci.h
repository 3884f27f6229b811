/* SPDX-License-Identifier: MIT */
/* The firmware's power functions (ARM DEN 0022, 5), called as the device tree says. */
#pragma once

#include <hotregs/board.h>

#define PSCI_SYSTEM_OFF 0x84000008

/* 5.2.2 */
enum psci_result {
	PSCI_SUCCESS = 0,
	PSCI_NOT_SUPPORTED = -1,
	PSCI_INVALID_PARAMETERS = -2,
	PSCI_DENIED = -3,
	PSCI_ALREADY_ON = -4,
	PSCI_ON_PENDING = -5,
	PSCI_INTERNAL_FAILURE = -6,
	PSCI_NOT_PRESENT = -7,
	PSCI_DISABLED = -8,
};

/*
 * Of the architecture: PSCI_CPU_ON, whose arguments are as wide as its registers, and psci_call(),
 * which returns what the firmware does, one of the above or another negative number. Any context.
 */
#include <asm/psci_call.h>
