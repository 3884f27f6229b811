/* SPDX-License-Identifier: MIT */
/* Between the files of kernel/time. */
#pragma once

struct cpu;

/* Prepares @cpu's tick. */
void time_tick_init(struct cpu *cpu);
