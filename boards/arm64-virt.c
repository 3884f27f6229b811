/* SPDX-License-Identifier: MIT */
/* QEMU's "virt" machine: all but the earliest console is its device tree's to tell. */
#include <hotregs/board.h>

const struct board board = {
    .name = "QEMU virt",
    .compatible = "linux,dummy-virt",
    .tree_register = "x0",
    .ram = {.start = 0x40000000},
    .uart = 0x09000000,
    .uart_hz = 24000000,
};
