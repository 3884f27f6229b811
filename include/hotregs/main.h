/* SPDX-License-Identifier: MIT */
/* Start-up's own few words. */
#pragma once

#include <hotregs/types.h>

/* clock_cycles() at the kernel's first instruction. */
extern u64 kernel_entry_cycles;

/* In the test image: takes the machine over when the command line asks for tests. */
bool test_image_start(void);
