#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the table of `make bench` from console logs: bench.py ARCHITECTURE BENCH.TSV CONSOLE.LOG...

The guest prints one line an operation, its fields parted by tabs:
    bench <operation> <median> <min> <max>       in guest instructions
"""
import re
import sys

CHAIN_FRAMES = 6 + 16  # kernel and user, of a sample with both chains


def floors(switch_and_pick, hot_regs, frame):
    """By row, from three pieces: a cooperative switch of all callee-saved registers, with interrupts
    off and on and a one-queue pick; IP, SP, FP and mode stored; one frame of a checked walk."""
    return {
        "yield, kernel threads": switch_and_pick,
        "hot regs": hot_regs,
        "kernel chain, per frame": frame,
        "switch sample": hot_regs,
        "switch sample, both chains": hot_regs + CHAIN_FRAMES * frame,
    }


# What hand-written assembly of the architecture needs for the pieces, counted under QEMU. In the
# first of them the switch alone is 15 on x86_64 and 16 on AArch64; on ARMv7-A it is 4, and 2 more with the
# floating-point registers. A row without a floor has none that was counted.
FLOORS = {"x86_64": floors(28, 9, 10), "arm/v7a": floors(17, 6, 8), "arm64": floors(30, 6, 8)}
LINE = re.compile(r"^bench\t([^\t]+)\t(\d+)\t(\d+)\t(\d+)\s*$", re.M)
NONE = re.compile(r"^bench: this machine has no ", re.M)


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: bench.py ARCHITECTURE BENCH.TSV CONSOLE.LOG...")
    architecture, table, *logs = sys.argv[1:]
    rows = []
    for path in logs:
        with open(path, encoding="utf-8", errors="replace") as log:
            text = log.read()
        found = LINE.findall(text)
        if not found and not NONE.search(text):
            sys.exit(f"bench: {path} holds no line of results")
        rows += found
    width = max(len(name) for name, *_ in rows)
    print(f"{'guest instructions':{width}}  {'median':>10} {'min':>10} {'max':>10} {'floor':>7}")
    with open(table, "w", encoding="utf-8") as tsv:
        tsv.write("operation\tours\tfloor\n")
        for name, median, least, most in rows:
            floor = FLOORS.get(architecture, {}).get(name, "-")
            print(f"{name:{width}}  {int(median):10,} {int(least):10,} {int(most):10,} {floor:>7}")
            tsv.write(f"{name}\t{median}\t{floor}\n")
    print("floor: what a minimum written by hand in assembly needs for that piece; -: none was measured")


if __name__ == "__main__":
    main()
