#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the table of `make bench` from console logs: bench.py BENCH.TSV CONSOLE.LOG...

The guest prints one line an operation, its fields parted by tabs:
    bench <operation> <median> <min> <max>       in guest instructions
"""
import re
import sys

# What hand-written assembly needs for the same, counted under QEMU: a cooperative switch of all
# callee-saved registers 15, with interrupts off and on and a one-queue pick 28; IP, SP, FP and mode
# stored 9; one frame of a checked walk 10. A row without a floor has none that was counted.
FLOORS = {
    "yield, kernel threads": 28,
    "hot regs": 9,
    "kernel chain, per frame": 10,
    "switch sample": 9,
    "switch sample, both chains": 9 + (6 + 16) * 10,
}
LINE = re.compile(r"^bench\t([^\t]+)\t(\d+)\t(\d+)\t(\d+)\s*$", re.M)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: bench.py BENCH.TSV CONSOLE.LOG...")
    rows = []
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="replace") as log:
            found = LINE.findall(log.read())
        if not found:
            sys.exit(f"bench: {path} holds no line of results")
        rows += found
    width = max(len(name) for name, *_ in rows)
    print(f"{'guest instructions':{width}}  {'median':>10} {'min':>10} {'max':>10} {'floor':>7}")
    with open(sys.argv[1], "w", encoding="utf-8") as tsv:
        tsv.write("operation\tours\tfloor\n")
        for name, median, least, most in rows:
            floor = FLOORS.get(name, "-")
            print(f"{name:{width}}  {int(median):10,} {int(least):10,} {int(most):10,} {floor:>7}")
            tsv.write(f"{name}\t{median}\t{floor}\n")
    print("floor: what a minimum written by hand in assembly needs for that piece; -: none was measured")


if __name__ == "__main__":
    main()
